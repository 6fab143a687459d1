//! `brv vc branch`: name the branches, make, rename and delete them, and say what they follow.
//!
//! Every move of a branch is an operation: what a deleted branch had stays as long as its record does.

mod change;
mod list;

pub use crate::ops::steps::naming::branches::{Existing, Track};
pub use list::{At, Filter, Kinds, Listed, Listing, Place};

use crate::git::CommitId;
use crate::git::revision::RevisionError;
use crate::ops::FailureKind;
use crate::ops::context::Context;
use crate::ops::steps::cause::{Cause, caused};
use crate::ops::steps::naming::branches;
use crate::ops::steps::remotes::upstream;
use crate::ops::steps::writing::Written;
use bstr::BString;

/// What to do.
#[derive(Debug, Clone)]
pub enum Options {
    /// Name them.
    List(Listing),
    /// Name the one that `HEAD` is on.
    ShowCurrent,
    /// Make one.
    Create {
        /// Its name.
        name: String,
        /// Where it starts; `None`: here.
        start: Option<String>,
        /// What is done where it exists.
        existing: Existing,
        /// What it follows.
        track: Track,
    },
    /// Give one another name, with its log and settings.
    Rename {
        /// Which; `None`: the current one.
        before: Option<String>,
        /// Its new name.
        after: String,
        /// What is done where that exists.
        existing: Existing,
    },
    /// Delete some.
    Delete {
        /// Which.
        names: Vec<String>,
        /// Those of this repository, or what is remembered of remotes.
        kinds: Deleted,
        /// What is done with commits that no other branch has.
        unmerged: Unmerged,
    },
    /// Let one follow a branch.
    Follow {
        /// Which; `None`: the current one.
        branch: Option<String>,
        /// What it is to follow.
        upstream: String,
    },
    /// Let one follow nothing.
    Unfollow {
        /// Which; `None`: the current one.
        branch: Option<String>,
    },
}

/// What is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deleted {
    /// Branches of this repository.
    Local,
    /// What is remembered of branches of remotes.
    Remembered,
}

/// What is done with commits that no other branch has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unmerged {
    /// The branch stays.
    Refuse,
    /// It goes all the same; the commits stay on record.
    Allow,
}

/// What was found or done.
#[derive(Debug)]
pub enum Outcome {
    /// The branches.
    Listed {
        /// In order of name, those of remotes behind.
        branches: Vec<Listed>,
        /// Where `HEAD` is if it is on no branch, and that is asked for.
        detached: Option<At>,
    },
    /// The branch that `HEAD` is on, if on one.
    Current(Option<String>),
    /// Something changed.
    Changed(Box<Changed>),
}

/// What changed.
#[derive(Debug, Default)]
pub struct Changed {
    /// What is new, or moved, with where it is.
    pub made: Option<(String, CommitId)>,
    /// Before and after.
    pub renamed: Option<(String, String)>,
    /// What is gone, with the commit where it was.
    pub deleted: Vec<Gone>,
    /// Which branch follows what.
    pub follows: Option<(String, String)>,
    /// Which branch follows nothing any more.
    pub unfollowed: Option<String>,
    /// The rest.
    pub written: Written,
}

/// A branch that is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gone {
    /// Without `refs/heads/` or `refs/remotes/`.
    pub name: String,
    /// Where it was, as git tells it: a commit, or the name of another reference.
    pub was: BString,
    /// Its upstream has the commits, but `HEAD` does not.
    pub is_ahead_of_head: bool,
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What is no fault of the branches.
    #[error(transparent)]
    Cause(Cause),
    /// A name.
    #[error(transparent)]
    Branch(#[from] branches::Error),
    /// A revision to compare with.
    #[error(transparent)]
    Revision(#[from] RevisionError),
    /// `HEAD` is on none.
    #[error("HEAD is detached: name the branch")]
    Detached,
    /// It has no upstream that could be taken away.
    #[error("the branch `{0}` has no upstream")]
    FollowsNothing(String),
    /// These would take commits along that nothing else has.
    #[error("{} not merged", if .0.len() == 1 { "a branch is" } else { "some branches are" })]
    Unmerged(Vec<String>),
    /// The upstream of a branch.
    #[error(transparent)]
    Upstream(#[from] upstream::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
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
