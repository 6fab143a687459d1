//! Read and store the versions of files on disk.

use crate::Stop;
use brv_base::fs::{self, FileKind};
use brv_git as git;
use brv_git::{FileMode, Scope, Version, store};
use bstr::{BString, ByteSlice as _};

/// The versions on disk at these paths (relative to the tree), stored durably; `None` if there is no file. The mode is
/// from the index if it has the path.
///
/// # Errors
/// A file that cannot be read; objects that cannot be stored.
pub fn on_disk(scope: &Scope, index: &git::Index, paths: &[BString]) -> Result<Vec<Option<Version>>, Stop> {
    let (root, converter) = (scope.root(), git::Converter::of(scope));
    let tracked = index.in_lower_case();
    let (mut found, mut blobs) = (Vec::with_capacity(paths.len()), Vec::new());
    for path in paths {
        let file = fs::below(&root, path.as_bstr())?;
        let full = scope.full(path);
        let recorded = index.version(full.as_bstr());
        let is_other = !index.contains(full.as_bstr()) && tracked.contains(&full.to_lowercase());
        let is_there = !is_other
            && fs::stat(&file)?.is_some_and(|stat| stat.kind == FileKind::Regular)
            && fs::is_reached_by_folders(&root, &file)?;
        if is_there {
            blobs.push(converter.to_git(path.as_bstr(), fs::read(&file)?.into())?.into_owned());
        }
        found.push(is_there.then(|| recorded.map_or(FileMode::Regular, |version| version.mode)));
    }
    let mut ids = store::write_blobs(scope, &blobs)?.into_iter();
    Ok(found.into_iter().map(|mode| Some(Version { mode: mode?, id: ids.next()? })).collect())
}
