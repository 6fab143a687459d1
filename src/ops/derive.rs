//! `brv derive`: regenerate the derived files from curated files, or only report which ones are out of date.

use super::Stop;
use super::context::Context;
use super::steps::archived;
pub use super::steps::archived::Malformed;
use super::steps::refresh::{self, Extent, ForeignFile};
pub use super::steps::work_tree::state::SetUp;

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

#[derive(Debug)]
pub struct Outcome {
    pub made: Made,
    /// Items of the field `archived` that are no records.
    pub malformed: Vec<Malformed>,
    /// Whether brv has set the tree up: in a tree that another tool made, `brv init` adopts that tool's derived files.
    pub setting_up: SetUp,
}

#[derive(Debug)]
pub enum Made {
    /// Files were brought up to date.
    Refreshed(refresh::Outcome),
    /// These files are missing or out of date; empty: all are current.
    Checked(Vec<ForeignFile>),
}

/// Refresh or check the derived files.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
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
