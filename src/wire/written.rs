//! What became of a command that writes, beside its own answer.

use super::bytes::Bytes;
use super::change::Recovered;
use super::derive::{Refreshed, outdated, refreshed};
use super::text;
use crate::ops::steps::writing;
use bstr::BString;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// What became of a command that writes, beside its own answer.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub struct Written {
    /// Files that stay in the commit without being written.
    pub withheld: Vec<Withheld>,
    /// Files that were saved meanwhile, or are no files, and stay as they are.
    pub left_alone: Vec<Bytes>,
    /// Files that are not there, since others stand in a folder of that name.
    pub blocked: Vec<Bytes>,
    /// The rest.
    #[serde(flatten)]
    pub rewritten: Rewritten,
}

/// The same of a command that brings no versions into the work tree.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub struct Rewritten {
    /// The operation in the journal, which has what was replaced; absent when nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Derived files that were made again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derived: Option<Refreshed>,
    /// Why the derived files were not all made again; a warning says it.
    #[serde(skip)]
    pub outdated: Option<String>,
    /// An interrupted command that was finished first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<Recovered>,
}

/// The same of a command that changes no file at all.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub struct Logged {
    /// The operation in the journal; absent when nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// An interrupted command that was finished first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<Recovered>,
}

impl From<&writing::Written> for Written {
    fn from(written: &writing::Written) -> Self {
        Self {
            withheld: withheld(&written.withheld),
            left_alone: Bytes::of(&written.left_alone),
            blocked: Bytes::of(&written.blocked),
            rewritten: Rewritten::from(written),
        }
    }
}

impl From<&writing::Written> for Rewritten {
    fn from(written: &writing::Written) -> Self {
        let Logged { operation, recovered } = Logged::from(written);
        let derived = written.derived.as_ref();
        Self { operation, derived: refreshed(derived), outdated: outdated(derived), recovered }
    }
}

impl From<&writing::Written> for Logged {
    fn from(written: &writing::Written) -> Self {
        Self {
            operation: written.operation.as_ref().map(ToString::to_string),
            recovered: written.recovered.as_ref().map(Recovered::from),
        }
    }
}

/// Only the part that a command without versions of its own tells in JSON; the rest is for the warnings.
pub(super) fn rewritten<S: Serializer>(written: &Written, serializer: S) -> Result<S::Ok, S::Error> {
    written.rewritten.serialize(serializer)
}

/// A file of a commit that is not written to disk.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Withheld {
    /// Where it would be.
    pub path: String,
    /// Why it is not.
    pub reason: &'static str,
}

pub(super) fn withheld(files: &[(BString, &'static str)]) -> Vec<Withheld> {
    files.iter().map(|(path, reason)| Withheld { path: text(path), reason }).collect()
}
