//! The tree as the operations applied so far leave it: the disk, or a commit, and what they changed in memory.

use crate::Stop;
use crate::derive;
use crate::read::archive;
use crate::read::history::source::Reading;
use crate::write::operation::files_only::Rewrite;
use brv_base::content::ContentId;
use brv_base::fs::{self, FileKind};
use brv_base::path::{ArchivePaths, PathKind, TreePath};
use brv_git as git;
use brv_git::trees::Change;
use brv_git::{Converter, FileMode, Scope, SparseCheckout, Version};
use brv_text::curate::{self, TreeNames};
use brv_text::doc::{self, Document};
use bstr::{BStr, ByteSlice as _};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::path::PathBuf;

/// The bytes of a file, as git stores them; `None`: there is none.
pub type FileBytes = Option<Vec<u8>>;

pub struct CurateView<'a> {
    scope: &'a Scope,
    root: PathBuf,
    /// What the operations begin with.
    reading: Reading,
    converter: Converter,
    changed: BTreeMap<TreePath, FileSides>,
    /// The files that were read: what is written must be made from the bytes that were there.
    read: RefCell<HashMap<TreePath, FileBytes>>,
    /// What the current operation changed, so that it can be taken back.
    steps: Vec<ViewStep>,
    /// What is kept off this disk, read when a file is not there.
    off_disk: OnceCell<(git::Index, SparseCheckout)>,
    /// The names in each folder that was asked for.
    listed: RefCell<HashMap<String, FolderNames>>,
    /// A curated file in each folder that was searched for one.
    others: RefCell<HashMap<String, TreePath>>,
    /// The first failure to read a folder: a lookup cannot return it to its caller.
    failed: RefCell<Option<fs::Error>>,
}

/// A file on disk, and as it will be.
struct FileSides {
    before: FileBytes,
    now: FileBytes,
}

struct ViewStep {
    path: TreePath,
    /// What was known of the file before.
    old: Option<FileSides>,
    /// The names that came into a folder with it.
    named: Vec<(String, String)>,
}

/// What is in the way of a file.
pub(super) enum PathObstacle {
    /// Nothing, or the file itself.
    Clear,
    /// A symlink, or another special file, at this path; or anything but a folder above it.
    Special,
    /// A folder has the name of the file.
    Folder,
}

#[derive(Default)]
struct FolderNames {
    exact: BTreeSet<String>,
    /// The names that are the same in lower case, by that.
    folded: HashMap<String, BTreeSet<String>>,
}

impl FolderNames {
    /// Returns whether the name is new.
    fn add(&mut self, name: String) -> bool {
        self.folded.entry(name.to_lowercase()).or_default().insert(name.clone());
        self.exact.insert(name)
    }

    fn remove(&mut self, name: &str) {
        self.exact.remove(name);
        if let Some(same) = self.folded.get_mut(&name.to_lowercase()) {
            same.remove(name);
        }
    }

    fn spelled(&self, name: &str) -> Option<String> {
        match self.exact.get(name) {
            Some(name) => Some(name.clone()),
            None => self.folded.get(&name.to_lowercase())?.first().cloned(),
        }
    }
}

impl FromIterator<String> for FolderNames {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        let mut all = Self::default();
        for name in names {
            all.add(name);
        }
        all
    }
}

impl<'a> CurateView<'a> {
    pub fn of(scope: &'a Scope) -> Self {
        Self::beginning(scope, Reading::on_disk(scope.root()))
    }

    /// The tree as it is read here, before any operation.
    pub fn beginning(scope: &'a Scope, reading: Reading) -> Self {
        Self {
            scope,
            root: scope.root(),
            reading,
            converter: Converter::of(scope),
            changed: BTreeMap::new(),
            read: RefCell::default(),
            steps: Vec::new(),
            off_disk: OnceCell::new(),
            listed: RefCell::default(),
            others: RefCell::default(),
            failed: RefCell::default(),
        }
    }

    /// The bytes of a file as the operations left it.
    pub fn read(&self, path: &TreePath) -> Result<FileBytes, Stop> {
        match self.changed.get(path) {
            Some(sides) => Ok(sides.now.clone()),
            None => self.first(path),
        }
    }

    /// The bytes that a file had before the operations, if they changed it.
    pub(super) fn before(&self, path: &TreePath) -> Option<Vec<u8>> {
        self.changed.get(path)?.before.clone()
    }

    /// The bytes that a file began with.
    fn first(&self, path: &TreePath) -> Result<FileBytes, Stop> {
        if let Some(bytes) = self.read.borrow().get(path) {
            return Ok(bytes.clone());
        }
        let bytes = match self.is_at_commit() {
            true => self.reading.committed(path)?,
            false => self.read_from_disk(path)?,
        };
        self.read.borrow_mut().insert(path.clone(), bytes.clone());
        Ok(bytes)
    }

    /// Whether there is a file as the operations left it.
    pub fn is_there(&self, path: &TreePath) -> bool {
        if let Some(sides) = self.changed.get(path) {
            return sides.now.is_some();
        }
        if self.is_at_commit() {
            return self.reading.has(path, FileKind::Regular).unwrap_or(false);
        }
        let file = path.on_disk(&self.root);
        let is_file =
            fs::stat(&file).is_ok_and(|stat| stat.is_some_and(|stat| stat.kind == FileKind::Regular));
        is_file && fs::is_reached_by_folders(&self.root, &file).unwrap_or(false)
    }

    /// Whether the operations begin with a commit, and not with the disk.
    pub fn is_at_commit(&self) -> bool {
        self.reading.commit().is_some()
    }

    /// What the operations begin with, with what they changed.
    pub(super) fn reading(&self) -> Reading {
        self.reading.clone().changed(self.in_memory())
    }

    fn ground_of_commit(&self, path: &TreePath) -> Result<PathObstacle, fs::Error> {
        let mut above = path.folder();
        while !above.is_empty() {
            let folder = TreePath::parse(above.as_bytes()).ok();
            if folder.is_some_and(|folder| self.reading.has(&folder, FileKind::Regular).unwrap_or(false)) {
                return Ok(PathObstacle::Special);
            }
            above = above.rsplit_once('/').map_or("", |(above, _)| above);
        }
        let is_folder = self.reading.has(path, FileKind::Folder)?;
        Ok(if is_folder { PathObstacle::Folder } else { PathObstacle::Clear })
    }

    /// Whether the repository has a file that is kept off this disk, or a sparse checkout would keep it off.
    pub(super) fn is_off_disk(&self, path: &TreePath) -> Result<bool, Stop> {
        if self.is_at_commit() || self.changed.contains_key(path) || self.is_there(path) {
            return Ok(false);
        }
        if self.off_disk.get().is_none() {
            let known = (git::index::read(self.scope)?, SparseCheckout::read(self.scope)?);
            let _ = self.off_disk.set(known);
        }
        let name = path.as_bytes().as_bstr();
        Ok(self.off_disk.get().is_some_and(|(index, sparse)| {
            sparse.leaves_out(name) || index.is_withheld(self.scope.full(name).as_bstr())
        }))
    }

    fn read_from_disk(&self, path: &TreePath) -> Result<FileBytes, Stop> {
        if !matches!(self.ground(path)?, PathObstacle::Clear) {
            return Ok(None);
        }
        let Some(bytes) = fs::read_below(&self.root, &path.on_disk(&self.root))? else { return Ok(None) };
        let name = path.as_bytes().as_bstr();
        Ok(Some(self.converter.to_git(name, bytes.into())?.into_owned()))
    }

    /// Whether a file can stand at a path.
    pub(super) fn ground(&self, path: &TreePath) -> Result<PathObstacle, Stop> {
        if self.is_at_commit() {
            return Ok(self.ground_of_commit(path)?);
        }
        let file = path.on_disk(&self.root);
        if !fs::is_reached_by_folders(&self.root, &file)? {
            return Ok(PathObstacle::Special);
        }
        Ok(match fs::stat(&file)?.map(|stat| stat.kind) {
            None | Some(FileKind::Regular) => PathObstacle::Clear,
            Some(FileKind::Folder) => PathObstacle::Folder,
            Some(_) => PathObstacle::Special,
        })
    }

    /// Whether a file that an operation made is above this path, or below it.
    pub(super) fn is_in_the_way(&self, path: &TreePath) -> bool {
        let is_made = |path: &str| self.changed.get(path).is_some_and(|sides| sides.now.is_some());
        let mut above = path.folder();
        while !above.is_empty() {
            if is_made(above) {
                return true;
            }
            above = above.rsplit_once('/').map_or("", |(above, _)| above);
        }
        let inside = format!("{path}/");
        let below = self.changed.range::<str, _>((Bound::Excluded(inside.as_str()), Bound::Unbounded));
        below.take_while(|(file, _)| file.as_str().starts_with(&inside)).any(|(_, sides)| sides.now.is_some())
    }

    pub fn set(&mut self, path: &TreePath, now: FileBytes) -> Result<(), Stop> {
        let before = match self.changed.get(path) {
            Some(sides) => sides.before.clone(),
            None => self.first(path)?,
        };
        let named = self.list_change(path, now.is_some());
        let old = self.changed.insert(path.clone(), FileSides { before, now });
        self.steps.push(ViewStep { path: path.clone(), old, named });
        Ok(())
    }

    /// End an operation: keep what it changed, unless it failed, or something that it asked about could not be read.
    pub fn end<T, E>(&mut self, result: Result<T, E>) -> Result<T, E>
    where
        E: From<fs::Error>,
    {
        let result = match self.failed.get_mut().take() {
            Some(error) if result.is_ok() => Err(error.into()),
            _ => result,
        };
        let steps = std::mem::take(&mut self.steps);
        if result.is_err() {
            steps.into_iter().rev().for_each(|step| self.take_back(step));
        }
        result
    }

    /// The files that were changed since the last [`CurateView::end`].
    pub(super) fn in_hand(&self) -> Vec<TreePath> {
        self.steps.iter().map(|step| step.path.clone()).collect()
    }

    fn take_back(&mut self, ViewStep { path, old, named }: ViewStep) {
        let gone = match old {
            Some(old) => self.changed.insert(path.clone(), old),
            None => self.changed.remove(&path),
        };
        let was_there = match self.changed.get(&path) {
            Some(sides) => sides.now.is_some(),
            None => gone.is_some_and(|sides| sides.before.is_some()),
        };
        self.list_change(&path, was_there);
        for (folder, name) in named {
            if let Some(names) = self.listed.get_mut().get_mut(&folder) {
                names.remove(&name);
            }
        }
    }

    /// The names of the files and folders in a folder, as the operations left it, sorted.
    fn names(&self, folder: &str) -> Vec<String> {
        self.with_names(folder, |names| names.exact.iter().cloned().collect())
    }

    fn with_names<T>(&self, folder: &str, look: impl FnOnce(&FolderNames) -> T) -> T {
        let mut listed = self.listed.borrow_mut();
        if let Some(names) = listed.get(folder) {
            return look(names);
        }
        match self.list(folder) {
            Ok(names) => look(listed.entry(folder.to_owned()).or_insert(names.into_iter().collect())),
            // the next operation that asks for it fails as well
            Err(error) => {
                self.failed.borrow_mut().get_or_insert(error);
                look(&FolderNames::default())
            }
        }
    }

    /// Bring the names of a changed file, and of the folders above it, into what is listed. Returns the new names, each
    /// with its folder.
    fn list_change(&mut self, path: &TreePath, is_there: bool) -> Vec<(String, String)> {
        let mut new = Vec::new();
        let mut add = |view: &mut Self, folder: &str, name: &str| {
            view.with_names(folder, |_| ());
            if let Some(names) = view.listed.get_mut().get_mut(folder)
                && names.add(name.to_owned())
            {
                new.push((folder.to_owned(), name.to_owned()));
            }
        };
        if !is_there {
            self.with_names(path.folder(), |_| ());
            if let Some(names) = self.listed.get_mut().get_mut(path.folder()) {
                names.remove(path.file_name());
            }
            return new;
        }
        let mut below = path.as_str();
        while !below.is_empty() {
            let (folder, name) = below.rsplit_once('/').unwrap_or(("", below));
            add(self, folder, name);
            below = folder;
        }
        new
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, fs::Error> {
        if self.is_at_commit() {
            return Ok(self.reading.names(folder));
        }
        let place = fs::below(&self.root, folder.as_bytes().as_bstr())?;
        let is_real = fs::is_reached_by_folders(&self.root, &place.join("x"))?;
        if !is_real || fs::stat(&place)?.is_none_or(|stat| stat.kind != FileKind::Folder) {
            return Ok(Vec::new());
        }
        fs::names(&place)
    }

    /// The curated files below a folder, sorted.
    pub(super) fn curated_below(&self, folder: &str) -> Vec<TreePath> {
        let mut found = Vec::new();
        for name in self.names(folder) {
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let Ok(file) = TreePath::parse(path.as_bytes()) else { continue };
            let is_there = self.is_there(&file);
            match file.kind().is_curated() && is_there {
                true => found.push(file),
                false if !is_there && !name.starts_with(['.', '_']) => {
                    found.extend(self.curated_below(&path))
                }
                false => {}
            }
        }
        found
    }

    /// Whether a curated file other than `file` is at or below its folder. Stops at the first, which is remembered:
    /// a list may delete thousands of one folder.
    pub(super) fn has_others(&self, folder: &str, file: &TreePath) -> bool {
        let is_other = |path: &TreePath| path != file && self.is_there(path);
        if self.others.borrow().get(folder).is_some_and(is_other) {
            return true;
        }
        let mut folders = Vec::new();
        let found = self.with_names(folder, |names| {
            names.exact.iter().rev().find_map(|name| {
                let path = TreePath::parse(format!("{folder}/{name}").as_bytes()).ok()?;
                let is_markdown = name.ends_with(".md");
                if !is_markdown && !name.starts_with(['.', '_']) {
                    folders.push(path.clone());
                }
                (is_markdown && path.kind().is_curated() && is_other(&path)).then_some(path)
            })
        });
        let Some(found) = found else {
            return folders.iter().any(|folder| self.has_others(folder.as_str(), file));
        };
        self.others.borrow_mut().insert(folder.to_owned(), found);
        true
    }

    /// Whether an entry is archived at a path: by a record, or by another tool.
    pub(super) fn is_archived(&self, path: &TreePath) -> bool {
        let read = |path: &TreePath| self.read(path).ok().flatten();
        let overview = read(&archive::overview_of(path)).filter(|bytes| doc::may_archive(bytes));
        let records = overview.map(|bytes| doc::archive_records(&Document::parse(bytes)));
        records.is_some_and(|records| records.named(path.file_name()).is_some())
            || ArchivePaths::of(path.as_str())
                .and_then(|paths| read(&paths.stub))
                .is_some_and(|stub| !derive::is_stamped(&stub))
    }

    /// Whether a relation leads to knowledge, archived or not: `domain/topic`, `domain/topic/title` or `domain/topic/title.md`.
    pub fn leads(&self, relation: &str) -> bool {
        let is_curated = |path: &str| {
            let file = TreePath::parse(path.as_bytes()).ok().filter(|file| file.kind().is_curated());
            file.is_some_and(|file| self.is_there(&file) || self.is_off_disk(&file).unwrap_or(false))
        };
        let relation = relation.trim_end_matches('/');
        // what no path can be leads nowhere, and a file system may fail to look for it
        if TreePath::parse(relation.as_bytes()).is_err() {
            return false;
        }
        let is_archived = |path: &str| {
            let file = TreePath::parse(path.as_bytes()).ok().filter(|file| file.kind() == PathKind::Entry);
            file.is_some_and(|file| self.is_archived(&file))
        };
        let file = format!("{relation}.md");
        let all = [relation, &file];
        all.iter().any(|path| is_curated(path))
            || self.has_knowledge(relation)
            || all.iter().any(|path| is_archived(path))
    }

    /// Whether there is a curated file at or below a folder.
    pub(super) fn has_knowledge(&self, folder: &str) -> bool {
        let is_kept = |name: &&String| !name.starts_with(['.', '_']);
        self.names(folder).iter().filter(is_kept).any(|name| {
            let path = format!("{folder}/{name}");
            let Ok(file) = TreePath::parse(path.as_bytes()) else { return false };
            match self.is_there(&file) {
                true => file.kind().is_curated(),
                false => self.has_knowledge(&path),
            }
        })
    }

    /// The paths whose bytes differ from the disk.
    pub fn changed_paths(&self) -> BTreeSet<&BStr> {
        self.differing().map(|(path, _)| path.as_bytes().as_bstr()).collect()
    }

    /// The files that the operations removed, also those that they had made.
    pub fn gone(&self) -> BTreeSet<TreePath> {
        let gone = self.changed.iter().filter(|(_, sides)| sides.now.is_none());
        gone.map(|(path, _)| path.clone()).collect()
    }

    /// Everything in memory: changed files with their bytes.
    pub(super) fn in_memory(&self) -> BTreeMap<TreePath, FileBytes> {
        self.changed.iter().map(|(path, sides)| (path.clone(), sides.now.clone())).collect()
    }

    fn differing(&self) -> impl Iterator<Item = (&TreePath, &FileSides)> {
        self.changed.iter().filter(|(_, sides)| sides.before != sides.now)
    }

    /// The changes, by path.
    pub fn changes(&self) -> Vec<Change> {
        let version = |bytes: &FileBytes| {
            bytes.as_ref().map(|bytes| Version { mode: FileMode::Regular, id: ContentId::of(bytes) })
        };
        self.differing()
            .map(|(path, sides)| Change {
                path: path.as_str().into(),
                renamed_from: None,
                before: version(&sides.before),
                after: version(&sides.now),
            })
            .collect()
    }

    /// The bytes of the files that were added or changed.
    pub fn new_bytes(&self) -> Vec<Vec<u8>> {
        self.differing().filter_map(|(_, sides)| sides.now.clone()).collect()
    }

    pub fn into_rewrites(self) -> Vec<Rewrite> {
        self.changed
            .into_iter()
            .filter(|(_, sides)| sides.before != sides.now)
            .map(|(path, sides)| Rewrite::new(&path, sides.before, sides.now))
            .collect()
    }

    /// The bytes of a version, if the repository has it.
    pub(super) fn blob(&self, id: ContentId) -> Result<FileBytes, git::Error> {
        git::trees::find_blob(self.scope, id)
    }
}

impl TreeNames for CurateView<'_> {
    fn spelled(&self, folder: &str, name: &str) -> Option<String> {
        self.with_names(folder, |names| names.spelled(name))
    }

    fn numbered(&self, folder: &str, stem: &str) -> Vec<String> {
        let start = format!("{stem}_");
        let number = |name: &String| name.strip_prefix(&start)?.strip_suffix(".md")?.parse::<usize>().ok();
        let mut found: Vec<(usize, String)> = self.with_names(folder, |names| {
            let from = names.exact.range::<str, _>((Bound::Included(start.as_str()), Bound::Unbounded));
            let same = from.take_while(|name| name.starts_with(&start));
            same.filter_map(|name| Some((number(name)?, name.clone()))).collect()
        });
        found.sort();
        found.into_iter().map(|(_, name)| name).collect()
    }

    fn title(&self, path: &TreePath) -> Option<String> {
        let document = Document::parse(self.read(path).ok().flatten()?);
        let is_clear = document.conflicts().is_empty() && document.is_utf8();
        let title = document.title().filter(|_| is_clear)?;
        // a first heading is the title of a file that is called like it
        let is_title = document.meta().title.is_some()
            || curate::slug(&title) == curate::slug(path.file_name().trim_end_matches(".md"));
        is_title.then_some(title)
    }

    fn is_version(&self, path: &TreePath, id: ContentId) -> bool {
        self.read(path).ok().flatten().is_some_and(|bytes| ContentId::of(&bytes) == id)
    }
}
