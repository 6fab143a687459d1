//! The data of `brv vc add`.

use crate::ops::vc::add::{Outcome, Tidying};
use crate::wire::bytes::Bytes;
use crate::wire::change::Refused;
use crate::wire::finding::Finding;
use crate::wire::written::Logged;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.add/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Add {
    /// New files.
    pub added: Vec<Bytes>,
    /// Files that were recorded otherwise.
    pub updated: Vec<Bytes>,
    /// Files that are gone.
    pub removed: Vec<Bytes>,
    /// With `--intent-to-add`: new files whose content comes later.
    pub intended: Vec<Bytes>,
    /// Files that were not recorded.
    pub refused: Vec<Refused>,
    /// What looks like knowledge and is none, and was left out: links, repositories, `X.MD`.
    pub passed_over: Vec<Refused>,
    /// What a push would stop at in the files that were recorded.
    pub findings: Vec<Finding>,
    /// The rest.
    #[serde(flatten)]
    pub written: Logged,
    /// Whether `brv vc gc` is due.
    #[serde(skip)]
    pub tidying: Tidying,
}

impl From<&Outcome> for Add {
    fn from(outcome: &Outcome) -> Self {
        Self {
            added: Bytes::of(&outcome.staged.added),
            updated: Bytes::of(&outcome.staged.updated),
            removed: Bytes::of(&outcome.staged.removed),
            intended: Bytes::of(&outcome.staged.intended),
            refused: outcome.staged.refused.iter().map(Refused::from).collect(),
            passed_over: outcome.staged.passed_over.iter().map(Refused::from).collect(),
            findings: outcome.flaws.iter().map(Finding::from).collect(),
            written: Logged::from(&outcome.written),
            tidying: outcome.tidying,
        }
    }
}
