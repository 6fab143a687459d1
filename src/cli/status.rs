//! `brv status`: prints an overview of a project's tree.

use super::hooks::LINES;
use super::ui::{Screen, Style};
use super::verb::{Answer, Verb};
use crate::say::Failure;
use crate::say::words::{self, many, place};
use brv_commands::hooks::{Hook, HookLineState};
use brv_commands::jobs::Verdict;
use brv_commands::status::{self, Changes, Options, Outcome, Overview, Queue, SetUp};
use brv_engine::Context;
use clap::Args;
use std::path::Path;

/// Width of the column of names.
const LEFT: usize = 12;

/// The arguments of `brv status`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv status
  brv status --json")]
pub struct Arguments {}

impl Verb for Arguments {
    const NAME: &'static str = "status";
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let outcome = status::run(cx, &Options { hook_lines: &LINES })?;
        let next = next(&outcome);
        let looks = outcome.review.pending > 0 && cx.is_by_person();
        Ok(Answer::new(outcome).next(next).next(looks.then_some("brv ui review")))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        draw(screen, outcome);
    }
}

/// The commands to run next, in order.
fn next(data: &Outcome) -> Vec<&'static str> {
    let [pull, push] = match data.host {
        None => ["brv vc pull", "brv vc push"],
        // these transfer all of the host's files
        Some(_) => ["git pull", "git push"],
    };
    let (ahead, behind) = distance(data).unwrap_or_default();
    let is_open = data.changes.conflicted > 0;
    let unfinished = data.in_progress.iter().find(|one| one.kind != "bisect");
    let waits = is_open || unfinished.is_some();
    let is_set_up = data.setting_up == SetUp::Done;
    let to_see = has_changes(&data.changes) || !data.disputed.is_empty() || !data.marked.is_empty();
    [
        (is_open, "brv vc resolve --list"),
        (unfinished.is_some() && !is_open, unfinished.map_or("", |one| one.continuing)),
        ((to_see || data.stopped.is_some()) && !waits, "brv vc status"),
        (!is_set_up, "brv init"),
        (data.stale > 0 && is_set_up, "brv derive"),
        // these are rejected while there are conflicts
        (behind > 0 && !waits && data.stopped.is_none(), pull),
        (ahead > 0 && behind == 0 && !waits && data.stopped.is_none(), push),
        (data.gc_due, "brv vc gc"),
    ]
    .into_iter()
    .filter_map(|(applies, command)| applies.then_some(command))
    .collect()
}

const fn has_changes(changes: &Changes) -> bool {
    changes.staged + changes.unstaged + changes.untracked + changes.conflicted > 0
}

fn distance(data: &Outcome) -> Option<(usize, usize)> {
    let upstream = data.upstream.as_ref()?;
    upstream.ahead.zip(upstream.behind)
}

fn draw(screen: &mut Screen, data: &Outcome) {
    let tree = place(Path::new(&data.tree), &data.cwd);
    row(screen, "tree", if tree.is_empty() { "." } else { &tree });
    let entries = many(data.entries, "entry", "entries");
    let domains = many(data.domains, "domain", "domains");
    let absent = data.absent.map(|absent| format!("; {absent} more not on this disk")).unwrap_or_default();
    row(screen, "knowledge", &format!("{entries} in {domains}{absent}"));
    row(screen, "branch", &branch(data));
    for one in &data.in_progress {
        row(screen, "in progress", &format!("{}: `{}`", words::in_progress(one), one.continuing));
    }
    row(screen, "changes", &changes(&data.changes));
    row(
        screen,
        "derived",
        &match data.stale {
            0 => "up to date".to_owned(),
            stale => format!("{} missing or out of date", many(stale, "file", "files")),
        },
    );
    if !data.disputed.is_empty() {
        row(screen, "disputed", &words::disputed(&data.disputed));
    }
    if !data.marked.is_empty() {
        let entries = many(data.marked.len(), "entry", "entries");
        row(screen, "markers", &format!("in {entries}: `brv vc repair PATH` redoes the merge"));
    }
    for remote in &data.remotes {
        let url = remote.url.as_deref().unwrap_or("no address");
        row(screen, "remote", &format!("{} {url}", remote.name));
    }
    for shown in &data.settings {
        let value = shown.value.as_deref().unwrap_or_default();
        row(screen, "setting", &format!("{}={value} ({})", shown.key, shown.origin.word()));
    }
    if let Some(record) = &data.interrupted {
        let kind = record.kind;
        row(screen, "interrupted", &format!("{kind}: the next command that writes recovers it"));
    }
    if let Some(record) = &data.last_operation {
        let reason = if record.reason.is_empty() { String::new() } else { format!(": {}", record.reason) };
        row(screen, "last", &format!("{} at {}{reason}", record.kind, record.time));
    }
    if data.review.pending > 0 {
        let waits = many(data.review.pending, "change waits", "changes wait");
        row(screen, "review", &format!("{waits}: `brv review` lists them"));
    }
    if let Some(hooks) = &data.hooks {
        row(screen, "hooks", &hooks_line(hooks));
        if !hooks.amiss.is_empty() {
            row(screen, "", &amiss(&hooks.amiss));
        }
    }
    if let Some(other) = &data.shadowed_by {
        row(screen, "PATH", &format!("finds {other} before this brv"));
    }
    let formats = &data.formats;
    row(screen, "brv", &format!("{}, derived files of format {}", formats.brv, formats.derived));
}

fn row(screen: &mut Screen, name: &str, text: &str) {
    screen.text(Style::Dim, format!("{name:<LEFT$}")).word(Style::Plain, text).end();
}

/// The queue, and what became of the last commit.
fn hooks_line(hooks: &Overview) -> String {
    let Queue { queued, running, failed } = hooks.queue;
    let counts = [(queued, "queued"), (running, "running"), (failed, "failed")];
    let mut said: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    if !hooks.enabled {
        said.insert(0, "switched off".to_owned());
    }
    if let Some(job) = &hooks.last {
        let commit = job.commit.as_deref().map_or("", |id| &id[..id.len().min(9)]);
        let why = match (job.outcome, &job.entries[..]) {
            (Some(Verdict::Curated), entries) => entries.join(", "),
            _ => job.reason.clone().unwrap_or_default(),
        };
        let outcome = job.outcome.map_or("", Verdict::word);
        said.push(format!("last {commit} {outcome}: {why}"));
    }
    if said.is_empty() { "nothing queued".to_owned() } else { said.join(", ") }
}

/// Hooks that are not as they should be.
fn amiss(hooks: &[Hook]) -> String {
    let of = |state: HookLineState, word: &str| {
        let names: Vec<&str> =
            hooks.iter().filter(|hook| hook.state == state).map(|hook| hook.event.name()).collect();
        (!names.is_empty()).then(|| format!("{word}: {}", names.join(", ")))
    };
    let all = [
        of(HookLineState::Outdated, "outdated"),
        of(HookLineState::Absent, "gone"),
        of(HookLineState::Foreign, "not brv's"),
    ];
    format!("{}; `brv hooks install` mends them", all.into_iter().flatten().collect::<Vec<_>>().join("; "))
}

fn branch(data: &Outcome) -> String {
    let name = match (&data.branch, &data.head) {
        (Some(branch), Some(_)) => branch.clone(),
        (Some(branch), None) => format!("{branch}, no commits yet"),
        (None, id) => format!("detached at {}", id.as_ref().map_or_else(String::new, words::short)),
    };
    let Some(upstream) = &data.upstream else { return name };
    let commits = |count| many(count, "commit", "commits");
    let standing = match distance(data) {
        None => "which does not exist".to_owned(),
        Some((0, 0)) => "up to date".to_owned(),
        Some((ahead, 0)) => format!("{} ahead", commits(ahead)),
        Some((0, behind)) => format!("{} behind", commits(behind)),
        Some((ahead, behind)) => format!("{} ahead, {behind} behind", commits(ahead)),
    };
    let rewritten = if data.stopped.is_some() { "; its history was rewritten" } else { "" };
    format!("{name}, tracks {}: {standing}{rewritten}", upstream.name)
}

fn changes(changes: &Changes) -> String {
    let foreign = if changes.foreign == 1 { "file not managed by brv" } else { "files not managed by brv" };
    let parts: Vec<String> = [
        (changes.conflicted, "in conflict"),
        (changes.staged, "staged"),
        (changes.unstaged, "not staged"),
        (changes.untracked, "untracked"),
        (changes.foreign, foreign),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, word)| format!("{count} {word}"))
    .collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}
