//! The tree that a read-only command reads: on disk or at a commit.
//!
//! Knows files and their names. A commit is read entirely from the repository, and nothing is written; its derived
//! files are made in memory by the caller.

use crate::Stop;
use crate::derive::{self, Curated};
use crate::open::context::Opened;
use crate::open::naming::resolve::{self, Named};
use brv_base::content::ContentId;
use brv_base::fs::{self, FileKind};
use brv_base::path::TreePath;
use brv_git as git;
use brv_git::revision::{self};
use brv_git::{CommitId, FileMode, ObjectReader, Scope, SharedScope, Version, trees};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Clone)]
pub struct Reading {
    root: PathBuf,
    snapshot: Option<Arc<CommitSnapshot>>,
    /// Files on disk that are about to change, with their new bytes; `None`: the file is removed.
    changed: BTreeMap<TreePath, Option<Vec<u8>>>,
}

/// The curated files of a tree.
pub struct CuratedFiles {
    /// Sorted.
    pub paths: Vec<TreePath>,
    /// The blob of each, if it is known.
    pub blobs: Vec<Option<ContentId>>,
    /// Files of every kind that are kept off the disk.
    pub absent: Vec<TreePath>,
}

struct CommitSnapshot {
    commit: CommitId,
    files: BTreeMap<TreePath, Version>,
    folders: BTreeSet<String>,
    shared: SharedScope,
    /// A pool: each thread takes one and returns it.
    readers: Mutex<Vec<ObjectReader>>,
}

impl Reading {
    /// Open the tree on disk, or at the commit of `revision`.
    pub fn open(scope: &Scope, revision: Option<&str>) -> Result<Self, Stop> {
        let snapshot = revision.map(|name| CommitSnapshot::of(scope, name).map(Arc::new)).transpose()?;
        Ok(Self { root: scope.root(), snapshot, changed: BTreeMap::new() })
    }

    /// The tree on disk below this folder.
    pub fn on_disk(root: PathBuf) -> Self {
        Self { root, snapshot: None, changed: BTreeMap::new() }
    }

    /// The tree on disk with these changes; `None`: the file is removed.
    pub fn changed(self, changed: BTreeMap<TreePath, Option<Vec<u8>>>) -> Self {
        Self { changed, ..self }
    }

    /// The new bytes of a file that is about to change: `None` if it is not, `Some(None)` if it is removed.
    pub fn change(&self, path: &TreePath) -> Option<Option<&[u8]>> {
        self.changed.get(path).map(Option::as_deref)
    }

    /// The commit; `None` for the tree on disk.
    pub fn commit(&self) -> Option<CommitId> {
        self.snapshot.as_ref().map(|snapshot| snapshot.commit)
    }

    /// The folder of the tree on disk.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Resolve a name typed in `cwd`.
    pub fn resolve(&self, cwd: &Path, typed: &str) -> Result<Option<Named>, fs::Error> {
        resolve::resolve_by(&self.root, cwd, typed, &|path, kind| self.has(path, kind))
    }

    /// Resolve exactly this path, with or without `.md`.
    pub fn named(&self, path: &str) -> Result<Option<Named>, fs::Error> {
        resolve::at_by(path, &|path, kind| self.has(path, kind))
    }

    /// Whether a file or folder of this kind exists at a path.
    pub fn has(&self, path: &TreePath, kind: FileKind) -> Result<bool, fs::Error> {
        if let Some(change) = self.change(path) {
            return Ok(change.is_some() && kind == FileKind::Regular);
        }
        match &self.snapshot {
            None => resolve::is(&self.root, path, kind),
            Some(snapshot) => Ok(match kind {
                FileKind::Regular => snapshot.files.contains_key(path),
                FileKind::Folder => snapshot.folders.contains(path.as_str()),
                _ => false,
            }),
        }
    }

    /// The bytes of a file; `None` if it does not exist.
    pub fn read(&self, path: &TreePath) -> Result<Option<Vec<u8>>, Stop> {
        if let Some(change) = self.change(path) {
            return Ok(change.map(<[u8]>::to_vec));
        }
        match &self.snapshot {
            None => Ok(fs::read_below(&self.root, &path.on_disk(&self.root))?),
            Some(snapshot) => Ok(snapshot.read(path)?),
        }
    }

    /// The bytes of a file of the commit; `None` if it does not exist there, and for the tree on disk.
    pub fn committed(&self, path: &TreePath) -> Result<Option<Vec<u8>>, git::Error> {
        self.snapshot.as_ref().map_or(Ok(None), |snapshot| snapshot.read(path))
    }

    /// The paths of the curated files, sorted.
    pub fn curated_paths(&self, opened: &Opened) -> Result<Vec<TreePath>, Stop> {
        if let Some(curated) = self.curated() {
            return Ok(curated.into_iter().map(|file| file.path).collect());
        }
        let survey = derive::quick_survey(opened, git::index::read(&opened.scope)?)?;
        Ok(derive::curated_paths(&opened.scope, &survey)?)
    }

    /// The curated files, each with its blob, if that is known without reading the file.
    pub fn curated_files(&self, opened: &Opened) -> Result<CuratedFiles, Stop> {
        if let Some(curated) = self.curated() {
            let (paths, blobs) = curated.into_iter().map(|file| (file.path, Some(file.id))).unzip();
            return Ok(CuratedFiles { paths, blobs, absent: Vec::new() });
        }
        let survey = derive::quick_survey(opened, git::index::read(&opened.scope)?)?;
        let paths = derive::curated_paths(&opened.scope, &survey)?;
        let blobs = derive::blobs(&opened.scope, &survey, &paths);
        Ok(CuratedFiles { paths, blobs, absent: derive::withheld_paths(&opened.scope, &survey.index) })
    }

    /// The names of the files and folders in a folder of the commit, sorted; none for the tree on disk.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let Some(snapshot) = &self.snapshot else { return Vec::new() };
        let inside = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let paths = snapshot.files.keys().map(TreePath::as_str);
        let mut names: Vec<String> = paths
            .filter_map(|path| path.strip_prefix(&inside))
            .map(|rest| rest.split_once('/').map_or(rest, |(first, _)| first).to_owned())
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// The curated files of the commit, sorted; `None` for the tree on disk.
    pub fn curated(&self) -> Option<Vec<Curated>> {
        let files = self.snapshot.as_ref()?.files.iter().filter(|(path, _)| path.kind().is_curated());
        let curated = |(path, version): (&TreePath, &Version)| Curated {
            path: path.clone(),
            id: version.id,
            ours: None,
        };
        Some(files.map(curated).collect())
    }
}

impl CommitSnapshot {
    fn of(scope: &Scope, name: &str) -> Result<Self, Stop> {
        let commit = revision::commit(scope, name)?;
        let listed = trees::list(scope, scope.tree_of(commit)?)?;
        let is_regular = |version: &Version| matches!(version.mode, FileMode::Regular | FileMode::Executable);
        let regular = listed.into_iter().filter(|(_, version)| is_regular(version));
        let files: BTreeMap<TreePath, Version> =
            regular.filter_map(|(path, version)| Some((TreePath::parse(&path).ok()?, version))).collect();
        let mut folders = BTreeSet::new();
        for path in files.keys() {
            let mut folder = path.folder();
            while !folder.is_empty() && folders.insert(folder.to_owned()) {
                folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
            }
        }
        Ok(Self { commit, files, folders, shared: scope.to_shared(), readers: Mutex::default() })
    }

    fn read(&self, path: &TreePath) -> Result<Option<Vec<u8>>, git::Error> {
        let Some(version) = self.files.get(path) else { return Ok(None) };
        let lock = || self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = lock().pop();
        let mut reader = waiting.unwrap_or_else(|| self.shared.to_reader());
        let bytes = trees::blob(&reader, version.id)?;
        reader.has_read(bytes.len())?;
        lock().push(reader);
        Ok(Some(bytes))
    }
}
