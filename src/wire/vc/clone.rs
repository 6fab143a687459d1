//! JSON of `brv vc clone`.

use brv_commands::vc::clone::Outcome;
use brv_engine::derive;
use brv_engine::write::written::{Withheld, Written, withheld};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.clone/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Clone {
    /// The folder of the tree, absolute.
    pub tree: String,
    source: String,
    /// The current branch.
    pub branch: String,
    /// The commit that was checked out; `null` if the remote has no commits.
    pub commit: Option<String>,
    objects: usize,
    /// Whether the history is shallow (`--depth`).
    shallow: bool,
    /// Number of files that were written.
    pub files: usize,
    /// Files that are in the commit, but were not written.
    withheld: Vec<Withheld>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    derived: Option<derive::Outcome>,
    /// Other effects on files; printed as warnings.
    #[serde(skip)]
    pub written: Written,
}

impl From<&Outcome> for Clone {
    fn from(outcome: &Outcome) -> Self {
        Self {
            tree: outcome.tree.to_string_lossy().into_owned(),
            source: outcome.source.clone(),
            branch: outcome.branch.clone(),
            commit: outcome.commit.map(|id| id.to_string()),
            objects: outcome.objects,
            shallow: outcome.shallow,
            files: outcome.files,
            withheld: withheld(&outcome.written.withheld),
            operation: outcome.written.operation.as_ref().map(ToString::to_string),
            derived: outcome.written.refreshed().cloned(),
            written: Written::from(&outcome.written),
        }
    }
}
