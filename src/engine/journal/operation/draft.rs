//! The draft of an operation: what it is going to change.

use super::discarded::Discarded;
use super::note::Note;
use crate::journal::index_sides::IndexSides;
use crate::journal::{CodeHead, DreamId, OperationId, OperationKind, RefMove, SourceCommit, Touches, Undoes};
use brv_git::settings_moves::SettingsMove;
use brv_git::{CommitId, TreeId};

/// The draft of an operation, with every object it needs already stored.
#[derive(Debug, Clone)]
pub struct Draft {
    /// Its name, if it had to be known in advance ([`reserve`](crate::journal::reserve)).
    pub id: Option<OperationId>,
    pub kind: OperationKind,
    /// The parts of the tree that it changes.
    pub touches: Touches,
    /// The references that it moves, beginning with the current branch.
    pub moves: Vec<RefMove>,
    /// The changes to the settings of branches and remotes.
    pub settings: Vec<SettingsMove>,
    pub before: Side,
    pub after: Side,
    /// The changes to the index and the merge state, if they differ from the changes to the files.
    pub index: Option<IndexSides>,
    /// The operations that it undoes, newest first.
    pub undoes: Vec<Undoes>,
    /// The reason, in the user's words or the command's.
    pub reason: String,
    /// The actor, a person or an agent; if none is named, git's committer.
    pub actor: String,
    /// The session of the actor, if set.
    pub session: Option<String>,
    /// Values that a merge discarded.
    pub discarded: Vec<Discarded>,
    /// What it says about single paths, where no commit of its own says it.
    pub notes: Vec<Note>,
    /// The commit of the code that the knowledge comes from.
    pub source_commit: Option<SourceCommit>,
    /// The head of the code when it was written, where no commit of its own says it.
    pub code_head: Option<CodeHead>,
    /// The dream that it is.
    pub dream: Option<DreamId>,
    /// The job that it is.
    pub job: Option<String>,
}

/// The tree on one side of an operation.
#[derive(Debug, Clone)]
pub enum Side {
    Commit(CommitId),
    /// A tree that no commit has: a snapshot is made with these parents.
    Snapshot {
        tree: TreeId,
        /// `HEAD` first, then the commit of a differing index or the other side of a merge.
        parents: Vec<CommitId>,
    },
}
