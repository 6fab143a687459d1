//! Completion candidates for an argument: its listed values if it has any, else by the value name in its help.
//!
//! A new command gets completions by using the value names that other commands use.

use super::shell::Candidate;
use crate::cli::help::Topic;
use crate::cli::position::{Position, Slot};
use crate::cli::session::Catalog;
use brv_base::config;
use brv_base::sorting;
use brv_commands::complete::{self, Options};
use brv_engine::Context;
use clap::{Arg, Command};
use std::path::Path;

/// All candidates, not yet filtered by what `current` begins with.
pub fn of(
    all: (&Command, &Catalog),
    position: &Position<'_>,
    current: &str,
    cx: &Context<'_>,
) -> Vec<Candidate> {
    match &position.slot {
        Slot::Flag => flags(position.command),
        Slot::Value { flag, inline } => {
            let typed = current.strip_prefix(inline.as_str()).unwrap_or(current);
            let mut found = values(all, position, flag, typed, cx);
            for candidate in &mut found {
                candidate.value.insert_str(0, inline);
            }
            found
        }
        Slot::Word { argument, commands } => {
            let mut found = if *commands { below(position.command) } else { Vec::new() };
            if let Some(argument) = argument {
                found.extend(values(all, position, argument, current, cx));
            }
            found
        }
    }
}

/// The subcommands of a command, as help lists them.
fn below(command: &Command) -> Vec<Candidate> {
    let shown = command.get_subcommands().filter(|below| !below.is_hide_set());
    shown.map(|below| with_about(below.get_name(), below.get_about())).collect()
}

fn flags(command: &Command) -> Vec<Candidate> {
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let long = shown.filter_map(|arg| Some(with_about(&format!("--{}", arg.get_long()?), arg.get_help())));
    long.collect()
}

fn with_about(value: &str, about: Option<&clap::builder::StyledStr>) -> Candidate {
    Candidate { value: value.to_owned(), about: about.map(ToString::to_string).unwrap_or_default() }
}

fn plain(value: impl Into<String>) -> Candidate {
    Candidate { value: value.into(), about: String::new() }
}

/// The value name shown in help: `PATH`.
fn value_name(arg: &Arg) -> String {
    let named = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    named.unwrap_or_else(|| arg.get_id().as_str().to_uppercase())
}

fn values(
    (root, catalog): (&Command, &Catalog),
    position: &Position<'_>,
    arg: &Arg,
    typed: &str,
    cx: &Context<'_>,
) -> Vec<Candidate> {
    let listed: Vec<Candidate> = arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| with_about(value.get_name(), value.get_help()))
        .collect();
    if !listed.is_empty() {
        return listed;
    }
    let ask = |options: Options| complete::run(cx, &options).into_iter().map(plain).collect();
    let name = value_name(arg);
    match (name.as_str(), &position.path[..]) {
        ("PATH", ["archive", "restore" | "show"]) => ask(Options::Archived),
        ("FOLDER", _) if arg.get_long() == Some("into") => ask(Options::TreeFolder),
        ("PATH", [.., "add" | "resolve"]) => ask(Options::ChangedPath(typed.to_owned())),
        ("PATH", _) => ask(Options::Path(typed.to_owned())),
        ("REV|PATH", _) => {
            let mut found: Vec<Candidate> = revisions(typed, cx);
            found.extend(complete::run(cx, &Options::Path(typed.to_owned())).into_iter().map(plain));
            found
        }
        ("REV" | "REV|REV:PATH" | "RANGE" | "A..B" | "COMMIT", _) => revisions(typed, cx),
        ("REMOTE", _) => ask(Options::Remote),
        ("NAME" | "OLD", ["vc", "remote", "set-url" | "get-url" | "remove" | "rename" | "prune"]) => {
            ask(Options::Remote)
        }
        ("REFSPEC", path) => refspecs(path, position.given.first(), typed, cx),
        ("REF[:EXPECT]", _) => {
            let remote = position.given.first().map(|remote| Options::BranchOf { remote: remote.clone() });
            let there = remote.map(|options| complete::run(cx, &options)).filter(|found| !found.is_empty());
            there.unwrap_or_else(|| complete::run(cx, &Options::Branch)).into_iter().map(plain).collect()
        }
        ("ID", ["review", ..]) => ask(Options::Review),
        ("TAG", _) => ask(Options::Tag),
        ("BRANCH", path) if !path.ends_with(&["clone"]) => ask(Options::Branch),
        ("KEY", ["vc", ..]) => ask(Options::GitSetting),
        ("KEY", _) => config::Key::ALL.into_iter().map(|key| plain(key.name())).collect(),
        ("DIR" | "URL" | "FOLDER", _) => on_disk(&cx.cwd, typed, Take::Folders),
        ("FILE", _) => on_disk(&cx.cwd, typed, Take::Everything),
        ("COMMAND|TOPIC" | "COMMAND", _) => commands(root, position),
        ("NAME", ["schema"]) => schemas(catalog),
        _ => Vec::new(),
    }
}

/// Revisions, also after `A..` and `^`, and paths after `REV:`.
fn revisions(typed: &str, cx: &Context<'_>) -> Vec<Candidate> {
    let start = typed.rfind("..").map_or(usize::from(typed.starts_with('^')), |dots| dots + 2);
    let (before, rest) = typed.split_at(start);
    let words = match rest.split_once(':') {
        Some((revision, path)) => {
            let options = Options::PathIn { revision: revision.to_owned(), typed: path.to_owned() };
            let found = complete::run(cx, &options);
            found.into_iter().map(|path| format!("{revision}:{path}")).collect()
        }
        None => complete::run(cx, &Options::Revision),
    };
    words.into_iter().map(|word| plain(format!("{before}{word}"))).collect()
}

/// `[+]SOURCE[:DESTINATION]`: a push takes its source from this repository, a fetch from the remote.
fn refspecs(path: &[&str], remote: Option<&String>, typed: &str, cx: &Context<'_>) -> Vec<Candidate> {
    let start = typed.rfind(':').map_or(usize::from(typed.starts_with('+')), |colon| colon + 1);
    let (before, is_source) = (&typed[..start], !typed.contains(':'));
    let here = path.ends_with(&["push"]) == is_source;
    let options = match remote {
        Some(remote) if !here => Options::BranchOf { remote: remote.clone() },
        _ => Options::Branch,
    };
    complete::run(cx, &options).into_iter().map(|word| plain(format!("{before}{word}"))).collect()
}

/// The subcommands of the words typed so far; at the start, the help topics too.
fn commands(root: &Command, position: &Position<'_>) -> Vec<Candidate> {
    let mut command = root;
    for word in &position.given {
        match command.find_subcommand(word) {
            Some(below) => command = below,
            None => return Vec::new(),
        }
    }
    let mut found = below(command);
    if position.given.is_empty() && position.path.ends_with(&["help"]) {
        let topics = Topic::ALL.into_iter();
        found.extend(
            topics.map(|topic| Candidate { value: topic.name().into(), about: topic.about().into() }),
        );
    }
    found
}

/// The names of the JSON schemas that commands print.
fn schemas(catalog: &Catalog) -> Vec<Candidate> {
    (catalog.schemas)().iter().map(|known| plain(known.name())).collect()
}

/// Which entries of a local folder are offered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Take {
    Folders,
    Everything,
}

fn on_disk(cwd: &Path, typed: &str, take: Take) -> Vec<Candidate> {
    let (folder, name) = typed.rfind('/').map_or(("", typed), |slash| typed.split_at(slash + 1));
    let Ok(entries) = std::fs::read_dir(cwd.join(folder)) else { return Vec::new() };
    let mut found: Vec<Candidate> = entries
        .flatten()
        .filter_map(|entry| {
            let own = entry.file_name().into_string().ok()?;
            let is_folder = entry.path().is_dir();
            let shown = own.starts_with(name) && (!own.starts_with('.') || name.starts_with('.'));
            let end = if is_folder { "/" } else { "" };
            (shown && (is_folder || take == Take::Everything)).then(|| plain(format!("{folder}{own}{end}")))
        })
        .collect();
    sorting::sort_by(&mut found, |a, b| a.value.cmp(&b.value));
    found
}
