//! Writes trees from the index: only folders that changed, the rest is in the cache-tree.

use super::Index;
use super::edit::{empty_state, with_cache_tree};
use crate::Scope;
use crate::error::Error;
use crate::id::TreeId;
use crate::objects::object::{NewObject, ObjectKind};
use crate::objects::store;
use crate::version::FileMode;
use bstr::{BStr, BString, ByteSlice};
use gix::index::entry::Flags;

/// Why an index cannot become a tree.
#[derive(Debug, thiserror::Error)]
pub enum WriteTreeError {
    #[error("{} paths are unmerged", .0.len())]
    Unmerged(Vec<BString>),
    #[error(transparent)]
    Git(Error),
}

impl Index {
    /// Writes the trees of all changed folders and returns the root's id. Fills the cache-tree.
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

    pub fn cached_root(&self) -> Option<TreeId> {
        self.state.tree().filter(|tree| tree.num_entries.is_some()).map(|tree| TreeId(tree.id))
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
                // intent-to-add entries are in no tree, nor are folders that hold nothing else
                intended += usize::from(node.num_entries.is_none());
                if !node.id.is_empty_tree() {
                    append(&mut bytes, b"40000", child, &node.id);
                    children.push(node);
                }
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
        let object = NewObject { kind: ObjectKind::Tree, bytes: bytes.into() };
        let id = object.id()?;
        self.written.push(object);
        let num_entries = (intended == 0).then(|| u32::try_from(*at - start).unwrap_or(u32::MAX));
        Ok(gix::index::extension::Tree { name: name.as_bytes().into(), id, num_entries, children })
    }

    /// Whether the cached node really spans the folder: its count is not trusted.
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

/// Appends an entry to a tree, in the caller's order.
pub(crate) fn append(tree: &mut Vec<u8>, mode: &[u8], name: &BStr, id: &gix::oid) {
    tree.extend_from_slice(mode);
    tree.push(b' ');
    tree.extend_from_slice(name);
    tree.push(0);
    tree.extend_from_slice(id.as_bytes());
}
