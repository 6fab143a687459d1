//! Derived files: what a refresh did, and what a check found.

use crate::ops::derive::{Made, Outcome, SetUp};
use crate::ops::steps::refresh::{self, Kept, Why};
use schemars::JsonSchema;
use serde::Serialize;

/// What a refresh did to the derived files.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Refreshed {
    /// Written, because missing or out of date.
    pub written: Vec<String>,
    /// Removed, because what they were made from is gone.
    pub removed: Vec<String>,
    /// Left alone.
    pub kept: Vec<NotInOrder>,
}

/// A derived file that is not as it should be.
#[derive(Debug, JsonSchema, Serialize)]
pub struct NotInOrder {
    /// Where it is, or should be.
    pub path: String,
    /// What is the matter.
    pub why: &'static str,
}

/// `brv.derive/1`: one of the two is there.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Derive {
    /// Without `--check`.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub refreshed: Option<Refreshed>,
    /// With `--check`: empty when all is well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<Vec<NotInOrder>>,
    /// Whether brv has set the tree up; hints say it.
    #[serde(skip)]
    pub is_set_up: bool,
}

impl From<&Outcome> for Derive {
    fn from(outcome: &Outcome) -> Self {
        let (refreshed, found) = match &outcome.made {
            Made::Refreshed(done) => (Some(done.into()), None),
            Made::Checked(found) => (None, Some(found.iter().map(NotInOrder::from).collect())),
        };
        Self { refreshed, found, is_set_up: outcome.setting_up == SetUp::Done }
    }
}

impl From<&refresh::Outcome> for Refreshed {
    fn from(done: &refresh::Outcome) -> Self {
        Self {
            written: done.written.iter().map(ToString::to_string).collect(),
            removed: done.removed.iter().map(ToString::to_string).collect(),
            kept: done.kept.iter().map(NotInOrder::from).collect(),
        }
    }
}

impl From<&Kept> for NotInOrder {
    fn from(kept: &Kept) -> Self {
        let why = match kept.why {
            Why::Missing => "missing",
            Why::Outdated => "outdated",
            Why::Orphaned => "orphaned",
            Why::Altered => "altered",
            Why::Foreign => "foreign",
        };
        Self { path: kept.path.to_string(), why }
    }
}

/// The part of another command's data that says what became of the derived files; `None` when nothing came of it.
pub(super) fn refreshed(derived: Option<&Result<refresh::Outcome, refresh::Error>>) -> Option<Refreshed> {
    derived.and_then(|derived| derived.as_ref().ok()).map(Refreshed::from)
}

/// Why the derived files were not all made again.
pub(super) fn outdated(derived: Option<&Result<refresh::Outcome, refresh::Error>>) -> Option<String> {
    derived.and_then(|derived| derived.as_ref().err()).map(|error| super::message(error))
}
