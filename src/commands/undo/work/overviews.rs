//! Keep the overview of a folder that the operation made while something else in the folder needs it: another entry, or
//! the record of an archived one. Without that, `context.md` would be removed with the entry it was made for.

use super::Error;
use super::disk::UndoDisk;
use super::layers::{Effect, UndoMerge};
use brv_base::path::{self, PathKind};
use brv_base::sorting;
use brv_git::trees::{self, Change, TreeItem};
use brv_git::{Scope, TreeId, Version};
use brv_text::doc::{self, Document};
use bstr::{BStr, BString, ByteSlice as _};
use std::cmp::Reverse;

/// Make the undo keep every overview that the operation made and that is still needed after the undo in `merged`. Such
/// an overview loses only the archive records of the operation itself. Returns whether an overview is kept: then the
/// effect must be merged again.
pub(super) fn keep(
    scope: &Scope,
    disk: &mut UndoDisk,
    effect: &mut Effect,
    merged: &UndoMerge,
) -> Result<bool, Error> {
    let is_made = |change: &Change| change.before.is_none() && is_overview(change.path.as_bstr());
    let mut made: Vec<usize> = (0..effect.files.len()).filter(|at| is_made(&effect.files[*at])).collect();
    if made.is_empty() {
        return Ok(false);
    }
    let before = effect.before(scope, disk)?;
    let (then, after) = (disk.scope().whole(), merged.reconciled.scope().whole());
    // a folder is in use if a folder in it is
    sorting::sort_by_key(&mut made, |at| Reverse(effect.files[*at].path.len()));
    let mut kept: Vec<BString> = Vec::new();
    for at in made {
        let change = &mut effect.files[at];
        let (Some(left), Some(now)) = (change.after, disk.version(change.path.as_bstr())?) else { continue };
        let folder = folder_of(change.path.as_bstr());
        let is_in_use = || {
            let was_there = has_entries(scope, (&then, before), folder)?;
            let holds_kept = kept.iter().any(|path| path.starts_with(folder));
            let has_others = || has_entries(scope, (&after, merged.reconciled.tree), folder);
            Ok::<_, Error>(!was_there && (holds_kept || has_others()?))
        };
        if !has_more_records(disk, left, now)? && !is_in_use()? {
            continue;
        }
        if let Some(rest) = without_records_of(disk, left, now)? {
            change.before = Some(Version { id: disk.add(rest), ..now });
            kept.push(change.path.clone());
        }
    }
    Ok(!kept.is_empty())
}

fn is_overview(path: &BStr) -> bool {
    path::kind_of(&path.to_str_lossy()) == PathKind::NodeOverview
}

/// The folder of a file, with a final slash; empty for the root.
fn folder_of(path: &BStr) -> &BStr {
    path[..path.rfind_byte(b'/').map_or(0, |slash| slash + 1)].as_bstr()
}

/// Whether a tree of the whole repository has an entry below a folder.
fn has_entries(scope: &Scope, (whole, tree): (&Scope, TreeId), folder: &BStr) -> Result<bool, Error> {
    let place = scope.full(&folder.to_owned());
    let Some(TreeItem::Folder(id)) = trees::find(whole, tree, place.as_bstr())? else { return Ok(false) };
    let is_entry = |path: &BString| path::kind_of(&format!("{folder}{path}")) == PathKind::Entry;
    Ok(trees::list_folder(whole, id)?.iter().any(|(path, _)| is_entry(path)))
}

/// Whether the overview has archive records that the operation did not leave there.
fn has_more_records(disk: &UndoDisk, left: Version, now: Version) -> Result<bool, Error> {
    if left.id == now.id {
        return Ok(false);
    }
    let read = |version: Version| Ok::<_, Error>(doc::archived_blobs(&disk.bytes(version.id)?));
    let known = read(left)?;
    Ok(read(now)?.iter().any(|blob| !known.contains(blob)))
}

/// The current overview without the archive records that the operation left; `None` if nothing else is in it, or if it
/// can no longer be edited.
fn without_records_of(disk: &UndoDisk, left: Version, now: Version) -> Result<Option<Vec<u8>>, Error> {
    let records = doc::archive_records(&Document::parse(disk.bytes(left.id)?)).records;
    let keys: Vec<_> = records.iter().map(|record| (record.name.as_str(), record.blob)).collect();
    Ok(doc::remove_archive_records(&disk.bytes(now.id)?, &keys).ok().flatten())
}
