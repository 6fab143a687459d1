//! `brv vc branch`: list, create, rename and delete branches, and set their upstream.
//!
//! Every move of a branch is an operation: the commits of a deleted branch are kept as long as its operation is in the
//! log.

mod change;
mod list;

pub use brv_engine::open::naming::branches::{Existing, Track};
pub use list::{At, Filter, Kinds, Listed, Listing, Place};

use brv_engine::open::context::Context;
use brv_engine::open::naming::{branches, upstream};
use brv_engine::outcome::cause::{Cause, caused};
use brv_engine::write::operation::WriteOutcome;
use brv_engine::{Fails, FailureKind};
use brv_git::CommitId;
use brv_git::revision::RevisionError;
use bstr::BString;

#[derive(Debug, Clone)]
pub enum Options {
    List(Listing),
    ShowCurrent,
    Create {
        name: String,
        /// The start point; `None`: `HEAD`.
        start: Option<String>,
        /// What to do if it already exists.
        existing: Existing,
        track: Track,
    },
    /// Rename a branch, with its reflog and settings.
    Rename {
        /// The branch; `None`: the current one.
        before: Option<String>,
        after: String,
        /// What to do if that already exists.
        existing: Existing,
    },
    Delete {
        names: Vec<String>,
        /// Whether they are local or remote-tracking branches.
        kinds: Deleted,
        /// What to do with commits that no other branch has.
        unmerged: Unmerged,
    },
    /// Set the upstream of a branch.
    Follow {
        /// The branch; `None`: the current one.
        branch: Option<String>,
        upstream: String,
    },
    /// Unset the upstream of a branch.
    Unfollow {
        /// The branch; `None`: the current one.
        branch: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deleted {
    Local,
    Remembered,
}

/// What to do with commits that no other branch has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unmerged {
    Refuse,
    /// Delete it anyway; the operation keeps the commits.
    Allow,
}

#[derive(Debug)]
pub enum Outcome {
    Listed {
        /// Ordered by name, remote-tracking branches last.
        branches: Vec<Listed>,
        /// The detached `HEAD`, if there is one and the listing includes it.
        detached: Option<At>,
    },
    /// The current branch; `None` if `HEAD` is detached.
    Current(Option<String>),
    Changed(Box<Changed>),
}

#[derive(Debug, Default)]
pub struct Changed {
    /// The branch that was created or moved, with its commit.
    pub made: Option<(String, CommitId)>,
    /// The old and the new name.
    pub renamed: Option<(String, String)>,
    pub deleted: Vec<Gone>,
    pub follows: Option<(String, String)>,
    pub unfollowed: Option<String>,
    /// What else was written: operation and derived files.
    pub written: WriteOutcome,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gone {
    /// Without `refs/heads/` or `refs/remotes/`.
    pub name: String,
    /// What it pointed to, as git prints it: a commit, or the name of another reference.
    pub was: BString,
    /// Its upstream contains its commits, but `HEAD` does not.
    pub is_ahead_of_head: bool,
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error(transparent)]
    Branch(#[from] branches::Error),
    #[error(transparent)]
    Revision(#[from] RevisionError),
    #[error("HEAD is detached: name the branch")]
    Detached,
    #[error("the branch `{0}` has no upstream")]
    FollowsNothing(String),
    #[error("{} not merged", if .0.len() == 1 { "a branch is" } else { "some branches are" })]
    Unmerged(Vec<String>),
    #[error(transparent)]
    Upstream(#[from] upstream::Error),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Branch(error) => error.kind(),
            Self::Revision(error) => FailureKind::of_revision(error),
            Self::Detached | Self::FollowsNothing(_) => FailureKind::Usage,
            Self::Unmerged(_) => FailureKind::Refused,
            Self::Upstream(_) => FailureKind::Failed,
        }
    }
}

caused!(Error);

/// List or change branches.
///
/// # Errors
/// [`Error`]; then nothing changed.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    match options {
        Options::List(listing) => list::run(&cx.open()?.scope, listing),
        Options::ShowCurrent => Ok(Outcome::Current(cx.open()?.scope.head()?.short_branch())),
        _ => change::run(cx, options).map(Box::new).map(Outcome::Changed),
    }
}
