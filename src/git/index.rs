//! The index: read as git may have written it, edited by path, written with a valid cache-tree.
//!
//! gitoxide looks entries up by binary search, which misses after the first push, and drops the cache-tree, which
//! makes git's own status slower. So edits are gathered first and merged into a new, sorted list in one pass.

use super::error::{During, Error};
use super::id::{BlobId, ObjectName, TreeId, blob_id, object_id};
use super::object::{Kind, NewObject};
use super::{Scope, store};
use crate::fs::{self, Durability, FileStat, WriteGuard};
use bstr::{BStr, BString, ByteSlice};
use gix::index::entry::{Flags, Mode, Stage, Stat};
use std::collections::BTreeMap;
use std::time::Duration;

/// How long to wait for `index.lock`, which hand-run git holds only for moments.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);

/// The index as it was read, or as it is about to be written.
pub struct Index {
    pub(super) state: gix::index::State,
}

/// How a file is recorded. Folders never are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileMode {
    /// 100644
    Regular,
    /// 100755, read as regular.
    Executable,
    /// 120000
    Symlink,
    /// 160000: a submodule.
    Gitlink,
}

/// A version of a file: its mode and the id of its bytes (of a commit for [`FileMode::Gitlink`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// How it is recorded.
    pub mode: FileMode,
    /// Its bytes.
    pub id: BlobId,
}

/// Whether the file of an entry is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It is, with this stat (taken before the bytes were read).
    OnDisk(FileStat),
    /// It is, but was not looked at: the next status reads it.
    Unknown,
    /// It stays in commits and is not written to disk.
    Withheld,
}

/// A change of one path of the index.
#[derive(Debug, Clone)]
pub enum Edit {
    /// The path has this one version.
    Put(Version, Presence),
    /// The path is gone.
    Remove,
    /// The path is unmerged: base, ours, theirs.
    Unmerged([Option<Version>; 3]),
}

/// The edits of one update, by full path.
pub type Edits = BTreeMap<BString, Edit>;

/// The index with `index.lock` held: nobody else, not even hand-run git, can write it meanwhile.
pub struct LockedIndex {
    lock: gix::lock::File,
    /// Given back after the lock.
    _owner: Option<Owner>,
    /// The current content.
    pub index: Index,
}

impl FileMode {
    pub(super) const fn to_index(self) -> Mode {
        match self {
            Self::Regular => Mode::FILE,
            Self::Executable => Mode::FILE_EXECUTABLE,
            Self::Symlink => Mode::SYMLINK,
            Self::Gitlink => Mode::COMMIT,
        }
    }

    pub(super) const fn from_index(mode: Mode) -> Self {
        match mode {
            Mode::FILE_EXECUTABLE => Self::Executable,
            Mode::SYMLINK => Self::Symlink,
            Mode::COMMIT => Self::Gitlink,
            _ => Self::Regular,
        }
    }

    /// The mode as git prints it: `100644`.
    #[must_use]
    pub const fn octal(self) -> &'static str {
        match self {
            Self::Regular => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
            Self::Gitlink => "160000",
        }
    }
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
    Ok(Index { state })
}

/// Take `index.lock` and read the index. The guard shows that no other brv is writing, so that a lock which a killed
/// brv left behind can be told from one that git holds.
///
/// # Errors
/// When another process keeps the lock, or the index cannot be decoded.
pub fn lock(scope: &Scope, guard: &WriteGuard) -> Result<LockedIndex, Error> {
    lock_within(scope, guard, LOCK_PATIENCE)
}

/// As [`lock`], with another patience.
pub(super) fn lock_within(
    scope: &Scope,
    _guard: &WriteGuard,
    patience: Duration,
) -> Result<LockedIndex, Error> {
    super::interrupt::clean_up_when_killed();
    drop_lock_of_the_dead(scope)?;
    let lock = gix::lock::File::acquire_to_update_resource(scope.repo.index_path(), patience.into(), None, 0)
        .during("lock the index, which another git process holds")?;
    let mut owner = None;
    if let Some(stat) = fs::stat(&lock_path(scope)).ok().flatten() {
        let note = format!("{} {} {}", stat.device, stat.inode, stat.modified.0);
        fs::replace(&owner_path(scope), note.as_bytes(), Durability::Later).during("lock the index")?;
        owner = Some(Owner(owner_path(scope)));
    }
    Ok(LockedIndex { lock, _owner: owner, index: read(scope)? })
}

fn lock_path(scope: &Scope) -> std::path::PathBuf {
    scope.repo.index_path().with_extension("lock")
}

/// Says which `index.lock` is a brv's: written after it was taken.
fn owner_path(scope: &Scope) -> std::path::PathBuf {
    scope.git_dir().join("brv").join("index.lock-owner")
}

/// Whether a note is about this file: the same one, perhaps written to since. Without inodes (Windows) only the time
/// tells.
fn is_about(note: &[u8], stat: &FileStat) -> bool {
    let text = String::from_utf8_lossy(note);
    let numbers: Vec<i128> = text.split(' ').filter_map(|part| part.parse().ok()).collect();
    let &[device, inode, seconds] = &numbers[..] else { return false };
    let now = i128::from(stat.modified.0);
    device == i128::from(stat.device)
        && inode == i128::from(stat.inode)
        && if inode == 0 { seconds == now } else { seconds <= now }
}

/// A lock that the note names belongs to a brv that was killed, since whoever holds the guard is the only one alive.
fn drop_lock_of_the_dead(scope: &Scope) -> Result<(), Error> {
    let act = "look at the index's lock";
    let Some(owner) = fs::read_if_there(&owner_path(scope)).during(act)? else { return Ok(()) };
    let lock = lock_path(scope);
    if let Some(stat) = fs::stat(&lock).during(act)?
        && is_about(&owner, &stat)
    {
        fs::remove_file(&lock).during(act)?;
    }
    fs::remove_file(&owner_path(scope)).during(act)?;
    Ok(())
}

/// The note about a lock of ours: gone with the lock, so that it never speaks of a later one.
struct Owner(std::path::PathBuf);

impl Drop for Owner {
    fn drop(&mut self) {
        // one that stays is dropped by whoever takes the lock next
        let _ = fs::remove_file(&self.0);
    }
}

impl LockedIndex {
    /// Write the index durably and give the lock back.
    ///
    /// # Errors
    /// When it cannot be written; the old index then still stands.
    pub fn commit(mut self) -> Result<(), Error> {
        let options = gix::index::write::Options { skip_hash: false, ..Default::default() };
        let path = self.lock.resource_path();
        let file = gix::index::File::from_state(self.index.state, path.clone());
        let mut out = std::io::BufWriter::with_capacity(1 << 16, &mut self.lock);
        file.write_to(&mut out, options).during("write the index")?;
        std::io::Write::flush(&mut out).during("write the index")?;
        drop(out);
        self.lock.with_mut(|file| file.sync_all()).during("write the index")?;
        self.lock.commit().during("write the index")?;
        Ok(())
    }
}

impl Index {
    /// Paths (full) that are unmerged, each once.
    #[must_use]
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
    #[must_use]
    pub fn version(&self, path: &BStr) -> Option<Version> {
        self.state.entry_by_path_and_stage(path, Stage::Unconflicted).map(version_of)
    }

    /// Whether the path (full) is recorded in any stage.
    #[must_use]
    pub fn contains(&self, path: &BStr) -> bool {
        self.state.entry_range(path).is_some()
    }

    /// The three versions of an unmerged path (full): base, ours, theirs.
    #[must_use]
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

    /// Every path (full) that is on disk with its version, in order; of an unmerged one the first of its versions, which
    /// is the one that the work tree is compared with.
    pub fn first_versions(&self) -> impl Iterator<Item = (&BStr, Version)> {
        let mut last = None;
        self.state.entries().iter().filter_map(move |entry| {
            let path = entry.path(&self.state);
            let is_repeated = last.replace(path) == Some(path);
            let is_there = !is_repeated && !entry.flags.contains(Flags::SKIP_WORKTREE);
            is_there.then(|| (path, version_of(entry)))
        })
    }

    /// Whether the path (full) stays in commits but is not on disk.
    #[must_use]
    pub fn is_withheld(&self, path: &BStr) -> bool {
        self.state
            .entry_by_path_and_stage(path, Stage::Unconflicted)
            .is_some_and(|entry| entry.flags.contains(Flags::SKIP_WORKTREE))
    }

    /// Whether nothing is recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.state.entries().is_empty()
    }

    /// The index with `edits` merged in; the cache-tree stays valid for every folder that no edit touches.
    ///
    /// # Errors
    /// When the old extension data cannot be carried over.
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
        for entry in self.state.entries() {
            let path = entry.path(&self.state);
            while let Some((edited, edit)) = edits.next_if(|(edited, _)| edited.as_bstr() < path) {
                push(&mut state, edited.as_bstr(), edit);
            }
            if edits.peek().is_none_or(|(edited, _)| edited.as_bstr() != path) {
                state.dangerously_push_entry(
                    entry.stat,
                    entry.id,
                    entry.flags & KEPT_FLAGS,
                    entry.mode,
                    path,
                );
            }
        }
        for (edited, edit) in edits {
            push(&mut state, edited.as_bstr(), edit);
        }
        state.set_timestamp(self.state.timestamp());
        *state.tree_mut().expect("the empty state was made with a cache-tree") =
            tree.unwrap_or_else(invalid_tree);
        Ok(Self { state })
    }

    /// Write the trees of all folders that changed and return the root's id. Fills the cache-tree.
    ///
    /// # Errors
    /// [`WriteTreeError::Unmerged`] when a path is in conflict.
    pub fn write_tree(&mut self, scope: &Scope) -> Result<TreeId, WriteTreeError> {
        let unmerged = self.unmerged();
        if !unmerged.is_empty() {
            return Err(WriteTreeError::Unmerged(unmerged));
        }
        let old = self.state.tree().cloned();
        let mut builder = TreeBuilder { state: &self.state, written: Vec::new() };
        let root = builder.folder(&mut 0, b"", old.as_ref(), BStr::new(b"")).map_err(WriteTreeError::Git)?;
        let written = std::mem::take(&mut builder.written);
        store::write_objects(scope, &written).map_err(WriteTreeError::Git)?;
        let id = TreeId(root.id);
        if self.state.tree().is_none() {
            let rebuilt = std::mem::replace(&mut self.state, empty_state().map_err(WriteTreeError::Git)?);
            self.state = with_cache_tree(&rebuilt).map_err(WriteTreeError::Git)?;
        }
        *self.state.tree_mut().expect("made with a cache-tree") = root;
        Ok(id)
    }

    /// The id of the root's tree if the cache-tree knows it.
    pub(super) fn cached_root(&self) -> Option<TreeId> {
        self.state.tree().filter(|tree| tree.num_entries.is_some()).map(|tree| TreeId(tree.id))
    }
}

/// Why an index cannot become a tree.
#[derive(Debug, thiserror::Error)]
pub enum WriteTreeError {
    /// These paths (full) are in conflict.
    #[error("{} paths are unmerged", .0.len())]
    Unmerged(Vec<BString>),
    /// Anything else.
    #[error(transparent)]
    Git(Error),
}

/// Flags that mean something on disk; the rest is recomputed.
const KEPT_FLAGS: Flags = Flags::STAGE_MASK
    .union(Flags::ASSUME_VALID)
    .union(Flags::SKIP_WORKTREE)
    .union(Flags::INTENT_TO_ADD)
    .union(Flags::EXTENDED);

fn version_of(entry: &gix::index::Entry) -> Version {
    Version { mode: FileMode::from_index(entry.mode), id: blob_id(&entry.id) }
}

fn push(state: &mut gix::index::State, path: &BStr, edit: &Edit) {
    match edit {
        Edit::Remove => {}
        Edit::Put(version, presence) => {
            let (stat, flags) = match presence {
                Presence::OnDisk(stat) => (index_stat(stat), Flags::empty()),
                Presence::Unknown => (Stat::default(), Flags::empty()),
                Presence::Withheld => (Stat::default(), Flags::SKIP_WORKTREE | Flags::EXTENDED),
            };
            state.dangerously_push_entry(stat, object_id(version.id), flags, version.mode.to_index(), path);
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

/// The stat that git keeps: 32 bits of everything.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "git compares the low 32 bits only"
)]
pub(super) const fn index_stat(stat: &FileStat) -> Stat {
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

/// gitoxide has no way to give a state a cache-tree, but keeps one that it read: so an empty index with one is read.
fn empty_state() -> Result<gix::index::State, Error> {
    let mut bytes = b"DIRC\0\0\0\x02\0\0\0\0TREE\0\0\0\x06\0-1 0\n".to_vec();
    bytes.extend_from_slice(&[0; 20]);
    let time = gix::index::State::new(gix::hash::Kind::Sha1).timestamp();
    let (state, _) = gix::index::State::from_bytes(&bytes, time, gix::hash::Kind::Sha1, Default::default())
        .during("prepare an index")?;
    Ok(state)
}

fn with_cache_tree(old: &gix::index::State) -> Result<gix::index::State, Error> {
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

struct TreeBuilder<'a> {
    state: &'a gix::index::State,
    written: Vec<NewObject<'static>>,
}

impl TreeBuilder<'_> {
    /// The folder whose first entry is at `*at` and whose paths begin with `prefix` (`a/b/`, or empty).
    fn folder(
        &mut self,
        at: &mut usize,
        prefix: &[u8],
        old: Option<&gix::index::extension::Tree>,
        name: &BStr,
    ) -> Result<gix::index::extension::Tree, Error> {
        let entries = self.state.entries();
        if let Some(old) = old.filter(|old| self.is_valid(*at, prefix, old)) {
            *at += old.num_entries.unwrap_or_default() as usize;
            return Ok(old.clone());
        }
        let start = *at;
        let (mut bytes, mut children, mut intended) = (Vec::new(), Vec::new(), 0);
        while let Some(entry) = entries.get(*at) {
            let Some(rest) = entry.path(self.state).strip_prefix(prefix) else { break };
            if let Some(slash) = rest.find_byte(b'/') {
                let child = rest[..slash].as_bstr();
                let old = old.and_then(|old| find_child(old, child));
                let child_prefix = entry.path(self.state)[..=prefix.len() + slash].to_vec();
                let node = self.folder(at, &child_prefix, old, child)?;
                append(&mut bytes, b"40000", child, &node.id);
                children.push(node);
            } else {
                *at += 1;
                if entry.flags.contains(Flags::INTENT_TO_ADD) {
                    intended += 1;
                } else {
                    append(
                        &mut bytes,
                        FileMode::from_index(entry.mode).octal().as_bytes(),
                        rest.as_bstr(),
                        &entry.id,
                    );
                }
            }
        }
        children.sort_by(|a, b| a.name.cmp(&b.name));
        let object = NewObject { kind: Kind::Tree, bytes: bytes.into() };
        let id = object.id()?;
        self.written.push(object);
        let num_entries = (intended == 0).then(|| u32::try_from(*at - start).unwrap_or(u32::MAX));
        Ok(gix::index::extension::Tree { name: name.as_bytes().into(), id, num_entries, children })
    }

    /// Whether the cached node really spans the folder: its count is only a claim.
    fn is_valid(&self, at: usize, prefix: &[u8], node: &gix::index::extension::Tree) -> bool {
        let Some(count) = node.num_entries.map(|count| count as usize).filter(|count| *count > 0) else {
            return false;
        };
        let inside = |at: usize| {
            self.state.entries().get(at).is_some_and(|entry| entry.path(self.state).starts_with(prefix))
        };
        inside(at) && inside(at + count - 1) && !inside(at + count)
    }
}

fn find_child<'a>(
    node: &'a gix::index::extension::Tree,
    name: &BStr,
) -> Option<&'a gix::index::extension::Tree> {
    let at = node.children.binary_search_by(|child| child.name.as_slice().cmp(name.as_bytes())).ok()?;
    node.children.get(at)
}

fn append(tree: &mut Vec<u8>, mode: &[u8], name: &BStr, id: &gix::oid) {
    tree.extend_from_slice(mode);
    tree.push(b' ');
    tree.extend_from_slice(name);
    tree.push(0);
    tree.extend_from_slice(id.as_bytes());
}

impl From<BlobId> for ObjectName {
    fn from(id: BlobId) -> Self {
        Self(object_id(id))
    }
}

/// An index without entries: what stands in while another one is being looked at.
#[must_use]
pub fn empty() -> Index {
    Index { state: gix::index::State::new(gix::hash::Kind::Sha1) }
}
