//! The failure in an answer: what a command did not do of all that it was asked for, told from its data.

use super::decisions::{self, Voice};
use super::escape::{escape_line, quote_path};
use super::words::many;
use super::{Exit, Failure, guards, refs};
use crate::ops::read::Absence;
use crate::ops::vc::add::Reason;
use crate::ops::vc::resolve::Unfit;
use crate::wire::{self, MissingName, Numbered, RepairState};

/// Files that `vc add` refused.
#[must_use]
pub fn add(data: &wire::Add) -> Option<Failure> {
    let count = data.refused.len();
    if count == 0 {
        return None;
    }
    let hint = data.refused.iter().any(|file| matches!(file.why, Reason::Foreign | Reason::Ignored));
    let message = match count {
        1 => "1 file was not recorded".to_string(),
        _ => format!("{count} files were not recorded"),
    };
    let is_open = data.refused.iter().any(|file| matches!(file.why, Reason::Markers));
    let exit = if is_open { Exit::Conflict } else { Exit::Failed };
    let open = is_open
        .then_some("`brv vc resolve --list` shows what is to be decided; `--force` records it as it is");
    let hint = open.or(hint.then_some("`--force` also records ignored and foreign files that are named"));
    Some(Failure::new(exit, message).hinting(hint))
}

/// What `vc repair` could not put right, and what does.
#[must_use]
pub fn repair(data: &wire::Repair) -> Option<Failure> {
    let mut details = Vec::new();
    for file in &data.files {
        let path = quote_path(file.path.as_bytes());
        match &file.state {
            RepairState::Sound | RepairState::Repaired { open: 0, .. } => {}
            RepairState::Repaired { open, .. } => {
                details.push(format!("{path}: {} to make", many(*open, "decision", "decisions")));
            }
            RepairState::InTheWay { merge, lines } => {
                details.push(format!(
                    "{path}: what was written in or after the merge {} stands in the way, nothing was written",
                    &merge[..7]
                ));
                details.extend(lines.iter().map(|line| format!("  {line}")));
            }
            RepairState::NoMerge { open: 0 } => {
                details.push(format!("{path}: no merge made its frontmatter so; it is for you to edit"));
            }
            RepairState::NoMerge { open } => {
                let decisions = many(*open, "decision", "decisions");
                details.push(format!("{path}: no merge made it so; {decisions} to make"));
            }
            RepairState::Unmerged => details.push(format!("{path}: a merge waits for its decisions")),
        }
    }
    if details.is_empty() {
        return None;
    }
    let failure = Failure::new(Exit::Conflict, "not all is put right").detailing(details);
    Some(failure.hinting(Some(
        "`brv vc resolve --list PATH` shows what is to decide, `brv vc resolve PATH` decides it",
    )))
}

/// What `vc resolve` leaves open.
#[must_use]
pub fn resolve(data: &wire::Resolve) -> Option<Failure> {
    let open: Vec<&Numbered> =
        data.files.iter().flat_map(|file| &file.decisions).filter(|decision| decision.open).collect();
    if open.is_empty() {
        return None;
    }
    let details = open.iter().map(|decision| match &decision.unfit {
        Some(unfit) => format!("{}: {unfit}", quote_path(decision.id.as_bytes())),
        None => quote_path(decision.id.as_bytes()).into_owned(),
    });
    let message = format!("{} still open", many(open.len(), "decision is", "decisions are"));
    let failure = Failure::new(Exit::Conflict, message).detailing(details);
    let is_doubled =
        open.iter().any(|decision| decision.unfit.as_deref() == Some(&Unfit::TwoFrontmatters.to_string()));
    Some(failure.hinting(Some(match is_doubled {
        true => "`brv vc resolve PATH --merge` merges the versions by meaning, into one entry",
        false => "`brv vc resolve --list` shows what is open",
    })))
}

/// What `vc sync` leaves to decide.
#[must_use]
pub fn sync(data: &wire::Sync) -> Option<Failure> {
    if let Some(stopped) = &data.brought.stopped {
        return Some(guards::stopped(stopped));
    }
    if data.brought.conflicts.is_empty() {
        return None;
    }
    let files = many(data.brought.conflicts.len(), "file needs", "files need");
    // a merge begins from what is committed
    let first = if data.uncommitted.is_empty() { "" } else { "`brv vc commit` what took no part; then " };
    Some(
        Failure::new(Exit::Conflict, format!("{files} a decision"))
            .detailing(decisions::open(&data.brought.conflicts, Voice::Merge))
            .hinting(Some(format!(
                "{first}`brv vc pull` begins the merge, `brv vc resolve --list` shows what is open in it; when it is ended, `brv vc sync` goes on. Or let `--on-conflict` decide",
            ))),
    )
}

/// What `vc revert` leaves to decide.
#[must_use]
pub fn revert(data: &wire::Revert) -> Option<Failure> {
    if data.conflicts.is_empty() {
        return None;
    }
    let files = many(data.conflicts.len(), "file needs", "files need");
    let failure = Failure::new(Exit::Conflict, format!("{files} a decision; nothing was changed"));
    Some(failure.detailing(decisions::open(&data.conflicts, Voice::Merge)).hinting(Some(
        "`--on-conflict` decides beforehand; `git revert` in the tree merges by meaning, too, and leaves what is open to be decided",
    )))
}

/// What `undo` leaves to decide.
#[must_use]
pub fn undo(data: &wire::Undo) -> Option<Failure> {
    if data.conflicts.is_empty() {
        return None;
    }
    let files = many(data.conflicts.len(), "file needs", "files need");
    let failure = Failure::new(Exit::Conflict, format!("{files} a decision"));
    Some(failure.detailing(decisions::open(&data.conflicts, Voice::Undo)).hinting(Some(
        match data.written.rewritten.operation {
            Some(_) => "`brv vc resolve --list` shows what is open, `brv vc resolve PATH` decides it",
            None => "nothing was written; `--on-conflict` takes one side, keeps both, or writes markers",
        },
    )))
}

/// Remotes of many that did not answer `vc fetch`, and refs that it could not move.
#[must_use]
pub fn fetch(data: &wire::Fetch) -> Option<Failure> {
    if data.failed.is_empty() {
        return refs::rejected(&data.refs, |_| true);
    }
    let rows = data.failed.iter().map(|remote| format!("{}: {}", remote.address, remote.reason));
    let count = many(data.failed.len(), "remote", "remotes");
    Some(Failure::new(Exit::Remote, format!("{count} could not be fetched from")).detailing(rows))
}

/// Changed files that `vc commit` left out.
#[must_use]
pub fn commit(data: &wire::Commit) -> Option<Failure> {
    let files = many(data.refused.len(), "changed file is", "changed files are");
    (!data.refused.is_empty()).then(|| Failure::new(Exit::Failed, format!("{files} not recorded")))
}

/// Derived files that `derive --check` found missing, out of date or altered.
#[must_use]
pub fn derive(data: &wire::Derive) -> Option<Failure> {
    let found = data.found.as_ref().filter(|found| !found.is_empty())?.len();
    let files = many(found, "derived file is not as it should be", "derived files are not as they should be");
    Some(Failure::new(Exit::Failed, files).hinting(Some(if data.is_set_up {
        "`brv derive` makes what is missing or out of date; edited and foreign files stay"
    } else {
        "brv has not set up this tree yet: `brv init` takes it over, derived files included"
    })))
}

/// Names that `read` could not find.
#[must_use]
pub fn read(data: &wire::Read) -> Option<Failure> {
    let missing = &data.missing;
    let first = missing.first()?;
    let why = |missing: &MissingName| {
        let name = escape_line(missing.name.as_bytes());
        match missing.why {
            Absence::NotThere => format!("`{name}` is not in the context tree"),
            Absence::NotKnowledge => format!("`{name}` is no knowledge"),
            Absence::Empty => format!("there is no knowledge in `{name}`"),
        }
    };
    let mut nearest: Vec<String> = Vec::new();
    for name in missing.iter().flat_map(|missing| &missing.nearest) {
        let name = format!("`{name}`");
        if !nearest.contains(&name) {
            nearest.push(name);
        }
    }
    let hint = if nearest.is_empty() {
        "`brv tree` shows what there is".to_owned()
    } else {
        format!("perhaps {}; `brv tree` shows what there is", nearest.join(", "))
    };
    let failure = if missing.len() == 1 {
        Failure::usage(why(first))
    } else {
        let names = many(missing.len(), "name", "names");
        Failure::usage(format!("{names} cannot be read")).detailing(missing.iter().map(why))
    };
    Some(failure.hinting(Some(hint)))
}
