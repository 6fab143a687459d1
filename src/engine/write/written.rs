//! JSON for the effects of a command that writes: files left alone, derived files, the operation.

use crate::FailureKind;
use crate::derive;
use crate::journal::Recovered;
use crate::outcome::bytes::{Bytes, text};
use crate::write::operation;
use bstr::BString;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// Effects of a command that writes files.
#[derive(Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "Written")]
pub struct WrittenEffects {
    /// Files that are in the commit, but were not written.
    pub withheld: Vec<WithheldFile>,
    /// Files that another program changed meanwhile, or paths that are not files; left alone.
    pub left_alone: Vec<Bytes>,
    /// Files that were not written, because other files are in the way.
    pub blocked: Vec<Bytes>,
    /// The operation and the derived files.
    #[serde(flatten)]
    pub rewritten: Rewritten,
}

/// Effects of a command that writes no versions from history into the work tree.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub struct Rewritten {
    /// The logged operation, which keeps what was replaced; absent if nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Derived files that were updated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derived: Option<derive::Outcome>,
    /// Why not all derived files were updated; printed as a warning.
    #[serde(skip)]
    pub outdated: Option<String>,
    /// Whether that is since somebody interrupted it.
    #[serde(skip)]
    pub interrupted: bool,
    /// An interrupted command that was recovered first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<Recovered>,
}

/// Effects of a command that changes no files.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub struct Logged {
    /// The logged operation; absent if nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// An interrupted command that was recovered first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<Recovered>,
}

impl From<&operation::WriteOutcome> for WrittenEffects {
    fn from(written: &operation::WriteOutcome) -> Self {
        Self {
            withheld: withheld(&written.withheld),
            left_alone: Bytes::of(&written.left_alone),
            blocked: Bytes::of(&written.blocked),
            rewritten: Rewritten::from(written),
        }
    }
}

/// Outcomes that are their own JSON contain it as it is.
impl Serialize for operation::WriteOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WrittenEffects::from(self).serialize(serializer)
    }
}

impl JsonSchema for operation::WriteOutcome {
    fn schema_name() -> Cow<'static, str> {
        WrittenEffects::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        WrittenEffects::json_schema(generator)
    }
}

impl From<&operation::WriteOutcome> for Rewritten {
    fn from(written: &operation::WriteOutcome) -> Self {
        let Logged { operation, recovered } = Logged::from(written);
        let outdated = written.derived.as_ref().and_then(|derived| derived.as_ref().err());
        Self {
            operation,
            derived: written.refreshed().cloned(),
            outdated: outdated.map(|stop| stop.message.clone()),
            interrupted: outdated.is_some_and(|stop| stop.kind == FailureKind::Interrupted),
            recovered,
        }
    }
}

impl From<&operation::WriteOutcome> for Logged {
    fn from(written: &operation::WriteOutcome) -> Self {
        Self {
            operation: written.operation.as_ref().map(ToString::to_string),
            recovered: written.recovered.clone(),
        }
    }
}

/// Serialize only the operation and the derived files; the rest is for the warnings.
pub fn rewritten<S: Serializer>(written: &WrittenEffects, serializer: S) -> Result<S::Ok, S::Error> {
    written.rewritten.serialize(serializer)
}

/// A file that is in the commit, but was not written to disk.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Withheld")]
pub struct WithheldFile {
    /// Its path.
    pub path: String,
    /// Why it was not written.
    pub reason: &'static str,
}

pub fn withheld(files: &[(BString, &'static str)]) -> Vec<WithheldFile> {
    files.iter().map(|(path, reason)| WithheldFile { path: text(path), reason }).collect()
}
