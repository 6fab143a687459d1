//! `brv status`: the whole picture of a project's tree.

use super::format::Format;
use super::session::{Report, Run, Session};
use super::ui::{Form, Screen, Style};
use crate::clock::format_utc;
use crate::config::Source;
use crate::ops::status::{self, Options, Outcome};
use crate::ops::steps::state::{SetUp, State};
use crate::say::Exit;
use crate::say::Failure;
use crate::say::words::{self, many, place, tidying};
use crate::wire;
use clap::Args;
use std::path::Path;

/// The columns of the names on the left.
const LEFT: usize = 12;

/// The arguments of `brv status`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv status
  brv status --json")]
pub struct Arguments {
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "status";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let outcome = status::run(&mut session.context(), &Options::default())?;
        let report = Report::new(wire::Overall::from(&outcome))
            .next(next(&outcome).into_iter().chain(tidying(outcome.tidying)));
        Ok(session.report(report, |screen| draw(screen, &outcome, &session.folder)))
    }
}

/// What would bring the tree further, in the order in which it would be done.
fn next(outcome: &Outcome) -> Vec<&'static str> {
    let state = &outcome.state;
    let [pull, push] = match outcome.host {
        None => ["brv vc pull", "brv vc push"],
        // all of the host's files go with them
        Some(_) => ["git pull", "git push"],
    };
    let (ahead, behind) = distance(state).unwrap_or_default();
    let is_open = !state.conflicted.is_empty();
    let unfinished = state.in_progress.iter().find(|one| one.what.kind.makes_commits());
    let waits = is_open || unfinished.is_some();
    let is_set_up = state.setting_up == SetUp::Done;
    let to_see = has_changes(state) || !state.disputed.is_empty() || !state.marked.is_empty();
    [
        (is_open, "brv vc resolve --list"),
        (unfinished.is_some() && !is_open, unfinished.map_or("", |one| one.continuing)),
        ((to_see || state.rewritten.is_some()) && !waits, "brv vc status"),
        (!is_set_up, "brv init"),
        (state.stale > 0 && is_set_up, "brv derive"),
        // what is refused while something is to be decided
        (behind > 0 && !waits && state.rewritten.is_none(), pull),
        (ahead > 0 && behind == 0 && !waits && state.rewritten.is_none(), push),
    ]
    .into_iter()
    .filter_map(|(applies, command)| applies.then_some(command))
    .collect()
}

fn has_changes(state: &State) -> bool {
    !(state.staged.is_empty()
        && state.unstaged.is_empty()
        && state.untracked.is_empty()
        && state.conflicted.is_empty())
}

fn distance(state: &State) -> Option<(usize, usize)> {
    let distance = state.upstream.as_ref()?.distance.as_ref()?;
    Some((distance.ahead, distance.behind))
}

fn draw(screen: &mut Screen, outcome: &Outcome, folder: &Path) {
    let tree = place(&outcome.tree, folder);
    row(screen, "tree", if tree.is_empty() { "." } else { &tree });
    let entries = many(outcome.entries, "entry", "entries");
    let domains = many(outcome.domains, "domain", "domains");
    row(screen, "knowledge", &format!("{entries} in {domains}"));
    row(screen, "branch", &branch(&outcome.state));
    for one in &outcome.state.in_progress {
        row(screen, "in progress", &format!("{}: `{}`", words::in_progress(&one.what), one.continuing));
    }
    row(screen, "changes", &changes(&outcome.state));
    row(
        screen,
        "derived",
        &match outcome.state.stale {
            0 => "up to date".to_owned(),
            stale => format!("{} missing or out of date", many(stale, "file", "files")),
        },
    );
    if !outcome.state.disputed.is_empty() {
        row(screen, "disputed", &words::disputed(&outcome.state.disputed));
    }
    if !outcome.state.marked.is_empty() {
        let entries = many(outcome.state.marked.len(), "entry", "entries");
        row(screen, "markers", &format!("in {entries}: `brv vc repair PATH` merges them again"));
    }
    for remote in &outcome.remotes {
        let url = remote.url.as_ref().map_or_else(|| "no address".to_owned(), ToString::to_string);
        row(screen, "remote", &format!("{} {url}", remote.name));
    }
    for shown in &outcome.settings {
        let value = shown.value.as_deref().unwrap_or_default();
        row(screen, "setting", &format!("{}={value} ({})", shown.key.name(), by(&shown.source)));
    }
    if let Some(record) = &outcome.interrupted {
        let kind = record.kind.word();
        row(screen, "interrupted", &format!("{kind}: the next command that writes puts it right"));
    }
    if let Some(record) = &outcome.last {
        let reason = if record.reason.is_empty() { String::new() } else { format!(": {}", record.reason) };
        row(screen, "last", &format!("{} at {}{reason}", record.kind.word(), format_utc(record.seconds)));
    }
    let formats = outcome.formats;
    row(screen, "brv", &format!("{}, derived files of format {}", formats.program, formats.derived));
}

fn row(screen: &mut Screen, name: &str, text: &str) {
    screen.text(Style::Dim, format!("{name:<LEFT$}")).word(Style::Plain, text).end();
}

const fn by(source: &Source) -> &'static str {
    match source {
        Source::Default => "default",
        Source::Project(_) => "project",
        Source::User(_) => "user",
        Source::Environment(name) | Source::Flag(name) => name,
    }
}

fn branch(state: &State) -> String {
    let name = match (&state.branch, state.head) {
        (Some(branch), Some(_)) => branch.clone(),
        (Some(branch), None) => format!("{branch}, no commits yet"),
        (None, id) => format!("detached at {}", id.map_or_else(String::new, |id| id.prefix(7))),
    };
    let Some(upstream) = &state.upstream else { return name };
    let commits = |count| many(count, "commit", "commits");
    let standing = match distance(state) {
        None => "which is not there".to_owned(),
        Some((0, 0)) => "up to date".to_owned(),
        Some((ahead, 0)) => format!("{} ahead", commits(ahead)),
        Some((0, behind)) => format!("{} behind", commits(behind)),
        Some((ahead, behind)) => format!("{} ahead, {behind} behind", commits(ahead)),
    };
    let rewritten = if state.rewritten.is_some() { "; its history was rewritten" } else { "" };
    format!("{name}, follows {}: {standing}{rewritten}", upstream.name)
}

fn changes(state: &State) -> String {
    let parts: Vec<String> = [
        (state.conflicted.len(), "in conflict"),
        (state.staged.len(), "recorded"),
        (state.unstaged.len(), "not recorded"),
        (state.untracked.len(), "new"),
        (state.foreign.len(), "no knowledge"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, word)| format!("{count} {word}"))
    .collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}
