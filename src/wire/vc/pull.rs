//! JSON of `brv vc pull`.

use crate::wire::integrated::Integrated;
use brv_commands::vc::pull::Outcome;
use brv_engine::vc::remotes::fetch_options::History;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.pull/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Pull {
    /// The address, without secrets.
    pub source: String,
    /// The remote branch.
    pub branch: String,
    objects: usize,
    /// How the depth of the history changed.
    pub history: History,
    /// The result of the merge.
    #[serde(flatten)]
    pub brought: Integrated,
}

impl From<Outcome> for Pull {
    fn from(outcome: Outcome) -> Self {
        Self {
            source: outcome.source,
            branch: outcome.branch,
            objects: outcome.fetched.objects,
            history: outcome.history,
            brought: outcome.brought.into(),
        }
    }
}
