//! `brv derive`: regenerate the derived files from curated files, or only report which ones are out of date.

use super::FailureKind;
use super::cause::{Cause, caused};
use super::context::Context;
use super::steps::archived;
pub use super::steps::archived::Malformed;
use super::steps::refresh::{self, Extent, ForeignFile};
pub use super::steps::work_tree::state::SetUp;
use crate::ops::Fails;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Options {
    /// Generate the files that are missing or out of date.
    #[default]
    Refresh,
    /// Regenerate all files (`--all`).
    All,
    /// Write nothing; report the files that are missing or out of date (`--check`).
    Check,
}

/// What was done or found.
#[derive(Debug)]
pub struct Outcome {
    /// What was done or found.
    pub made: Made,
    /// Items of the field `archived` that are no records.
    pub malformed: Vec<Malformed>,
    /// Whether brv has set the tree up: in a tree that another tool made, `brv init` adopts that tool's derived files.
    pub setting_up: SetUp,
}

/// What was done or found.
#[derive(Debug)]
pub enum Made {
    /// Files were brought up to date.
    Refreshed(refresh::Outcome),
    /// These files are missing or out of date; empty: all are current.
    Checked(Vec<ForeignFile>),
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error(transparent)]
    Refresh(#[from] refresh::Error),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Refresh(error) => error.kind(),
        }
    }
}

caused!(Error);

/// Refresh or check the derived files.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let setting_up = SetUp::of(&opened.scope);
    let extent = match options {
        Options::Check => {
            let made = Made::Checked(refresh::check(&opened)?);
            return Ok(Outcome { made, malformed: archived::malformed(&opened)?, setting_up });
        }
        Options::Refresh => Extent::Missing,
        Options::All => Extent::All,
    };
    let made = Made::Refreshed(refresh::refresh(&opened, extent, cx.progress)?);
    Ok(Outcome { made, malformed: archived::malformed(&opened)?, setting_up })
}
