//! Failures of commands that did only part of their work, made from their data.

use super::Failure;
use super::decisions::{self, Voice};
use super::words::many;
use brv_base::escape::{escape_line, quote_path};
use brv_commands::archive::restore::RestoreObstacle;
use brv_commands::archive::run::Skipped;
use brv_commands::derive::{self, SetUp};
use brv_commands::jobs::Job;
use brv_commands::read::{self, Absence};
use brv_commands::undo;
use brv_engine::FailureKind;
use brv_engine::merge::reconcile::Conflict;

/// A job that failed.
pub fn job(job: &Job) -> Failure {
    Failure::new(
        FailureKind::Failed,
        format!("{} failed: {}", job.id, job.reason.as_deref().unwrap_or_default()),
    )
}

/// Entries that `archive run` was asked for by name and left in the tree.
pub fn not_archived(skipped: &[Skipped]) -> Option<Failure> {
    if skipped.is_empty() {
        return None;
    }
    let line = |one: &Skipped| format!("{}: {}", quote_path(one.path.as_bytes()), one.why.words());
    let count = many(skipped.len(), "entry was", "entries were");
    Some(
        Failure::new(FailureKind::Failed, format!("{count} not archived"))
            .detailing(skipped.iter().map(line)),
    )
}

/// Entries that `archive restore` could not restore.
pub fn not_restored(missing: &[(String, RestoreObstacle)]) -> Option<Failure> {
    if missing.is_empty() {
        return None;
    }
    let line =
        |(path, why): &(String, RestoreObstacle)| format!("{}: {}", quote_path(path.as_bytes()), why.words());
    let hint = missing.iter().map(|(_, why)| *why).find(|why| *why != RestoreObstacle::OnlyAStub);
    let count = many(missing.len(), "entry was", "entries were");
    let failure = Failure::new(FailureKind::Failed, format!("{count} not restored"));
    Some(failure.detailing(missing.iter().map(line)).hinting(hint.and_then(RestoreObstacle::hint)))
}

/// The failure for files in conflict, each with its conflicts; `rest` ends the message.
pub fn conflicts(found: &[Conflict], voice: Voice, rest: &str) -> Option<Failure> {
    let files = many(found.len(), "file has", "files have");
    let failure = || Failure::new(FailureKind::Conflict, format!("{files} conflicts{rest}"));
    (!found.is_empty()).then(|| failure().detailing(decisions::open(found, voice)))
}

/// Conflicts of an `undo`.
pub fn undo(data: &undo::Outcome) -> Option<Failure> {
    let failure = conflicts(&data.conflicts, Voice::Undo, "")?;
    Some(failure.hinting(Some(match data.written.operation {
        Some(_) => "list the conflicts with `brv vc resolve --list`, resolve them with `brv vc resolve PATH`",
        None => "nothing was written; `--on-conflict` takes one side, keeps both, or writes conflict markers",
    })))
}

/// Conflicts of a `review reject`.
pub fn rejecting(found: &[Conflict]) -> Option<Failure> {
    let failure = conflicts(found, Voice::Undo, "; nothing was written")?;
    Some(failure.hinting(Some(
        "it was changed again since: edit the files by hand, or undo the operation with `brv undo ID PATH --on-conflict`",
    )))
}

/// Derived files that `derive --check` found missing, out of date or modified.
pub fn derive(outcome: &derive::Outcome, setting_up: SetUp) -> Option<Failure> {
    let found = outcome.found.as_ref().filter(|found| !found.is_empty())?.len();
    let files = many(found, "derived file is out of order", "derived files are out of order");
    Some(Failure::new(FailureKind::Failed, files).hinting(Some(if setting_up == SetUp::Done {
        "`brv derive` regenerates what is missing or out of date; edited files and files of other tools are left alone"
    } else {
        "brv has not set up this tree yet: `brv init` adopts it, derived files included"
    })))
}

/// A model that failed before it was asked about every entry, or that gave no usable answer about some.
pub fn derive_model(outcome: &derive::model::Outcome) -> Option<Failure> {
    if let Some(stop) = &outcome.ended {
        return Some(Failure::from(stop.clone()));
    }
    let rows = || outcome.summaries.iter().chain(&outcome.overviews);
    let failed = rows().filter(|row| row.status == derive::model::Status::Failed);
    let lines: Vec<String> = failed
        .map(|row| {
            let why = row.reason.as_deref().unwrap_or_default();
            format!("{}: {}", quote_path(row.path.as_bytes()), escape_line(why.as_bytes()))
        })
        .collect();
    let count = lines.len();
    let message = || format!("no usable text for {}", many(count, "entry", "entries"));
    (count > 0).then(|| Failure::new(FailureKind::Failed, message()).code("model_invalid").detailing(lines))
}

/// Names that `read` could not find.
pub fn read(missing: &[read::MissingName]) -> Option<Failure> {
    let first = missing.first()?;
    let why = |missing: &read::MissingName| {
        let name = escape_line(missing.name.as_bytes());
        match missing.why {
            Absence::NotThere => format!("`{name}` is not in the context tree"),
            Absence::NotKnowledge => format!("`{name}` is not managed by brv"),
            Absence::Empty => format!("`{name}` has no entries"),
            Absence::Elsewhere => format!("`{name}` is archived, and its content is not in this clone"),
            Absence::Withheld => {
                let found: Vec<&str> = missing.flagged.iter().map(|word| steering(word)).collect();
                format!("`{name}` is withheld: it came from elsewhere and has {}", found.join(" and "))
            }
        }
    };
    if missing.iter().any(|missing| missing.why == Absence::Withheld) {
        let message = match missing.len() {
            1 => why(first),
            count => format!("cannot read {}", many(count, "name", "names")),
        };
        let failure = Failure::new(FailureKind::Blocked, message)
            .detailing(missing.iter().skip(usize::from(missing.len() == 1)).map(why));
        return Some(failure.hinting(Some(
            "a person can look at it with `brv review pending`, and accept it with `brv review approve`",
        )));
    }
    let mut nearest: Vec<String> = Vec::new();
    for name in missing.iter().flat_map(|missing| &missing.nearest) {
        let name = format!("`{name}`");
        if !nearest.contains(&name) {
            nearest.push(name);
        }
    }
    let hint = if nearest.is_empty() {
        "`brv tree` lists all entries".to_owned()
    } else {
        format!("perhaps {}; `brv tree` lists all entries", nearest.join(", "))
    };
    let failure = if missing.len() == 1 {
        Failure::usage(why(first))
    } else {
        let names = many(missing.len(), "name", "names");
        Failure::usage(format!("cannot read {names}")).detailing(missing.iter().map(why))
    };
    Some(failure.hinting(Some(hint)))
}

/// What is found in an entry that may steer an agent.
fn steering(word: &str) -> &str {
    match word {
        "instructions" => "text that reads like instructions to an agent",
        "hidden" => "hidden characters",
        other => other,
    }
}
