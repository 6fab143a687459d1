//! `brv demo`: runs a demo in which two people share a tree.

use super::session::{Report, Run, Session};
use super::ui::{Form, Screen, Style};
use crate::say::words::many;
use crate::say::{Exit, Failure};
use brv_commands::demo::{self, DemoTree, Options, Outcome, Scene};
use brv_engine::FailureKind;
use clap::Args;
use std::path::{Path, PathBuf};

/// The arguments of `brv demo`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv demo
  brv demo ./brv-demo
  brv demo --json")]
pub struct Arguments {
    /// Run the demo in DIR, which must be absent or empty; default: a new temporary folder
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// The tree about brv itself, which the build script lists.
const TREE: DemoTree = &include!(concat!(env!("OUT_DIR"), "/demo_tree.rs"));

/// Number of derived files listed by name; the rest is only counted.
const NAMED: usize = 8;

impl Run for Arguments {
    const NAME: &'static str = "demo";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let program = std::env::current_exe().map_err(|error| {
            Failure::new(FailureKind::Failed, format!("cannot find brv's own executable: {error}"))
        })?;
        let options = Options { tree: TREE, folder: self.folder, program };
        let live = session.ui.form() == Form::Text && !session.ui.is_quiet();
        let outcome = demo::run(&session.context(), &options, &mut |scene| {
            if live {
                let mut screen = session.ui.screen();
                draw(&mut screen, scene);
                // a closed standard output does not stop the demo; a write error is reported at the end
                let _ = screen.finish();
            }
        })?;
        let report = Report::new(&outcome).account().next(next(Path::new(&outcome.folder)));
        Ok(session.report(report, |screen| end(screen, &outcome)))
    }
}

fn draw(screen: &mut Screen, scene: &Scene) {
    match scene {
        Scene::Part { title } => {
            screen.text(Style::Strong, format!("== {title}")).end().end();
        }
        Scene::Told { text } => {
            screen.text(Style::Dim, format!("# {text}")).end().end();
        }
        Scene::Ran { person, arguments, exit, stdout, stderr } => {
            let words: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
            prompt(screen, person, &format!("brv {}", words.join(" ")));
            screen.plain(stdout).plain(stderr);
            if *exit != 0 {
                screen.text(Style::Dim, format!("# exit code {exit}")).end();
            }
            screen.end();
        }
        Scene::Shown { person, path, lines } => {
            let shown = format!("head -n {} .brv/context-tree/{path}", lines.len());
            prompt(screen, person, &shown);
            for line in lines {
                screen.line(line);
            }
            screen.end();
        }
        Scene::Derived { person, paths } => derived(screen, person, paths),
    }
}

fn prompt(screen: &mut Screen, name: &str, line: &str) {
    screen.text(Style::Name, name).text(Style::Strong, format!("$ {line}")).end();
}

fn derived(screen: &mut Screen, name: &str, paths: &[String]) {
    let count = many(paths.len(), "derived file", "derived files");
    screen.text(Style::Dim, format!("# generated or updated on {name}'s machine: {count}")).end();
    for path in paths.iter().take(NAMED) {
        screen.text(Style::Dim, "#   ").word(Style::Dim, path).end();
    }
    if paths.len() > NAMED {
        screen.text(Style::Dim, format!("#   ... and {} more", paths.len() - NAMED)).end();
    }
    screen.end();
}

fn end(screen: &mut Screen, outcome: &Outcome) {
    let Outcome { folder, files, derived, .. } = outcome;
    screen.line(format!(
        "Alice and Bob have the same {files} files; {derived} of them are derived and were never sent."
    ));
    screen.plain("Left for you to explore: ").text(Style::Strong, folder).end();
}

/// Three commands to try next.
fn next(folder: &Path) -> [String; 3] {
    let place = |below: &str| quoted(&folder.join(below).display().to_string());
    [
        format!("brv -C {} vc show --stat", place("alice")),
        format!("git -C {} log --graph --oneline", place("bob/.brv/context-tree")),
        format!("cat {}", place("bob/.brv/context-tree/_index.md")),
    ]
}

/// Quote a word for the shell, if it needs it.
fn quoted(word: &str) -> String {
    let plain = |char: char| char.is_alphanumeric() || "-_./:=@%+,^\\".contains(char);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into();
    }
    format!("\"{word}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_tree_is_embedded_byte_by_byte() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees/brv");
        assert!(TREE.len() > 70, "{}", TREE.len());
        for (path, bytes) in TREE {
            assert_eq!(std::fs::read(root.join(path)).unwrap(), *bytes, "{path}");
        }
    }
    use crate::cli::ui::{Colour, ScreenKind, drawn};

    fn text(scene: &Scene) -> String {
        drawn(ScreenKind::Pipe, Colour::Off, |screen| draw(screen, scene))
    }

    #[test]
    fn a_command_is_shown_with_all_that_it_printed_and_its_exit_code() {
        let shown = text(&Scene::Ran {
            person: "bob",
            arguments: ["vc", "commit", "-m", "two words"].map(Into::into).into(),
            exit: 6,
            stdout: "data\n".into(),
            stderr: "error: no\x1b[2J\n".into(),
        });
        assert_eq!(shown, "bob$ brv vc commit -m \"two words\"\ndata\nerror: no\\x1b[2J\n# exit code 6\n\n");
    }

    #[test]
    fn many_derived_files_are_counted() {
        let paths: Vec<String> = (0..10).map(|number| format!("{number}.abstract.md")).collect();
        let shown = text(&Scene::Derived { person: "alice", paths });
        assert!(
            shown.starts_with("# generated or updated on alice's machine: 10 derived files\n"),
            "{shown}"
        );
        assert!(shown.ends_with("#   7.abstract.md\n#   ... and 2 more\n\n"), "{shown}");
    }
}
