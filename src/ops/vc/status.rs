//! `brv vc status`: show what differs between `HEAD`, the index and the disk.

use crate::git;
use crate::ops::cause::{Cause, caused};
use crate::ops::context::Context;
use crate::ops::steps::refresh;
use crate::ops::steps::work_tree::state;
use crate::ops::{Fails, FailureKind};

pub use crate::ops::steps::work_tree::state::{
    ChangeKind, Conflicted, Entry, Foreign, SetUp, State as Outcome, Unfinished,
};

/// There are no options.
#[derive(Debug, Clone, Default)]
pub struct Options {}

/// Why there is no status.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages describe the variants")]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error(transparent)]
    State(#[from] state::Error),
}

impl Error {
    /// The kind of this failure.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::State(error) => error.kind(),
        }
    }
}

caused!(Error);

/// Look at the tree. Writes nothing except refreshed stat data in the index.
///
/// # Errors
/// [`Error`]
pub fn run(cx: &Context<'_>, _options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let survey = refresh::quick_survey(&opened, git::index::read(&opened.scope)?)?;
    Ok(state::of(&opened, &survey)?)
}
