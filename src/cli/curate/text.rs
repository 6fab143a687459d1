//! Draw what became of a curation.

use crate::cli::integration::changed;
use crate::cli::jobs::row;
use crate::cli::ui::{Screen, Style};
use crate::say::curate;
use crate::say::words::{many, short};
use brv_commands::curate::{Act, AgainResult, Done, Mode, Outcome, commits, plan};
use brv_commands::jobs::{Job, Verdict};

pub(super) fn taken(screen: &mut Screen, outcome: &commits::Outcome, mode: Mode) {
    let counts = &outcome.counts;
    let would = if mode == Mode::DryRun { "Would take in " } else { "Took in " };
    let all = many(outcome.commits.len(), "commit", "commits");
    screen.plain(format!(
        "{would}{all}: {} curated, {} declined, {} known before",
        counts.curated, counts.declined, counts.known
    ));
    if counts.entries > 0 {
        let entries = many(counts.entries, "entry", "entries");
        screen.plain(format!("; {entries} in {}", many(counts.folders, "folder", "folders")));
    }
    screen.end();
    let mut reasons: Vec<_> = counts.reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in reasons {
        screen.plain(format!("{count:>5} ")).word(Style::Dim, reason).end();
    }
    for job in outcome.commits.iter().filter(|job| job.outcome != Some(Verdict::Declined)) {
        match job.outcome {
            Some(Verdict::Curated) if !job.filed.items.is_empty() => filed(screen, job),
            _ => row(screen, job),
        }
    }
    if let Some(again) = &outcome.again {
        anew(screen, again, mode);
    }
}

/// What a commit was filed as, one fact or item a line: `1a2b3c4d5  code/net.md  Retry twice  rule`.
fn filed(screen: &mut Screen, job: &Job) {
    let commit = job.commit.as_deref().map_or("", |id| &id[..id.len().min(9)]);
    for item in &job.filed.items {
        screen.text(Style::Notable, commit).plain("  ").word(Style::Name, &item.path).plain("  ");
        if !item.title.is_empty() {
            screen.word(Style::Plain, &item.title).plain("  ");
        }
        screen.text(Style::Dim, &item.kind).end();
    }
}

/// What became of the entries of earlier rules.
fn anew(screen: &mut Screen, again: &AgainResult, mode: Mode) {
    for kept in &again.kept {
        screen.text(Style::Notable, "kept      ").word(Style::Name, &kept.path);
        screen.text(Style::Dim, format!("  {}", kept.why.words())).end();
    }
    let Some(session) = &again.session else {
        screen.line("Nothing to do: no entry is left that earlier rules wrote and nobody edited");
        return;
    };
    let would = if mode == Mode::DryRun { "Would remove " } else { "Removed " };
    let files = many(again.removed.len(), "file", "files");
    screen.plain(format!("{would}{files} of earlier rules, {} stay", again.kept.len()));
    if mode == Mode::Write {
        screen.plain("; `brv undo --session ").text(Style::Notable, session).plain("` takes all back");
    }
    screen.end();
}

pub(super) fn planned(screen: &mut Screen, plan: &plan::CuratePlan) {
    for one in &plan.commits {
        screen.text(Style::Notable, &one.commit[..9]).plain("  ").word(Style::Plain, &one.subject);
        if let Some(why) = &one.declined {
            screen.text(Style::Dim, format!("  ({why})"));
        }
        screen.end();
        for line in one.body.trim().lines().filter(|_| one.declined.is_none()) {
            screen.plain("    ").word(Style::Plain, line).end();
        }
    }
    for entry in &plan.covering {
        screen.text(Style::Dim, "covered by ").word(Style::Name, entry.path.as_str()).end();
    }
}

pub(super) fn operations(screen: &mut Screen, data: &Outcome, mode: Mode) {
    if let Some(job) = &data.job {
        screen.plain("Queued ").text(Style::Notable, job).plain(": `brv jobs wait ").plain(job);
        screen.plain("` waits for it").end();
        return;
    }
    if let Some(operations) = &data.operations {
        let list = serde_json::json!({ "operations": operations });
        let text = serde_json::to_string_pretty(&list).unwrap_or_default();
        text.lines().for_each(|line| {
            screen.word(Style::Plain, line).end();
        });
    }
    if mode == Mode::DryRun {
        changed(screen, data.entries.as_deref().unwrap_or_default(), &data.files);
    }
    for done in data.applied.iter().filter_map(|one| one.result.as_ref().ok()) {
        applied(screen, done);
    }
    let summary = &data.summary;
    let counts = [
        (summary.added, "added"),
        (summary.updated, "updated"),
        (summary.merged, "merged"),
        (summary.deleted, "deleted"),
        (summary.failed, "failed"),
    ];
    let said: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let would = if mode == Mode::DryRun { "Would apply " } else { "" };
    let count = many(data.applied.len(), "operation", "operations");
    let said = if said.is_empty() { "nothing changed".to_owned() } else { said.join(", ") };
    screen.plain(format!("{would}{count}: {said}"));
    if let Some(id) = &data.commit {
        screen.plain(" in commit ").text(Style::Notable, short(id));
    }
    screen.end();
}

/// What an operation did: the entry, then a line for each kind of change, and for each entry that is similar.
fn applied(screen: &mut Screen, done: &Done) {
    let style = match done.act {
        Act::Deleted => Style::Bad,
        Act::Unchanged => Style::Dim,
        Act::Added | Act::Updated | Act::Merged => Style::Good,
    };
    screen.text(style, format!("{:<9} ", done.act.word())).word(Style::Name, done.file.as_str());
    for (what, items) in [("made", &done.made), ("removed", &done.removed), ("relinked", &done.turned)] {
        if !items.is_empty() {
            let items: Vec<&str> = items.iter().map(|path| path.as_str()).collect();
            screen.plain(format!("  {what} ")).word(Style::Plain, items.join(", "));
        }
    }
    screen.end();
    for line in curate::lines(done) {
        screen.plain("          ").word(Style::Plain, line).end();
    }
    for similar in &done.similar {
        screen.plain("          ").text(Style::Dim, "similar to ");
        screen.word(Style::Name, similar.path.as_str()).plain("  ").word(Style::Dim, &similar.title).end();
    }
}
