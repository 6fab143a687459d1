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

#[derive(Debug, Clone, Default)]
pub struct Options {}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error(transparent)]
    State(#[from] state::Error),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::State(error) => error.kind(),
        }
    }
}

caused!(Error);

/// Look at the tree. Writes nothing except refreshed stat data in the index.
pub fn run(cx: &Context<'_>, _options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let survey = refresh::quick_survey(&opened, git::index::read(&opened.scope)?)?;
    Ok(state::of(&opened, &survey)?)
}
