//! Status: compares the work tree with the index in one ordered walk, and reads only files whose stat differs.
//!
//! Content is compared as git would store it: a repository that brv made converts none (see `init`), an enclosing one
//! may.

use crate::Scope;
use crate::error::Error;
use crate::id::{BlobId, object_id};
use crate::index::{self, Index, index_stat, is_hidden, is_off_disk};
use crate::objects::convert::Converter;
use crate::trees::UnstoredFiles;
use crate::version::{FileMode, Version};
use brv_base::fs::{self, FileKind, FileStat, Listing, WriteGuard};
use brv_base::sorting;
use bstr::{BStr, BString, ByteSlice};
use gix::index::entry::{Flags, Stage, Stat};
use std::collections::{HashMap, HashSet};

/// The work tree compared with the index. All paths are relative to the tree, all lists sorted.
#[derive(Debug, Default)]
pub struct WorkTree {
    /// Tracked files that differ, including those that a flag of the index hides: see [`WorkTree::shown`].
    pub changed: Vec<StatusChange>,
    /// Untracked files, including ignored ones: see [`ignored`].
    pub unexpected: Vec<fs::Unexpected>,
    /// Temporary files that a killed command left, or that a running one is about to rename.
    pub temporary: Vec<BString>,
    /// Entries whose stat was out of date though the bytes are the same.
    refreshed: Vec<(BString, Version, FileStat)>,
}

/// A tracked file that differs on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusChange {
    pub path: BString,
    pub recorded: Version,
    pub now: Now,
    /// Skip-worktree or assume-unchanged hides it, as the user asked: it is a local edit, but it is not shown and not
    /// committed.
    pub is_hidden: bool,
}

/// The current state of a tracked file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Now {
    /// A file with other bytes, and the stat taken before they were read.
    Modified(BlobId, FileStat),
    Deleted,
    /// It is a symlink or a device.
    NotAFile,
}

/// Compares the whole tree on disk with the index. `listing` selects which untracked files are listed.
pub fn work_tree(scope: &Scope, index: &Index, listing: Listing<'_>) -> Result<WorkTree, StatusError> {
    let recorded = TrackedFiles::of(scope, index);
    let root = scope.root();
    if !root.is_dir() {
        return Ok(recorded.all_deleted());
    }
    let walk =
        fs::walk(&root, &recorded.paths, listing, |position, stat| recorded.suspicion(position, stat))?;
    let mut found =
        WorkTree { unexpected: walk.unexpected, temporary: walk.temporary, ..WorkTree::default() };
    for (position, suspicion) in walk.noted {
        recorded.note(&root, position, suspicion, &mut found)?;
    }
    found.pass_over_withheld(scope, index);
    Ok(found)
}

/// Compares only files at or below `paths` (of the tree, no patterns) with the index; the cost grows with them.
pub fn work_tree_at(scope: &Scope, index: &Index, paths: &[&BStr]) -> Result<WorkTree, StatusError> {
    let recorded = TrackedFiles::of(scope, index);
    let root = scope.root();
    let mut found = WorkTree::default();
    for path in paths {
        let Some(file) = plain_path(&root, path)? else {
            recorded.all_gone(&root, recorded.at_or_below(path), &mut found)?;
            continue;
        };
        let positions = recorded.at_or_below(path);
        match fs::stat(&file)? {
            Some(stat) if stat.kind == FileKind::Folder && fs::stat(&file.join(".git"))?.is_none() => {
                recorded.compare_folder(&root, &file, path, positions, &mut found)?;
            }
            Some(stat) => {
                let own = recorded.paths.binary_search(path).ok();
                let below = positions.filter(|position| Some(*position) != own);
                recorded.all_gone(&root, below, &mut found)?;
                match own {
                    Some(position) => {
                        if let Some(suspicion) = recorded.suspicion(position, Some(stat)) {
                            recorded.note(&root, position, suspicion, &mut found)?;
                        }
                    }
                    None => {
                        let is_regular = stat.kind == FileKind::Regular;
                        found.unexpected.push(fs::Unexpected { path: (*path).to_owned(), is_regular });
                    }
                }
            }
            None => recorded.all_gone(&root, positions, &mut found)?,
        }
    }
    sorting::sort_by(&mut found.changed, |a, b| a.path.cmp(&b.path));
    found.changed.dedup_by(|a, b| a.path == b.path);
    found.unexpected.sort();
    found.unexpected.dedup();
    found.pass_over_withheld(scope, index);
    Ok(found)
}

/// The path on disk if every parent is a real folder and none a repository of its own.
fn plain_path(root: &std::path::Path, path: &BStr) -> Result<Option<std::path::PathBuf>, fs::Error> {
    let Ok(relative) = gix::path::from_bstr(path) else { return Ok(None) };
    if path.split_str("/").any(|part| part == b".git") {
        return Ok(None);
    }
    let file = root.join(relative);
    for folder in file.ancestors().skip(1).take_while(|folder| *folder != root) {
        let is_plain = fs::stat(folder)?.is_some_and(|stat| stat.kind == FileKind::Folder);
        if !is_plain || fs::stat(&folder.join(".git"))?.is_some() {
            return Ok(None);
        }
    }
    Ok(Some(file))
}

/// Why the work tree could not be compared.
#[derive(Debug, thiserror::Error)]
pub enum StatusError {
    #[error(transparent)]
    File(#[from] fs::Error),
    #[error(transparent)]
    Git(#[from] Error),
}

impl WorkTree {
    /// Whether nothing differs and nothing else was found.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.unexpected.is_empty()
    }

    /// The tracked files that differ and are not hidden: what git shows, and commits with `-a`.
    pub fn shown(&self) -> impl Iterator<Item = &StatusChange> {
        self.changed.iter().filter(|changed| !changed.is_hidden)
    }

    /// The paths of files with hidden edits.
    pub fn hidden(&self) -> HashSet<&BStr> {
        let is_edit = |changed: &&StatusChange| changed.is_hidden && changed.now != Now::Deleted;
        self.changed.iter().filter(is_edit).map(|changed| changed.path.as_bstr()).collect()
    }

    /// A file at the path of an entry that is kept off the disk is not a new file, whatever it is, as in git.
    fn pass_over_withheld(&mut self, scope: &Scope, index: &Index) {
        self.unexpected.retain(|file| !index.is_withheld(scope.full(&file.path).as_bstr()));
    }

    pub fn new_bytes(&self) -> UnstoredFiles {
        let modified = self.changed.iter().filter_map(|changed| match changed.now {
            Now::Modified(id, _) => Some((id, changed.path.clone())),
            Now::Deleted | Now::NotAFile => None,
        });
        modified.collect()
    }

    /// Whether [`WorkTree::refresh_index`] would save anything.
    pub fn is_refreshed(&self) -> bool {
        !self.refreshed.is_empty()
    }

    /// Writes the stats of files that were read and found unchanged to the index, so that they are not read again.
    /// Gives up silently when the index is locked: it only saves time.
    pub fn refresh_index(&self, scope: &Scope, guard: &WriteGuard) {
        if !self.is_refreshed() {
            return;
        }
        let Ok(mut locked) = index::lock_within(scope, guard, std::time::Duration::ZERO) else { return };
        let refreshed = self.refreshed_by_path();
        for (entry, path) in locked.index.state.entries_mut_with_paths() {
            let found = scope.strip(path).and_then(|path| refreshed.get(path));
            if let Some((version, stat)) = found
                && entry.id == object_id(version.id)
                && entry.stage() == Stage::Unconflicted
            {
                entry.stat = index_stat(stat);
            }
        }
        drop(locked.commit());
    }

    /// Marks the files of the tree that were found as this index has them, with their stats now: what is written next
    /// need not doubt them. For a status of the whole tree.
    pub fn settle(&self, scope: &Scope, index: &mut Index) {
        let refreshed = self.refreshed_by_path();
        let changed: HashSet<&BStr> = self.changed.iter().map(|changed| changed.path.as_bstr()).collect();
        for (entry, path) in index.state.entries_mut_with_paths() {
            let Some(path) = scope.strip(path).filter(|path| !changed.contains(path)) else { continue };
            if let Some((_, stat)) = refreshed.get(path) {
                entry.stat = index_stat(stat);
            }
            entry.flags.insert(Flags::UPTODATE);
        }
    }

    fn refreshed_by_path(&self) -> HashMap<&BStr, (Version, FileStat)> {
        self.refreshed.iter().map(|(path, version, stat)| (path.as_bstr(), (*version, *stat))).collect()
    }
}

/// The tracked files of the tree: three lists of the same length.
struct TrackedFiles<'a> {
    paths: Vec<&'a BStr>,
    versions: Vec<Version>,
    stats: Vec<(Stat, FileMode)>,
    /// Positions of intent-to-add entries (`git add -N`), sorted.
    intended: Vec<usize>,
    /// Positions of entries whose flags hide edits, sorted.
    hidden: Vec<usize>,
    racy_from: gix::index::State,
    converter: Converter,
}

/// Why a file must be read.
enum Suspicion {
    Gone,
    NotAFile,
    Stat(FileStat),
}

impl<'a> TrackedFiles<'a> {
    fn of(scope: &Scope, index: &'a Index) -> Self {
        let count = index.state.entries().len();
        let mut marker = gix::index::State::new(gix::hash::Kind::Sha1);
        marker.set_timestamp(index.state.timestamp());
        let mut recorded = Self {
            paths: Vec::with_capacity(count),
            versions: Vec::with_capacity(count),
            stats: Vec::with_capacity(count),
            intended: Vec::new(),
            hidden: Vec::new(),
            racy_from: marker,
            converter: Converter::of(scope),
        };
        for entry in index.state.entries() {
            let Some(path) = scope.strip(entry.path(&index.state)) else { continue };
            let is_other_stage = recorded.paths.last() == Some(&path);
            if is_other_stage || is_off_disk(entry.flags) {
                continue;
            }
            let mode = FileMode::from_index(entry.mode);
            if entry.flags.contains(Flags::INTENT_TO_ADD) {
                recorded.intended.push(recorded.paths.len());
            }
            if is_hidden(entry.flags) {
                recorded.hidden.push(recorded.paths.len());
            }
            recorded.paths.push(path);
            recorded.versions.push(Version { mode, id: crate::id::blob_id(&entry.id) });
            // an unmerged entry has no stat, so its file is always read
            recorded.stats.push((entry.stat, mode));
        }
        recorded
    }

    /// Positions of the tracked files at or below a path.
    fn at_or_below(&self, path: &BStr) -> impl Iterator<Item = usize> + use<'a, '_> {
        let mut prefix = path.to_owned();
        prefix.push(b'/');
        let own = self.paths.binary_search(&path).ok();
        let start = self.paths.partition_point(|other| **other < *prefix);
        let below = self.paths[start..].iter().take_while(|other| other.starts_with(&prefix)).count();
        own.into_iter().chain(start..start + below)
    }

    fn all_gone(
        &self,
        root: &std::path::Path,
        positions: impl Iterator<Item = usize>,
        found: &mut WorkTree,
    ) -> Result<(), StatusError> {
        for position in positions {
            self.note(root, position, Suspicion::Gone, found)?;
        }
        Ok(())
    }

    fn compare_folder(
        &self,
        root: &std::path::Path,
        folder: &std::path::Path,
        path: &BStr,
        positions: impl Iterator<Item = usize>,
        found: &mut WorkTree,
    ) -> Result<(), StatusError> {
        let own = self.paths.binary_search(&path).ok();
        let positions: Vec<usize> = positions.filter(|position| Some(*position) != own).collect();
        if let Some(position) = own {
            self.note(root, position, Suspicion::NotAFile, found)?;
        }
        let names: Vec<&BStr> =
            positions.iter().map(|position| self.paths[*position][path.len() + 1..].as_bstr()).collect();
        let visit = |at: usize, stat| self.suspicion(positions[at], stat);
        let walk = fs::walk(folder, &names, Listing::Everything, visit)?;
        for (at, suspicion) in walk.noted {
            self.note(root, positions[at], suspicion, found)?;
        }
        found.unexpected.extend(walk.unexpected.into_iter().map(|file| {
            let mut full = path.to_owned();
            full.push(b'/');
            full.extend_from_slice(&file.path);
            fs::Unexpected { path: full, ..file }
        }));
        Ok(())
    }

    /// Reads a file whose stat differs, and returns its state.
    fn note(
        &self,
        root: &std::path::Path,
        position: usize,
        suspicion: Suspicion,
        found: &mut WorkTree,
    ) -> Result<(), StatusError> {
        let (path, recorded) = (self.paths[position], self.versions[position]);
        let is_hidden = self.hidden.binary_search(&position).is_ok();
        let changed = |now| StatusChange { path: path.to_owned(), recorded, now, is_hidden };
        match suspicion {
            Suspicion::Gone => found.changed.push(changed(Now::Deleted)),
            Suspicion::NotAFile => found.changed.push(changed(Now::NotAFile)),
            Suspicion::Stat(stat) => match self.id_on_disk(root, path)? {
                None => found.changed.push(changed(Now::Deleted)),
                // an intent-to-add file differs even if it is as empty as its entry
                Some(id) if id == recorded.id && self.intended.binary_search(&position).is_err() => {
                    found.refreshed.push((path.to_owned(), recorded, stat));
                }
                Some(id) => found.changed.push(changed(Now::Modified(id, stat))),
            },
        }
        Ok(())
    }

    /// The id under which git would store the file, `None` if there is no file.
    fn id_on_disk(&self, root: &std::path::Path, path: &BStr) -> Result<Option<BlobId>, StatusError> {
        let Ok(file) = gix::path::from_bstr(path) else { return Ok(None) };
        let Some(bytes) = fs::read_if_there(&root.join(file))? else { return Ok(None) };
        Ok(Some(self.converter.id(path, &bytes)?))
    }

    fn all_deleted(&self) -> WorkTree {
        let changed = self.paths.iter().enumerate().map(|(position, path)| StatusChange {
            path: (*path).to_owned(),
            recorded: self.versions[position],
            now: Now::Deleted,
            is_hidden: self.hidden.binary_search(&position).is_ok(),
        });
        WorkTree { changed: changed.collect(), ..WorkTree::default() }
    }

    fn suspicion(&self, position: usize, stat: Option<FileStat>) -> Option<Suspicion> {
        let (recorded, mode) = &self.stats[position];
        let Some(stat) = stat else { return Some(Suspicion::Gone) };
        match (mode, stat.kind) {
            (FileMode::Gitlink, FileKind::Folder) | (FileMode::Symlink, FileKind::Symlink) => return None,
            (FileMode::Regular | FileMode::Executable, FileKind::Regular) => {}
            // files in the folder are untracked, or tracked by themselves
            (FileMode::Regular | FileMode::Executable | FileMode::Symlink, FileKind::Folder) => {
                return Some(Suspicion::Gone);
            }
            _ => return Some(Suspicion::NotAFile),
        }
        let options = gix::index::entry::stat::Options { use_nsec: true, ..Default::default() };
        let same = recorded.matches(&index_stat(&stat), options);
        if same && !recorded.is_racy(self.racy_from.timestamp(), options) {
            return None;
        }
        Some(Suspicion::Stat(stat))
    }
}

/// For each of `paths` (untracked files of the tree), whether `.gitignore`, `info/exclude` or the user's excludes match
/// it.
pub fn ignored(scope: &Scope, index: &Index, paths: &[&BStr]) -> Result<Vec<bool>, Error> {
    use crate::error::During as _;
    let mut stack = scope
        .repo
        .excludes(
            &index.state,
            None,
            gix::worktree::stack::state::ignore::Source::WorktreeThenIdMappingIfNotSkipped,
        )
        .during("read the ignore rules")?;
    paths
        .iter()
        .map(|path| {
            let full = scope.full(path);
            let platform = stack
                .at_entry(full.as_bstr(), Some(gix::index::entry::Mode::FILE))
                .during(|| format!("apply the ignore rules to `{path}`"))?;
            Ok(platform.is_excluded())
        })
        .collect()
}
