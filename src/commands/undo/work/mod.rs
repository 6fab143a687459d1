//! Undo any operation, even if others came after it.
//!
//! Files, index and references return to their state before the operation, as far as nothing changed since; later
//! changes are kept by a merge. If a remote has the operation's commits, or others came on top, a new commit reverts
//! the change. Nothing is written if there are conflicts, unless that is requested. Several operations are undone one
//! after the other in memory, and written at once.

mod again;
mod disk;
mod forward;
mod kept_files;
mod layers;
mod overviews;
mod plan;
mod planned;
mod records;
mod remaining;
mod sequence;
mod task;
pub mod undo;
mod way;
mod write;

pub use forward::{Foreign, commits_of, named, of_session, stand_together};
pub use plan::plan;
pub use planned::{UndoPlan, UndoSubject, Wanted};
pub use remaining::PresentIndex;
pub use way::branch_name;
pub use write::{UndoNaming, carry_out};

use brv_engine::journal::Record;
use brv_engine::merge::reconcile::{self, Removals};
use brv_engine::open::context::Opened;
use brv_engine::outcome::stop::OrStop;
use brv_engine::{Keeper, Stop};
use brv_git::Scope;
use brv_text::merge::{Disputes, Undecided};
use bstr::BString;
use serde::Serialize;

/// How an operation is, or would be, undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UndoMode {
    /// Files, index and references are restored.
    Restored,
    /// A new commit reverts the change.
    Committed,
    /// The change is reverted in the files; the commit is left to the user.
    Left,
}

/// What becomes of a change that only a new commit can revert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RevertMode {
    Commit,
    /// It is staged: `commit.auto` is `false`.
    Stage,
    /// It is written to disk only: the tree is a folder of a bigger repository, whose branch belongs to git.
    Write,
}

impl RevertMode {
    pub fn of(opened: &Opened) -> Self {
        match opened.config.commit_auto.value {
            _ if !opened.scope.prefix().is_empty() => Self::Write,
            true => Self::Commit,
            false => Self::Stage,
        }
    }
}

/// Why an operation cannot be undone. Nothing was written.
#[derive(Debug)]
pub enum Refused {
    /// Its changes are gone, or were changed again since.
    NothingLeft,
    /// It cannot be undone any more.
    Never(Stop),
    /// It cannot be undone in the current state.
    Now(Stop),
}

/// Why nothing was undone: code tells apart why an operation cannot be undone in the current state.
pub type Error = OrStop<Refused>;

/// A refusal with this message; `help` says what may help.
fn refused(message: impl Into<String>, help: &str) -> Stop {
    Stop::refused(message).hint(format!("nothing was written; {help}"))
}

/// It cannot be undone any more.
fn never(message: impl Into<String>, help: &str) -> Error {
    Refused::Never(refused(message, help)).into()
}

/// It cannot be undone in the current state.
fn not_now(message: impl Into<String>, help: &str) -> Error {
    Refused::Now(refused(message, help)).into()
}

/// Fail because of these paths, if there are any.
fn refuse(paths: &[BString], message: &str, help: &str) -> Result<(), Error> {
    match paths {
        [] => Ok(()),
        paths => Err(Refused::Now(refused(message, help).listing(paths)).into()),
    }
}

/// A merge is in progress.
fn merging(scope: &Scope) -> Error {
    Refused::Now(Stop::refused("a merge is in progress").hint(Keeper::of(scope).waiting())).into()
}

impl From<Refused> for Stop {
    fn from(why: Refused) -> Self {
        match why {
            Refused::NothingLeft => refused(
                "nothing left to undo: its changes are gone, or were changed again since",
                "`brv op show ID` shows what it did",
            ),
            Refused::Never(stop) | Refused::Now(stop) => stop,
        }
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::This(refused)
    }
}

/// The same error, with the operation that cannot be undone.
fn of(error: Error, record: Option<&Record>) -> Error {
    match (error, record) {
        (OrStop::This(refused), Some(record)) => {
            let stop = Stop::from(refused);
            let message =
                format!("cannot undo {} {}: {}", record.kind.word(), record.id.short(), stop.message);
            Stop { message, ..stop }.into()
        }
        (error, _) => error,
    }
}

/// Merge options for an undo: a claim restored beside another one, or a file that one side removed, is a conflict.
/// `name` labels the old version in conflict markers.
const fn strict(name: &str, undecided: Undecided) -> reconcile::Options<'_> {
    reconcile::Options {
        ours: "now",
        theirs: name,
        undecided,
        disputes: Disputes::Conflict,
        removals: Removals::Conflict,
    }
}
