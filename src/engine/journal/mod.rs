//! The journal of operations: every command that changes the tree is stored as ordinary git commits before it writes
//! anything.
//!
//! An operation is one commit at `refs/brv/ops/<id>`. Its parents are the snapshot before and the snapshot after (a
//! snapshot is the commit of `HEAD` itself if it has the same tree); its tree is that of the snapshot after, so that
//! `git show` and `git diff` can read it; its trailers hold the details. `refs/brv/pending` points to it from before
//! the first write until it is published, so the next process that takes the lock after a crash can finish it or, if
//! the user has continued to work since, only publishes it.
//!
//! A [`Draft`] describes the changes, [`begin`] stores it and [`PendingOperation::publish`] ends it; after a crash, [`recover`]
//! does that. [`read`] and [`list`] return a [`Record`], and [`transition`] computes from it what is needed to apply or
//! to undo it; [`prune`] removes old ones.
//!
//! Knows bytes and references, but neither markdown nor commands. Nothing here is ever sent to a remote.

mod begin;
mod driver_log;
mod index_sides;
mod interrupted;
mod kept_tags;
mod latest;
mod list;
mod merge_outcome;
pub mod operation;
mod prune;
mod recover;
mod transition;

pub use begin::{PendingOperation, begin, reserve};
pub use driver_log::{driver_log, log_discarded};
pub use index_sides::{IndexSide, IndexSides, Staged, Waiting};
pub use kept_tags::keep_tags;
pub use latest::{is_idle, latest, pending};
pub use list::{Listed, list, undone};
pub use merge_outcome::footprint;
pub use operation::changed_settings::ChangedSettings;
pub use operation::code_head::{CodeHead, LineMark, LinesHead};
pub use operation::discarded::{Discarded, TRAILER as DISCARDED};
pub use operation::draft::{Draft, Side};
pub use operation::dream_id::DreamId;
pub use operation::id::OperationId;
pub use operation::kind::OperationKind;
pub use operation::note::Note;
pub use operation::place::Elsewhere;
pub use operation::record::{Record, first, read};
pub use operation::ref_move::RefMove;
pub use operation::source_commit::SourceCommit;
pub use operation::touches::{Touches, TreePart};
pub use operation::undoes::{Extent, Undoes};
pub use prune::{KEPT, KEPT_DAYS, expired, forget, holding, is_in_head, prune};
pub use recover::{Recovered, Resolution, Untouched, recover};
pub use transition::{Transition, transition};

pub use brv_git::settings_moves::{Owner, Setting, SettingsMove};

pub const OPERATIONS: &str = "refs/brv/ops/";
/// Replace control characters with spaces, so that no value can forge a trailer.
pub fn one_line(value: &str) -> String {
    value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim().to_owned()
}

/// Committer time of snapshots and operations: fetch negotiation walks newest first, and so never offers them.
const SNAPSHOT_SECONDS: i64 = 1;
