//! `brv vc switch`: go to another branch, make one, or leave all of them for a commit.

use crate::ops::FailureKind;
use crate::ops::context::Context;
use crate::ops::steps::cause::{Cause, caused};
pub use crate::ops::steps::merging::integrate::Derive;
use crate::ops::steps::remotes::upstream::{self, Upstream};
use crate::ops::steps::work_tree::switching::{self, Switched};
use crate::ops::steps::writing::Writing;

pub use crate::ops::steps::naming::branches::{Existing, Track};
pub use crate::ops::steps::work_tree::switching::{Guess, Local, To};

/// Where to, and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where to.
    pub to: To,
    /// What becomes of local changes.
    pub local: Local,
    /// Whether the derived files are made again.
    pub derive: Derive,
}

/// What was done.
#[derive(Debug)]
pub struct Outcome {
    /// Where `HEAD` was and is, and what changed on the way.
    pub switched: Switched,
    /// What the branch follows.
    pub upstream: Option<Upstream>,
}

/// Why `HEAD` stays where it is.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What is no fault of the branch.
    #[error(transparent)]
    Cause(Cause),
    /// No way, or something stands in it.
    #[error(transparent)]
    Switch(#[from] switching::Error),
    /// What the branch follows.
    #[error(transparent)]
    Upstream(#[from] upstream::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Switch(error) => error.kind(),
            Self::Upstream(_) => FailureKind::Failed,
        }
    }
}

caused!(Error);

/// Switch.
///
/// # Errors
/// [`Error`]
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open_whole("switch")?;
    let writing = Writing::begin(cx.parts(&opened))?;
    let way = switching::way(&opened.scope, &opened.scope.head()?, &options.to)?;
    let switched = switching::switch(writing, &way, options.local, options.derive)?;
    let upstream = upstream::of(&opened.scope, &switched.after)?;
    Ok(Outcome { switched, upstream })
}
