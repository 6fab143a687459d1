//! Edits the index: collects changes by path and merges them into a new list in one pass.

use super::Index;
use crate::error::{During, Error};
use crate::id::{BlobId, object_id};
use crate::version::{FileMode, Version};
use brv_base::fs::FileStat;
use bstr::{BStr, BString, ByteSlice};
use gix::index::entry::{Flags, Stage, Stat};
use std::collections::BTreeMap;

/// Whether the file of an entry is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It is, with this stat (taken before the bytes were read).
    OnDisk(FileStat),
    /// It is, but was not read: the next status reads it.
    Unknown,
    /// Skip-worktree: it stays in commits and is not written to disk.
    Withheld,
}

/// What a user set to hide the edits of a file from git. An index write keeps both while the path stays in the index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hiding {
    /// `git update-index --skip-worktree`
    pub skip_worktree: bool,
    /// `git update-index --assume-unchanged`
    pub assume_unchanged: bool,
}

/// A change of one path of the index.
#[derive(Debug, Clone)]
pub enum Edit {
    Put(Version, Presence),
    /// Intent to add (`git add -N`): staged without content. The empty blob is stored already, as in git.
    Intend,
    Remove,
    /// The path is unmerged: base, ours, theirs.
    Unmerged([Option<Version>; 3]),
}

/// The edits of one update, by full path.
pub type Edits = BTreeMap<BString, Edit>;

impl Index {
    /// The index with `edits` merged in; the cache-tree stays valid for every folder that no edit touches.
    ///
    /// # Errors
    /// When extension data of the old index cannot be carried over.
    pub fn edited(self, edits: &Edits) -> Result<Self, Error> {
        if edits.is_empty() {
            return Ok(self);
        }
        let mut tree = self.state.tree().cloned();
        for path in edits.keys() {
            if let Some(root) = &mut tree {
                invalidate(root, path.as_bstr());
            }
        }
        let mut state = empty_state()?;
        let mut edits = edits.iter().peekable();
        let put = |state: &mut _, path: &BString, edit| {
            push(state, path.as_bstr(), edit, self.hiding(path.as_bstr()).to_flags());
        };
        for entry in self.state.entries() {
            let path = entry.path(&self.state);
            while let Some((edited, edit)) = edits.next_if(|(edited, _)| edited.as_bstr() < path) {
                put(&mut state, edited, edit);
            }
            if edits.peek().is_none_or(|(edited, _)| edited.as_bstr() != path) {
                let is_sure = entry.flags.contains(Flags::UPTODATE);
                let stat = if is_sure { entry.stat } else { unsure_if_racy(entry.stat, &self.state) };
                state.dangerously_push_entry(stat, entry.id, entry.flags & KEPT_FLAGS, entry.mode, path);
            }
        }
        for (edited, edit) in edits {
            put(&mut state, edited, edit);
        }
        state.set_timestamp(self.state.timestamp());
        *state.tree_mut().expect("the empty state was made with a cache-tree") =
            tree.unwrap_or_else(invalid_tree);
        Ok(Self { state })
    }
}

impl Index {
    /// How a user hides the edits of a path (full). A file that brv withheld has no stat, unlike one that was on disk
    /// when its flag was set.
    pub fn hiding(&self, path: &BStr) -> Hiding {
        let Some(entry) = self.state.entry_by_path_and_stage(path, Stage::Unconflicted) else {
            return Hiding::default();
        };
        let is_own = is_off_disk(entry.flags) && entry.stat == Stat::default();
        Hiding {
            skip_worktree: entry.flags.contains(Flags::SKIP_WORKTREE) && !is_own,
            assume_unchanged: entry.flags.contains(Flags::ASSUME_VALID),
        }
    }

    /// Sets the flags of merged paths (full) in addition to those that they have.
    pub fn hide(&mut self, flags: &BTreeMap<BString, Hiding>) {
        if flags.is_empty() {
            return;
        }
        for (entry, path) in self.state.entries_mut_with_paths() {
            if let Some(hiding) = flags.get(path).filter(|_| entry.stage() == Stage::Unconflicted) {
                entry.flags.insert(hiding.to_flags());
            }
        }
    }
}

impl Hiding {
    /// Whether no flag is set.
    pub const fn is_nothing(self) -> bool {
        !self.skip_worktree && !self.assume_unchanged
    }

    fn to_flags(self) -> Flags {
        let skip = if self.skip_worktree { WITHHELD | ON_DISK } else { Flags::empty() };
        let assume = if self.assume_unchanged { Flags::ASSUME_VALID } else { Flags::empty() };
        skip | assume
    }
}

/// The flags of a file that is not on disk.
const WITHHELD: Flags = Flags::SKIP_WORKTREE.union(Flags::EXTENDED);

/// In memory only: the file of a skip-worktree entry is on disk all the same.
pub(super) const ON_DISK: Flags = Flags::NEW_SKIP_WORKTREE;

/// Whether these are the flags of a file that is not on disk.
pub(crate) fn is_off_disk(flags: Flags) -> bool {
    flags.contains(Flags::SKIP_WORKTREE) && !flags.contains(ON_DISK)
}

/// Whether git does not look for edits of a file with these flags that is on disk.
pub(crate) fn is_hidden(flags: Flags) -> bool {
    flags.contains(Flags::ASSUME_VALID) || flags.contains(Flags::SKIP_WORKTREE)
}

/// A file written in the same moment as the index may have been written again in that moment, and once the index is
/// newer, its time no longer shows that ("racy git"). As git does, the size is set to zero, so that the next status
/// reads the file.
fn unsure_if_racy(stat: Stat, index: &gix::index::State) -> Stat {
    let options = gix::index::entry::stat::Options::default();
    if stat.is_racy(index.timestamp(), options) { Stat { size: 0, ..stat } } else { stat }
}

/// Flags that are stored on disk; the rest is recomputed.
const KEPT_FLAGS: Flags = Flags::STAGE_MASK
    .union(Flags::ASSUME_VALID)
    .union(Flags::SKIP_WORKTREE)
    .union(ON_DISK)
    .union(Flags::INTENT_TO_ADD)
    .union(Flags::EXTENDED);

/// Appends an entry of a file that is not on disk, with more flags.
pub(super) fn push_withheld(state: &mut gix::index::State, path: &BStr, version: Version, flags: Flags) {
    let (id, mode) = (object_id(version.id), version.mode.to_index());
    state.dangerously_push_entry(Stat::default(), id, flags | WITHHELD, mode, path);
}

/// Appends the new entries of a path; `hiding` are the flags that a user set.
fn push(state: &mut gix::index::State, path: &BStr, edit: &Edit, hiding: Flags) {
    match edit {
        Edit::Remove => {}
        Edit::Put(version, Presence::Withheld) => {
            push_withheld(state, path, *version, hiding & Flags::ASSUME_VALID);
        }
        Edit::Put(version, presence) => {
            let stat = match presence {
                Presence::OnDisk(stat) => index_stat(stat),
                Presence::Unknown | Presence::Withheld => Stat::default(),
            };
            state.dangerously_push_entry(stat, object_id(version.id), hiding, version.mode.to_index(), path);
        }
        Edit::Intend => {
            let (id, flags) = (object_id(BlobId::of(b"")), Flags::INTENT_TO_ADD | Flags::EXTENDED);
            state.dangerously_push_entry(Stat::default(), id, flags, FileMode::Regular.to_index(), path);
        }
        Edit::Unmerged(versions) => {
            for (stage, version) in [Stage::Base, Stage::Ours, Stage::Theirs].into_iter().zip(versions) {
                if let Some(version) = version {
                    let (id, mode) = (object_id(version.id), version.mode.to_index());
                    state.dangerously_push_entry(Stat::default(), id, Flags::from_stage(stage), mode, path);
                }
            }
        }
    }
}

/// The stat in git's format: 32 bits of everything.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "git compares the low 32 bits only"
)]
pub(crate) const fn index_stat(stat: &FileStat) -> Stat {
    use gix::index::entry::stat::Time;
    Stat {
        mtime: Time { secs: stat.modified.0 as u32, nsecs: stat.modified.1 },
        ctime: Time { secs: stat.changed.0 as u32, nsecs: stat.changed.1 },
        dev: stat.device as u32,
        ino: stat.inode as u32,
        uid: stat.user,
        gid: stat.group,
        size: stat.size as u32,
    }
}

/// gitoxide cannot create a state with a cache-tree, but keeps one that it read, so this reads an empty index that has
/// one.
pub(super) fn empty_state() -> Result<gix::index::State, Error> {
    let mut bytes = b"DIRC\0\0\0\x02\0\0\0\0TREE\0\0\0\x06\0-1 0\n".to_vec();
    bytes.extend_from_slice(&[0; 20]);
    let time = gix::index::State::new(gix::hash::Kind::Sha1).timestamp();
    let (state, _) = gix::index::State::from_bytes(&bytes, time, gix::hash::Kind::Sha1, Default::default())
        .during("prepare an index")?;
    Ok(state)
}

pub(super) fn with_cache_tree(old: &gix::index::State) -> Result<gix::index::State, Error> {
    let mut state = empty_state()?;
    for entry in old.entries() {
        state.dangerously_push_entry(
            entry.stat,
            entry.id,
            entry.flags & KEPT_FLAGS,
            entry.mode,
            entry.path(old),
        );
    }
    state.set_timestamp(old.timestamp());
    Ok(state)
}

fn invalid_tree() -> gix::index::extension::Tree {
    gix::index::extension::Tree {
        name: Default::default(),
        id: gix::ObjectId::null(gix::hash::Kind::Sha1),
        num_entries: None,
        children: Vec::new(),
    }
}

fn invalidate(node: &mut gix::index::extension::Tree, path: &BStr) {
    node.num_entries = None;
    let Some(slash) = path.find_byte(b'/') else { return };
    let (name, rest) = (&path[..slash], path[slash + 1..].as_bstr());
    if let Ok(at) = node.children.binary_search_by(|child| child.name.as_slice().cmp(name)) {
        invalidate(&mut node.children[at], rest);
    }
}
