//! What commands tell about entries: updated, used by a caller, merged, renamed, or to be forgotten.

use super::{follow, is_entry, patience, within};
use crate::Stop;
use crate::open::context::Opened;
use crate::open::state::{self, Change, Missing, StoredSignals};
use brv_base::path::TreePath;
use brv_git as git;
use brv_git::trees;
use brv_text::lifecycle::{DAY, Life};
use bstr::{BString, ByteSlice as _};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Duration;

/// How long it is remembered what a session was given, after it was last seen.
const SESSION: i64 = 30 * DAY;
/// A session without a name lasts until the end of the hour.
const HOUR: i64 = 3600;
/// Up to this many paths are looked up in the tree one by one; more by a list of the tree.
const FEW: usize = 50;

/// Note that curation updated these entries. A path that is listed twice counts twice; a new entry is noted by nobody,
/// since it is seen when it is committed.
pub fn note_updates(opened: &Opened, paths: &[TreePath], now: i64) -> Option<Stop> {
    let mut counts: BTreeMap<&TreePath, usize> = BTreeMap::new();
    for path in paths.iter().filter(|path| is_entry(path)) {
        *counts.entry(path).or_default() += 1;
    }
    if counts.is_empty() {
        return None;
    }
    changing(opened, (counts.len(), patience(opened)), now, &|change, first| {
        let rows = SignalRows::of(change, counts.len())?;
        for (path, count) in &counts {
            let updated = |life: Life| (0..*count).fold(life, |life, _| life.updated(now));
            match rows.get(path)? {
                Some(kept) => change.set(&kept, updated(kept.life))?,
                None => {
                    let _ = change.add(path.as_str(), updated(first.sight(path)))?;
                }
            }
        }
        Ok(())
    })
}

/// Entries served a caller. Only the first time in a session counts; callers without a session share one for each hour.
pub(super) fn hit(
    change: &Change<'_>,
    paths: &BTreeSet<&TreePath>,
    first: &FirstSight<'_>,
    session: Option<&str>,
) -> Result<(), state::Error> {
    let now = first.now;
    let name = match session {
        Some(name) => format!("session {name}"),
        None => format!("hour {}", now.div_euclid(HOUR)),
    };
    let session = change.session(&name, now, now - SESSION)?;
    let rows = SignalRows::of(change, paths.len())?;
    for path in paths {
        match rows.get(path)? {
            Some(kept) if change.is_first_hit(session, &kept)? => {
                change.set(&kept, kept.life.hit(now))?;
            }
            Some(_) => {}
            None => {
                let new = change.add(path.as_str(), first.sight(path).hit(now))?;
                change.is_first_hit(session, &new)?;
            }
        }
    }
    Ok(())
}

/// Note that entries were merged, each first one into the second: the greater importance, the sum of the counters.
pub fn merge(opened: &Opened, pairs: &[(TreePath, TreePath)], now: i64) -> Option<Stop> {
    let is_known = |(from, to): &&(TreePath, TreePath)| is_entry(from) && is_entry(to) && from != to;
    let pairs: Vec<_> = pairs.iter().filter(is_known).collect();
    if pairs.is_empty() {
        return None;
    }
    changing(opened, (pairs.len(), patience(opened)), now, &|change, first| {
        for (source, target) in &pairs {
            let (from, to) = (row(change, source, first)?, row(change, target, first)?);
            change.set(&to, to.life.merged(from.life, now))?;
            change.drop(&from)?;
        }
        Ok(())
    })
}

/// The rows of some entries: looked up one by one, or all read at once.
struct SignalRows<'a> {
    change: &'a Change<'a>,
    all: Option<HashMap<String, StoredSignals>>,
}

impl<'a> SignalRows<'a> {
    fn of(change: &'a Change<'a>, count: usize) -> Result<Self, state::Error> {
        Ok(Self { change, all: (count > FEW).then(|| change.all()).transpose()? })
    }

    fn get(&self, path: &TreePath) -> Result<Option<StoredSignals>, state::Error> {
        match &self.all {
            Some(all) => Ok(all.get(path.as_str()).cloned()),
            None => self.change.get(path.as_str()),
        }
    }
}

/// The first sight of entries without a row.
pub(super) struct FirstSight<'a> {
    opened: &'a Opened,
    /// How many entries are changed.
    count: usize,
    /// The files of `HEAD`, if there are many to look up.
    files: OnceCell<HashSet<BString>>,
    began: i64,
    now: i64,
}

impl FirstSight<'_> {
    /// An entry of `HEAD` was there when signals began; any other is seen now.
    fn sight(&self, path: &TreePath) -> Life {
        let is_early = match self.count > FEW {
            true => {
                self.files.get_or_init(|| self.list().unwrap_or_default()).contains(path.as_bytes().as_bstr())
            }
            false => self.is_file(path).unwrap_or_default(),
        };
        Life::seen(if is_early { self.began } else { self.now })
    }

    fn list(&self) -> Result<HashSet<BString>, git::Error> {
        let scope = &self.opened.scope;
        Ok(trees::list(scope, scope.head_tree()?)?.into_iter().map(|(path, _)| path).collect())
    }

    fn is_file(&self, path: &TreePath) -> Result<bool, git::Error> {
        let scope = &self.opened.scope;
        Ok(trees::file(scope, scope.head_tree()?, path.as_bytes().as_bstr())?.is_some())
    }
}

/// The row of an entry; a new one if it has none.
fn row(change: &Change<'_>, path: &TreePath, first: &FirstSight<'_>) -> Result<StoredSignals, state::Error> {
    match change.get(path.as_str())? {
        Some(kept) => Ok(kept),
        None => change.add(path.as_str(), first.sight(path)),
    }
}

/// Change the state, and in it the rows of this many entries, after they followed `HEAD`. Nobody waits longer than
/// `patience` for another process.
pub(super) fn changing(
    opened: &Opened,
    (count, patience): (usize, Duration),
    now: i64,
    work: &dyn Fn(&Change<'_>, &FirstSight<'_>) -> Result<(), state::Error>,
) -> Option<Stop> {
    let changed = within(opened, (Missing::Make, patience), &|state| {
        let began = if count == 0 { Ok(now) } else { follow::head(state, opened, now)? };
        let began = match began {
            Ok(began) => began,
            Err(trouble) => return Ok(Err(trouble)),
        };
        let first = FirstSight { opened, count, files: OnceCell::new(), began, now };
        state.change(|change| work(change, &first)).map(Ok)
    });
    match changed {
        Ok(done) => done.and_then(|((), trouble)| trouble),
        Err(trouble) => Some(trouble),
    }
}
