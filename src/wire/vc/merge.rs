//! The data of `brv vc merge`.

use super::commit::NewCommit;
use crate::ops::vc::{commit, merge};
use crate::wire::change::Recovered;
use crate::wire::integrated::Integrated;
use crate::wire::text;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.merge/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Merge {
    /// What was merged, as it was named; absent for `--abort` and `--continue`.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// How it was brought in.
    #[serde(flatten)]
    pub brought: Option<Integrated>,
    /// What `--abort` put back.
    #[serde(skip_serializing_if = "Option::is_none")]
    aborted: Option<Aborted>,
    /// The commit that `--continue` made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<NewCommit>,
    /// An interrupted command that was put right first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<Recovered>,
}

/// A merge that was given up.
#[derive(Debug, JsonSchema, Serialize)]
struct Aborted {
    /// The commit that was being merged.
    theirs: String,
    /// What is again as it was before the merge.
    restored: Vec<String>,
    /// Files that were saved meanwhile, and stay as they are.
    left_alone: Vec<String>,
    /// Files that are not there, since others stand in a folder of that name, or a file on the way to them.
    blocked: Vec<String>,
    /// The operation that has every file as it was.
    operation: String,
}

impl From<&merge::Outcome> for Merge {
    fn from(outcome: &merge::Outcome) -> Self {
        Self {
            name: Some(outcome.name.clone()),
            brought: Some((&outcome.brought).into()),
            aborted: None,
            commit: None,
            recovered: outcome.recovered.as_ref().map(Recovered::from),
        }
    }
}

impl From<&merge::GivenUp> for Merge {
    fn from(given_up: &merge::GivenUp) -> Self {
        let aborted = &given_up.aborted;
        Self {
            name: None,
            brought: None,
            aborted: Some(Aborted {
                theirs: aborted.theirs.to_string(),
                restored: aborted.restored.iter().map(|path| text(path)).collect(),
                left_alone: aborted.left_alone.iter().map(|path| text(path)).collect(),
                blocked: aborted.blocked.iter().map(|path| text(path)).collect(),
                operation: aborted.operation.to_string(),
            }),
            commit: None,
            recovered: given_up.recovered.as_ref().map(Recovered::from),
        }
    }
}

impl From<&commit::Outcome> for Merge {
    fn from(outcome: &commit::Outcome) -> Self {
        let crate::wire::Commit { commit, recovered, .. } = outcome.into();
        Self { name: None, brought: None, aborted: None, commit, recovered }
    }
}
