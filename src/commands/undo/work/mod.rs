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

use brv_engine::journal::{OperationId, OperationKind, Owner, Record};
use brv_engine::merge::reconcile::{self, Removals};
use brv_engine::open::context::Opened;
use brv_engine::outcome::stop::OrStop;
use brv_engine::{Keeper, Stop};
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

/// Why an operation cannot be undone in the current state. Nothing was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It belongs to a branch that `HEAD` is not on.
    #[error("this `{}` was made on `{}`, and HEAD does not contain it", .kind.word(), way::branch_name(.branch.as_ref()))]
    OtherBranch { branch: BString, kind: OperationKind },
    #[error("HEAD is no longer where this `{}` left it ({left})", .kind.word())]
    HeadElsewhere {
        /// The position of `HEAD` after the operation: branch, commit, or both.
        left: String,
        kind: OperationKind,
    },
    #[error("it would remove files that the operation did not add")]
    NotBrought(Vec<BString>),
    /// A reference is neither where the operation left it nor where it was before.
    #[error("`{}` has moved on since", way::branch_name(.0.as_ref()))]
    MovedOn(BString),
    /// Something else is set by now than the operation left.
    #[error("the settings of the {0} have changed since")]
    SetSince(Owner),
    /// A branch follows one of a remote that would go away.
    #[error("the branch `{branch}` now tracks a branch of `{remote}`, which would be removed")]
    Followed { remote: String, branch: String },
    #[error("HEAD is on `{}`, which would be removed", way::branch_name(.0.as_ref()))]
    OnIt(BString),
    #[error("nothing left to undo: its changes are gone, or were changed again since")]
    NothingLeft,
    #[error("nothing to undo: the current version is kept everywhere")]
    AllStays,
    /// An untracked file is at a path to restore.
    #[error("other files are in the way")]
    InTheWay(Vec<BString>),
    /// The lines that it staged were staged again since.
    #[error("the lines that it staged have been staged again since")]
    RecordedAnew(Vec<BString>),
    #[error("its staged changes have been committed since")]
    CommittedSince,
    #[error("a clone cannot be undone: it would leave an empty tree")]
    Cloned,
    /// The merge that it was part of waits no more.
    #[error("the merge that it was part of has ended since")]
    MergeEnded,
    #[error("a merge is in progress")]
    Merging(Keeper),
}

/// Why nothing was undone: code tells apart why an operation cannot be undone in the current state.
pub type Error = OrStop<Refused>;

impl Refused {
    /// What stops a command that says it in these words; `next`: the operation before the one that can never be undone.
    pub(super) fn stop(&self, message: String, next: Option<&OperationId>) -> Stop {
        let paths = match self {
            Self::InTheWay(paths) | Self::RecordedAnew(paths) | Self::NotBrought(paths) => paths.as_slice(),
            _ => &[],
        };
        let next = next.map(|id| format!("; `brv undo {}` undoes the operation before it", id.short()));
        Stop::refused(message).listing(paths).hint(format!("{}{}", self.help(), next.unwrap_or_default()))
    }

    /// What may help.
    const fn help(&self) -> &'static str {
        match self {
            Self::OtherBranch { .. } => "nothing was written; switch to that branch to undo it",
            Self::HeadElsewhere { .. } => {
                "nothing was written; switch branches with `brv vc switch BRANCH`, or restore a file from before the operation `ID` with `brv vc restore --source refs/brv/ops/ID^1 PATH`"
            }
            Self::NotBrought(_) => "nothing was written; undo single files with `brv undo ID PATH`",
            Self::MovedOn(_) => "nothing was written; `brv op log` shows the later operations",
            Self::SetSince(_) => "nothing was written; `brv op log` and `brv op show ID` show what was set",
            Self::Followed { .. } => {
                "nothing was written; undo that first, or set another upstream with `brv vc branch -u UPSTREAM`"
            }
            Self::OnIt(_) => "nothing was written; switch to another branch to undo it",
            Self::NothingLeft => "nothing was written; `brv op show ID` shows what it did",
            Self::AllStays => {
                "nothing was written; to restore the versions from before it, use `--on-conflict theirs`"
            }
            Self::Cloned => {
                "nothing was written; remove the folder if you no longer need the clone; `brv op log` lists the operations that can be undone"
            }
            Self::MergeEnded => "nothing was written; the commit of the merge in `brv op log` can be undone",
            Self::RecordedAnew(_) => {
                "nothing was written; undo that first, or take one side or both with `--on-conflict`"
            }
            Self::CommittedSince => {
                "nothing was written; revert the commit with `brv vc revert COMMIT`, or undo a logged operation with `brv undo ID`"
            }
            Self::InTheWay(_) => "nothing was written; move them away, then try again",
            Self::Merging(keeper) => keeper.waiting(),
        }
    }
}

impl From<Refused> for Stop {
    fn from(refused: Refused) -> Self {
        refused.stop(refused.to_string(), None)
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
            let message = format!("cannot undo {} {}: {refused}", record.kind.word(), record.id.short());
            refused.stop(message, None).into()
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
