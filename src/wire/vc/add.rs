//! JSON of `brv vc add`.

use crate::wire::finding::Finding;
use brv_commands::vc::add::{Guard, Outcome, Refused, Tidying};
use brv_engine::outcome::bytes::Bytes;
use brv_engine::write::written::Logged;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.add/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Add {
    /// New files that were staged.
    pub added: Vec<Bytes>,
    /// Tracked files whose new version was staged.
    pub updated: Vec<Bytes>,
    /// Files whose deletion was staged.
    pub removed: Vec<Bytes>,
    /// With `--intent-to-add`: new files, marked as to be added later.
    pub intended: Vec<Bytes>,
    /// Files that were not staged.
    pub refused: Vec<Refused>,
    /// Files that look like entries but are not, and were skipped: symlinks, repositories, `X.MD`.
    pub passed_over: Vec<Refused>,
    /// Errors in the staged files that would block a push.
    pub findings: Vec<Finding>,
    /// The operation, and a recovered command.
    #[serde(flatten)]
    pub written: Logged,
    /// Allowed secrets that no file has; printed as a warning.
    #[serde(skip)]
    pub unused: Vec<Guard>,
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
            refused: outcome.staged.refused.clone(),
            passed_over: outcome.staged.passed_over.clone(),
            findings: outcome.staged.findings.iter().map(Finding::from).collect(),
            written: Logged::from(&outcome.written),
            unused: outcome.unused.clone(),
            tidying: outcome.tidying,
        }
    }
}
