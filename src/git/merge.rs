//! Merging two histories at tree level, with a line merge where both sides changed one file.
//!
//! Everything is computed in memory; nothing is stored before the caller accepts the outcome.

use super::error::{During, Error};
use super::id::{BlobId, CommitId, TreeId, object_id};
use super::index::{FileMode, Index, Version};
use super::object::{Kind, NewObject};
use super::{Scope, store};
use bstr::BString;
use gix::merge::blob::builtin_driver::text::Labels;
use gix::merge::tree::TreatAsUnresolved;
use gix::merge::tree::apply_index_entries::RemovalMode;

/// Two histories brought together, perhaps with conflicts. The objects are in memory until [`Merged::store`].
pub struct Merged {
    /// The merged tree; files in conflict hold markers.
    pub tree: TreeId,
    /// The best common ancestors.
    pub bases: Vec<CommitId>,
    /// What a person must decide, sorted by path (full).
    pub conflicts: Vec<Conflict>,
    objects: Vec<(Kind, Vec<u8>)>,
}

/// A path that both sides changed in ways that exclude each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Full path.
    pub path: BString,
    /// Base, ours, theirs.
    pub versions: [Option<Version>; 3],
    /// What happened.
    pub kind: ConflictKind,
}

/// The shape of a conflict, told from which versions exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictKind {
    /// Both sides changed the same lines.
    BothModified,
    /// Both sides added the path with different content.
    BothAdded,
    /// We deleted or renamed what they changed.
    DeletedByUs,
    /// They deleted or renamed what we changed.
    DeletedByThem,
    /// One side's rename leaves only one version here.
    OneSided,
}

impl ConflictKind {
    const fn of(versions: &[Option<Version>; 3]) -> Self {
        match versions {
            [_, Some(_), Some(_)] if versions[0].is_some() => Self::BothModified,
            [None, Some(_), Some(_)] => Self::BothAdded,
            [Some(_), None, Some(_)] => Self::DeletedByUs,
            [Some(_), Some(_), None] => Self::DeletedByThem,
            _ => Self::OneSided,
        }
    }
}

/// The names in conflict markers.
#[derive(Debug, Clone)]
pub struct SideNames {
    /// The side the merge goes into: `HEAD`.
    pub ours: BString,
    /// The side that is merged: `origin/main`.
    pub theirs: BString,
}

/// Merge `theirs` into `ours`. `None` when they have no common ancestor.
///
/// # Errors
/// Objects that cannot be read.
pub fn merge(
    scope: &Scope,
    ours: CommitId,
    theirs: CommitId,
    names: &SideNames,
) -> Result<Option<Merged>, Error> {
    let bases = super::history::merge_bases(scope, ours, theirs)?;
    if bases.is_empty() {
        return Ok(None);
    }
    let act = || "merge the two histories".to_owned();
    let mut repo = scope.repo.clone().with_object_memory();
    // the driver is for git's own merges: here it would be a program started for each file
    let mut settings = repo.config_snapshot_mut();
    settings.remove_section("merge", Some("brv".into()));
    settings.commit().during(act())?;
    let options = repo.tree_merge_options().during(act())?;
    let labels =
        Labels { ancestor: None, current: Some(names.ours.as_ref()), other: Some(names.theirs.as_ref()) };
    let outcome = repo.merge_commits(ours.0, theirs.0, labels, options.into()).during(act())?;
    let mut merged = outcome.tree_merge;
    let tree = merged.tree.write().during(act())?.detach();
    let mut index = repo.index_from_tree(&tree).during(act())?.into_parts().0;
    let how = TreatAsUnresolved::git();
    gix::merge::tree::apply_index_entries(&merged.conflicts, how, &mut index, RemovalMode::Prune);
    let conflicts = conflicts(index);
    let memory = repo.objects.reset_object_memory().unwrap_or_default();
    let objects = memory.iter().map(|(_, (kind, bytes))| (Kind::from_gix(*kind), bytes.clone())).collect();
    Ok(Some(Merged { tree: TreeId(tree), bases, conflicts, objects }))
}

fn conflicts(state: gix::index::State) -> Vec<Conflict> {
    let index = Index { state };
    index
        .unmerged()
        .into_iter()
        .map(|path| {
            let versions = index.stages(path.as_ref());
            Conflict { kind: ConflictKind::of(&versions), path, versions }
        })
        .collect()
}

impl Merged {
    /// Store everything the merge made, durably.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn store(&self, scope: &Scope) -> Result<(), Error> {
        let objects: Vec<_> = self
            .objects
            .iter()
            .map(|(kind, bytes)| NewObject { kind: *kind, bytes: bytes.as_slice().into() })
            .collect();
        store::write_objects(scope, &objects).map(drop)
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
    let act = || "write a tree".to_owned();
    store::through_memory(scope, |repo| {
        let mut editor = repo.edit_tree(base.0).during(act())?;
        for (path, version) in changes {
            match version {
                Some((mode, id)) => {
                    let kind = mode
                        .to_index()
                        .to_tree_entry_mode()
                        .map_or(gix::objs::tree::EntryKind::Blob, |mode| mode.kind());
                    editor.upsert(path, kind, object_id(id)).during(act())?;
                }
                None => {
                    editor.remove(path).during(act())?;
                }
            }
        }
        Ok(TreeId(editor.write().during(act())?.detach()))
    })
}
