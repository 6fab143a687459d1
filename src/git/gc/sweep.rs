//! Removes objects that a new pack holds too, and expired unreachable objects.
//!
//! Only objects that were examined are removed, and only if they did not change since: other processes write meanwhile.

use super::stock::{FileTime, Loose, PACK_FILES};
use crate::error::{During, Error};
use crate::objects::store::loose_path;
use brv_base::fs;
use gix::ObjectId;
use std::path::{Path, PathBuf};

/// Unfinished files younger than this, in seconds, may belong to a process that is still writing.
const LEFT_OVER_AGE: i64 = 24 * 60 * 60;

#[derive(Debug, Default)]
pub(super) struct Swept {
    pub packs: usize,
    pub loose: usize,
}

/// Whether and why an object may be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leave {
    Stays,
    /// A pack that stays has it too.
    Elsewhere,
    /// It is unreachable, and is removed unless it was needed again since it was examined.
    Expired,
}

/// Removes `packs` (their `.pack` files, with when they were last needed) and the `loose` objects that `leave` allows.
pub(super) fn sweep(
    objects: &Path,
    packs: &[(PathBuf, FileTime)],
    loose: &[Loose],
    leave: impl Fn(&ObjectId) -> Leave,
) -> Result<Swept, Error> {
    let mut swept = Swept::default();
    if !packs.is_empty() {
        drop_multi_pack_index(objects)?;
    }
    for (pack, modified) in packs {
        if is_as_it_was(pack, *modified)? {
            swept.packs += usize::from(remove_pack(pack)?);
        }
    }
    for loose in loose {
        let path = loose_path(objects, &loose.id);
        let goes = match leave(&loose.id) {
            Leave::Stays => false,
            Leave::Elsewhere => true,
            Leave::Expired => is_as_it_was(&path, loose.modified)?,
        };
        swept.loose += usize::from(goes && fs::remove_file(&path).during("remove a loose object")?);
    }
    Ok(swept)
}

/// Removes unfinished files of processes that died.
pub(super) fn sweep_left_overs(left_overs: &[(PathBuf, FileTime)], now: i64) -> Result<usize, Error> {
    let mut removed = 0;
    for (path, modified) in left_overs {
        if modified.0 < now - LEFT_OVER_AGE && is_as_it_was(path, *modified)? {
            removed += usize::from(fs::remove_file(path).during("remove an unfinished file")?);
        }
    }
    Ok(removed)
}

/// Whether the file was neither written nor marked as needed since it was examined.
fn is_as_it_was(path: &Path, modified: FileTime) -> Result<bool, Error> {
    let now = fs::stat(path).during("read the object store")?;
    Ok(now.is_some_and(|stat| stat.modified == modified))
}

/// Removes the index first: a reader that finds it must find the rest. If a file in use cannot be removed (Windows),
/// the pack stays until the next time; returns whether it was removed.
fn remove_pack(pack: &Path) -> Result<bool, Error> {
    for extension in PACK_FILES {
        match fs::remove_file(&pack.with_extension(extension)) {
            Err(error) if error.source.kind() == std::io::ErrorKind::PermissionDenied && cfg!(windows) => {
                return Ok(false);
            }
            removed => drop(removed.during("remove a pack")?),
        }
    }
    Ok(true)
}

/// Removes the multi-pack index, which names removed packs. It only speeds things up.
fn drop_multi_pack_index(objects: &Path) -> Result<(), Error> {
    let act = "remove the multi-pack index";
    let folder = objects.join("pack");
    let Ok(entries) = std::fs::read_dir(&folder) else { return Ok(()) };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with("multi-pack-index") && entry.path().is_file() {
            fs::remove_file(&entry.path()).during(act)?;
        }
    }
    let chain = folder.join("multi-pack-index.d");
    if chain.is_dir() {
        fs::remove_folder(&chain).during(act)?;
    }
    Ok(())
}

/// Removes the commit-graph, which may name removed commits. It only speeds things up; `git` regenerates it.
pub(super) fn drop_commit_graph(objects: &Path) -> Result<(), Error> {
    let act = "remove the commit graph";
    let info = objects.join("info");
    fs::remove_file(&info.join("commit-graph")).during(act)?;
    let chain = info.join("commit-graphs");
    if chain.is_dir() {
        fs::remove_folder(&chain).during(act)?;
    }
    Ok(())
}
