//! The data of `brv vc rm`.

use super::change::{Recovered, paths};
use super::derived::{Refreshed, refreshed};
use super::links::Link;
use crate::ops::vc::rm::Outcome;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.rm/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Rm {
    /// Files that are not recorded any more, or would not be.
    pub removed: Vec<String>,
    /// Links that led to them, and lead nowhere now; not with `--cached`.
    dangling: Vec<Link>,
    /// Files that were saved meanwhile and stay as they are.
    pub left_alone: Vec<String>,
    /// What it is in the journal; absent when nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    derived: Option<Refreshed>,
    /// An interrupted command that was put right first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<Recovered>,
}

impl From<&Outcome> for Rm {
    fn from(outcome: &Outcome) -> Self {
        Self {
            removed: paths(&outcome.removed),
            dangling: outcome.dangling.iter().map(Link::from).collect(),
            left_alone: paths(&outcome.left_alone),
            operation: outcome.operation.as_ref().map(ToString::to_string),
            derived: refreshed(outcome.derived.as_ref()),
            recovered: outcome.recovered.as_ref().map(Recovered::from),
        }
    }
}
