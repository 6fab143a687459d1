//! The files on disk as a tree in memory: our side of the merge in an undo.

use super::Error;
use brv_base::content::ContentId;
use brv_base::fs::{self, FileKind};
use brv_engine::open::survey::{Class, Survey};
use brv_git as git;
use brv_git::status::Now;
use brv_git::trees::{self, Change, Renames};
use brv_git::{BlobId, Drafts, FileMode, Scope, TreeId, Version, store};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::BTreeMap;

/// The files on disk: tracked files, untracked files, and requested paths.
pub(super) struct UndoDisk {
    drafts: Drafts,
    pub tree: TreeId,
    /// The differences (by full path) from the tree of `HEAD`.
    edits: BTreeMap<BString, Option<Version>>,
    head: TreeId,
}

impl UndoDisk {
    /// Read the disk. `beside` are paths (relative to the tree) to include, tracked or not.
    pub(super) fn look<'a>(
        scope: &Scope,
        survey: &Survey,
        beside: impl Iterator<Item = &'a BString>,
    ) -> Result<Self, Error> {
        let converter = git::Converter::of(scope);
        let mut seen = UndoDiskReader { scope, survey, converter, edits: BTreeMap::new(), blobs: Vec::new() };
        for change in survey.staged(scope, Renames::Ignore)? {
            seen.edits.insert(scope.full(&change.path), change.after);
        }
        for file in &survey.work_tree.changed {
            if file.now != Now::NotAFile {
                seen.read(&file.path)?;
            }
        }
        for full in survey.index.unmerged() {
            if let Some(path) = scope.strip(full.as_bstr()) {
                seen.read(&path.to_owned())?;
            }
        }
        for file in survey.unrecorded(scope)? {
            if file.class == Class::Untracked {
                seen.read(&file.path)?;
            }
        }
        let tracked = survey.index.in_lower_case();
        for path in beside {
            let full = scope.full(path);
            if survey.index.contains(full.as_bstr()) {
                continue;
            }
            if tracked.contains(&full.to_lowercase()) {
                // what the disk finds there is the tracked file
                seen.edits.insert(full, None);
            } else {
                // nothing above reads a file that is neither tracked nor newly found
                seen.read(path)?;
            }
        }
        let UndoDiskReader { edits, blobs, .. } = seen;
        let mut drafts = Drafts::over(scope);
        drafts.add_blobs(blobs);
        let head = survey.head_tree;
        let tree = drafts.tree_with(head, edits.iter().map(|(path, version)| (path, *version)))?;
        Ok(Self { drafts, tree, edits, head })
    }

    /// Change these files, whose bytes `from` reads.
    pub(super) fn change<'c>(
        &mut self,
        files: impl IntoIterator<Item = &'c Change>,
        from: &Scope,
    ) -> Result<(), git::Error> {
        let (mut blobs, mut edits) = (Vec::new(), BTreeMap::new());
        for Change { path, after, .. } in files {
            let scope = self.drafts.scope();
            if let Some(Version { id, .. }) = after.filter(|version| !store::holds(scope, version.id)) {
                blobs.push((id, trees::blob(from, id)?));
            }
            edits.insert(scope.full(path), *after);
        }
        self.drafts.add_blobs(blobs);
        self.tree = self.drafts.tree_with(self.tree, edits.iter().map(|(path, version)| (path, *version)))?;
        self.edits.extend(edits);
        Ok(())
    }

    /// Drop all trees in memory but this one.
    pub(super) fn drop_other_trees(&mut self) -> Result<(), git::Error> {
        self.drafts.drop_trees();
        let edits = self.edits.iter().map(|(path, version)| (path, *version));
        self.tree = self.drafts.tree_with(self.head, edits)?;
        Ok(())
    }

    pub(super) fn into_drafts(self) -> Drafts {
        self.drafts
    }

    /// A scope that reads the files on disk in addition to stored objects.
    pub(super) const fn scope(&self) -> &Scope {
        self.drafts.scope()
    }

    /// This tree, or another one, with some paths (full) replaced or removed, in memory.
    pub(super) fn tree_with<'a>(
        &self,
        base: TreeId,
        changes: impl IntoIterator<Item = (&'a BString, Option<Version>)>,
    ) -> Result<TreeId, git::Error> {
        self.drafts.tree_with(base, changes)
    }

    /// Add a file's content, in memory.
    pub(super) fn add(&mut self, bytes: Vec<u8>) -> BlobId {
        let id = ContentId::of(&bytes);
        self.drafts.add_blobs([(id, bytes)]);
        id
    }

    /// The version at a path (relative to the tree).
    pub(super) fn version(&self, path: &BStr) -> Result<Option<Version>, git::Error> {
        trees::file(self.scope(), self.tree, path)
    }

    pub(super) fn bytes(&self, id: BlobId) -> Result<Vec<u8>, git::Error> {
        trees::blob(self.scope(), id)
    }
}

struct UndoDiskReader<'a> {
    scope: &'a Scope,
    survey: &'a Survey,
    converter: git::Converter,
    edits: BTreeMap<BString, Option<Version>>,
    blobs: Vec<(BlobId, Vec<u8>)>,
}

impl UndoDiskReader<'_> {
    fn read(&mut self, path: &BString) -> Result<(), Error> {
        let root = self.scope.root();
        let full = self.scope.full(path);
        let place = fs::below(&root, path.as_bstr())?;
        // the target of a symlink at the file's path is not a version of the file
        let is_file = fs::stat(&place)?.is_some_and(|stat| stat.kind == FileKind::Regular);
        let found = if is_file { fs::read_below(&root, &place)? } else { None };
        let Some(bytes) = found else {
            self.edits.insert(full, None);
            return Ok(());
        };
        let bytes = self.converter.to_git(path.as_bstr(), bytes.into())?.into_owned();
        let recorded = self.survey.index.version(full.as_bstr());
        let mode = recorded.map_or(FileMode::Regular, |version| version.mode);
        let id = ContentId::of(&bytes);
        self.blobs.push((id, bytes));
        self.edits.insert(full, Some(Version { mode, id }));
        Ok(())
    }
}
