//! Taking over a tree that another tool made, without losing a byte.
//!
//! Other tools leave derived files of their own, some of them tracked by git. brv makes its own under the same names,
//! so theirs give way; but first an operation stores every one of them. What lies under `_archived/` may exist
//! nowhere else and stays on disk.

use crate::clock::Clock;
use crate::content::ContentId;
use crate::derive::stamp;
use crate::fs::{self, WriteGuard};
use crate::git::index::FileMode;
use crate::git::{self, Edit, Edits, Scope, store, tree_with, trees};
use crate::journal::{self, Draft, IndexSides, Kind, OperationId, Side, Staged, Touches};
use crate::ops::context::Actor;
use crate::ops::steps::survey::{Class, Survey};
use crate::path::{self, Derived, TreePath};
use bstr::{BString, ByteSlice};

/// What was taken over; all paths relative to the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adopted {
    /// The operation that holds every byte of the files below.
    pub operation: OperationId,
    /// Derived files of the other tool that gave way to brv's own.
    pub replaced: Vec<BString>,
    /// Files that git tracked and that are no longer recorded; the deletion is staged.
    pub untracked: Vec<BString>,
    /// Archived files that stay on disk as they are.
    pub archived: Vec<BString>,
}

/// Why the tree could not be taken over.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file.
    #[error(transparent)]
    File(#[from] fs::Error),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] journal::Error),
}

struct Theirs {
    path: TreePath,
    kind: Derived,
    is_tracked: bool,
    bytes: Vec<u8>,
}

/// Find derived files that are not brv's, store them in an operation, and let them give way. `None` when there is
/// none.
///
/// # Errors
/// [`Error`]; after one nothing was removed, or the next command finishes it.
pub fn adopt(
    scope: &Scope,
    guard: &WriteGuard,
    survey: &Survey,
    clock: Clock,
    actor: &Actor,
) -> Result<Option<Adopted>, Error> {
    let theirs = find(scope, survey)?;
    if theirs.is_empty() {
        return Ok(None);
    }
    let blobs: Vec<Vec<u8>> = theirs.iter().map(|file| file.bytes.clone()).collect();
    let ids = store::write_blobs(scope, &blobs)?;
    let full: Vec<BString> = theirs.iter().map(|file| scope.full(file.path.as_bytes())).collect();
    let present = full.iter().zip(&ids).map(|(path, id)| (path, Some((FileMode::Regular, *id))));
    let before = tree_with(scope, survey.head_tree, present)?;
    let gone =
        full.iter().zip(&theirs).filter(|(_, file)| gives_way(file.kind)).map(|(path, _)| (path, None));
    let after = tree_with(scope, before, gone)?;
    let parents: Vec<_> = survey.head.commit().into_iter().collect();
    let tracked = full.iter().zip(&theirs).filter(|(_, file)| file.is_tracked);
    let removed = tracked.map(|(path, _)| (path.clone(), Staged::Nothing));
    let index = IndexSides::of(scope, &survey.index, removed)?;
    let draft = Draft {
        id: None,
        kind: Kind::Adopt,
        touches: Touches::Files,
        moves: Vec::new(),
        before: Side::Snapshot { tree: before, parents: parents.clone() },
        after: Side::Snapshot { tree: after, parents },
        index: Some(index),
        undoes: None,
        reason: "take over a tree that another tool made".into(),
        actor: actor.name.clone().unwrap_or_default(),
        session: actor.session.clone(),
        settings: Vec::new(),
        discarded: Vec::new(),
    };
    let pending = journal::begin(scope, guard, clock, &draft)?;
    let edits: Edits = full
        .iter()
        .zip(&theirs)
        .filter(|(_, file)| file.is_tracked)
        .map(|(path, _)| (path.clone(), Edit::Remove))
        .collect();
    let mut locked = git::index::lock(scope, guard)?;
    locked.index = locked.index.edited(&edits)?;
    locked.commit()?;
    remove(scope, theirs.iter().filter(|file| gives_way(file.kind)))?;
    let operation = pending.publish(scope)?;
    let paths = |wanted: &dyn Fn(&Theirs) -> bool| -> Vec<BString> {
        theirs.iter().filter(|file| wanted(file)).map(|file| file.path.as_str().into()).collect()
    };
    Ok(Some(Adopted {
        operation,
        replaced: paths(&|file| gives_way(file.kind)),
        untracked: paths(&|file| file.is_tracked),
        archived: paths(&|file| !gives_way(file.kind)),
    }))
}

/// The derived files of another tool that [`adopt`] would take over.
///
/// # Errors
/// Files that cannot be read.
pub fn waiting(scope: &Scope, survey: &Survey) -> Result<Vec<BString>, Error> {
    Ok(find(scope, survey)?.iter().map(|file| file.path.as_str().into()).collect())
}

fn remove<'a>(scope: &Scope, files: impl Iterator<Item = &'a Theirs>) -> Result<(), fs::Error> {
    let root = scope.root();
    let mut removed = Vec::new();
    for file in files {
        let on_disk = file.path.on_disk(&root);
        if fs::is_reached_by_folders(&root, &on_disk)? && fs::remove_file(&on_disk)? {
            removed.push(on_disk);
        }
    }
    fs::sync_work_tree(&root, removed.iter().map(std::path::PathBuf::as_path))
}

/// Whether brv makes a file of this name and kind itself, from what is curated.
const fn gives_way(kind: Derived) -> bool {
    matches!(kind, Derived::Index | Derived::Manifest | Derived::Abstract | Derived::Overview)
}

fn find(scope: &Scope, survey: &Survey) -> Result<Vec<Theirs>, Error> {
    let tracked = survey
        .index
        .versions()
        .filter_map(|(path, version)| Some((scope.strip(path)?.to_owned(), Some(version))));
    let unrecorded = survey.unrecorded(scope)?;
    let new =
        unrecorded.into_iter().filter(|file| file.class == Class::Derived).map(|file| (file.path, None));
    let mut theirs = Vec::new();
    for (path, recorded) in tracked.chain(new) {
        let Ok(path) = TreePath::parse(path.as_bytes()) else { continue };
        let path::Kind::Derived(kind) = path.kind() else { continue };
        let bytes = match (fs::read_below(&scope.root(), &path.on_disk(&scope.root()))?, recorded) {
            (Some(bytes), _) => bytes,
            // deleted on disk, and still recorded
            (None, Some(version)) if version.mode == FileMode::Regular => trees::blob(scope, version.id)?,
            (None, _) => continue,
        };
        // what stays on disk is stored once, so that a second `init` has nothing to do
        let is_settled = !gives_way(kind) && store::holds(scope, ContentId::of(&bytes));
        let is_tracked = recorded.is_some();
        if is_tracked || (stamp::read(&bytes) == stamp::Stamp::Foreign && !is_settled) {
            theirs.push(Theirs { path, kind, is_tracked, bytes });
        }
    }
    Ok(theirs)
}
