//! `brv demo`: the main job, shown.

use super::format::Format;
use super::session::{Report, Run, Session};
use super::ui::{Form, Screen, Style};
use crate::ops::demo::{self, Error, Options, Outcome, Ran, Scene};
use crate::say::words::many;
use crate::say::{Exit, Failure};
use crate::wire;
use clap::Args;
use std::path::{Path, PathBuf};

/// The arguments of `brv demo`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv demo
  brv demo ./brv-demo
  brv demo --json")]
pub struct Arguments {
    /// Where to play it: a folder that is absent or empty; without it a new one among the temporary files
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
}

/// How many derived files are named before the rest is counted.
const NAMED: usize = 8;

impl Run for Arguments {
    const NAME: &'static str = "demo";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let program = std::env::current_exe().map_err(|error| {
            Failure::new(Exit::Failed, format!("cannot tell which program this is: {error}"))
        })?;
        let options = Options { folder: self.folder, program };
        let live = session.ui.form() == Form::Text && !session.ui.is_quiet();
        let mut scenes = Vec::new();
        let outcome = demo::run(&session.context(), &options, &mut |scene| {
            if live {
                let mut screen = session.ui.screen();
                draw(&mut screen, &scene);
                // a reader that went away does not stop the play; the end says what could not be written
                let _ = screen.finish();
            }
            scenes.push(scene);
        })
        .map_err(|error| failure(&error))?;
        let data = wire::Demo::new(&outcome, scenes);
        let report = Report::new(data).account().next(next(&outcome.folder));
        Ok(session.report(report, |screen| end(screen, &outcome)))
    }
}

fn failure(error: &Error) -> Failure {
    Failure::of(error.kind(), error).hinting(match error {
        Error::NotEmpty(_) => Some("name a folder that is absent or empty, or none at all"),
        _ => None,
    })
}

fn draw(screen: &mut Screen, scene: &Scene) {
    match scene {
        Scene::Part(title) => {
            screen.text(Style::Strong, format!("== {title}")).end().end();
        }
        Scene::Told(text) => {
            screen.text(Style::Dim, format!("# {text}")).end().end();
        }
        Scene::Ran(ran) => command(screen, ran),
        Scene::Shown { person, path, lines } => {
            let shown = format!("head -n {} .brv/context-tree/{path}", lines.len());
            prompt(screen, person.name(), &shown);
            for line in lines {
                screen.line(line);
            }
            screen.end();
        }
        Scene::Derived { person, paths } => derived(screen, person.name(), paths),
    }
}

fn command(screen: &mut Screen, ran: &Ran) {
    let words: Vec<String> = ran.arguments.iter().map(|word| quoted(word)).collect();
    prompt(screen, ran.person.name(), &format!("brv {}", words.join(" ")));
    screen.plain(&ran.output).plain(&ran.messages);
    if ran.exit != 0 {
        screen.text(Style::Dim, format!("# exit code {}", ran.exit)).end();
    }
    screen.end();
}

fn prompt(screen: &mut Screen, name: &str, line: &str) {
    screen.text(Style::Name, name).text(Style::Strong, format!("$ {line}")).end();
}

fn derived(screen: &mut Screen, name: &str, paths: &[String]) {
    let count = many(paths.len(), "derived file", "derived files");
    screen.text(Style::Dim, format!("# made or changed on {name}'s machine: {count}")).end();
    for path in paths.iter().take(NAMED) {
        screen.text(Style::Dim, "#   ").word(Style::Dim, path).end();
    }
    if paths.len() > NAMED {
        screen.text(Style::Dim, format!("#   ... and {} more", paths.len() - NAMED)).end();
    }
    screen.end();
}

fn end(screen: &mut Screen, outcome: &Outcome) {
    let Outcome { folder, files, derived } = outcome;
    screen.line(format!(
        "Alice and Bob have the same {files} files, {derived} of them derived and never sent."
    ));
    screen.plain("Left for exploring: ").text(Style::Strong, folder.display().to_string()).end();
}

/// Three things to try.
fn next(folder: &Path) -> [String; 3] {
    let place = |below: &str| quoted(&folder.join(below).display().to_string());
    [
        format!("brv -C {} vc show --stat", place("alice")),
        format!("git -C {} log --graph --oneline", place("bob/.brv/context-tree")),
        format!("cat {}", place("bob/.brv/context-tree/_index.md")),
    ]
}

/// A word as a shell takes it.
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
    use crate::cli::ui::{Colour, Kind, drawn};
    use crate::ops::demo::Person;

    fn text(scene: &Scene) -> String {
        drawn(Kind::Pipe, Colour::Off, |screen| draw(screen, scene))
    }

    #[test]
    fn a_command_is_shown_with_all_that_it_printed_and_its_exit_code() {
        let ran = Ran {
            person: Person::Bob,
            arguments: ["vc", "commit", "-m", "two words"].map(Into::into).into(),
            exit: 6,
            output: "data\n".into(),
            messages: "error: no\x1b[2J\n".into(),
        };
        let shown = text(&Scene::Ran(ran));
        assert_eq!(shown, "bob$ brv vc commit -m \"two words\"\ndata\nerror: no\\x1b[2J\n# exit code 6\n\n");
    }

    #[test]
    fn many_derived_files_are_counted() {
        let paths: Vec<String> = (0..10).map(|number| format!("{number}.abstract.md")).collect();
        let shown = text(&Scene::Derived { person: Person::Alice, paths });
        assert!(shown.starts_with("# made or changed on alice's machine: 10 derived files\n"), "{shown}");
        assert!(shown.ends_with("#   7.abstract.md\n#   ... and 2 more\n\n"), "{shown}");
    }
}
