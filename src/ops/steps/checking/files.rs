//! Check files, so that `add` and `commit` can report at once what would block a push.

use super::{Found, blocking};
use crate::fs;
use crate::git::trees::{self, Change};
use crate::git::{BlobId, Scope};
use crate::lint::Fault;
use crate::parallel;
use crate::path::TreePath;
use bstr::{BStr, BString, ByteSlice as _};

/// Check curated files (relative to the tree) on disk. Files that cannot be read are skipped.
pub fn on_disk<'a>(scope: &Scope, paths: impl IntoIterator<Item = &'a BString>) -> Vec<Found> {
    let paths: Vec<&BString> = paths.into_iter().filter(|path| is_curated(path.as_bstr())).collect();
    let root = scope.root();
    let read = |path: &BString| fs::read(&fs::below(&root, path.as_bstr())?);
    let look = |path: &BString| read(path).map(blocking).unwrap_or_default();
    let found = parallel::map(&paths, || (), |(), path| look(path));
    named(paths.into_iter().zip(found))
}

/// Check the curated files that a commit changes. Files that cannot be read are skipped.
#[must_use]
pub fn brought(scope: &Scope, changes: &[Change]) -> Vec<Found> {
    let brought = changes.iter().filter(|change| is_curated(change.path.as_bstr()));
    let brought: Vec<(&BString, BlobId)> =
        brought.filter_map(|change| Some((&change.path, change.after?.id))).collect();
    let shared = scope.to_shared();
    let look = |scope: &Scope, id: BlobId| trees::blob(scope, id).map(blocking).unwrap_or_default();
    let found = parallel::map(&brought, || shared.to_local(), |scope, (_, id)| look(scope, *id));
    named(brought.into_iter().map(|(path, _)| path).zip(found))
}

fn is_curated(path: &BStr) -> bool {
    TreePath::parse(path).is_ok_and(|path| path.kind().is_curated())
}

fn named<'a>(found: impl Iterator<Item = (&'a BString, Vec<Fault>)>) -> Vec<Found> {
    let at = |(path, faults): (&'a BString, Vec<Fault>)| {
        faults.into_iter().map(|fault| Found::present(fault.at(path.as_bstr())))
    };
    let mut found: Vec<Found> = found.flat_map(at).collect();
    Found::sort(&mut found);
    found
}
