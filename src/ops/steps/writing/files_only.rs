//! Writing some files of the work tree as one operation: on record before the first byte is written.
//!
//! Makes no commit, and does not know why the files change.

use crate::fs;
use crate::git::switch::{Admission, Content};
use crate::git::trees::Change;
use crate::git::{self, BlobId, FileMode, Scope, Version, store};
use crate::journal::{IndexSides, Staged, Transition};
use crate::ops::FailureKind;
use crate::ops::steps::cause::{Cause, caused};
use crate::ops::steps::writing::{Purpose, Work, Writing};
use bstr::{BStr, BString, ByteSlice as _};

/// One file.
#[derive(Debug, Clone)]
pub struct Rewrite {
    /// Where it is in the tree.
    pub path: BString,
    /// Its bytes as they were read, as git stores them; `None`: there was no file.
    pub before: Option<Vec<u8>>,
    /// Its bytes as they shall be, as git stores them; `None`: none.
    pub after: Option<Vec<u8>>,
    /// What the index is told.
    pub recording: Recording,
}

/// What the index is told of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recording {
    /// Nothing.
    Leave,
    /// That this is its one version: it is no longer in conflict.
    Stage,
}

/// Why nothing, or not everything, was written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Somebody saved the file since it was read; nothing was written.
    #[error("`{0}` was changed in the meantime")]
    Changed(BString),
    /// Writing.
    #[error(transparent)]
    Cause(Cause),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Changed(_) => FailureKind::Failed,
            Self::Cause(cause) => cause.kind(),
        }
    }
}

caused!(Error);

/// Write the files, if there are any. A crash is put right by the next command that writes: all of them are written then.
///
/// # Errors
/// [`Error`]
pub fn carry_out(writing: &mut Writing<'_>, rewrites: &[Rewrite], purpose: &Purpose) -> Result<(), Error> {
    if rewrites.is_empty() {
        return Ok(());
    }
    let scope = writing.scope();
    let index = writing.index()?;
    check(scope, rewrites)?;
    let ids = store_all(scope, rewrites)?;
    let version = |id: Option<BlobId>| id.map(|id| Version { mode: FileMode::Regular, id });
    let (mut files, mut entries) = (Vec::new(), Vec::new());
    for (file, [before, after]) in rewrites.iter().zip(ids) {
        let (before, after) = (version(before), version(after));
        files.push(Change { path: file.path.clone(), renamed_from: None, before, after });
        if file.recording == Recording::Stage {
            entries.push((scope.full(&file.path), after.map_or(Staged::Nothing, Staged::Version)));
        }
    }
    files.sort_by(|one: &Change, other| one.path.cmp(&other.path));
    let sides = IndexSides::of(scope, &index, entries)?;
    // what stands here may stand here
    let admit = |_: &BStr, _: Content<'_>| Admission::Admitted;
    let work = Work::exact(Transition { files, index: sides, ..Transition::default() }).admitting(&admit);
    writing.carry_out(Some(index), work, purpose)?;
    Ok(())
}

/// Refuse where somebody saved a file since it was read.
fn check(scope: &Scope, rewrites: &[Rewrite]) -> Result<(), Error> {
    let (root, converter) = (scope.root(), git::Converter::of(scope));
    for file in rewrites.iter().filter(|file| file.before != file.after) {
        let path = file.path.as_bstr();
        let here = fs::read_below(&root, &fs::below(&root, path)?)?;
        let here = here.map(|bytes| converter.to_git(path, bytes.into())).transpose()?;
        if here.as_deref() != file.before.as_deref() {
            return Err(Error::Changed(file.path.clone()));
        }
    }
    Ok(())
}

/// The ids of each file before and after.
fn store_all(scope: &Scope, rewrites: &[Rewrite]) -> Result<Vec<[Option<BlobId>; 2]>, git::Error> {
    let blobs: Vec<Vec<u8>> =
        rewrites.iter().flat_map(|file| [&file.before, &file.after]).flatten().cloned().collect();
    let mut ids = store::write_blobs(scope, &blobs)?.into_iter();
    let mut next = |side: &Option<Vec<u8>>| side.as_ref().and_then(|_| ids.next());
    Ok(rewrites.iter().map(|file| [next(&file.before), next(&file.after)]).collect())
}
