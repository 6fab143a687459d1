//! Edit the index for a [`Work`](super::Work), with the known state of the files on disk.

use crate::Stop;
use crate::journal::{Staged, Transition};
use crate::write::policy::own_files::LocalFiles;
use brv_base::fs;
use brv_git::index::WriteTreeError;
use brv_git::switch::{Admission, Content};
use brv_git::{Edit, Edits, Index, Presence, Scope, Version, trees};
use bstr::{BString, ByteSlice as _};

/// The index with the entries of the transition, and with those of the files that were brought if it `follows` them;
/// `None` if it stays as it is.
pub(super) fn edited(
    scope: &Scope,
    index: Index,
    follows: bool,
    (transition, brought): (&Transition, &Edits),
    kept: &LocalFiles,
) -> Result<Option<Index>, Stop> {
    let mut edits = if follows { brought.clone() } else { Edits::new() };
    edits.extend(index_edits(scope, &index, transition, brought, kept)?);
    if !follows && edits.is_empty() {
        return Ok(None);
    }
    let was_cached = index.cached_root().is_some();
    let mut index = index.edited(&edits)?;
    index.hide(&transition.index.after.hiding);
    if follows || was_cached {
        // fills the cache tree, so that the next status need not compare with HEAD; with conflicts there is none
        if let Err(WriteTreeError::Git(error)) = index.write_tree(scope) {
            return Err(error.into());
        }
    }
    Ok(Some(index))
}

/// The edits for the index, with the known state of their files on disk.
fn index_edits(
    scope: &Scope,
    index: &Index,
    transition: &Transition,
    brought: &Edits,
    kept: &LocalFiles,
) -> Result<Edits, fs::Error> {
    let off_disk = transition.index.off_disk(index);
    let presence = |path: &BString, staged: &Staged| {
        Ok(match (brought.get(path), staged) {
            (Some(Edit::Put(version, presence)), Staged::Version(wanted)) if version == wanted => *presence,
            _ if off_disk(path.as_bstr(), *staged) => Presence::Withheld,
            (None, Staged::Version(version)) if never_came(scope, path, *version, kept)? => {
                Presence::Withheld
            }
            _ => Presence::Unknown,
        })
    };
    let before = &transition.index.before.entries;
    let entries = transition.index.after.entries.iter();
    entries
        .filter(|(path, staged)| before.get(*path) != Some(staged) || brought.contains_key(*path))
        .map(|(path, staged)| Ok((path.clone(), staged.to_edit(presence(path, staged)?))))
        .collect()
}

/// Whether a version is not allowed on disk at a path (full), and no file is there.
fn never_came(scope: &Scope, full: &BString, version: Version, kept: &LocalFiles) -> Result<bool, fs::Error> {
    let Some(path) = scope.strip(full.as_bstr()) else { return Ok(false) };
    if fs::stat(&fs::below(&scope.root(), path)?)?.is_some() {
        return Ok(false);
    }
    let stays_off = |content: Content<'_>| kept.admit(path, content) != Admission::Admitted;
    // a version that cannot be read fails where it is needed
    let is_bad = || trees::blob(scope, version.id).is_ok_and(|bytes| stays_off(Content::Bytes(&bytes)));
    Ok(stays_off(Content::Unread(version)) || is_bad())
}
