//! What an operation is going to do.

use super::discarded::Discarded;
use super::index_sides::IndexSides;
use super::{Kind, OperationId, RefMove, Touches, Undoes};
use crate::git::settings_moves::SettingsMove;
use crate::git::{CommitId, TreeId};

/// What an operation is going to do, with everything it needs already stored.
#[derive(Debug, Clone)]
pub struct Draft {
    /// Its name, where it had to be known beforehand ([`reserve`](super::reserve)).
    pub id: Option<OperationId>,
    /// The command.
    pub kind: Kind,
    /// The parts that it changes.
    pub touches: Touches,
    /// The references it moves; the branch that `HEAD` is on first.
    pub moves: Vec<RefMove>,
    /// What it changes in the settings of branches and remotes.
    pub settings: Vec<SettingsMove>,
    /// The tree before.
    pub before: Side,
    /// The tree after.
    pub after: Side,
    /// What it changes in the index and the merge state, if that is not simply what it changes in the files.
    pub index: Option<IndexSides>,
    /// The operation that it takes back.
    pub undoes: Option<Undoes>,
    /// Why, in the user's words or the command's.
    pub reason: String,
    /// Who: person or agent; where nobody is named it is whoever git would name as the committer.
    pub actor: String,
    /// Which session of the actor, if it said so.
    pub session: Option<String>,
    /// Values that a merge gave up for others.
    pub discarded: Vec<Discarded>,
}

/// One side of an operation.
#[derive(Debug, Clone)]
pub enum Side {
    /// A commit says it all.
    Commit(CommitId),
    /// No commit has this tree: a snapshot is made, with these parents.
    Snapshot {
        /// The tree of the whole repository.
        tree: TreeId,
        /// `HEAD` first; a differing index, or the other side of a merge, behind it.
        parents: Vec<CommitId>,
    },
}
