//! JSON of `brv review reject`.

use super::undo::Undo;
use brv_commands::review::{Decided, reject};
use brv_engine::merge::reconcile::Conflict;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.review.reject/1`; paths are relative to the tree.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReviewReject {
    /// What was rejected; nothing if there are conflicts.
    pub decided: Vec<Decided>,
    /// The operation that takes it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Its commit, if one was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Files in conflict: nothing was written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
    /// Files that were restored but not committed, because they have uncommitted edits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncommitted: Vec<String>,
    /// What was taken back, for the text output.
    #[serde(skip)]
    pub undone: Option<Box<Undo>>,
}

impl From<reject::Outcome> for ReviewReject {
    fn from(outcome: reject::Outcome) -> Self {
        let mut undone = outcome.undone.map(|undone| Box::new(Undo::from(undone)));
        let conflicts = undone.as_mut().map(|undone| std::mem::take(&mut undone.conflicts));
        Self {
            decided: outcome.decided,
            operation: undone.as_ref().and_then(|undone| undone.written.rewritten.operation.clone()),
            commit: undone.as_ref().and_then(|undone| undone.commit.clone()),
            conflicts: conflicts.unwrap_or_default(),
            uncommitted: undone.as_ref().map(|undone| undone.uncommitted.clone()).unwrap_or_default(),
            undone,
        }
    }
}
