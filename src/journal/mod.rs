//! Operations: every command that changes the tree is recorded as ordinary git commits before it writes anything.
//!
//! An operation is one commit below `refs/brv/ops/<id>`. Its parents are the snapshot before and the snapshot after
//! (a snapshot is the commit of `HEAD` itself wherever that says it all); its tree is that of the snapshot after, so
//! that `git show` and `git diff` read it; its trailers say what happened. `refs/brv/pending` points to it from
//! before the first write until it is published, so whoever takes the lock after a crash finishes it or, where
//! somebody has worked on since, only puts it on record.
//!
//! A [`Draft`] says what will be done, [`begin`] puts it on record and [`Pending::publish`] ends it; [`recover`] does so
//! after a crash. [`read`] and [`list`] give it back as a [`Record`], of which [`transition`] makes what it takes to do it
//! or to take it back; [`prune`] lets it go in time.
//!
//! Knows bytes and references, no markdown and no command. Nothing here is ever sent to a remote.

mod begin;
mod discarded;
mod draft;
mod driver_log;
mod ending;
mod id;
mod index_sides;
mod kept_tags;
mod kind;
mod latest;
mod list;
mod place;
mod prune;
mod record;
mod recover;
mod ref_move;
mod touches;
mod transition;
mod undoes;

pub use begin::{Pending, begin, reserve};
pub use discarded::{Discarded, TRAILER as DISCARDED};
pub use draft::{Draft, Side};
pub use driver_log::{driver_log, log_discarded};
pub use ending::footprint;
pub use id::OperationId;
pub use index_sides::{IndexSide, IndexSides, Staged, Waiting};
pub use kept_tags::keep_tags;
pub use kind::Kind;
pub use latest::{latest, pending};
pub use list::{Listed, list, undone};
pub use place::Elsewhere;
pub use prune::{KEPT, KEPT_DAYS, expired, forget, holding, is_in_head, prune};
pub use record::{Record, first, read};
pub use recover::{Recovered, Resolution, Untouched, recover};
pub use ref_move::RefMove;
pub use touches::{Part, Touches};
pub use transition::{Transition, transition};
pub use undoes::{Extent, Undoes};

pub use crate::git::settings_moves::{Owner, Setting, SettingsMove};

use crate::git;

/// The namespace of published operations.
pub const OPERATIONS: &str = "refs/brv/ops/";
/// Control characters become spaces, so that no value can forge a trailer of its own.
#[must_use]
pub fn one_line(value: &str) -> String {
    value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim().to_owned()
}

/// Committer time of snapshots and operations: fetch negotiation walks newest first, and so never offers them.
const SNAPSHOT_SECONDS: i64 = 1;

/// What the journal could not do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file.
    #[error(transparent)]
    File(#[from] crate::fs::Error),
    /// A recorded operation that this version does not understand.
    #[error("this version of brv cannot read operation {id}: {reason}")]
    Unreadable {
        /// The commit.
        id: git::CommitId,
        /// What is missing or wrong.
        reason: &'static str,
    },
    /// Another operation is pending though the lock is held: recover first.
    #[error("another operation is pending")]
    AlreadyPending,
}
