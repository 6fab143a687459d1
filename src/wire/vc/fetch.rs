//! The data of `brv vc fetch`.

use super::push::Unreached;
use crate::ops::vc::fetch::{self, Received};
use crate::wire::transfer::{History, Ref};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.fetch/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Fetch {
    /// From where, without secrets; of several remotes, the first.
    pub source: String,
    /// Refs that were asked for.
    pub refs: Vec<Ref>,
    /// How many objects were received.
    pub objects: usize,
    /// What became of how far the history goes back.
    pub history: History,
    /// The same for each remote.
    pub remotes: Vec<FetchedRemote>,
    /// Remotes that did not answer; the error says it.
    #[serde(skip)]
    pub failed: Vec<Unreached>,
}

/// What one remote had.
#[derive(Debug, JsonSchema, Serialize)]
pub struct FetchedRemote {
    /// From where, without secrets.
    pub source: String,
    /// Refs that were asked for.
    pub refs: Vec<Ref>,
    objects: usize,
    /// What became of how far the history goes back.
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
            history: received.history.into(),
        };
        let mut changed = outcome.received.iter().map(|received| received.history);
        let changed = changed.rfind(|history| *history != fetch::History::Unchanged);
        Self {
            source: outcome.received.first().map_or_else(String::new, |first| first.source.clone()),
            refs: outcome.received.iter().flat_map(refs).collect(),
            objects: outcome.received.iter().map(|received| received.fetched.objects).sum(),
            history: changed.unwrap_or_default().into(),
            remotes: outcome.received.iter().map(remote).collect(),
            failed: outcome.failed.iter().map(Unreached::from).collect(),
        }
    }
}
