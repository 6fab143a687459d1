//! The index: reads it in any form that git writes, edits it by path, and writes it with a valid cache-tree. gitoxide
//! looks entries up by binary search, which misses after the first push, and drops the cache-tree, which makes git's
//! own status slower.
//!
//! So edits are collected first and merged into a new, sorted list in one pass.

mod edit;
mod lock;
mod sparse;
pub(super) mod write_tree;

pub use edit::{Edit, Edits, Hiding, Presence};
pub use lock::{LockedIndex, NewIndex, lock, lock_unread};
pub use sparse::SparseCheckout;
pub use write_tree::WriteTreeError;

pub(super) use edit::{index_stat, is_hidden, is_off_disk};
pub(super) use lock::{drop_abandoned, is_signed, lock_within};

use super::Scope;
use super::error::{During, Error};
use super::id::{BlobId, ObjectName, blob_id, object_id};
use super::version::{FileMode, Version};
use brv_base::fs::{self, FileStat};
use brv_base::path::{PathKind, TreePath};
use bstr::{BStr, BString, ByteSlice};
use gix::index::entry::{Flags, Stage};
use std::collections::HashSet;

/// The index as read, or about to be written.
pub struct Index {
    pub(super) state: gix::index::State,
}

/// A direct child of a folder, by full path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Child<'a> {
    File(&'a BStr, Version),
    /// A folder with tracked files at or below it.
    Folder(&'a BStr),
}

/// Read the index; an absent one is empty.
///
/// # Errors
/// An index that cannot be decoded.
pub fn read(scope: &Scope) -> Result<Index, Error> {
    let path = scope.repo.index_path();
    let options = gix::index::decode::Options::default();
    // git does not verify the checksum on every read either
    let state = match gix::index::File::at(&path, gix::hash::Kind::Sha1, true, options) {
        Ok(file) => file.into_parts().0,
        Err(_) if !path.exists() => gix::index::State::new(gix::hash::Kind::Sha1),
        Err(error) => return Err(Error::new("read the index", error)),
    };
    let mut state = sparse::expand(scope, state)?;
    note_what_is_there(scope, &mut state);
    Ok(Index { state })
}

/// A skip-worktree entry whose file is on disk all the same. In a sparse checkout it loses its flag, as in git. Else its
/// user hides edits of the file, unless it has a name that brv never writes to disk: then it is not a version of the
/// entry.
fn note_what_is_there(scope: &Scope, state: &mut gix::index::State) {
    let is_expected =
        scope.repo.config_snapshot().boolean("sparse.expectFilesOutsideOfPatterns") == Some(true);
    let loses_flag = sparse::is_on(scope) && !is_expected;
    let root = scope.work_tree();
    let is_there = |path: &BStr| {
        let Ok(path) = gix::path::from_bstr(path) else { return false };
        let file = root.join(path);
        file.symlink_metadata().is_ok_and(|stat| !stat.is_dir())
            && fs::is_reached_by_folders(root, &file).unwrap_or(true)
    };
    let is_version = |path: &BStr| {
        let path = scope.strip(path).and_then(|path| TreePath::parse(path).ok());
        path.is_some_and(|path| path.kind().is_curated() || path.kind() == PathKind::Support)
    };
    for (entry, path) in state.entries_mut_with_paths() {
        if !entry.flags.contains(Flags::SKIP_WORKTREE) || !is_there(path) {
            continue;
        }
        if loses_flag {
            entry.flags.remove(Flags::SKIP_WORKTREE);
        } else if is_version(path) {
            entry.flags.insert(edit::ON_DISK);
        }
    }
}

/// The index as it was at one moment, without a lock.
pub struct Glimpse {
    pub index: Index,
    /// The file, before it was read.
    file: Option<FileStat>,
}

/// Read the index, and remember its state to notice a later write by somebody else.
pub fn glimpse(scope: &Scope) -> Result<Glimpse, Error> {
    let file = index_file(scope)?;
    Ok(Glimpse { index: read(scope)?, file })
}

fn index_file(scope: &Scope) -> Result<Option<FileStat>, Error> {
    fs::stat(&scope.repo.index_path()).during("read the index")
}

impl Glimpse {
    /// Whether nobody has written the index since.
    ///
    /// # Errors
    /// An index file that cannot be inspected.
    pub fn is_current(&self, scope: &Scope) -> Result<bool, Error> {
        Ok(index_file(scope)? == self.file)
    }
}

impl Index {
    /// Paths (full) that are unmerged, each once.
    pub fn unmerged(&self) -> Vec<BString> {
        let mut paths: Vec<BString> = self
            .state
            .entries()
            .iter()
            .filter(|entry| entry.stage_raw() != 0)
            .map(|entry| entry.path(&self.state).to_owned())
            .collect();
        paths.dedup();
        paths
    }

    /// The version of a path (full) if it is merged.
    pub fn version(&self, path: &BStr) -> Option<Version> {
        self.state.entry_by_path_and_stage(path, Stage::Unconflicted).map(version_of)
    }

    /// The stat in the entry of a path (full), if it is merged.
    pub(super) fn stat(&self, path: &BStr) -> Option<gix::index::entry::Stat> {
        self.state.entry_by_path_and_stage(path, Stage::Unconflicted).map(|entry| entry.stat)
    }

    /// Every tracked path (full) in the folder `path` would be.
    pub fn below(&self, path: &BStr) -> impl Iterator<Item = &BStr> {
        let mut prefix = path.to_owned();
        prefix.push(b'/');
        let start = self.state.entries().partition_point(|entry| entry.path(&self.state) < prefix.as_bstr());
        let paths = self.state.entries()[start..].iter().map(|entry| entry.path(&self.state));
        paths.take_while(move |path| path.starts_with(&prefix))
    }

    /// The direct children of a folder (full path; empty for the root), in order: its files that are on disk, with the
    /// first version of an unmerged one, and its folders. The cost grows with the number of children.
    pub fn children(&self, folder: &BStr) -> impl Iterator<Item = Child<'_>> {
        let mut prefix = folder.to_owned();
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        let entries = self.state.entries();
        let path_of = |entry: &gix::index::Entry| entry.path(&self.state);
        let mut at = entries.partition_point(|entry| path_of(entry) < prefix.as_bstr());
        std::iter::from_fn(move || {
            loop {
                let entry = entries.get(at)?;
                let path = path_of(entry);
                let rest = path.strip_prefix(prefix.as_slice())?;
                let Some(slash) = rest.find_byte(b'/') else {
                    at += entries[at..].iter().take_while(|other| path_of(other) == path).count();
                    if is_off_disk(entry.flags) {
                        continue;
                    }
                    return Some(Child::File(path, version_of(entry)));
                };
                let folder = path[..prefix.len() + slash].as_bstr();
                let is_inside = |other: &gix::index::Entry| {
                    path_of(other).strip_prefix(folder.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"))
                };
                at += entries[at..].partition_point(is_inside);
                return Some(Child::Folder(folder));
            }
        })
    }

    /// Whether the path (full) is in the index at any stage.
    pub fn contains(&self, path: &BStr) -> bool {
        self.state.entry_range(path).is_some()
    }

    /// Whether the path (full) or one below it is in the index at any stage.
    pub fn names_something(&self, path: &BStr) -> bool {
        self.contains(path) || self.below(path).next().is_some()
    }

    /// The three versions of an unmerged path (full): base, ours, theirs.
    pub fn stages(&self, path: &BStr) -> [Option<Version>; 3] {
        [Stage::Base, Stage::Ours, Stage::Theirs]
            .map(|stage| self.state.entry_by_path_and_stage(path, stage).map(version_of))
    }

    /// Every merged path (full) with its version, in order.
    pub fn versions(&self) -> impl Iterator<Item = (&BStr, Version)> {
        self.state
            .entries()
            .iter()
            .filter(|entry| entry.stage_raw() == 0 && !entry.flags.contains(Flags::INTENT_TO_ADD))
            .map(|entry| (entry.path(&self.state), version_of(entry)))
    }

    /// Every path (full) that is on disk with its version, in order; for an unmerged one the first of its versions,
    /// with which the work tree is compared.
    pub fn first_versions(&self) -> impl Iterator<Item = (&BStr, Version)> {
        let mut last = None;
        self.state.entries().iter().filter_map(move |entry| {
            let path = entry.path(&self.state);
            let is_repeated = last.replace(path) == Some(path);
            let is_there = !is_repeated && !is_off_disk(entry.flags);
            is_there.then(|| (path, version_of(entry)))
        })
    }

    /// The paths (full) on disk in lower case, where disks find a file by its name in any case; elsewhere none.
    pub fn in_lower_case(&self) -> HashSet<Vec<u8>> {
        if !fs::IGNORES_CASE {
            return HashSet::new();
        }
        self.first_versions().map(|(path, _)| path.to_lowercase()).collect()
    }

    /// Every path (full) that [`Index::is_withheld`], in order.
    pub fn withheld(&self) -> impl Iterator<Item = &BStr> {
        let entries = self.state.entries().iter();
        entries
            .filter(|entry| entry.stage_raw() == 0 && is_off_disk(entry.flags))
            .map(|entry| entry.path(&self.state))
    }

    /// Whether every path is merged and none is kept off the disk.
    pub fn is_all_on_disk(&self) -> bool {
        let is_plain = |entry: &gix::index::Entry| entry.stage_raw() == 0 && !is_off_disk(entry.flags);
        self.state.entries().iter().all(is_plain)
    }

    /// Whether the path (full) is skip-worktree and no version of it is on disk.
    pub fn is_withheld(&self, path: &BStr) -> bool {
        self.state
            .entry_by_path_and_stage(path, Stage::Unconflicted)
            .is_some_and(|entry| is_off_disk(entry.flags))
    }

    /// Whether the path (full) is an intent to add (`git add -N`): staged without content.
    pub fn is_intended(&self, path: &BStr) -> bool {
        self.state
            .entry_by_path_and_stage(path, Stage::Unconflicted)
            .is_some_and(|entry| entry.flags.contains(Flags::INTENT_TO_ADD))
    }

    pub fn is_empty(&self) -> bool {
        self.state.entries().is_empty()
    }
}

fn version_of(entry: &gix::index::Entry) -> Version {
    Version { mode: FileMode::from_index(entry.mode), id: blob_id(&entry.id) }
}

impl From<BlobId> for ObjectName {
    fn from(id: BlobId) -> Self {
        Self(object_id(id))
    }
}

/// An index without entries: a placeholder while the real one is taken out.
pub fn empty() -> Index {
    Index { state: gix::index::State::new(gix::hash::Kind::Sha1) }
}
