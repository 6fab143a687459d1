//! The data of `brv vc pull`.

use crate::ops::vc::pull::Outcome;
use crate::wire::integrated::Integrated;
use crate::wire::transfer::History;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.pull/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Pull {
    /// From where, without secrets.
    pub source: String,
    /// The branch there.
    pub branch: String,
    objects: usize,
    /// What became of how far the history goes back.
    pub history: History,
    /// How it was brought into the current branch.
    #[serde(flatten)]
    pub brought: Integrated,
}

impl From<Outcome> for Pull {
    fn from(outcome: Outcome) -> Self {
        Self {
            source: outcome.source,
            branch: outcome.branch,
            objects: outcome.fetched.objects,
            history: outcome.history.into(),
            brought: outcome.brought.into(),
        }
    }
}
