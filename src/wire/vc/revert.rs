//! The data of `brv vc revert`.

use super::diff::FileDifference;
use crate::ops::vc::revert::{self, Outcome};
use crate::wire::change::Recovered;
use crate::wire::decision::{Conflict, Record, records};
use crate::wire::derive::{Refreshed, refreshed};
use crate::wire::text;
use crate::wire::written::{Withheld, withheld};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.revert/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Revert {
    /// Each commit, in order; up to the one with conflicts, if there are any.
    reverted: Vec<Reverted>,
    /// What must be decided: then nothing was written.
    pub conflicts: Vec<Conflict>,
    /// What was settled without a person.
    pub records: Vec<Record>,
    /// The files that changed here.
    files: Vec<FileDifference>,
    /// Files that stay in the commit without being written.
    pub withheld: Vec<Withheld>,
    /// Files that were saved meanwhile, and stay as they are.
    left_alone: Vec<String>,
    /// Files that are not there, since others were put into a folder of that name meanwhile.
    blocked: Vec<String>,
    /// What it is in the journal; absent when nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    derived: Option<Refreshed>,
    /// An interrupted command that was put right first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<Recovered>,
}

/// A commit that was taken back.
#[derive(Debug, JsonSchema, Serialize)]
struct Reverted {
    /// Which.
    commit: String,
    subject: String,
    /// The commit that takes it back; absent where nothing of it was left, with `--no-commit`, and in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
}

impl From<&Outcome> for Revert {
    fn from(outcome: &Outcome) -> Self {
        Self {
            reverted: outcome.reverted.iter().map(Reverted::from).collect(),
            conflicts: outcome.conflicts.iter().map(Conflict::from).collect(),
            records: records(&outcome.settled),
            files: outcome.files.iter().map(|file| FileDifference::new(file, false)).collect(),
            withheld: withheld(&outcome.withheld),
            left_alone: outcome.left_alone.iter().map(|path| text(path)).collect(),
            blocked: outcome.blocked.iter().map(|path| text(path)).collect(),
            operation: outcome.operation.as_ref().map(ToString::to_string),
            derived: refreshed(outcome.derived.as_ref()),
            recovered: outcome.recovered.as_ref().map(Recovered::from),
        }
    }
}

impl From<&revert::Reverted> for Reverted {
    fn from(one: &revert::Reverted) -> Self {
        Self {
            commit: one.commit.to_string(),
            subject: one.subject.clone(),
            by: one.by.map(|id| id.to_string()),
        }
    }
}
