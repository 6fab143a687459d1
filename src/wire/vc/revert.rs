//! JSON of `brv vc revert`.

use super::diff::FileDifference;
use brv_commands::vc::revert::{self, Outcome};
use brv_engine::merge::reconcile::{Conflict, Record};
use brv_engine::write::written::Written;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.revert/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Revert {
    /// The reverted commits, in order; up to the first one with conflicts.
    pub reverted: Vec<Reverted>,
    /// Files in conflict; nothing was written if there are any.
    pub conflicts: Vec<Conflict>,
    /// Differences that were settled automatically.
    pub records: Vec<Record>,
    /// The changed files.
    pub files: Vec<FileDifference>,
    /// Effects on files, and the operation.
    #[serde(flatten)]
    pub written: Written,
}

/// A reverted commit.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Reverted {
    /// Its id.
    pub commit: String,
    /// The first line of its message.
    pub subject: String,
    /// The commit that reverts it; absent if there was nothing left to revert, with `--no-commit`, and in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl From<&Outcome> for Revert {
    fn from(outcome: &Outcome) -> Self {
        Self {
            reverted: outcome.reverted.iter().map(Reverted::from).collect(),
            conflicts: outcome.conflicts.clone(),
            records: Record::all(&outcome.settled),
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
