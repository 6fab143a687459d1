//! Find a merge base for files that the operation removed and a merge kept, because another branch had edited them.
//!
//! The state that the operation left has no such file, so the current version and the one before the operation would
//! look like two new files. In truth both descend from a commit on a line of history that never lost the file.

use super::Error;
use super::disk::UndoDisk;
use super::task::Task;
use brv_git::commit;
use brv_git::trees::{self, Change};
use brv_git::{CommitId, Scope, Version, history};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::{BTreeMap, BTreeSet};

/// Put the common ancestor of each kept file into the tree that the operation left.
pub(super) fn give_bases(
    scope: &Scope,
    disk: &UndoDisk,
    head: Option<CommitId>,
    task: &mut Task,
) -> Result<(), Error> {
    let (Some(head), Some(began)) = (head, task.began) else { return Ok(()) };
    let mut line = None;
    let mut bases: BTreeMap<BString, Option<Version>> = BTreeMap::new();
    for Change { path, before, after, .. } in &task.effect.files {
        let now = disk.version(path.as_bstr())?;
        if after.is_some() || before.is_none() || now.is_none() || now == *before {
            continue;
        }
        let since = match &line {
            Some(since) => since,
            None => line.insert(history::between(scope, &[head], &[began])?.into_iter().collect()),
        };
        if let Some(base) = ancestor(scope, (head, began), since, path.as_bstr())? {
            bases.insert(scope.full(path), Some(base));
        }
    }
    if !bases.is_empty() {
        let versions = bases.iter().map(|(path, version)| (path, *version));
        task.effect.left = disk.tree_with(task.effect.left, versions)?;
    }
    Ok(())
}

/// The version of a file in the commit `began`, or else in one of its ancestors, that `head` reaches through commits
/// which all have the file. `since` are the commits of `head` that `began` does not have.
fn ancestor(
    scope: &Scope,
    (head, began): (CommitId, CommitId),
    since: &BTreeSet<CommitId>,
    path: &BStr,
) -> Result<Option<Version>, Error> {
    let (mut open, mut seen, mut older) = (vec![head], BTreeSet::new(), None);
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let Some(version) = trees::file(scope, scope.tree_of(id)?, path)? else { continue };
        if id == began {
            return Ok(Some(version));
        }
        if since.contains(&id) {
            open.extend(commit::read(scope, id)?.parents);
        } else {
            older = older.or(Some(version));
        }
    }
    Ok(older)
}
