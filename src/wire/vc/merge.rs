//! JSON of `brv vc merge`.

use crate::wire::integrated::Integrated;
use brv_commands::vc::{commit, merge};
use brv_engine::outcome::recovered::{Recovered, paths};
use brv_engine::write::written::Written;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.merge/1`; paths are relative to the tree.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub struct Merge {
    /// What was merged, as named on the command line; absent for `--abort` and `--continue`.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The result of the merge.
    #[serde(flatten)]
    pub brought: Option<Integrated>,
    /// The result of `--abort`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aborted: Option<Aborted>,
    /// The commit that `--continue` made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<commit::Committed>,
    /// An interrupted command that was recovered first, if nothing was merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<Recovered>,
    /// Effects of `--continue` on files; printed as warnings.
    #[serde(skip)]
    pub written: Written,
}

/// An aborted merge.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Aborted {
    /// The commit that was being merged.
    pub theirs: String,
    /// Files that were restored to their state before the merge.
    pub restored: Vec<String>,
    /// Files that another program changed meanwhile; left alone.
    left_alone: Vec<String>,
    /// Files that were not written, because other files are in the way.
    blocked: Vec<String>,
    /// The operation, which keeps the replaced files.
    operation: String,
    /// Other effects on files; printed as warnings.
    #[serde(skip)]
    pub written: Written,
}

impl From<merge::Outcome> for Merge {
    fn from(outcome: merge::Outcome) -> Self {
        Self { name: Some(outcome.name), brought: Some(outcome.brought.into()), ..Self::default() }
    }
}

impl From<&merge::Aborted> for Merge {
    fn from(aborted: &merge::Aborted) -> Self {
        let written = &aborted.written;
        Self {
            aborted: Some(Aborted {
                theirs: aborted.theirs.to_string(),
                restored: paths(&aborted.restored),
                left_alone: paths(&written.left_alone),
                blocked: paths(&written.blocked),
                operation: written.operation.as_ref().map(ToString::to_string).unwrap_or_default(),
                written: Written::from(written),
            }),
            recovered: written.recovered.as_ref().map(Recovered::from),
            ..Self::default()
        }
    }
}

impl From<commit::Outcome> for Merge {
    fn from(outcome: commit::Outcome) -> Self {
        let commit::Outcome { commit, recovered, written, .. } = outcome;
        Self { commit, recovered, written, ..Self::default() }
    }
}
