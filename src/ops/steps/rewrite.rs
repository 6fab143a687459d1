//! Writing some files of the work tree as one operation: on record before the first byte is written.
//!
//! Makes no commit, and does not know why the files change.

use crate::clock::Clock;
use crate::fs::{self, Durability, WriteGuard};
use crate::git::{self, BlobId, Edits, FileMode, Presence, Scope, TreeId, Version, store};
use crate::journal::{self, Discarded, Draft, IndexSides, Kind, OperationId, Side, Staged, Touches};
use crate::ops::context::Actor;
use bstr::{BString, ByteSlice as _};

/// One file.
#[derive(Debug, Clone)]
pub struct Rewrite {
    /// Where it is in the tree.
    pub path: BString,
    /// Its bytes as they were read, as git stores them; `None`: there was no file.
    pub before: Option<Vec<u8>>,
    /// Its bytes as they shall be, as git stores them; `None`: none.
    pub after: Option<Vec<u8>>,
    /// What the index is told.
    pub recording: Recording,
}

/// What the index is told of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recording {
    /// Nothing.
    Leave,
    /// That this is its one version: it is no longer in conflict.
    Stage,
}

/// For the journal.
#[derive(Debug, Clone)]
pub struct Purpose<'a> {
    /// The command.
    pub kind: Kind,
    /// Why, in a line.
    pub reason: String,
    /// Who.
    pub actor: &'a Actor,
    /// The values that lose by it.
    pub discarded: Vec<Discarded>,
}

/// Why nothing, or not everything, was written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Somebody saved the file since it was read; nothing was written.
    #[error("`{0}` was changed meanwhile")]
    Changed(BString),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] journal::Error),
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file.
    #[error(transparent)]
    File(#[from] fs::Error),
}

/// Write the files. A crash is put right by the next command that writes: all of them are written then, and the index is
/// as it was.
///
/// # Errors
/// [`Error`]
pub fn carry_out(
    scope: &Scope,
    guard: &WriteGuard,
    clock: Clock,
    rewrites: &[Rewrite],
    purpose: Purpose<'_>,
) -> Result<OperationId, Error> {
    let mut locked = git::index::lock(scope, guard)?;
    let ids = store_all(scope, rewrites)?;
    let head = scope.head()?;
    let head_tree = head.commit().map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
    let full: Vec<BString> = rewrites.iter().map(|file| scope.full(&file.path)).collect();
    let tree = |side: usize| {
        let versions =
            full.iter().zip(&ids).map(|(path, ids)| (path, ids[side].map(|id| (FileMode::Regular, id))));
        git::tree_with(scope, head_tree, versions)
    };
    let parents: Vec<_> = head.commit().into_iter().collect();
    let staged: Vec<_> = full
        .iter()
        .zip(rewrites.iter().zip(&ids))
        .filter(|(_, (file, _))| file.recording == Recording::Stage)
        .map(|(path, (_, ids))| (path.clone(), staged(ids[1])))
        .collect();
    let index = match staged.is_empty() {
        true => None,
        false => Some(IndexSides::of(scope, &locked.index, staged.iter().cloned())?),
    };
    let draft = Draft {
        id: None,
        kind: purpose.kind,
        touches: Touches::WorkTree,
        moves: Vec::new(),
        before: Side::Snapshot { tree: tree(0)?, parents: parents.clone() },
        after: Side::Snapshot { tree: tree(1)?, parents },
        index,
        undoes: None,
        reason: purpose.reason,
        actor: purpose.actor.name.clone().unwrap_or_default(),
        session: purpose.actor.session.clone(),
        settings: Vec::new(),
        discarded: purpose.discarded,
    };
    let pending = journal::begin(scope, guard, clock, &draft)?;
    if let Err(error) = write_all(scope, rewrites) {
        // before the first write: there is nothing to put right
        return match error {
            Error::Changed(_) => {
                pending.forget(scope)?;
                Err(error)
            }
            other => Err(other),
        };
    }
    let edits: Edits =
        staged.into_iter().map(|(path, staged)| (path, staged.to_edit(Presence::Unknown))).collect();
    if !edits.is_empty() {
        locked.index = std::mem::replace(&mut locked.index, git::index::empty()).edited(&edits)?;
        locked.commit()?;
    }
    Ok(pending.publish(scope)?)
}

fn staged(id: Option<BlobId>) -> Staged {
    id.map_or(Staged::Nothing, |id| Staged::Version(Version { mode: FileMode::Regular, id }))
}

/// The ids of each file before and after.
fn store_all(scope: &Scope, rewrites: &[Rewrite]) -> Result<Vec<[Option<BlobId>; 2]>, git::Error> {
    let blobs: Vec<Vec<u8>> =
        rewrites.iter().flat_map(|file| [&file.before, &file.after]).flatten().cloned().collect();
    let mut ids = store::write_blobs(scope, &blobs)?.into_iter();
    let mut next = |side: &Option<Vec<u8>>| side.as_ref().and_then(|_| ids.next());
    Ok(rewrites.iter().map(|file| [next(&file.before), next(&file.after)]).collect())
}

fn write_all(scope: &Scope, rewrites: &[Rewrite]) -> Result<(), Error> {
    let (root, converter) = (scope.root(), git::Converter::of(scope));
    let files = rewrites.iter().filter(|file| file.before != file.after);
    let places: Vec<_> = files
        .map(|file| Ok((file, fs::below(&root, file.path.as_bstr())?)))
        .collect::<Result<_, fs::Error>>()?;
    for (file, place) in &places {
        let path = file.path.as_bstr();
        let here = fs::read_below(&root, place)?;
        let here = here.map(|bytes| converter.to_git(path, bytes.into())).transpose()?;
        if here.as_deref() != file.before.as_deref() {
            return Err(Error::Changed(file.path.clone()));
        }
    }
    for (file, place) in &places {
        match &file.after {
            Some(bytes) => {
                let bytes = converter.to_disk(file.path.as_bstr(), bytes.clone())?;
                fs::replace(place, &bytes, Durability::Later)?;
            }
            None => {
                fs::remove_file(place)?;
                fs::prune_empty_folders(place.parent().unwrap_or(&root), &root);
            }
        }
    }
    Ok(fs::sync_work_tree(&root, [root.as_path()])?)
}
