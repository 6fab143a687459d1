//! Draft objects in memory: readable like any other, stored when the caller accepts them.
//!
//! Merges create them.

use crate::Scope;
use crate::error::{During, Error};
use crate::id::{BlobId, TreeId, object_id};
use crate::index::write_tree;
use crate::objects::object::{NewObject, ObjectKind};
use crate::objects::store;
use crate::version::{FileMode, Version};
use brv_base::sorting;
use bstr::{BString, ByteSlice as _};
use gix::objs::Write as _;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// A repository with draft objects on top of the stored ones.
pub struct Drafts {
    scope: Scope,
}

impl Drafts {
    pub fn over(scope: &Scope) -> Self {
        let mut scope = scope.clone();
        scope.repo.objects.enable_object_memory();
        Self { scope }
    }

    /// Reads stored objects and drafts, on other threads too. Nothing may be written through it.
    pub const fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Adds blobs, each with its id.
    pub fn add_blobs(&mut self, blobs: impl IntoIterator<Item = (BlobId, Vec<u8>)>) {
        let objects = &mut self.scope.repo.objects;
        let mut memory = objects.take_object_memory().unwrap_or_default();
        for (id, bytes) in blobs {
            memory.insert(object_id(id), (gix::object::Kind::Blob, bytes));
        }
        objects.set_object_memory(memory);
    }

    /// Drops all drafts of trees; blobs stay.
    pub fn drop_trees(&mut self) {
        let objects = &mut self.scope.repo.objects;
        let mut memory = objects.take_object_memory().unwrap_or_default();
        memory.retain(|_, (kind, _)| *kind == gix::object::Kind::Blob);
        objects.set_object_memory(memory);
    }

    /// As [`tree_with`], in memory.
    pub fn tree_with<'a>(
        &self,
        base: TreeId,
        changes: impl IntoIterator<Item = (&'a BString, Option<Version>)>,
    ) -> Result<TreeId, Error> {
        let changes: Vec<_> = changes.into_iter().collect();
        let folders = changes.iter().flat_map(|(path, _)| above(path)).collect();
        let tree = edited(&self.scope.repo, base, changes)?;
        self.keep(tree, &folders)?;
        Ok(tree)
    }

    /// Adds the trees of these folders and of the root to the drafts if gitoxide left them out because they are stored:
    /// their contents may not be, if the process that stored them was killed or ran out of disk.
    fn keep(&self, root: TreeId, folders: &BTreeSet<&[u8]>) -> Result<(), Error> {
        let act = || "write a tree".to_owned();
        let repo = &self.scope.repo;
        let mut ids = HashMap::from([(b"".as_slice(), root.0)]);
        for folder in [b"".as_slice()].into_iter().chain(folders.iter().copied()) {
            // a folder comes after those above it; one that became empty is missing
            let Some(id) = ids.get(folder).copied() else { continue };
            let tree = repo.find_tree(id).during(act())?;
            repo.objects.write_buf_with_known_id(gix::object::Kind::Tree, &tree.data, id).during(act())?;
            let inside = folders.iter().filter(|inner| parent(inner) == Some(folder));
            for inner in inside {
                let name = inner.rsplit(|byte| *byte == b'/').next().unwrap_or(inner);
                let entry = tree.iter().flatten().find(|entry| entry.filename() == name);
                ids.extend(
                    entry.filter(|entry| entry.mode().is_tree()).map(|entry| (*inner, entry.object_id())),
                );
            }
        }
        Ok(())
    }

    /// Stores a tree with everything in it that is not stored yet, and some more blobs, durably. Drops all other
    /// drafts.
    pub fn store(mut self, tree: TreeId, blobs: impl IntoIterator<Item = BlobId>) -> Result<(), Error> {
        let mut memory = self.scope.repo.objects.take_object_memory().unwrap_or_default();
        let mut wanted: Vec<_> = blobs.into_iter().map(object_id).chain([tree.0]).collect();
        let mut objects = Vec::new();
        while let Some(id) = wanted.pop() {
            let Some((kind, bytes)) = memory.remove(&id) else { continue };
            if kind == gix::object::Kind::Tree {
                for entry in gix::objs::TreeRefIter::from_bytes(&bytes, gix::hash::Kind::Sha1) {
                    wanted.push(entry.during("read a tree that was just made")?.oid.to_owned());
                }
            }
            objects.push(NewObject { kind: ObjectKind::from_gix(kind), bytes: Cow::Owned(bytes) });
        }
        store::write_objects(&self.scope, &objects).map(drop)
    }
}

/// The folders above a path, all but the root.
fn above(path: &BString) -> impl Iterator<Item = &[u8]> {
    path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| &path[..at])
}

fn parent(folder: &[u8]) -> Option<&[u8]> {
    Some(folder.rfind_byte(b'/').map_or(b"".as_slice(), |at| &folder[..at]))
}

/// The tree `base` with some paths (full) replaced or, for `None`, removed. Stored durably.
pub fn tree_with<'a>(
    scope: &Scope,
    base: TreeId,
    changes: impl IntoIterator<Item = (&'a BString, Option<(FileMode, BlobId)>)>,
) -> Result<TreeId, Error> {
    let versions =
        changes.into_iter().map(|(path, file)| (path, file.map(|(mode, id)| Version { mode, id })));
    store::through_memory(scope, |repo| edited(repo, base, versions))
}

/// A tree of exactly these files (full paths), stored durably. For many files it is much faster than [`tree_with`].
pub fn tree_of(scope: &Scope, mut files: Vec<(BString, Version)>) -> Result<TreeId, Error> {
    sorting::sort_by(&mut files, |one, other| one.0.cmp(&other.0));
    let mut written = Vec::new();
    let tree = folder_of(&files, 0, &mut written)?;
    store::write_objects(scope, &written)?;
    Ok(TreeId(tree))
}

/// The tree of the folder that holds all of `files` (sorted); its name with its slash is the first `inside` bytes of
/// their paths.
fn folder_of(
    mut files: &[(BString, Version)],
    inside: usize,
    written: &mut Vec<NewObject<'static>>,
) -> Result<gix::ObjectId, Error> {
    let mut bytes = Vec::new();
    while let Some(((path, version), others)) = files.split_first() {
        let Some(slash) = path[inside..].find_byte(b'/') else {
            let mode = version.mode.octal();
            write_tree::append(&mut bytes, mode.as_bytes(), path[inside..].as_bstr(), &object_id(version.id));
            files = others;
            continue;
        };
        let within = inside + slash + 1;
        let count = files.partition_point(|(other, _)| other.starts_with(&path[..within]));
        let child = folder_of(&files[..count], within, written)?;
        write_tree::append(&mut bytes, b"40000", path[inside..within - 1].as_bstr(), &child);
        files = &files[count..];
    }
    let object = NewObject { kind: ObjectKind::Tree, bytes: bytes.into() };
    let id = object.id()?;
    written.push(object);
    Ok(id)
}

/// Removals first, so that a folder may replace a file, and a file a folder.
fn edited<'a>(
    repo: &gix::Repository,
    base: TreeId,
    changes: impl IntoIterator<Item = (&'a BString, Option<Version>)>,
) -> Result<TreeId, Error> {
    let act = || "write a tree".to_owned();
    let mut editor = repo.edit_tree(base.0).during(act())?;
    let (removed, put): (Vec<_>, Vec<_>) = changes.into_iter().partition(|(_, version)| version.is_none());
    for (path, _) in removed {
        editor.remove(path).during(act())?;
    }
    for (path, version) in put {
        let Some(version) = version else { continue };
        let mode = version.mode.to_index().to_tree_entry_mode();
        let kind = mode.map_or(gix::objs::tree::EntryKind::Blob, |mode| mode.kind());
        editor.upsert(path, kind, object_id(version.id)).during(act())?;
    }
    Ok(TreeId(editor.write().during(act())?.detach()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trees::{self, TreeItem};

    fn version(bytes: &[u8]) -> Version {
        Version { mode: FileMode::Regular, id: BlobId::of(bytes) }
    }

    #[test]
    fn a_tree_of_files_is_what_editing_an_empty_one_gives() {
        let folder = tempfile::tempdir().unwrap();
        let scope =
            crate::init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        let paths = ["a/b.md", "a.md", "a-b/c", "a/b/c/d", "a/b/e", "MERGE_MSG", "0/a", "z"];
        store::write_blobs(&scope, &paths.map(|path| path.as_bytes().to_vec())).unwrap();
        let files: Vec<(BString, Version)> =
            paths.iter().map(|path| ((*path).into(), version(path.as_bytes()))).collect();
        let changes = files.iter().map(|(path, version)| (path, Some((version.mode, version.id))));
        let edited = tree_with(&scope, TreeId::empty(), changes).unwrap();
        assert_eq!(tree_of(&scope, files).unwrap(), edited);
        let has = |tree, count| {
            trees::has_at_least(&scope, tree, count, &|path| path.ends_with(b".md") || path.ends_with(b"d"))
        };
        let found = [0, 1, 3, 4].map(|count| has(edited, count).unwrap());
        assert_eq!(found, [true, true, true, false]);
        assert!(has(TreeId::empty(), 0).unwrap() && !has(TreeId::empty(), 1).unwrap());
        assert_eq!(tree_of(&scope, Vec::new()).unwrap(), TreeId::empty());
    }

    #[test]
    fn drafts_are_read_like_stored_objects_and_only_what_a_tree_needs_is_stored() {
        let folder = tempfile::tempdir().unwrap();
        let scope =
            crate::init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        let mut drafts = Drafts::over(&scope);
        let bytes = [b"wanted".as_slice(), b"passed over"];
        drafts.add_blobs(bytes.map(|bytes| (BlobId::of(bytes), bytes.to_vec())));
        let path: BString = "a/b.md".into();
        let tree = drafts.tree_with(TreeId::empty(), [(&path, Some(version(bytes[0])))]).unwrap();
        let other: BString = "c.md".into();
        drafts.tree_with(tree, [(&other, Some(version(bytes[1])))]).unwrap();
        let there = drafts.scope().to_shared();
        std::thread::scope(|threads| {
            threads.spawn(move || {
                let found = trees::find(&there.to_local(), tree, "a/b.md".into()).unwrap();
                assert_eq!(found, Some(TreeItem::File(version(b"wanted"))));
                assert_eq!(trees::blob(&there.to_local(), BlobId::of(b"wanted")).unwrap(), b"wanted");
            });
        });
        assert!(!store::holds(&scope, BlobId::of(bytes[0])), "nothing is stored yet");
        drafts.store(tree, []).unwrap();
        let again = crate::open(folder.path(), "", &brv_base::environment::Environment::default()).unwrap();
        assert_eq!(trees::blob(&again, BlobId::of(bytes[0])).unwrap(), bytes[0]);
        assert_eq!(trees::list(&again, tree).unwrap().len(), 1);
        assert!(!store::holds(&again, BlobId::of(bytes[1])));
    }

    #[test]
    fn a_folder_takes_the_place_of_a_file_and_the_other_way_round() {
        let folder = tempfile::tempdir().unwrap();
        let scope =
            crate::init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        let mut drafts = Drafts::over(&scope);
        drafts.add_blobs([(BlobId::of(b"x"), b"x".to_vec())]);
        let (file, inner): (BString, BString) = ("a.md".into(), "a.md/b.md".into());
        let one = drafts.tree_with(TreeId::empty(), [(&file, Some(version(b"x")))]).unwrap();
        let two = drafts.tree_with(one, [(&file, None), (&inner, Some(version(b"x")))]).unwrap();
        let names = |tree| -> Vec<BString> {
            trees::list(drafts.scope(), tree).unwrap().into_iter().map(|(path, _)| path).collect()
        };
        assert_eq!(names(two), ["a.md/b.md"]);
        let three = drafts.tree_with(two, [(&file, Some(version(b"x"))), (&inner, None)]).unwrap();
        assert_eq!(three, one);
    }

    #[test]
    fn what_is_missing_below_a_stored_tree_is_stored_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let scope =
            crate::init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        let path: BString = "a/b/c.md".into();
        let drafts = || {
            let mut drafts = Drafts::over(&scope);
            drafts.add_blobs([(BlobId::of(b"x"), b"x".to_vec())]);
            let tree = drafts.tree_with(TreeId::empty(), [(&path, Some(version(b"x")))]).unwrap();
            (drafts, tree)
        };
        // as if a process was killed while storing the trees
        let (other, tree) = drafts();
        let inner = other.scope().repo.find_tree(tree.0).unwrap().iter().next().unwrap().unwrap().object_id();
        for id in [tree.0, inner] {
            let found = other.scope().repo.find_tree(id).unwrap().data.clone();
            let object = NewObject { kind: ObjectKind::Tree, bytes: Cow::Owned(found) };
            store::write_objects(&scope, &[object]).unwrap();
        }
        let again = crate::open(folder.path(), "", &brv_base::environment::Environment::default()).unwrap();
        let mut drafts = Drafts::over(&again);
        drafts.add_blobs([(BlobId::of(b"x"), b"x".to_vec())]);
        assert_eq!(drafts.tree_with(TreeId::empty(), [(&path, Some(version(b"x")))]).unwrap(), tree);
        drafts.store(tree, []).unwrap();
        assert!(store::holds(
            &crate::open(folder.path(), "", &brv_base::environment::Environment::default()).unwrap(),
            BlobId::of(b"x")
        ));
    }
}
