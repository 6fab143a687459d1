//! Write some files of the work tree as one operation, logged before the first byte is written.
//!
//! Makes no commit, and does not know why the files change.

use crate::journal::{IndexSides, Staged, Transition};
use crate::write::operation::{Interference, Purpose, Work, Writing};
use crate::{OrStop, Stop};
use brv_base::fs;
use brv_base::path::TreePath;
use brv_base::sorting;
use brv_git as git;
use brv_git::switch::{Admission, Content};
use brv_git::trees::Change;
use brv_git::{BlobId, FileMode, Index, Scope, Version, store};
use bstr::{BStr, BString, ByteSlice as _};

#[derive(Debug, Clone)]
pub struct Rewrite {
    pub path: BString,
    /// Its bytes as read, as git stores them; `None`: there was no file.
    pub before: Option<Vec<u8>>,
    /// Its new bytes, as git stores them; `None`: the file is removed.
    pub after: Option<Vec<u8>>,
    /// What happens to its index entry.
    pub recording: Recording,
}

impl Rewrite {
    /// A rewrite that leaves the index entry as it is.
    pub fn new(path: &TreePath, before: Option<Vec<u8>>, after: Option<Vec<u8>>) -> Self {
        Self { path: path.as_str().into(), before, after, recording: Recording::Leave }
    }

    /// Read a file as git stores it, and say what is to become of it; `None`: there is no file.
    ///
    /// # Errors
    /// It cannot be read, or what `edit` stops with.
    pub fn edit(
        scope: &Scope,
        path: &TreePath,
        edit: impl FnOnce(Option<&[u8]>) -> Result<Option<Vec<u8>>, Stop>,
    ) -> Result<Self, Stop> {
        let (root, converter) = (scope.root(), git::Converter::of(scope));
        let bytes = fs::read_below(&root, &path.on_disk(&root))?;
        let before =
            bytes.map(|bytes| converter.to_git(path.as_bytes().as_bstr(), bytes.into())).transpose()?;
        let before = before.map(std::borrow::Cow::into_owned);
        let after = edit(before.as_deref())?;
        Ok(Self::new(path, before, after))
    }
}

/// What happens to the index entry of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recording {
    Leave,
    /// The file is staged: it is no longer in conflict.
    Stage,
    /// It goes: the file stays on disk and is no longer tracked.
    Forget,
}

/// Write the files, if there are any. After a crash the next command that writes finishes the operation.
pub fn carry_out(
    writing: &mut Writing<'_>,
    rewrites: &[Rewrite],
    purpose: &Purpose,
) -> Result<(), OrStop<Interference>> {
    if rewrites.is_empty() {
        return Ok(());
    }
    let scope = writing.scope();
    let index = writing.index()?;
    let mut files = stored(scope, &index, rewrites)?;
    let mut entries = Vec::new();
    for (file, change) in rewrites.iter().zip(&files) {
        let staged = match file.recording {
            Recording::Leave => continue,
            Recording::Stage => change.after.map_or(Staged::Nothing, Staged::Version),
            Recording::Forget => Staged::Nothing,
        };
        entries.push((scope.full(&file.path), staged));
    }
    sorting::sort_by(&mut files, |one: &Change, other| one.path.cmp(&other.path));
    let sides = IndexSides::of(scope, &index, entries)?;
    let work = Work::exact(Transition { files, index: sides, ..Transition::default() }).admitting(&own);
    writing.carry_out(Some(index), work, purpose)?;
    Ok(())
}

/// The files are this disk's own, so all may be written.
pub const fn own(_: &BStr, _: Content<'_>) -> Admission {
    Admission::Admitted
}

/// Store both versions of each file, in their order.
///
/// # Errors
/// [`Interference::Saved`] if a file was saved since it was read.
pub fn stored(
    scope: &Scope,
    index: &Index,
    rewrites: &[Rewrite],
) -> Result<Vec<Change>, OrStop<Interference>> {
    check(scope, rewrites)?;
    let ids = store_all(scope, rewrites)?;
    let change = |(file, [before, after]): (&Rewrite, [Option<BlobId>; 2])| {
        let mode = index.version(scope.full(&file.path).as_bstr()).map_or(FileMode::Regular, |old| old.mode);
        let version = |id: Option<BlobId>| id.map(|id| Version { mode, id });
        Change { path: file.path.clone(), renamed_from: None, before: version(before), after: version(after) }
    };
    Ok(rewrites.iter().zip(ids).map(change).collect())
}

/// Fail if a file was saved since it was read.
fn check(scope: &Scope, rewrites: &[Rewrite]) -> Result<(), OrStop<Interference>> {
    let converter = git::Converter::of(scope);
    for file in rewrites {
        if !is_as_read(scope, &converter, file)? {
            return Err(OrStop::This(Interference::saved(vec![file.path.clone()])));
        }
    }
    Ok(())
}

/// Whether a file is as it was read, or is not to change.
pub fn is_as_read(scope: &Scope, converter: &git::Converter, file: &Rewrite) -> Result<bool, Stop> {
    if file.before == file.after {
        return Ok(true);
    }
    let (root, path) = (scope.root(), file.path.as_bstr());
    let here = fs::read_below(&root, &fs::below(&root, path)?)?;
    let here = here.map(|bytes| converter.to_git(path, bytes.into())).transpose()?;
    Ok(here.as_deref() == file.before.as_deref())
}

/// The ids of each file before and after.
fn store_all(scope: &Scope, rewrites: &[Rewrite]) -> Result<Vec<[Option<BlobId>; 2]>, git::Error> {
    let blobs: Vec<Vec<u8>> =
        rewrites.iter().flat_map(|file| [&file.before, &file.after]).flatten().cloned().collect();
    let mut ids = store::write_blobs(scope, &blobs)?.into_iter();
    let mut next = |side: &Option<Vec<u8>>| side.as_ref().and_then(|_| ids.next());
    Ok(rewrites.iter().map(|file| [next(&file.before), next(&file.after)]).collect())
}
