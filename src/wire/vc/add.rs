//! The data of `brv vc add`.

use crate::ops::vc::add::Outcome;
use crate::wire::change::{Refused, paths};
use crate::wire::finding::Finding;
use crate::wire::written::Logged;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.add/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Add {
    added: Vec<String>,
    updated: Vec<String>,
    removed: Vec<String>,
    /// With `--intent-to-add`: new files whose content comes later.
    intended: Vec<String>,
    /// Files that were not recorded.
    pub refused: Vec<Refused>,
    /// What looks like knowledge and is none, and was left out: links, repositories, `X.MD`.
    pub passed_over: Vec<Refused>,
    /// What a push would stop at in the files that were recorded.
    pub findings: Vec<Finding>,
    /// The rest.
    #[serde(flatten)]
    written: Logged,
}

impl From<&Outcome> for Add {
    fn from(outcome: &Outcome) -> Self {
        Self {
            added: paths(&outcome.staged.added),
            updated: paths(&outcome.staged.updated),
            removed: paths(&outcome.staged.removed),
            intended: paths(&outcome.staged.intended),
            refused: outcome.staged.refused.iter().map(Refused::from).collect(),
            passed_over: outcome.staged.passed_over.iter().map(Refused::from).collect(),
            findings: outcome.flaws.iter().map(Finding::from).collect(),
            written: Logged::from(&outcome.written),
        }
    }
}
