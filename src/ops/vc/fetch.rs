//! `brv vc fetch`: objects and tracking refs of a remote. Writes no file of the tree.

use crate::git;
use crate::git::fetch::{self, Prune, Tags};
use crate::ops::FailureKind;
use crate::ops::context::{Context, OpenError};
use crate::ops::steps::{remote_choice, remote_failure};

/// What to fetch.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A remote or an address; `None`: the one that the branch follows.
    pub remote: Option<String>,
    /// As git takes them; none: what the remote's settings say.
    pub refspecs: Vec<String>,
}

/// What came.
#[derive(Debug)]
pub struct Outcome {
    /// From where, without secrets.
    pub source: String,
    /// Every ref, and how many objects.
    pub fetched: fetch::Outcome,
}

/// Why nothing was fetched.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No tree.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Which remote.
    #[error(transparent)]
    Choice(#[from] remote_choice::Error),
    /// The remote.
    #[error(transparent)]
    Fetch(#[from] fetch::Error),
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub const fn kind(&self) -> FailureKind {
        match self {
            Self::Open(error) => error.kind(),
            Self::Choice(error) => error.kind(),
            Self::Fetch(error) => remote_failure::of_fetch(error),
            Self::Git(_) => FailureKind::Failed,
        }
    }
}

/// Fetch.
///
/// # Errors
/// [`Error`]
pub fn run(cx: &mut Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let target = remote_choice::target(scope, &cx.cwd, &scope.head()?, options.remote.as_deref())?;
    let source = target.to_string();
    let wanted = fetch::Options {
        target,
        refspecs: options.refspecs.clone(),
        prune: Prune::Keep,
        tags: Tags::Following,
    };
    Ok(Outcome { source, fetched: fetch::fetch(scope, &wanted, &cx.network())? })
}
