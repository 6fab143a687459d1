//! Compares the entries at some paths in tree after tree: the inner loop of a path-limited log.
//!
//! Trees are compared level by level from the root, so that equal ids mostly end the comparison at once, and lookups
//! are cached. Knows nothing of commits.

use crate::error::{During, Error};
use crate::id::{TreeId, blob_id};
use crate::repository::scope::Scope;
use crate::version::{FileMode, Version};
use bstr::{BString, ByteSlice};
use gix::ObjectId;
use gix::objs::FindExt as _;
use gix::objs::tree::EntryKind;
use std::collections::HashMap;

/// The paths, and a cache of the entries found.
pub(crate) struct Paths<'a> {
    scope: &'a Scope,
    /// The paths in parts, from the root of the repository.
    paths: Vec<Vec<BString>>,
    /// The cache, by tree, path and number of the part.
    known: HashMap<(ObjectId, usize, usize), Option<PathEntry>>,
    buffer: Vec<u8>,
}

/// An entry of a tree. Modes that git treats as equal are equal.
type PathEntry = (EntryKind, ObjectId);

impl<'a> Paths<'a> {
    /// For these paths of the scope's tree.
    pub fn new(scope: &'a Scope, paths: &[BString]) -> Self {
        let parts = |path: &BString| {
            let full = scope.full(path);
            full.split_str("/").filter(|part| !part.is_empty()).map(BString::from).collect()
        };
        Self { scope, paths: paths.iter().map(parts).collect(), known: HashMap::new(), buffer: Vec::new() }
    }

    /// Whether both trees have the same entries at every path.
    pub fn are_same(&mut self, one: TreeId, other: TreeId) -> Result<bool, Error> {
        for path in 0..self.paths.len() {
            if !self.is_same(one, other, path)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the tree has an entry at one of the paths.
    pub fn exist(&mut self, tree: TreeId) -> Result<bool, Error> {
        for path in 0..self.paths.len() {
            if !self.is_same(tree, TreeId::empty(), path)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The regular file or symlink that the tree has at the first of the paths.
    pub fn file(&mut self, tree: TreeId) -> Result<Option<Version>, Error> {
        let mut at = Some((EntryKind::Tree, tree.0)).filter(|(_, id)| !id.is_empty_tree());
        for part in 0..self.paths[0].len() {
            at = self.below(at, 0, part)?;
        }
        Ok(at.and_then(|(kind, id)| {
            let mode = match kind {
                EntryKind::Blob => FileMode::Regular,
                EntryKind::BlobExecutable => FileMode::Executable,
                EntryKind::Link => FileMode::Symlink,
                EntryKind::Tree | EntryKind::Commit => return None,
            };
            Some(Version { mode, id: blob_id(&id) })
        }))
    }

    fn is_same(&mut self, one: TreeId, other: TreeId, path: usize) -> Result<bool, Error> {
        let tree = |id: TreeId| Some((EntryKind::Tree, id.0)).filter(|(_, id)| !id.is_empty_tree());
        let (mut one, mut other) = (tree(one), tree(other));
        for part in 0..self.paths[path].len() {
            if one == other {
                return Ok(true);
            }
            one = self.below(one, path, part)?;
            other = self.below(other, path, part)?;
        }
        Ok(one == other)
    }

    fn below(
        &mut self,
        entry: Option<PathEntry>,
        path: usize,
        part: usize,
    ) -> Result<Option<PathEntry>, Error> {
        let Some((EntryKind::Tree, id)) = entry else { return Ok(None) };
        if let Some(known) = self.known.get(&(id, path, part)) {
            return Ok(*known);
        }
        let name = &self.paths[path][part];
        let act = || format!("read tree {id}");
        let tree = self.scope.repo.objects.find_tree_iter(&id, &mut self.buffer);
        let mut found = None;
        for entry in tree.during(act)? {
            let entry = entry.during(act)?;
            if entry.filename == name {
                found = Some((entry.mode.kind(), entry.oid.to_owned()));
                break;
            }
        }
        self.known.insert((id, path, part), found);
        Ok(found)
    }
}
