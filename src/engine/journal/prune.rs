//! Remove old operations: the last 500 and those of the last 90 days are kept. A leaked secret can be removed at once.
//!
//! Only references are deleted here; a later `gc` deletes the objects.

use super::list::ids;
use super::{Listed, OperationId};
use crate::Stop;
use brv_base::fs::WriteGuard;
use brv_git as git;
use brv_git::refs::{self, Expected, Move};
use brv_git::{CommitId, Scope, Signature, commit, history, trees};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::{HashMap, HashSet};

/// This many operations are kept, however old they are.
pub const KEPT: usize = 500;
/// Operations of this many days are kept, however many there are.
pub const KEPT_DAYS: i64 = 90;

const DAY: i64 = 24 * 60 * 60;

/// The expired operations among `ids` (newest first) at `now`, in seconds since 1970.
pub fn expired(ids: impl IntoIterator<Item = OperationId>, now: i64) -> Vec<OperationId> {
    let is_old = |id: &OperationId| id.seconds().is_some_and(|began| began < now - KEPT_DAYS * DAY);
    ids.into_iter().skip(KEPT).filter(is_old).collect()
}

/// Remove expired operations from the journal. Returns how many were removed.
pub fn prune(scope: &Scope, guard: &WriteGuard, now: i64) -> Result<usize, Stop> {
    forget(scope, guard, &expired(ids(scope)?, now))
}

/// Remove these operations from the journal. Returns how many were removed.
pub fn forget(scope: &Scope, _guard: &WriteGuard, ids: &[OperationId]) -> Result<usize, Stop> {
    let gone = |id: &OperationId| Move {
        name: id.reference().into(),
        expected: Expected::Anything,
        target: None,
        reason: "".into(),
    };
    if !ids.is_empty() {
        refs::update(scope, ids.iter().map(gone).collect(), &Signature::anonymous(0))?;
        super::kept_tags::sweep(scope)?;
    }
    Ok(ids.len())
}

/// The operations that contain a version of a full path (a file or a folder), newest first: in the files or the index
/// before or after, or in commits that are reachable only from the journal.
pub fn holding<'a>(scope: &Scope, listed: &'a [Listed], path: &BStr) -> Result<Vec<&'a Listed>, Stop> {
    let tips: Vec<CommitId> = listed.iter().map(|one| one.commit).collect();
    let others =
        refs::commits(scope, "refs/")?.into_iter().filter(|(name, _)| !name.starts_with(b"refs/brv/"));
    let mut hidden: Vec<CommitId> = others.map(|(_, commit)| commit).collect();
    hidden.extend(scope.head()?.commit());
    let own: HashSet<CommitId> = history::between(scope, &tips, &hidden)?.into_iter().collect();
    let mut search = PruneSearch { whole: scope.whole(), path, own, seen: HashMap::new() };
    let mut found = Vec::new();
    for one in listed {
        if search.is_below(one.commit)? {
            found.push(one);
        }
    }
    Ok(found)
}

/// Whether a commit outside of the journal contains the path.
pub fn is_in_head(scope: &Scope, path: &BStr) -> Result<bool, Stop> {
    Ok(trees::find(&scope.whole(), scope.head_tree()?, path)?.is_some())
}

struct PruneSearch<'a> {
    whole: Scope,
    path: &'a BStr,
    /// Commits that are reachable only from the journal.
    own: HashSet<CommitId>,
    seen: HashMap<CommitId, bool>,
}

impl PruneSearch<'_> {
    /// Whether the path is in the commit of an operation, in one of its sides, or in commits reachable only from them.
    fn is_below(&mut self, operation: CommitId) -> Result<bool, Stop> {
        let (mut waiting, mut visited) = (vec![(operation, 0)], HashSet::new());
        while let Some((id, depth)) = waiting.pop() {
            if !visited.insert(id) {
                continue;
            }
            if self.has(id)? {
                return Ok(true);
            }
            // always check its sides: rewriting the history may leave them reachable only from here
            for parent in commit::read(&self.whole, id)?.parents {
                if depth == 0 || self.own.contains(&parent) {
                    waiting.push((parent, depth + 1));
                }
            }
        }
        Ok(false)
    }

    fn has(&mut self, id: CommitId) -> Result<bool, git::Error> {
        if let Some(known) = self.seen.get(&id) {
            return Ok(*known);
        }
        let tree = self.whole.tree_of(id)?;
        // index entries are stored below the number of their stage
        let staged = (0..4).map(|stage| BString::from(format!("{stage}/{}", self.path)));
        let mut has = false;
        for name in staged.chain([self.path.to_owned()]) {
            has |= trees::find(&self.whole, tree, name.as_bstr())?.is_some();
        }
        self.seen.insert(id, has);
        Ok(has)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{TimeZone as _, Utc};

    #[test]
    fn an_operation_goes_when_it_is_old_and_not_among_the_last() {
        let now = 1_700_000_000;
        let at = |seconds: i64| OperationId::new(Utc.timestamp_opt(seconds, 0).unwrap(), 1);
        let old = now - (KEPT_DAYS + 1) * DAY;
        let many = |count: usize, from: i64| (0..count).map(move |number| at(from - number as i64));
        assert_eq!(expired(many(KEPT, old), now), []);
        assert_eq!(expired(many(KEPT + 2, now), now), []);
        let both = many(KEPT, now).chain(many(3, old));
        assert_eq!(expired(both, now).len(), 3);
        let few = many(KEPT - 1, now).chain(many(3, old));
        assert_eq!(expired(few, now), [at(old - 1), at(old - 2)]);
    }
}
