//! `brv derive`: make again what follows from curated files, or only say what does not fit them.

use super::FailureKind;
use super::context::Context;
use super::steps::cause::{Cause, caused};
use super::steps::refresh::{self, Extent, Kept};
pub use super::steps::work_tree::state::SetUp;

/// What to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Options {
    /// Make what is missing or out of date.
    #[default]
    Refresh,
    /// Make everything again (`--all`).
    All,
    /// Write nothing; say what is not as it should be (`--check`).
    Check,
}

/// What was done or found.
#[derive(Debug)]
pub struct Outcome {
    /// What was done or found.
    pub made: Made,
    /// Whether brv has set the tree up: in one of another tool that tool's derived files are taken over by `brv init`.
    pub setting_up: SetUp,
}

/// What was done or found.
#[derive(Debug)]
pub enum Made {
    /// Files were brought up to date.
    Refreshed(refresh::Outcome),
    /// These files are not as they should be; none: all is well.
    Checked(Vec<Kept>),
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What is no fault of the files.
    #[error(transparent)]
    Cause(Cause),
    /// It did not work.
    #[error(transparent)]
    Refresh(#[from] refresh::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Refresh(error) => error.kind(),
        }
    }
}

caused!(Error);

/// Refresh or check the derived files.
///
/// # Errors
/// [`Error`]
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let setting_up = SetUp::of(&opened.scope);
    let extent = match options {
        Options::Check => return Ok(Outcome { made: Made::Checked(refresh::check(&opened)?), setting_up }),
        Options::Refresh => Extent::Missing,
        Options::All => Extent::All,
    };
    let made = Made::Refreshed(refresh::refresh(&opened, extent, cx.progress)?);
    Ok(Outcome { made, setting_up })
}
