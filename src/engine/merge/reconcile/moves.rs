//! Detect the files that a side moved, but only where the other side changed the file, too.

use brv_base::sorting;
use brv_git as git;
use brv_git::trees::{self, Change, Renames};
use brv_git::{BlobId, Scope};
use bstr::{BStr, ByteSlice as _};
use std::collections::HashSet;

/// Join deletions and additions of `changes` that are one moved file. A file that the other side left alone is not
/// compared: no change has to go along with it.
pub(super) fn joined(
    scope: &Scope,
    changes: Vec<Change>,
    other: &[Change],
) -> Result<Vec<Change>, git::Error> {
    if !changes.iter().any(|change| change.before.is_none()) {
        return Ok(changes);
    }
    let touched: HashSet<&BStr> =
        other.iter().filter(|change| change.before.is_some()).map(|change| change.path.as_bstr()).collect();
    let is_followed = |change: &Change| change.after.is_none() && touched.contains(change.path.as_bstr());
    if !changes.iter().any(is_followed) {
        return Ok(changes);
    }
    // a new file that is byte for byte a deleted file of this side was moved from there
    let id = |change: &Change| change.before.filter(|_| change.after.is_none()).map(|version| version.id);
    let elsewhere: HashSet<BlobId> =
        changes.iter().filter(|change| !is_followed(change)).filter_map(id).collect();
    let here: HashSet<BlobId> = changes.iter().filter(|change| is_followed(change)).filter_map(id).collect();
    let is_sought = |change: &Change| match (change.before, change.after) {
        (None, Some(after)) => here.contains(&after.id) || !elsewhere.contains(&after.id),
        _ => is_followed(change),
    };
    let (sought, rest): (Vec<_>, Vec<_>) = changes.into_iter().partition(is_sought);
    let mut joined = trees::join_renames(scope, sought, Renames::Always)?;
    joined.extend(rest);
    sorting::sort_by(&mut joined, |a, b| a.path.cmp(&b.path));
    Ok(joined)
}
