//! How many entries dreams removed lately: many small dreams may not empty a tree that one may not.

use super::list::{UndoRecord, undone, walk, whole};
use crate::Stop;
use crate::journal::{DreamId, OperationId};
use crate::open::naming::upstream;
use crate::read::history::provenance::UNDOES;
use brv_base::path::{PathKind, TreePath};
use brv_git::commit::Commit;
use brv_git::history::{self, Range};
use brv_git::trees::{self, Renames};
use brv_git::{CommitId, Scope};
use bstr::{BStr, ByteSlice as _};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The days that removals are counted over.
const DAYS: i64 = 30;
const DAY: i64 = 86_400;

/// What dreams removed in the last 30 days.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DreamRemovals {
    /// The entries that went or were archived by dreams that stand.
    pub removed: usize,
    /// The entries at the start of these days; `None` where the history is younger.
    pub before: Option<usize>,
}

impl DreamRemovals {
    /// What dreams removed in the commits of `HEAD` and of its upstream.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn recent(scope: &Scope, now: i64) -> Result<Self, Stop> {
        let head = scope.head()?;
        let followed = upstream::of(scope, &head).ok().flatten().and_then(|upstream| upstream.tracking);
        let tracked =
            followed.map(|name| brv_git::refs::commit(scope, name.as_bstr())).transpose()?.flatten();
        let tips: Vec<CommitId> = head.commit().into_iter().chain(tracked).collect();
        let since = now - DAYS * DAY;
        let mut removed = 0;
        for dream in dreams(scope, Range { tips, since: Some(since), ..Range::default() })? {
            removed += removed_by(scope, &dream)?;
        }
        let before = head.commit().map(|head| entries_at(scope, head, since)).transpose()?.flatten();
        Ok(Self { removed, before })
    }

    /// How many of `now` entries dreams may still remove, if it is `share` percent in these days.
    pub fn left(&self, now: usize, share: usize) -> usize {
        let before = self.before.unwrap_or(now + self.removed);
        (before * share / 100).saturating_sub(self.removed)
    }
}

/// The commits of dreams in a range that nobody undid.
fn dreams(scope: &Scope, range: Range) -> Result<Vec<Commit>, Stop> {
    let mut said: BTreeMap<OperationId, UndoRecord> = BTreeMap::new();
    let mut dreams: Vec<(OperationId, Commit)> = Vec::new();
    walk(scope, &range, |commit, trailers| {
        let Some(operation) = trailers.operation() else { return };
        let undoes = whole(trailers.all(UNDOES));
        let name = trailers.get(DreamId::TRAILER).and_then(DreamId::parse);
        if name.is_some() && undoes.is_empty() {
            dreams.push((operation.clone(), commit.clone()));
        }
        said.entry(operation.clone()).or_insert(UndoRecord { operation, undoes });
    })?;
    let undone = undone(&said);
    let standing = dreams.into_iter().filter(|(operation, _)| !undone.contains(operation));
    Ok(standing.map(|(_, commit)| commit).collect())
}

/// How many entries a commit removed.
fn removed_by(scope: &Scope, commit: &Commit) -> Result<usize, Stop> {
    // where a shallow history ends, the parent is not here
    let parent = commit.parents.first().and_then(|parent| scope.tree_of(*parent).ok());
    let Some(before) = parent else { return Ok(0) };
    let changes = trees::diff(scope, before, scope.tree_of(commit.id)?, Renames::Ignore)?;
    Ok(changes.iter().filter(|change| change.after.is_none() && is_entry(change.path.as_bstr())).count())
}

/// How many entries the newest commit before a moment has.
fn entries_at(scope: &Scope, head: CommitId, moment: i64) -> Result<Option<usize>, Stop> {
    let mut found = None;
    history::walk(scope, &Range { tips: vec![head], ..Range::default() }, |walked| {
        if walked.commit.committer.seconds >= moment {
            return ControlFlow::Continue(());
        }
        found = Some(walked.commit.id);
        ControlFlow::Break(())
    })?;
    let Some(commit) = found else { return Ok(None) };
    let files = trees::list(scope, scope.tree_of(commit)?)?;
    Ok(Some(files.iter().filter(|(path, _)| is_entry(path.as_bstr())).count()))
}

fn is_entry(path: &BStr) -> bool {
    TreePath::parse(path).is_ok_and(|path| path.kind() == PathKind::Entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_counted_from_the_start_of_the_days() {
        let removals = |removed, before| DreamRemovals { removed, before };
        assert_eq!(removals(0, Some(40)).left(100, 30), 12);
        assert_eq!(removals(10, Some(40)).left(20, 30), 2);
        assert_eq!(removals(20, Some(40)).left(20, 30), 0);
        assert_eq!(removals(4, None).left(36, 30), 8, "a tree younger than that");
    }
}
