//! Objects that nobody has stored yet: made in memory, readable like any other, stored when the caller accepts them.
//!
//! Knows no merge; a merge is what makes them.

use super::error::{During, Error};
use super::id::{BlobId, TreeId, object_id};
use super::index::{FileMode, Version};
use super::object::{Kind, NewObject};
use super::{Scope, store};
use bstr::BString;
use std::borrow::Cow;

/// A repository with objects in memory above those that are stored.
pub struct Drafts {
    scope: Scope,
}

impl Drafts {
    /// None yet.
    #[must_use]
    pub fn over(scope: &Scope) -> Self {
        let mut scope = scope.clone();
        scope.repo.objects.enable_object_memory();
        Self { scope }
    }

    /// Reads what is stored and what is not yet, also on other threads. Nothing may be written through it.
    #[must_use]
    pub const fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Take blobs, each with its id.
    pub fn add_blobs(&mut self, blobs: impl IntoIterator<Item = (BlobId, Vec<u8>)>) {
        let objects = &mut self.scope.repo.objects;
        let mut memory = objects.take_object_memory().unwrap_or_default();
        for (id, bytes) in blobs {
            memory.insert(object_id(id), (gix::object::Kind::Blob, bytes));
        }
        objects.set_object_memory(memory);
    }

    /// As [`tree_with`], in memory.
    ///
    /// # Errors
    /// Objects that cannot be read.
    pub fn tree_with<'a>(
        &self,
        base: TreeId,
        changes: impl IntoIterator<Item = (&'a BString, Option<Version>)>,
    ) -> Result<TreeId, Error> {
        edited(&self.scope.repo, base, changes)
    }

    /// Store a tree with everything in it that is not stored yet, and some blobs beside, durably. All else is
    /// forgotten.
    ///
    /// # Errors
    /// When the store cannot be written.
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
            objects.push(NewObject { kind: Kind::from_gix(kind), bytes: Cow::Owned(bytes) });
        }
        store::write_objects(&self.scope, &objects).map(drop)
    }
}

/// The tree `base` with some paths (full) replaced or, for `None`, removed. Stored durably.
///
/// # Errors
/// Objects that cannot be read or written.
pub fn tree_with<'a>(
    scope: &Scope,
    base: TreeId,
    changes: impl IntoIterator<Item = (&'a BString, Option<(FileMode, BlobId)>)>,
) -> Result<TreeId, Error> {
    let versions =
        changes.into_iter().map(|(path, file)| (path, file.map(|(mode, id)| Version { mode, id })));
    store::through_memory(scope, |repo| edited(repo, base, versions))
}

/// Removals first, so that a folder may take the place of a file and a file that of a folder.
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
    use crate::git::trees::{self, Found};

    fn version(bytes: &[u8]) -> Version {
        Version { mode: FileMode::Regular, id: BlobId::of(bytes) }
    }

    #[test]
    fn drafts_are_read_like_stored_objects_and_only_what_a_tree_needs_is_stored() {
        let folder = tempfile::tempdir().unwrap();
        let scope = crate::git::init(folder.path(), "main").unwrap();
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
                assert_eq!(found, Some(Found::File(version(b"wanted"))));
                assert_eq!(trees::blob(&there.to_local(), BlobId::of(b"wanted")).unwrap(), b"wanted");
            });
        });
        assert!(!store::holds(&scope, BlobId::of(bytes[0])), "nothing is stored yet");
        drafts.store(tree, []).unwrap();
        let again = crate::git::open(folder.path(), "").unwrap();
        assert_eq!(trees::blob(&again, BlobId::of(bytes[0])).unwrap(), bytes[0]);
        assert_eq!(trees::list(&again, tree).unwrap().len(), 1);
        assert!(!store::holds(&again, BlobId::of(bytes[1])));
    }

    #[test]
    fn a_folder_takes_the_place_of_a_file_and_the_other_way_round() {
        let folder = tempfile::tempdir().unwrap();
        let scope = crate::git::init(folder.path(), "main").unwrap();
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
}
