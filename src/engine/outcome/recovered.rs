//! JSON for recovered commands.

use super::bytes::text;
use crate::journal;
use bstr::BString;
use schemars::JsonSchema;
use serde::Serialize;

/// An interrupted command that was recovered.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Recovered {
    /// The id of its operation.
    pub operation: String,
    /// The name of the command.
    pub kind: &'static str,
    /// How it was recovered.
    pub resolution: CommandResolution,
    /// Files that were edited since; left alone.
    pub left_alone: Vec<String>,
    /// Files that were not written, because other files are in the way.
    pub blocked: Vec<String>,
}

/// How an interrupted command was recovered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "Resolution")]
#[serde(rename_all = "snake_case")]
pub enum CommandResolution {
    /// The command was completed.
    Finished,
    /// Nothing was changed, because `HEAD` has moved since; the operation log keeps its snapshots.
    PutOnRecord,
    /// Files and index are as after it, but a reference could not be moved; its snapshots are on record.
    Hindered,
}

pub fn paths(paths: &[BString]) -> Vec<String> {
    paths.iter().map(|path| text(path)).collect()
}

impl From<&journal::Recovered> for Recovered {
    fn from(recovered: &journal::Recovered) -> Self {
        Self {
            operation: recovered.id.to_string(),
            kind: recovered.kind.word(),
            resolution: match recovered.resolution {
                journal::Resolution::Finished => CommandResolution::Finished,
                journal::Resolution::PutOnRecord => CommandResolution::PutOnRecord,
                journal::Resolution::Hindered => CommandResolution::Hindered,
            },
            left_alone: paths(&recovered.left_alone),
            blocked: paths(&recovered.blocked),
        }
    }
}
