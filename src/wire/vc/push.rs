//! JSON of `brv vc push`.

use crate::wire::finding::Finding;
use brv_commands::vc::push::{Evidence, Guard, InProgress, Outcome};
use brv_engine::outcome::bytes::text;
use brv_engine::vc::check::gate::Unreviewed;
use brv_engine::vc::remotes::transfer::{NewUpstream, Ref, Unreached};
use brv_engine::write::written::Logged;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.push/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Push {
    /// The address, without secrets.
    pub destination: String,
    /// The refs to update, at every address of the remote.
    pub refs: Vec<Ref>,
    objects: usize,
    bytes: u64,
    /// Messages from the servers.
    messages: Vec<String>,
    /// What blocked the push: errors in the commits that it would send.
    pub findings: Vec<Finding>,
    /// Changes that nobody has reviewed; they block it, or are a warning.
    #[serde(flatten)]
    pub unreviewed: Unreviewed,
    /// Addresses of the remote that failed while others succeeded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<Unreached>,
    /// Branches whose upstream was set.
    pub followed: Vec<NewUpstream>,
    /// The operation, only if an upstream changed; and a recovered command.
    #[serde(flatten)]
    pub written: Logged,
    /// Addresses that did not report the result of the push and were checked again; printed as a warning.
    #[serde(skip)]
    pub seen_again: Vec<String>,
    /// Allowed secrets that no outgoing commit has; printed as a warning.
    #[serde(skip)]
    pub unused: Vec<Guard>,
    /// The git operation in progress here; printed in a hint.
    #[serde(skip)]
    pub in_progress: Option<InProgress>,
}

impl From<&Outcome> for Push {
    fn from(outcome: &Outcome) -> Self {
        let several = outcome.pushed.len() + outcome.failed.len() + outcome.blocked.len() > 1;
        let blocked = outcome.blocked.iter().filter(|_| several).map(|address| Unreached {
            address: address.clone(),
            reason: "blocked by the findings".to_owned(),
        });
        let refs = outcome.pushed.iter().flat_map(|pushed| {
            let address = several.then(|| pushed.address.clone());
            pushed.outcome.refs.iter().zip(&pushed.sources).map(move |(moved, source)| Ref {
                address: address.clone(),
                source: source.as_ref().map(|name| text(name)),
                ..Ref::from(moved)
            })
        });
        let outcomes = || outcome.pushed.iter().map(|pushed| &pushed.outcome);
        Self {
            destination: outcome.destination.clone(),
            refs: refs.collect(),
            objects: outcomes().map(|outcome| outcome.objects).sum(),
            bytes: outcomes().map(|outcome| outcome.bytes).sum(),
            messages: outcomes().flat_map(|outcome| outcome.messages.clone()).collect(),
            findings: outcome.findings.iter().map(Finding::from).collect(),
            unreviewed: outcome.unreviewed.clone(),
            failed: outcome
                .failed
                .iter()
                .map(|(address, error)| Unreached { address: address.clone(), reason: error.to_string() })
                .chain(blocked)
                .collect(),
            followed: outcome.followed.clone(),
            written: Logged::from(&outcome.written),
            seen_again: outcome
                .pushed
                .iter()
                .filter(|pushed| pushed.outcome.evidence == Evidence::SeenAgain)
                .map(|pushed| pushed.address.clone())
                .collect(),
            unused: outcome.unused.clone(),
            in_progress: outcome.in_progress,
        }
    }
}
