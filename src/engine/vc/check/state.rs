//! The state that is checked: the files of a commit, of the index, or on disk.

use crate::Stop;
use crate::derive;
use crate::open::survey::{Class, Survey};
use brv_base::fs;
use brv_base::path::TreePath;
use brv_git as git;
use brv_git::trees;
use brv_git::{BlobId, CommitId, FileMode, Index, Scope, TreeId, Version};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The files of one state of the tree.
#[derive(Debug, Default)]
pub struct CheckedTree {
    root: PathBuf,
    files: BTreeMap<BString, CheckedByteSource>,
    absent: Vec<TreePath>,
}

/// Where the bytes of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckedByteSource {
    Blob(Version),
    /// What was on disk when the tree was looked at, if that is known.
    Disk(Option<BlobId>),
}

impl CheckedTree {
    /// The files of a commit; none if there is no commit.
    pub fn of_commit(scope: &Scope, commit: Option<CommitId>) -> Result<Self, git::Error> {
        let tree = commit.map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
        let listed = trees::list(scope, tree)?.into_iter();
        let files = listed.map(|(path, version)| (path, CheckedByteSource::Blob(version))).collect();
        Ok(Self { root: scope.root(), files, absent: Vec::new() })
    }

    /// The files of the index, without those that are kept off this disk; of a file in conflict its first version.
    pub fn of_index(scope: &Scope, index: &Index) -> Self {
        let strip = |(path, version)| Some((scope.strip(path)?.to_owned(), CheckedByteSource::Blob(version)));
        Self {
            root: scope.root(),
            files: index.first_versions().filter_map(strip).collect(),
            absent: derive::withheld_paths(scope, index),
        }
    }

    /// The files on disk: tracked ones, and those that `add` would stage.
    pub fn on_disk(scope: &Scope, survey: &Survey) -> Result<Self, Stop> {
        let mut state = Self::of_index(scope, &survey.index);
        // the disk is read faster
        for content in state.files.values_mut() {
            if let CheckedByteSource::Blob(version) = *content {
                *content = CheckedByteSource::Disk(Some(version.id));
            }
        }
        for changed in &survey.work_tree.changed {
            state.files.remove(&changed.path);
            if let git::status::Now::Modified(id, _) = changed.now {
                state.files.insert(changed.path.clone(), CheckedByteSource::Disk(Some(id)));
            }
        }
        let untracked = survey.unrecorded(scope)?.into_iter().filter(|file| file.class == Class::Untracked);
        state.files.extend(untracked.map(|file| (file.path, CheckedByteSource::Disk(None))));
        Ok(state)
    }

    /// The folder of the tree on disk.
    pub fn root(&self) -> &std::path::Path {
        &self.root
    }

    /// All paths, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &BStr> {
        self.files.keys().map(|path| path.as_bstr())
    }

    /// The curated files, sorted.
    pub fn curated(&self) -> Vec<TreePath> {
        let parsed = self.files.iter().filter(|(_, content)| content.is_regular());
        let parsed = parsed.filter_map(|(path, _)| TreePath::parse(path).ok());
        parsed.filter(|path| path.kind().is_curated()).collect()
    }

    /// The curated files that are kept off this disk, sorted. Links to them lead somewhere; nothing else is asked of them.
    pub fn absent(&self) -> &[TreePath] {
        &self.absent
    }

    pub fn has(&self, path: &BStr) -> bool {
        self.files.contains_key(path)
    }

    /// The blob of a file, if it is known.
    pub fn blob(&self, path: &BStr) -> Option<BlobId> {
        match *self.files.get(path)? {
            CheckedByteSource::Blob(version) => Some(version.id),
            CheckedByteSource::Disk(id) => id,
        }
    }

    /// Whether the bytes of a file are read from the repository.
    pub fn is_committed(&self, path: &BStr) -> bool {
        matches!(self.files.get(path), Some(CheckedByteSource::Blob(_)))
    }

    /// The bytes of a file that is on disk.
    pub fn read_on_disk(&self, path: &BStr) -> Option<Vec<u8>> {
        let is_there = matches!(self.files.get(path)?, CheckedByteSource::Disk(_));
        let file = is_there.then(|| fs::below(&self.root, path).ok()).flatten()?;
        fs::read_below(&self.root, &file).ok().flatten()
    }

    /// The bytes of a file; `None` if it is not here.
    pub fn read(&self, scope: &Scope, path: &BStr) -> Result<Option<Vec<u8>>, Stop> {
        self.read_with(scope, &mut fs::Below::of(&self.root), path)
    }

    /// As [`CheckedTree::read`], for many files of one folder after another; `below` is at [`CheckedTree::root`].
    pub fn read_with(
        &self,
        scope: &Scope,
        below: &mut fs::Below<'_>,
        path: &BStr,
    ) -> Result<Option<Vec<u8>>, Stop> {
        Ok(match self.files.get(path) {
            None => None,
            Some(CheckedByteSource::Blob(version)) if version.mode == FileMode::Gitlink => None,
            Some(CheckedByteSource::Blob(version)) => Some(trees::blob(scope, version.id)?),
            Some(CheckedByteSource::Disk(_)) => below.read(&fs::below(&self.root, path)?)?,
        })
    }
}

impl CheckedByteSource {
    const fn is_regular(self) -> bool {
        match self {
            Self::Disk(_) => true,
            Self::Blob(version) => matches!(version.mode, FileMode::Regular | FileMode::Executable),
        }
    }
}
