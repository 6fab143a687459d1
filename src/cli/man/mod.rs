//! `brv man`: manual pages of all commands, generated from their help.
//!
//! Decides the content of a page; [`roff`] formats it.

mod roff;

use super::format::Format;
use super::help::variables::VARIABLES;
use super::session::{Report, Run, Session};
use super::ui::Form;
use crate::nearest::nearest;
use crate::ops::FailureKind;
use crate::say::{Exit, Failure, words};
use crate::wire;
use clap::{Arg, Args, Command};
use roff::Page;
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
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "man";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let all = pages(&(session.catalog.parser)());
        let Some(out) = self.out else {
            let name =
                std::iter::once("brv").chain(self.words.iter().map(String::as_str)).collect::<Vec<_>>();
            let (name, text) = one(all, &name.join("-"))?;
            let page = wire::ManPage { name, file: None, text: Some(text.clone()) };
            let data = wire::Man { pages: vec![page] };
            return Ok(session.report(Report::new(&data), |screen| {
                screen.plain(&text);
            }));
        };
        let names: Vec<String> = all.iter().map(|(name, _)| name.clone()).collect();
        let files = all.into_iter().map(|(name, text)| (format!("{name}.1"), text));
        let written = session
            .context()
            .write_files(&out, files)
            .map_err(|error| Failure::of(FailureKind::Failed, &error))?;
        let page = |(name, file): (String, PathBuf)| wire::ManPage {
            name,
            file: Some(file.display().to_string()),
            text: None,
        };
        let data = wire::Man { pages: names.into_iter().zip(written).map(page).collect() };
        let place = words::place(&session.folder.join(out), &session.folder);
        Ok(session.report(Report::new(&data).account(), |screen| {
            screen.line(format!("Wrote {} to {place}.", words::many(data.pages.len(), "page", "pages")));
        }))
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

/// The pages of all commands with their names: `brv-vc-push`.
fn pages(root: &Command) -> Vec<(String, String)> {
    fn collect(command: &Command, words: &[&str], pages: &mut Vec<(String, String)>) {
        let words = [words, &[command.get_name()]].concat();
        pages.push((words.join("-"), page(command, &words)));
        for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
            collect(below, &words, pages);
        }
    }
    let mut pages = Vec::new();
    collect(root, &[], &mut pages);
    pages
}

fn page(command: &Command, words: &[&str]) -> String {
    let name = words.join("-");
    let mut page = Page::new(&name, env!("CARGO_PKG_VERSION"));
    page.section("NAME");
    page.paragraph(&format!("{name} - {}", first_line(command.get_about())));
    page.section("SYNOPSIS");
    let usage = command.clone().render_usage().to_string();
    for line in usage.trim_start_matches("Usage:").trim().lines() {
        page.paragraph(line.trim());
    }
    if let Some(long) = command.get_long_about() {
        page.section("DESCRIPTION");
        long.to_string().split("\n\n").for_each(|text| page.paragraph(text));
    }
    arguments(command, &mut page);
    let below: Vec<&Command> = command.get_subcommands().filter(|below| !below.is_hide_set()).collect();
    if !below.is_empty() {
        page.section("COMMANDS");
        for below in below {
            page.item(&format!("{name}-{}(1)", below.get_name()), &first_line(below.get_about()));
        }
    }
    if let Some(examples) = command.get_before_help() {
        page.section("EXAMPLES");
        let text = examples.to_string();
        let lines = text.lines().filter_map(|line| line.strip_prefix("  "));
        page.example(&lines.collect::<Vec<_>>().join("\n"));
    }
    if words.len() == 1 {
        tables(&mut page);
    } else {
        page.section("EXIT STATUS");
        page.paragraph("0 on success. See brv(1) for all exit codes.");
    }
    see_also(words, &mut page);
    page.finish()
}

fn first_line(text: Option<&clap::builder::StyledStr>) -> String {
    text.map(ToString::to_string).unwrap_or_default().lines().next().unwrap_or_default().to_owned()
}

/// The arguments, then the flags: those of the command, then those of all commands.
fn arguments(command: &Command, page: &mut Page) {
    let shown: Vec<&Arg> = command.get_arguments().filter(|arg| !arg.is_hide_set()).collect();
    let is_shared = |arg: &Arg| arg.is_global_set() || ["help", "version"].contains(&arg.get_id().as_str());
    let groups: [(&str, Vec<&&Arg>); 3] = [
        ("ARGUMENTS", shown.iter().filter(|arg| arg.is_positional()).collect()),
        ("OPTIONS", shown.iter().filter(|arg| !arg.is_positional() && !is_shared(arg)).collect()),
        ("GLOBAL OPTIONS", shown.iter().filter(|arg| !arg.is_positional() && is_shared(arg)).collect()),
    ];
    for (title, group) in groups {
        if group.is_empty() {
            continue;
        }
        page.section(title);
        for arg in group {
            let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
            page.item(&heading(arg), &help);
        }
    }
}

/// `-n, --max-count N`
fn heading(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default().iter().map(ToString::to_string);
    let takes = arg.get_action().takes_values();
    let values: Vec<String> = if takes { names.collect() } else { Vec::new() };
    let mut value = values.join(" ");
    if takes && value.is_empty() {
        value = arg.get_id().as_str().to_uppercase();
    }
    if arg.is_positional() {
        return value;
    }
    let mut forms: Vec<String> = Vec::new();
    forms.extend(arg.get_short().map(|short| format!("-{short}")));
    forms.extend(arg.get_long().map(|long| format!("--{long}")));
    forms.extend(arg.get_visible_aliases().unwrap_or_default().iter().map(|alias| format!("--{alias}")));
    let forms = forms.join(", ");
    let optional = arg.get_num_args().is_some_and(|range| range.min_values() == 0);
    match (takes, optional) {
        (false, _) => forms,
        (true, true) => format!("{forms}[={value}]"),
        (true, false) => format!("{forms} {value}"),
    }
}

/// The tables of the `brv` page, which other pages lack.
fn tables(page: &mut Page) {
    page.section("EXIT STATUS");
    for exit in Exit::ALL {
        page.item(&exit.number().to_string(), exit.meaning());
    }
    page.section("ENVIRONMENT");
    for variable in VARIABLES {
        page.item(&variable.shown(""), &variable.meaning.replace('`', ""));
    }
    page.section("FILES");
    page.item(".brv/context-tree/", "the context tree of a project, a git repository of its own");
    page.item(".brv/config.yaml", "this machine's settings for a project");
    page.item("~/.config/brv/config.yaml", "the user's settings (on Linux)");
}

fn see_also(words: &[&str], page: &mut Page) {
    page.section("SEE ALSO");
    let above = &words[..words.len() - 1];
    let mut pages = Vec::new();
    if !above.is_empty() {
        pages.push(format!("{}(1)", above.join("-")));
    }
    pages.push(match words {
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
    });
    page.paragraph(&pages.join(", "));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::table::root;

    #[test]
    fn every_command_has_its_page() {
        let all = pages(&root());
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        for name in ["brv", "brv-vc", "brv-vc-push", "brv-vc-remote-add", "brv-man"] {
            assert!(names.contains(&name), "{name}");
        }
        for (name, text) in &all {
            assert!(text.starts_with(".TH "), "{name}");
            for section in ["NAME", "SYNOPSIS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"] {
                assert!(text.contains(&format!(".SH \"{section}\"")), "{section} of {name}");
            }
        }
    }

    #[test]
    fn a_flag_is_headed_by_all_its_forms() {
        let (_, log) = one(pages(&root()), "brv-vc-log").unwrap();
        assert!(log.contains("\\fB\\-n, \\-\\-max\\-count N\\fR\n"), "{log}");
    }

    #[test]
    fn a_page_that_is_not_there_is_answered_with_the_next_one() {
        let failure = one(pages(&root()), "brv-vc-psuh").unwrap_err();
        assert_eq!(failure.hint.as_deref(), Some("did you mean `brv man vc push`?"));
    }
}
