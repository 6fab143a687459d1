//! Follow `HEAD`: rows for new entries, renamed rows for renamed entries, and an end for rows of entries that left.

use super::Worked;
use crate::Stop;
use crate::open::context::Opened;
use crate::open::state::{self, Baseline, Change, GoneEntry, State};
use brv_base::path::{PathKind, TreePath};
use brv_git as git;
use brv_git::trees::{self, Change as Difference, Renames};
use brv_git::{Scope, TreeId};
use brv_text::lifecycle::{DAY, Life};
use bstr::ByteSlice as _;
use std::collections::HashSet;

/// How long the row of an entry that left the tree is kept: as long as git keeps the commits of a reflog.
pub(super) const KEPT: i64 = 90 * DAY;

/// How often to look again if another process followed meanwhile.
const ATTEMPTS: usize = 5;

/// How the rows get to the tree of `HEAD`.
enum SignalUpdate {
    Same,
    /// Signals begin: every entry is seen now.
    Begin,
    /// By the differences to the tree that was last looked at.
    Differences(Vec<Moved>),
    /// The tree that was last looked at is gone from the repository: these entries are in the new one.
    Anew(HashSet<String>),
}

enum Moved {
    Added { path: String, blob: String },
    Left { path: String, blob: String },
    Renamed { from: String, to: String },
}

/// Bring the rows to the tree of `HEAD`, and return when signals began.
///
/// # Errors
/// What git cannot read, or the state cannot store.
pub(super) fn head(state: &mut State, opened: &Opened, now: i64) -> Worked<i64> {
    let tree = match opened.scope.head_tree() {
        Ok(tree) => tree,
        Err(error) => return Ok(Err(error.into())),
    };
    let mut began = now;
    for _ in 0..ATTEMPTS {
        let before = state.baseline()?;
        // read without holding up other processes
        let way = match way(&opened.scope, before.as_ref(), tree) {
            Ok(way) => way,
            Err(trouble) => return Ok(Err(trouble)),
        };
        began = before.as_ref().map_or(now, |before| before.began);
        if matches!(way, SignalUpdate::Same) {
            break;
        }
        let done = state.change(|change| {
            if change.baseline()? != before {
                return Ok(None);
            }
            go(change, &way, (began, tree), now).map(Some)
        })?;
        if let Some(done) = done {
            began = done;
            break;
        }
    }
    Ok(Ok(began))
}

fn way(scope: &Scope, before: Option<&Baseline>, tree: TreeId) -> Result<SignalUpdate, Stop> {
    let Some(before) = before else { return Ok(SignalUpdate::Begin) };
    if before.tree == tree.to_string() {
        return Ok(SignalUpdate::Same);
    }
    let known = TreeId::from_hex(&before.tree);
    let differences = known.map(|known| trees::diff(scope, known, tree, Renames::Always));
    if let Some(Ok(differences)) = differences {
        return Ok(SignalUpdate::Differences(differences.iter().filter_map(moved).collect()));
    }
    let entries = trees::list(scope, tree)?.into_iter().filter_map(|(path, _)| entry(&path));
    Ok(SignalUpdate::Anew(entries.collect()))
}

/// `None`: nothing that signals are about.
fn moved(difference: &Difference) -> Option<Moved> {
    let path = entry(&difference.path);
    let from = difference.renamed_from.as_ref().map(entry);
    let blob = |version: git::Version| version.id.to_string();
    match (from, path, difference.before, difference.after) {
        (Some(Some(from)), Some(to), ..) => Some(Moved::Renamed { from, to }),
        (Some(Some(path)), None, Some(before), _) | (None, Some(path), Some(before), None) => {
            Some(Moved::Left { path, blob: blob(before) })
        }
        (Some(None), Some(path), _, Some(after)) | (None, Some(path), None, Some(after)) => {
            Some(Moved::Added { path, blob: blob(after) })
        }
        _ => None,
    }
}

fn entry(path: &bstr::BString) -> Option<String> {
    let path = TreePath::parse(path.as_bytes()).ok()?;
    (path.kind() == PathKind::Entry).then(|| path.as_str().to_owned())
}

/// Go that way, and return when signals began.
fn go(
    change: &Change<'_>,
    way: &SignalUpdate,
    (began, tree): (i64, TreeId),
    now: i64,
) -> Result<i64, state::Error> {
    let mut began = began;
    match way {
        SignalUpdate::Same | SignalUpdate::Begin => {}
        SignalUpdate::Differences(all) => {
            // a tree that was empty until now has nothing that could have been seen before
            if change.baseline()?.is_some_and(|before| is_empty(&before)) && change.is_empty()? {
                began = now;
            } else {
                renamed(change, all)?;
                left(change, all, began, now)?;
                added(change, all, now)?;
            }
        }
        SignalUpdate::Anew(entries) => {
            for path in change.paths()?.into_iter().filter(|path| !entries.contains(path)) {
                if let Some(kept) = change.get(&path)? {
                    change.leave(&kept, GoneEntry { since: now, blob: "" })?;
                }
            }
            // which of the others are new is not known any more
            began = now;
        }
    }
    change.sweep(now - KEPT)?;
    change.set_baseline(&Baseline { began, tree: tree.to_string() })?;
    Ok(began)
}

fn is_empty(baseline: &Baseline) -> bool {
    baseline.tree == TreeId::empty().to_string()
}

fn renamed(change: &Change<'_>, all: &[Moved]) -> Result<(), state::Error> {
    for moved in all {
        let Moved::Renamed { from, to } = moved else { continue };
        match (change.get(from)?, change.get(to)?) {
            (Some(kept), _) => change.rename(&kept, to)?,
            // an entry without a row has none after it either
            (None, Some(other)) => change.drop(&other)?,
            (None, None) => {}
        }
    }
    Ok(())
}

fn left(change: &Change<'_>, all: &[Moved], began: i64, now: i64) -> Result<(), state::Error> {
    for moved in all {
        let Moved::Left { path, blob } = moved else { continue };
        let kept = match change.get(path)? {
            Some(kept) => kept,
            None => change.add(path, Life::seen(began))?,
        };
        change.leave(&kept, GoneEntry { since: now, blob })?;
    }
    Ok(())
}

fn added(change: &Change<'_>, all: &[Moved], now: i64) -> Result<(), state::Error> {
    let added = all.iter().filter_map(|moved| match moved {
        Moved::Added { path, blob } => Some((path, blob)),
        Moved::Left { .. } | Moved::Renamed { .. } => None,
    });
    let mut new = Vec::new();
    for (path, blob) in added {
        match change.get(path)? {
            // it is back, or was curated before it was committed
            Some(kept) => change.set(&kept, kept.life)?,
            None => new.push((path, blob)),
        }
    }
    for (path, blob) in new {
        match change.gone_with(blob)? {
            Some(kept) => change.rename(&kept, path)?,
            None => change.add(path, Life::seen(now)).map(drop)?,
        }
    }
    Ok(())
}
