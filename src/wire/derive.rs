//! JSON for derived files: what was regenerated, and what a check found.

use crate::ops::derive::{Made, Outcome, SetUp};
use crate::ops::steps::archived::Malformed;
use crate::ops::steps::refresh::{self, ForeignFile, Why};
use schemars::JsonSchema;
use serde::Serialize;

/// Derived files that were updated.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Refreshed {
    /// Files written, because they were missing or out of date.
    pub written: Vec<String>,
    /// Files removed, because their source was deleted.
    pub removed: Vec<String>,
    /// Files left alone.
    pub kept: Vec<NotInOrder>,
    /// Archived entries whose content is not in this clone, such as a shallow one: they have no stub.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// A derived file that is out of order.
#[derive(Debug, JsonSchema, Serialize)]
pub struct NotInOrder {
    /// Its path.
    pub path: String,
    /// `missing`, `outdated`, `orphaned`, `altered` or `foreign`.
    pub why: &'static str,
}

/// `brv.derive/1`: the result of an update, or of `--check`.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Derive {
    /// Without `--check`: what was updated.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub refreshed: Option<Refreshed>,
    /// With `--check`: files that are out of order; empty if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<Vec<NotInOrder>>,
    /// Items of the field `archived` that are no records; printed as warnings.
    #[serde(skip)]
    pub malformed: Vec<Malformed>,
    /// Whether brv has set up the tree; printed as a hint.
    #[serde(skip)]
    pub is_set_up: bool,
}

impl From<&Outcome> for Derive {
    fn from(outcome: &Outcome) -> Self {
        let (refreshed, found) = match &outcome.made {
            Made::Refreshed(done) => (Some(done.into()), None),
            Made::Checked(found) => (None, Some(found.iter().map(NotInOrder::from).collect())),
        };
        let malformed = outcome.malformed.clone();
        Self { refreshed, found, malformed, is_set_up: outcome.setting_up == SetUp::Done }
    }
}

impl From<&refresh::Outcome> for Refreshed {
    fn from(done: &refresh::Outcome) -> Self {
        Self {
            written: done.written.iter().map(ToString::to_string).collect(),
            removed: done.removed.iter().map(ToString::to_string).collect(),
            kept: done.kept.iter().map(NotInOrder::from).collect(),
            missing: done.missing.iter().map(ToString::to_string).collect(),
        }
    }
}

impl From<&ForeignFile> for NotInOrder {
    fn from(kept: &ForeignFile) -> Self {
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

/// The derived files that another command updated; `None` if it updated none.
pub(super) fn refreshed(derived: Option<&Result<refresh::Outcome, refresh::Error>>) -> Option<Refreshed> {
    derived.and_then(|derived| derived.as_ref().ok()).map(Refreshed::from)
}

/// Why not all derived files were updated.
pub(super) fn outdated(derived: Option<&Result<refresh::Outcome, refresh::Error>>) -> Option<String> {
    derived.and_then(|derived| derived.as_ref().err()).map(|error| super::message(error))
}
