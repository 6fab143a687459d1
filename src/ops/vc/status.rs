//! `brv vc status`: what differs between `HEAD`, the index and the disk.

use crate::git;
use crate::ops::FailureKind;
use crate::ops::context::Context;
use crate::ops::steps::cause::{Cause, caused};
use crate::ops::steps::refresh;
use crate::ops::steps::work_tree::state;

pub use crate::ops::steps::work_tree::state::{
    ChangeKind, Conflicted, Entry, Foreign, SetUp, State as Outcome, Unfinished,
};

/// There is nothing to choose.
#[derive(Debug, Clone, Default)]
pub struct Options {}

/// Why there is no status.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What is no fault of the settings.
    #[error(transparent)]
    Cause(Cause),
    /// What the survey tells.
    #[error(transparent)]
    State(#[from] state::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::State(error) => error.kind(),
        }
    }
}

caused!(Error);

/// Look at the tree. Writes nothing but refreshed stats into the index.
///
/// # Errors
/// [`Error`]
pub fn run(cx: &Context<'_>, _options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let survey = refresh::quick_survey(&opened, git::index::read(&opened.scope)?)?;
    Ok(state::of(&opened, &survey)?)
}
