//! The files that each commit of a range adds: those that none of its parents has at the same path.
//!
//! Compares trees only; the content of the files is up to the caller.

use super::shallow::{self, Boundary};
use crate::FileMode;
use crate::Scope;
use crate::error::Error;
use crate::history;
use crate::id::{BlobId, CommitId, TreeId};
use crate::objects::commit;
use crate::trees::{self, Renames};
use brv_base::parallel;
use bstr::BString;
use std::collections::HashSet;

/// A commit, and the files that it adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitAdditions {
    pub commit: CommitId,
    /// The whole message.
    pub message: BString,
    /// The files that no parent has there; paths are relative to the scope's tree.
    pub files: Vec<(BString, BlobId)>,
}

/// The added files of each commit reachable from `tips` but not from `known`, newest first. Files that a merge takes
/// over from one of its sides do not count.
pub fn between(scope: &Scope, tips: &[CommitId], known: &[CommitId]) -> Result<Vec<CommitAdditions>, Error> {
    let commits = history::between(scope, tips, known)?;
    let cut = shallow::read(&scope.repo)?;
    if parallel::workers(commits.len()) == 1 {
        return commits.iter().map(|id| brought(scope, *id, &cut)).collect();
    }
    let shared = scope.to_shared();
    parallel::try_map(&commits, || shared.to_local(), |scope, id| brought(scope, *id, &cut))
}

fn brought(scope: &Scope, id: CommitId, cut: &Boundary) -> Result<CommitAdditions, Error> {
    let commit = commit::read(scope, id)?;
    let parents = if cut.contains(&id.0) { &[] } else { commit.parents.as_slice() };
    let before = match parents.first() {
        Some(parent) => scope.tree_of(*parent)?,
        None => TreeId::empty(),
    };
    let mut files = new_files(scope, before, commit.tree)?;
    for parent in parents.iter().skip(1) {
        if files.is_empty() {
            break;
        }
        let other: HashSet<_> = new_files(scope, scope.tree_of(*parent)?, commit.tree)?.into_iter().collect();
        files.retain(|file| other.contains(file));
    }
    Ok(CommitAdditions { commit: id, message: commit.message, files })
}

fn new_files(scope: &Scope, before: TreeId, after: TreeId) -> Result<Vec<(BString, BlobId)>, Error> {
    let changes = trees::diff(scope, before, after, Renames::Ignore)?;
    let file = |change: trees::Change| {
        // a submodule has no content here
        let version = change.after.filter(|version| version.mode != FileMode::Gitlink)?;
        Some((change.path, version.id))
    };
    Ok(changes.into_iter().filter_map(file).collect())
}
