//! Going back to before a merge that waits for decisions.
//!
//! What was decided until then is put on record first. Files that the merge did not touch stay as they are, also staged
//! ones.

use super::incoming;
use crate::clock::Clock;
use crate::fs::{self, FileKind, WriteGuard};
use crate::git::merge_state::{self, MergeState};
use crate::git::trees::{self, Found};
use crate::git::{self, BlobId, CommitId, FileMode, Index, Scope, TreeId, in_progress, store, tree_with};
use crate::journal::{self, Draft, IndexSides, Kind, OperationId, Side, Staged, Touches, Untouched};
use crate::ops::FailureKind;
use crate::ops::context::Actor;
use bstr::{BString, ByteSlice as _};

/// What was done.
#[derive(Debug)]
pub struct Aborted {
    /// The commit that was being merged.
    pub theirs: CommitId,
    /// The paths that the merge had touched (relative to the tree), as they are in `HEAD` again; none of the others below.
    pub restored: Vec<BString>,
    /// Files that were saved meanwhile and stay as they are.
    pub left_alone: Vec<BString>,
    /// Files that are not there, since others stand in a folder of that name.
    pub blocked: Vec<BString>,
    /// The operation in the journal: it has every file as it was.
    pub operation: OperationId,
}

/// Why there was no going back.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No merge.
    #[error("no merge is in progress")]
    NotMerging,
    /// None, but something else.
    #[error("no merge is in progress, but {0} is")]
    OtherInProgress(in_progress::Kind),
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

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::NotMerging => FailureKind::Usage,
            Self::OtherInProgress(_) => FailureKind::Refused,
            Self::Git(error) => FailureKind::of_git(error),
            Self::Journal(error) => FailureKind::of_journal(error),
            _ => FailureKind::Failed,
        }
    }
}

/// Put the files and the index back to before the merge, and end it.
///
/// # Errors
/// [`Error`]; what was begun is finished by the next command.
pub fn abort(scope: &Scope, guard: &WriteGuard, clock: Clock, actor: &Actor) -> Result<Aborted, Error> {
    let merging = merge_state::read(scope)?;
    let head = scope.head()?.commit();
    let (Some(MergeState { heads, .. }), Some(head)) = (merging, head) else {
        return Err(in_progress::committing(scope)?.map_or(Error::NotMerging, Error::OtherInProgress));
    };
    let theirs = heads[0];
    let index = git::index::read(scope)?;
    let paths = journal::footprint(scope, &index, head, theirs)?;
    let tree = as_it_is(scope, scope.tree_of(head)?, &index, &paths)?;
    let head_tree = scope.tree_of(head)?;
    let mut restored = Vec::new();
    for path in &paths {
        restored.push((
            path.clone(),
            match trees::find(&scope.whole(), head_tree, path.as_bstr())? {
                Some(Found::File(version)) => Staged::Version(version),
                _ => Staged::Nothing,
            },
        ));
    }
    let mut index = IndexSides::of(scope, &index, restored)?;
    index.after.waiting.merge = None;
    let draft = Draft {
        id: None,
        kind: Kind::AbortMerge,
        touches: Touches::MergeEnd,
        moves: Vec::new(),
        before: Side::Snapshot { tree, parents: vec![head, theirs] },
        after: Side::Commit(head),
        index: Some(index),
        undoes: None,
        reason: format!("abort the merge of {theirs}"),
        actor: actor.name.clone().unwrap_or_default(),
        session: actor.session.clone(),
        settings: Vec::new(),
        discarded: Vec::new(),
    };
    let pending = journal::begin(scope, guard, clock, &draft)?;
    let Untouched { left_alone, blocked } =
        pending.end_merge(scope, guard, &*incoming::admits(scope, Kind::AbortMerge)?)?;
    let operation = pending.publish(scope)?;
    let paths = paths.iter().filter_map(|path| Some(scope.strip(path.as_bstr())?.to_owned()));
    let restored = paths.filter(|path| !left_alone.contains(path) && !blocked.contains(path)).collect();
    Ok(Aborted { theirs, restored, left_alone, blocked, operation })
}

/// The tree of `HEAD` with the files of these paths (full) as they are on disk.
fn as_it_is(scope: &Scope, head: TreeId, index: &Index, paths: &[BString]) -> Result<TreeId, Error> {
    let (mut there, mut blobs) = (Vec::new(), Vec::new());
    let mut changes: Vec<(&BString, Option<(FileMode, BlobId)>)> = Vec::new();
    for path in paths {
        let file = fs::below(scope.work_tree(), path.as_bstr())?;
        let recorded = index.version(path.as_bstr());
        if let Some(version) = recorded.filter(|_| index.is_withheld(path.as_bstr())) {
            // it is not on disk: what stands there is no version of it
            changes.push((path, Some((version.mode, version.id))));
        } else if fs::stat(&file)?.is_some_and(|stat| stat.kind == FileKind::Regular)
            && fs::is_reached_by_folders(scope.work_tree(), &file)?
        {
            there.push((path, recorded.map_or(FileMode::Regular, |version| version.mode)));
            blobs.push(fs::read(&file)?);
        } else {
            changes.push((path, None));
        }
    }
    let ids = store::write_blobs(scope, &blobs)?;
    changes.extend(there.into_iter().zip(ids).map(|((path, mode), id)| (path, Some((mode, id)))));
    Ok(tree_with(scope, head, changes)?)
}
