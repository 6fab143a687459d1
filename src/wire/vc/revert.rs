//! The data of `brv vc revert`.

use super::diff::FileDifference;
use crate::ops::vc::revert::{self, Outcome};
use crate::wire::decision::{Conflict, Record, records};
use crate::wire::written::Written;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.revert/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Revert {
    /// Each commit, in order; up to the one with conflicts, if there are any.
    pub reverted: Vec<Reverted>,
    /// What must be decided: then nothing was written.
    pub conflicts: Vec<Conflict>,
    /// What was settled without a person.
    pub records: Vec<Record>,
    /// The files that changed here.
    pub files: Vec<FileDifference>,
    /// The rest.
    #[serde(flatten)]
    pub written: Written,
}

/// A commit that was taken back.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Reverted {
    /// Which.
    pub commit: String,
    /// The first line of its message.
    pub subject: String,
    /// The commit that takes it back; absent where nothing of it was left, with `--no-commit`, and in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl From<&Outcome> for Revert {
    fn from(outcome: &Outcome) -> Self {
        Self {
            reverted: outcome.reverted.iter().map(Reverted::from).collect(),
            conflicts: outcome.conflicts.iter().map(Conflict::from).collect(),
            records: records(&outcome.settled),
            files: outcome.files.iter().map(|file| FileDifference::new(file, false)).collect(),
            written: Written::from(&outcome.written),
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
