//! Check the files that a commit changes, so that `commit` can report at once what would block a push.

use super::{CheckFinding, CheckedContent, blocking, names};
use brv_base::parallel;
use brv_git::trees::{self, Change};
use brv_git::{BlobId, FileMode, Scope};
use bstr::{BString, ByteSlice as _};

/// Check the files that a commit changes. Files that cannot be read are skipped.
pub fn brought(scope: &Scope, changes: &[Change]) -> Vec<CheckFinding> {
    let version = |change: &Change| change.after.filter(|version| version.mode != FileMode::Gitlink);
    let brought: Vec<(&BString, BlobId)> =
        changes.iter().filter_map(|change| Some((&change.path, version(change)?.id))).collect();
    let shared = scope.to_shared();
    let look = |scope: &Scope, path: &BString, id: BlobId| -> Vec<CheckFinding> {
        let content = CheckedContent::at(path.as_bstr());
        let faults = trees::blob(scope, id).map(|bytes| blocking(content, bytes)).unwrap_or_default();
        names::path(path.as_bstr())
            .into_iter()
            .chain(faults)
            .map(|fault| CheckFinding::present(fault.at(path.as_bstr())))
            .collect()
    };
    let found = parallel::map(&brought, || shared.to_local(), |scope, (path, id)| look(scope, path, *id));
    let mut found: Vec<CheckFinding> = found.into_iter().flatten().collect();
    CheckFinding::sort(&mut found);
    found
}
