//! When files were last changed, by the history of `HEAD`: for many files in one walk.

use brv_base::path::TreePath;
use brv_git as git;
use brv_git::history::{self, Range};
use brv_git::trees::{self, Renames};
use brv_git::{CommitId, Scope, TreeId};
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

/// The committer time of the last commit that changed each of these files: that has another version than all of its
/// parents. Files in no commit are left out.
pub fn of<'a>(scope: &Scope, paths: &[&'a TreePath]) -> Result<HashMap<&'a TreePath, i64>, git::Error> {
    let mut found = HashMap::new();
    let mut open: HashMap<&[u8], &TreePath> = paths.iter().map(|path| (path.as_bytes(), *path)).collect();
    let Some(head) = scope.head()?.commit().filter(|_| !open.is_empty()) else { return Ok(found) };
    let range = Range { tips: vec![head], ..Range::default() };
    let mut failed = None;
    history::walk(scope, &range, |walked| {
        let changed = match changed(scope, &walked.commit) {
            Ok(changed) => changed,
            Err(error) => {
                failed = Some(error);
                return ControlFlow::Break(());
            }
        };
        for path in changed {
            found.extend(open.remove(&path[..]).map(|path| (path, walked.commit.committer.seconds)));
        }
        if open.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    failed.map_or(Ok(found), Err)
}

/// When files were last changed, by the newest commits of a branch.
#[derive(Debug, Default)]
pub struct LastChangeTimes {
    /// The committer time of the last commit that changed each file.
    pub times: HashMap<bstr::BString, i64>,
    /// The time of the oldest commit that was looked at, if there are older ones.
    pub before: Option<i64>,
}

/// When files were last changed, by the newest `most` commits up to `head`.
pub fn recent(scope: &Scope, head: CommitId, most: usize) -> Result<LastChangeTimes, git::Error> {
    let mut recent = LastChangeTimes::default();
    let range = Range { tips: vec![head], ..Range::default() };
    let (mut count, mut failed) = (0, None);
    history::walk(scope, &range, |walked| {
        let seconds = walked.commit.committer.seconds;
        match changed(scope, &walked.commit) {
            Ok(changed) => changed.into_iter().for_each(|path| {
                recent.times.entry(path).or_insert(seconds);
            }),
            Err(error) => failed = Some(error),
        }
        count += 1;
        let is_enough = count == most && !walked.commit.parents.is_empty();
        recent.before = is_enough.then_some(seconds);
        if is_enough || failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    failed.map_or(Ok(recent), Err)
}

/// The files that differ from all parents.
fn changed(scope: &Scope, commit: &git::commit::Commit) -> Result<HashSet<bstr::BString>, git::Error> {
    let differing = |before: TreeId| -> Result<HashSet<_>, git::Error> {
        let changes = trees::diff(scope, before, commit.tree, Renames::Ignore)?;
        Ok(changes.into_iter().map(|change| change.path).collect())
    };
    let mut parents = commit.parents.iter();
    let first = parents.next().map_or(Ok(TreeId::empty()), |parent| scope.tree_of(*parent))?;
    let mut changed = differing(first)?;
    for parent in parents {
        let other = differing(scope.tree_of(*parent)?)?;
        changed.retain(|path| other.contains(path));
    }
    Ok(changed)
}
