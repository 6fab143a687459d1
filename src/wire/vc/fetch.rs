//! JSON of `brv vc fetch`.

use brv_commands::vc::fetch::{self, Received};
use brv_engine::vc::remotes::fetch_options::History;
use brv_engine::vc::remotes::transfer::{Ref, Unreached};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.fetch/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Fetch {
    /// The address, without secrets; for several remotes, that of the first.
    pub source: String,
    /// The requested refs.
    pub refs: Vec<Ref>,
    /// Number of objects received.
    pub objects: usize,
    /// How the depth of the history changed.
    pub history: History,
    /// The result for each remote.
    pub remotes: Vec<FetchedRemote>,
    /// Remotes that could not be reached; reported in the error.
    #[serde(skip)]
    pub failed: Vec<Unreached>,
}

/// The result for one remote.
#[derive(Debug, JsonSchema, Serialize)]
pub struct FetchedRemote {
    /// The address, without secrets.
    pub source: String,
    /// The requested refs.
    pub refs: Vec<Ref>,
    objects: usize,
    /// How the depth of the history changed.
    pub history: History,
}

impl From<&fetch::Outcome> for Fetch {
    fn from(outcome: &fetch::Outcome) -> Self {
        let refs =
            |received: &Received| -> Vec<Ref> { received.fetched.updates.iter().map(Ref::from).collect() };
        let remote = |received: &Received| FetchedRemote {
            source: received.source.clone(),
            refs: refs(received),
            objects: received.fetched.objects,
            history: received.history,
        };
        let mut changed = outcome.received.iter().map(|received| received.history);
        let changed = changed.rfind(|history| *history != fetch::History::Unchanged);
        Self {
            source: outcome.received.first().map_or_else(String::new, |first| first.source.clone()),
            refs: outcome.received.iter().flat_map(refs).collect(),
            objects: outcome.received.iter().map(|received| received.fetched.objects).sum(),
            history: changed.unwrap_or_default(),
            remotes: outcome.received.iter().map(remote).collect(),
            failed: outcome
                .failed
                .iter()
                .map(|(address, error)| Unreached { address: address.clone(), reason: error.to_string() })
                .collect(),
        }
    }
}
