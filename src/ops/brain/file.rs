//! `brv brain write` and `brv brain unwrite`: the summary in a file of the project, between two markers.

use crate::ops::{Context, Stop};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// `brv.brain.write/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BrainWrite")]
pub struct InFile {
    /// The file, relative to the project.
    pub file: String,
    /// What became of it.
    pub state: FileState,
}

/// `brv.brain.unwrite/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BrainUnwrite")]
pub struct Unwritten(pub InFile);

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "BrainFileState")]
pub enum FileState {
    /// The summary was written into it.
    Written,
    /// It is as it was.
    Unchanged,
    /// The summary was taken out of it.
    Removed,
}

/// Write the summary into a file.
///
/// # Errors
/// A file outside the project, or with markers that do not belong together: it is left alone.
pub fn write(_cx: &Context<'_>, _file: &Path) -> Result<InFile, Stop> {
    Err(Stop::usage("not available yet"))
}

/// Take the summary out of a file.
///
/// # Errors
/// As for [`write()`].
pub fn unwrite(_cx: &Context<'_>, _file: &Path) -> Result<Unwritten, Stop> {
    Err(Stop::usage("not available yet"))
}
