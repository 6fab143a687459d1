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
pub use planned::{Planned, Wanted, What};
pub use remaining::Present;
pub use way::branch_name;
pub use write::{Naming, carry_out};

use brv_engine::journal::{Kind, OperationId, Owner, Record};
use brv_engine::merge::reconcile::{self, Removals};
use brv_engine::open::context::Opened;
use brv_engine::outcome::cause::{Cause, caused};
use brv_engine::vc::work_tree::ongoing;
use brv_engine::write::landing::CommitError;
use brv_engine::{Fails, FailureKind, Keeper};
use brv_git::identity;
use brv_git::signing::SigningError;
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
    OtherBranch { branch: BString, kind: Kind },
    #[error("HEAD is no longer where this `{}` left it ({left})", .kind.word())]
    HeadElsewhere {
        /// The position of `HEAD` after the operation: branch, commit, or both.
        left: String,
        kind: Kind,
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

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Refused(#[from] Refused),
    /// One of several operations that are undone together.
    #[error("cannot undo {} {}: {refused}", .kind.word(), .id.short())]
    One { id: OperationId, kind: Kind, refused: Refused },
    #[error("`{0}` matches no file of the operation")]
    NoMatch(BString),
    #[error("`{0}` was changed in the meantime")]
    Changed(BString),
    /// Nobody to be the author of the commit that takes it back.
    #[error(transparent)]
    Identity(#[from] identity::Error),
    #[error(transparent)]
    Signing(#[from] SigningError),
    /// It needs a commit, which would end up among those of another command.
    #[error(transparent)]
    UnderWay(#[from] ongoing::Error),
    #[error(transparent)]
    Cause(Cause),
}

impl Fails for Error {
    fn kind(&self) -> FailureKind {
        match self {
            Self::Refused(_) | Self::One { .. } => FailureKind::Refused,
            Self::NoMatch(_) => FailureKind::Usage,
            Self::Changed(_) => FailureKind::Changed,
            Self::Identity(_) | Self::Signing(_) => FailureKind::Failed,
            Self::UnderWay(error) => error.kind(),
            Self::Cause(cause) => cause.kind(),
        }
    }
}

caused!(Error);

impl Error {
    /// The same error, with the operation that cannot be undone.
    fn of(self, record: Option<&Record>) -> Self {
        match (self, record) {
            (Self::Refused(refused), Some(record)) => {
                Self::One { id: record.id.clone(), kind: record.kind, refused }
            }
            (error, _) => error,
        }
    }
}

impl From<CommitError> for Error {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Git(error) => error.into(),
            CommitError::Signing(error) => Self::Signing(error),
        }
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
