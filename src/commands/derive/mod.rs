//! `brv derive`: regenerate the derived files from curated files, or only report which ones are out of date.

pub mod embed;
pub mod model;
mod writing;

use brv_engine::Stop;
use brv_engine::derive::{self, Extent};
pub use brv_engine::derive::{ForeignFile, Outcome as Refreshed, Why};
use brv_engine::open::context::Context;
use brv_engine::read::archive;
pub use brv_engine::read::archive::Malformed;
pub use brv_engine::vc::work_tree::state::SetUp;
use schemars::JsonSchema;
use serde::Serialize;

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

/// `brv.derive/1`: the result of an update, or of `--check`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Derive")]
pub struct Outcome {
    /// Without `--check`: what was updated.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub refreshed: Option<Refreshed>,
    /// With `--check`: files that are out of order; empty if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<Vec<ForeignFile>>,
}

/// The warnings beside the outcome.
#[derive(Debug)]
pub struct DeriveWarnings {
    /// Items of the field `archived` that are not records.
    pub malformed: Vec<Malformed>,
    /// Whether brv has set the tree up: in a tree that another tool made, `brv init` adopts that tool's derived files.
    pub setting_up: SetUp,
}

/// Refresh or check the derived files.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<(Outcome, DeriveWarnings), Stop> {
    let opened = cx.open()?;
    let setting_up = SetUp::of(&opened.scope);
    let refreshed = |extent| derive::refresh(&opened, extent, cx.progress);
    let outcome = match options {
        Options::Check => Outcome { refreshed: None, found: Some(derive::check(&opened)?) },
        Options::Refresh => Outcome { refreshed: Some(refreshed(Extent::Missing)?), found: None },
        Options::All => Outcome { refreshed: Some(refreshed(Extent::All)?), found: None },
    };
    Ok((outcome, DeriveWarnings { malformed: archive::malformed(&opened)?, setting_up }))
}
