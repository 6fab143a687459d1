//! `brv man`: manual pages of all commands, generated from their help.
//!
//! `clap_mangen` writes what clap knows of a command; this module adds examples, exit codes, variables and files.

use super::help::variables::VARIABLES;
use super::session::Catalog;
use super::ui::Screen;
use super::verb::{Answer, Purpose, Verb};
use crate::say::{Exit, Failure, words};
use brv_base::nearest::nearest;
use brv_engine::{Context, Stop};
use clap::{Arg, Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// The arguments of `brv man`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv man
  brv man vc push
  brv man --out man1")]
pub struct Arguments {
    /// The command whose page to print; brv's own page if omitted
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    words: Vec<String>,
    /// Write the pages of all commands into DIR
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[arg(skip)]
    root: Command,
}

/// `brv.man/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Man")]
pub struct Outcome {
    /// The pages, beginning with the program's own.
    pages: Vec<ManPage>,
    /// The folder they were written to, as it is shown.
    #[serde(skip)]
    folder: String,
}

/// A manual page.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ManPage {
    /// Its name: `brv-vc-push`
    name: String,
    /// The file it was written to, with `--out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The page in troff format, without `--out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Verb for Arguments {
    const NAME: &'static str = "man";
    type Outcome = Outcome;

    fn prepare(&mut self, _cx: &Context<'_>, all: Catalog) {
        self.root = (all.parser)();
    }

    fn purpose(&self) -> Purpose {
        if self.out.is_some() { Purpose::Account } else { Purpose::Answer }
    }

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let all = pages(self.root.clone());
        let Some(out) = &self.out else {
            let words = std::iter::once("brv").chain(self.words.iter().map(String::as_str));
            let (name, text) = one(all, &words.collect::<Vec<_>>().join("-"))?;
            let page = ManPage { name, file: None, text: Some(text) };
            return Ok(Answer::new(Outcome { pages: vec![page], folder: String::new() }));
        };
        let names: Vec<String> = all.iter().map(|(name, _)| name.clone()).collect();
        let files = all.into_iter().map(|(name, text)| (format!("{name}.1"), text));
        let written = cx.write_files(out, files).map_err(Stop::from)?;
        let page = |(name, file): (String, PathBuf)| {
            let file = Some(file.display().to_string());
            ManPage { name, file, text: None }
        };
        let folder = words::place(&cx.cwd.join(out), &cx.cwd);
        Ok(Answer::new(Outcome { pages: names.into_iter().zip(written).map(page).collect(), folder }))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        match &outcome.pages[..] {
            [ManPage { text: Some(text), .. }] => {
                screen.plain(text);
            }
            pages => {
                let count = words::many(pages.len(), "page", "pages");
                screen.line(format!("Wrote {count} to {}.", outcome.folder));
            }
        }
    }
}

fn one(all: Vec<(String, String)>, name: &str) -> Result<(String, String), Failure> {
    let names: Vec<String> = all.iter().map(|(name, _)| name.clone()).collect();
    all.into_iter().find(|(known, _)| known == name).ok_or_else(|| {
        let near = nearest(name, names.iter().map(String::as_str));
        let near = near.map(|near| format!("did you mean `brv man {}`?", near[4..].replace('-', " ")));
        Failure::usage(format!("no manual page for `{name}`"))
            .hinting(near.or_else(|| Some("`brv help` lists the commands".into())))
    })
}

/// The pages of all commands with their names: `brv-vc-push`. Hidden commands have none.
fn pages(root: Command) -> Vec<(String, String)> {
    fn collect(command: &Command, words: &[&str], pages: &mut Vec<(String, String)>) {
        let words = [words, &[command.get_name()]].concat();
        pages.push((words.join("-"), page(command, &words)));
        for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
            collect(below, &words, pages);
        }
    }
    let mut root = root.disable_help_subcommand(true);
    root.build();
    let mut pages = Vec::new();
    collect(&root, &[], &mut pages);
    pages
}

fn page(command: &Command, words: &[&str]) -> String {
    let shown = command.clone().mut_args(shown).after_help(None::<&str>).after_long_help(None::<&str>);
    let mut text = Vec::new();
    Man::new(shown)
        .title(words.join("-").to_uppercase())
        // no date, so that the page is the same on every day; an argument that is empty needs its quotes
        .date("\"\"")
        .source(concat!("brv ", env!("CARGO_PKG_VERSION")))
        .manual("brv manual")
        .render(&mut text)
        .and_then(|()| own_sections(command, words).to_writer(&mut text))
        .expect("memory takes all text");
    let text = String::from_utf8(text).expect("roff of UTF-8 is UTF-8");
    // letters beyond ASCII by their numbers; the blank line before a list of values is one break too many for mandoc
    let ascii = |c: char| if c.is_ascii() { c.to_string() } else { format!("\\[u{:04X}]", c as u32) };
    text.chars().map(ascii).collect::<String>().replace("\n.br\n\n.br\n", "\n.br\n")
}

/// The argument as its page shows it, with what `clap_mangen` leaves out: other names, and a section for global options.
fn shown(mut arg: Arg) -> Arg {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    if let Some(aliases) = arg.get_visible_aliases().filter(|aliases| !aliases.is_empty()) {
        let help = format!("{help} [aliases: --{}]", aliases.join(", --"));
        arg = arg.help(help);
    }
    let is_shared = arg.is_global_set() || ["help", "version"].contains(&arg.get_id().as_str());
    if is_shared { arg.help_heading("Global options") } else { arg }
}

/// The sections that clap knows nothing of.
fn own_sections(command: &Command, words: &[&str]) -> Roff {
    let mut page = Roff::new();
    if let Some(examples) = command.get_before_help() {
        page.control("SH", ["EXAMPLES"]).control("nf", []);
        for example in examples.to_string().lines().filter_map(|line| line.strip_prefix("  ")) {
            page.text([roman(example)]);
        }
        page.control("fi", []);
    }
    page.control("SH", ["EXIT STATUS"]);
    if words.len() == 1 {
        tables(&mut page);
    } else {
        page.text([roman("0 on success. See brv(1) for all exit codes.")]);
    }
    page.control("SH", ["SEE ALSO"]).text([roman(see_also(words))]);
    page
}

/// The tables of the `brv` page, which other pages lack.
fn tables(page: &mut Roff) {
    let item = |page: &mut Roff, term: &str, meaning: &str| {
        page.control("TP", []).text([bold(term)]).text([roman(meaning)]);
    };
    for exit in Exit::ALL {
        item(page, &exit.number().to_string(), exit.meaning());
    }
    page.control("SH", ["ENVIRONMENT"]);
    for variable in VARIABLES {
        item(page, &variable.shown(""), &variable.meaning.replace('`', ""));
    }
    page.control("SH", ["FILES"]);
    item(page, ".brv/context-tree/", "the context tree of a project, a git repository of its own");
    item(page, ".brv/config.yaml", "this machine's settings for a project");
    item(page, "~/.config/brv/config.yaml", "the user's settings (on Linux)");
}

fn see_also(words: &[&str]) -> String {
    let git = match words {
        [_, "vc", verb, ..]
            if [
                "add", "clone", "commit", "config", "diff", "fetch", "log", "merge", "pull", "push",
                "remote", "show", "status",
            ]
            .contains(verb) =>
        {
            format!("git-{verb}(1)")
        }
        _ => "git(1)".to_owned(),
    };
    match &words[..words.len() - 1] {
        [] => git,
        above => format!("{}(1), {git}", above.join("-")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::table::root;

    #[test]
    fn every_command_has_its_page() {
        let all = pages(root());
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        for name in ["brv", "brv-vc", "brv-vc-push", "brv-vc-remote-add", "brv-man"] {
            assert!(names.contains(&name), "{name}");
        }
        for (name, text) in &all {
            for section in
                ["NAME", "SYNOPSIS", "\"GLOBAL OPTIONS\"", "EXAMPLES", "\"EXIT STATUS\"", "\"SEE ALSO\""]
            {
                assert!(text.contains(&format!("\n.SH {section}\n")), "{section} of {name}");
            }
        }
    }

    #[test]
    fn a_hidden_command_has_no_page() {
        let root =
            Command::new("brv").subcommands([Command::new("shown"), Command::new("secret").hide(true)]);
        let names: Vec<String> = pages(root).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["brv", "brv-shown"]);
    }

    #[test]
    fn a_page_has_every_option_with_all_its_names() {
        fn check(command: &Command, words: &[&str], all: &[(String, String)]) {
            let words = [words, &[command.get_name()]].concat();
            let (_, text) = all.iter().find(|(name, _)| *name == words.join("-")).unwrap();
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                let long = arg.get_long().into_iter().chain(arg.get_visible_aliases().unwrap_or_default());
                let forms = long.map(|long| format!("--{long}"));
                for form in forms.chain(arg.get_short().map(|short| format!("-{short}"))) {
                    assert!(text.contains(&form.replace('-', "\\-")), "{form} of {words:?}");
                }
            }
            for below in command.get_subcommands() {
                let name = [&words[..], &[below.get_name()]].concat().join("-");
                assert!(text.contains(&format!("\n{}(1)\n", name.replace('-', "\\-"))), "{name}");
                check(below, &words, all);
            }
        }
        check(&root(), &[], &pages(root()));
    }

    #[test]
    fn a_page_that_is_not_there_is_answered_with_the_next_one() {
        let failure = one(pages(root()), "brv-vc-psuh").unwrap_err();
        assert_eq!(failure.stop.hint.as_deref(), Some("did you mean `brv man vc push`?"));
    }
}
