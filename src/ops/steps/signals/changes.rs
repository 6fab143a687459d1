//! What commands tell about entries: updated, returned to a caller, merged, renamed, or to be forgotten.

use super::{Trouble, follow, is_entry, within};
use crate::git::trees::{self, Found};
use crate::git::{self, TreeId};
use crate::lifecycle::{DAY, Life};
use crate::ops::context::Opened;
use crate::path::TreePath;
use crate::state::{self, Change, Kept, Missing};
use bstr::ByteSlice as _;
use std::collections::{BTreeSet, HashSet};

/// How long it is remembered what a session was given, after it was last seen.
const SESSION: i64 = 30 * DAY;
/// A session without a name lasts until the end of the hour.
const HOUR: i64 = 3600;
/// Up to this many paths are looked up in the tree one by one; more by a list of the tree.
const FEW: usize = 50;

/// Note that curation updated these entries. A path that is listed twice counts twice; a new entry is noted by nobody,
/// since it is seen when it is committed.
#[must_use]
pub fn note_updates(opened: &Opened, paths: &[TreePath], now: i64) -> Option<Trouble> {
    let paths: Vec<&TreePath> = paths.iter().filter(|path| is_entry(path)).collect();
    changing(opened, &paths, now, &|change, seen| {
        for path in &paths {
            let kept = row(change, path, seen)?;
            change.set(&kept, kept.life.updated(now))?;
        }
        Ok(())
    })
}

/// Note that these entries were returned to a caller. Only the first time in a session counts; callers without a
/// session share one for each hour.
#[must_use]
pub fn note_hits(opened: &Opened, paths: &[TreePath], session: Option<&str>, now: i64) -> Option<Trouble> {
    let paths: BTreeSet<&TreePath> = paths.iter().filter(|path| is_entry(path)).collect();
    let paths: Vec<&TreePath> = paths.into_iter().collect();
    let name = match session {
        Some(name) => format!("session {name}"),
        None => format!("hour {}", now.div_euclid(HOUR)),
    };
    changing(opened, &paths, now, &|change, seen| {
        let session = change.session(&name, now, now - SESSION)?;
        for path in &paths {
            let kept = row(change, path, seen)?;
            if change.is_first_hit(session, &kept)? {
                change.set(&kept, kept.life.hit(now))?;
            }
        }
        Ok(())
    })
}

/// Note that entries were merged, each first one into the second: the greater importance, the sum of the counters.
#[must_use]
pub fn merge(opened: &Opened, pairs: &[(TreePath, TreePath)], now: i64) -> Option<Trouble> {
    let pairs = of_entries(pairs);
    let both: Vec<&TreePath> = pairs.iter().flat_map(|(source, target)| [source, target]).collect();
    changing(opened, &both, now, &|change, seen| {
        for (source, target) in &pairs {
            let (from, to) = (row(change, source, seen)?, row(change, target, seen)?);
            change.set(&to, to.life.merged(from.life, now))?;
            change.drop(&from)?;
        }
        Ok(())
    })
}

/// The pairs of two different entries.
fn of_entries(pairs: &[(TreePath, TreePath)]) -> Vec<&(TreePath, TreePath)> {
    pairs.iter().filter(|(from, to)| is_entry(from) && is_entry(to) && from != to).collect()
}

/// Forget what is known of these entries: they begin anew, those in the tree now, others when they return.
#[must_use]
pub fn forget(opened: &Opened, paths: &[TreePath], now: i64) -> Option<Trouble> {
    let paths: Vec<&TreePath> = paths.iter().filter(|path| is_entry(path)).collect();
    changing(opened, &paths, now, &|change, seen| {
        for path in &paths {
            let kept = row(change, path, seen)?;
            match kept.is_gone {
                true => change.drop(&kept)?,
                false => change.set(&kept, Life::seen(now))?,
            }
        }
        Ok(())
    })
}

/// Note that entries were renamed, each from the first path to the second. Commits are followed anyway; this is for
/// renames that a commit does not show, because the entry was rewritten with it.
#[must_use]
pub fn rename(opened: &Opened, pairs: &[(TreePath, TreePath)], now: i64) -> Option<Trouble> {
    let pairs = of_entries(pairs);
    let sources: Vec<&TreePath> = pairs.iter().map(|(from, _)| from).collect();
    changing(opened, &sources, now, &|change, seen| {
        for (from, to) in &pairs {
            let kept = row(change, from, seen)?;
            change.rename(&kept, to.as_str())?;
        }
        Ok(())
    })
}

/// The first sight of entries without a row.
struct Seen<'a> {
    /// Those that were there when signals began.
    early: HashSet<&'a str>,
    began: i64,
    now: i64,
}

/// The row of an entry; a new one if it has none.
fn row(change: &Change<'_>, path: &TreePath, seen: &Seen<'_>) -> Result<Kept, state::Error> {
    let path = path.as_str();
    if let Some(kept) = change.get(path)? {
        return Ok(kept);
    }
    change.add(path, Life::seen(if seen.early.contains(path) { seen.began } else { seen.now }))
}

/// Change rows, after they followed `HEAD`. Nothing is done where there are no paths.
fn changing(
    opened: &Opened,
    paths: &[&TreePath],
    now: i64,
    work: &dyn Fn(&Change<'_>, &Seen<'_>) -> Result<(), state::Error>,
) -> Option<Trouble> {
    if paths.is_empty() {
        return None;
    }
    let changed = within(opened, Missing::Make, &|state| {
        let began = match follow::head(state, opened, now)? {
            Ok(began) => began,
            Err(trouble) => return Ok(Err(trouble)),
        };
        let known = if paths.len() > FEW { state.lives()? } else { Default::default() };
        let unknown = paths.iter().map(|path| path.as_str()).filter(|path| !known.contains_key(*path));
        let early = match committed(opened, unknown.collect()) {
            Ok(early) => early,
            Err(error) => return Ok(Err(error.into())),
        };
        let seen = Seen { early, began, now };
        state.change(|change| work(change, &seen)).map(Ok)
    });
    match changed {
        Ok(done) => done.and_then(|((), trouble)| trouble),
        Err(trouble) => Some(trouble),
    }
}

/// Those of these paths that are in `HEAD`.
fn committed<'a>(opened: &Opened, paths: Vec<&'a str>) -> Result<HashSet<&'a str>, git::Error> {
    if paths.is_empty() {
        return Ok(HashSet::new());
    }
    let (scope, tree) = (&opened.scope, opened.scope.head_tree()?);
    if paths.len() > FEW {
        let listed: HashSet<_> = trees::list(scope, tree)?.into_iter().map(|(path, _)| path).collect();
        return Ok(paths.into_iter().filter(|path| listed.contains(path.as_bytes().as_bstr())).collect());
    }
    let is_file = |path: &str| is_file(opened, tree, path);
    let mut found = HashSet::new();
    for path in paths {
        if is_file(path)? {
            found.insert(path);
        }
    }
    Ok(found)
}

fn is_file(opened: &Opened, tree: TreeId, path: &str) -> Result<bool, git::Error> {
    Ok(matches!(trees::find(&opened.scope, tree, path.into())?, Some(Found::File(_))))
}
