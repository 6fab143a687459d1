//! Find a merge result that another tool left on disk but did not stage: the index still has our version, so the merge
//! commit would lose the other side's changes.
//!
//! Only certain cases count: the file on disk is the other side's version, or the result of merging the two.

use super::decisions;
use crate::Stop;
use brv_base::fs;
use brv_git as git;
use brv_git::merge_state::MergeState;
use brv_git::trees::{self, Change, Renames, TreeItem};
use brv_git::{CommitId, Edit, Edits, FileMode, Index, Presence, Scope, TreeId, Version, store};
use brv_text::merge::{self, Format, Rules, Versions};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::BTreeMap;

/// A merged file that is not staged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unstaged {
    pub path: BString,
    /// The bytes on disk, as git stores them.
    pub bytes: Vec<u8>,
    pub mode: FileMode,
}

/// The files (sorted) whose merged version is on disk and not in the index; `ours` is the commit of `HEAD`.
pub fn find(scope: &Scope, index: &Index, ours: CommitId, merge: &MergeState) -> Result<Vec<Unstaged>, Stop> {
    let whole = scope.whole();
    let tree = scope.tree_of(ours)?;
    let mut found = BTreeMap::new();
    for theirs in &merge.heads {
        let base = match git::history::merge_bases(scope, ours, *theirs)?.first() {
            Some(base) => scope.tree_of(*base)?,
            None => TreeId::empty(),
        };
        let changes = trees::diff(&whole, base, scope.tree_of(*theirs)?, Renames::Ignore)?;
        for change in changes {
            let Some(path) = scope.strip(change.path.as_bstr()).map(ToOwned::to_owned) else { continue };
            if let Some(bytes) = unstaged(scope, &whole, index, tree, &change)? {
                let mode = change.after.map_or(FileMode::Regular, |version| version.mode);
                found.insert(path, (bytes, mode));
            }
        }
    }
    Ok(found.into_iter().map(|(path, (bytes, mode))| Unstaged { path, bytes, mode }).collect())
}

/// The bytes on disk of a file that theirs changed, if the index has our version and the disk the merge result.
fn unstaged(
    scope: &Scope,
    whole: &Scope,
    index: &Index,
    ours: TreeId,
    change: &Change,
) -> Result<Option<Vec<u8>>, Stop> {
    let full = change.path.as_bstr();
    let is_file = |version: &Version| matches!(version.mode, FileMode::Regular | FileMode::Executable);
    let Some(theirs) = change.after.filter(is_file) else { return Ok(None) };
    let ours = match trees::find(whole, ours, full)? {
        Some(TreeItem::File(version)) => Some(version),
        Some(_) => return Ok(None),
        None => None,
    };
    let is_open = index.stages(full).iter().any(Option::is_some);
    if is_open || index.version(full) != ours || ours == Some(theirs) {
        return Ok(None);
    }
    let path = scope.strip(full).unwrap_or(full);
    let root = scope.root();
    let Some(bytes) = fs::read_below(&root, &fs::below(&root, path)?)? else { return Ok(None) };
    let bytes = git::Converter::of(scope).to_git(path, bytes.into())?.into_owned();
    let is_merged = match (change.before, ours) {
        // only theirs changed it
        (before, ours) if before == ours => bytes == trees::blob(whole, theirs.id)?,
        (before, Some(ours)) => {
            let read = |version: Version| trees::blob(whole, version.id);
            let base = before.map(read).transpose()?;
            let (ours, theirs) = (read(ours)?, read(theirs)?);
            let versions = Versions { base: base.as_deref(), ours: &ours, theirs: &theirs };
            is_merge_of(&versions, path, &bytes)
        }
        (_, None) => false,
    };
    Ok(is_merged.then_some(bytes))
}

/// Whether bytes are the result of a clean merge: by meaning, or by line as other tools merge.
fn is_merge_of(versions: &Versions<'_>, path: &BStr, bytes: &[u8]) -> bool {
    [decisions::format_of(path), Format::Lines].into_iter().any(|format| {
        let merged = merge::merge(versions, &Rules { format, ..Rules::default() });
        merged.conflicts.is_empty() && merged.bytes == bytes
    })
}

/// The edits that stage the files; stores their bytes.
pub fn staging(scope: &Scope, files: &[Unstaged]) -> Result<Edits, git::Error> {
    let blobs: Vec<Vec<u8>> = files.iter().map(|file| file.bytes.clone()).collect();
    let versions = store::write_blobs(scope, &blobs)?.into_iter();
    let edit = |(file, id): (&Unstaged, git::BlobId)| {
        (scope.full(&file.path), Edit::Put(Version { mode: file.mode, id }, Presence::Unknown))
    };
    Ok(files.iter().zip(versions).map(edit).collect())
}
