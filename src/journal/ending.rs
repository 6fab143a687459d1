//! Which paths a merge that waits for decisions has touched, told from the index: what ending it must put back.

use super::{Error, Part, latest};
use crate::git::trees::{self, Renames};
use crate::git::{CommitId, Index, Scope, commit};
use bstr::BString;
use std::collections::BTreeSet;

/// The paths (full) whose index entries merging `theirs` into `head` may have changed: those in conflict, and staged ones
/// that differ between the two or that the merge itself is on record for. What is staged elsewhere is the user's own.
///
/// # Errors
/// A repository that cannot be read.
pub fn footprint(
    scope: &Scope,
    index: &Index,
    head: CommitId,
    theirs: CommitId,
) -> Result<Vec<BString>, Error> {
    let whole = scope.whole();
    let (ours, other) = (scope.tree_of(head)?, scope.tree_of(theirs)?);
    let changes = |to| trees::diff(&whole, ours, to, Renames::Ignore);
    let mut touched: BTreeSet<BString> = changes(other)?.into_iter().map(|change| change.path).collect();
    if let Some(merge) = latest(scope)?.filter(|last| last.touches.contains(Part::MergeState)) {
        let made = commit::read(scope, merge.after)?;
        if made.parents == [head, theirs] {
            touched.extend(changes(made.tree)?.into_iter().map(|change| change.path));
        }
    }
    let staged = trees::diff_index(&whole, ours, index, Renames::Ignore)?;
    let staged = staged.into_iter().map(|change| change.path).filter(|path| touched.contains(path));
    let mut paths = index.unmerged();
    paths.extend(staged);
    paths.sort();
    paths.dedup();
    Ok(paths)
}
