//! The paths that a merge in progress has touched, determined from the index: what aborting the merge must restore.

use super::{TreePart, latest};
use crate::Stop;
use brv_git::trees::{self, Renames};
use brv_git::{CommitId, Index, Scope, commit};
use bstr::BString;
use std::collections::BTreeSet;

/// The full paths whose index entries may have been changed by merging `theirs` into `head`: those in conflict, and the
/// staged ones that differ between the two or that the logged merge operation touched. What is staged elsewhere belongs
/// to the user.
pub fn footprint(
    scope: &Scope,
    index: &Index,
    head: CommitId,
    theirs: CommitId,
) -> Result<Vec<BString>, Stop> {
    let whole = scope.whole();
    let (ours, other) = (scope.tree_of(head)?, scope.tree_of(theirs)?);
    let changes = |to| trees::diff(&whole, ours, to, Renames::Ignore);
    let mut touched: BTreeSet<BString> = changes(other)?.into_iter().map(|change| change.path).collect();
    if let Some(merge) = latest(scope)?.filter(|last| last.touches.contains(TreePart::MergeState)) {
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
