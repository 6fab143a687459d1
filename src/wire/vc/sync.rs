//! JSON of `brv vc sync`.

use crate::wire::finding::Finding;
use crate::wire::integrated::Integrated;
use brv_commands::vc::sync::{Guard, Outcome, Sent as WasSent};
use brv_engine::outcome::bytes::Bytes;
use brv_engine::vc::check::gate::Unreviewed;
use brv_engine::vc::remotes::transfer::NewUpstream;
use brv_git::push::Evidence;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.sync/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Sync {
    /// The address, without secrets.
    pub source: String,
    /// The remote branch.
    pub branch: String,
    /// Number of objects received.
    objects: usize,
    /// What was merged into the current branch; in a dry run, with conflicts, and with findings, what would be merged.
    #[serde(flatten)]
    pub brought: Integrated,
    /// What was pushed; absent if the remote lacked nothing, or if there are conflicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent: Option<Sent>,
    /// What blocked the push: errors in the commits that it would send. If there are any, nothing was changed.
    pub findings: Vec<Finding>,
    /// Changes that nobody has reviewed; they block it, or are a warning.
    #[serde(flatten)]
    pub unreviewed: Unreviewed,
    /// The branch whose upstream was set.
    pub followed: Vec<NewUpstream>,
    /// The operation that set the upstream, if nothing was merged in the same operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follow_operation: Option<String>,
    /// Number of attempts; more than one if others pushed first or the connection broke.
    pub tries: u32,
    /// Files that are not committed, and so not synced.
    pub uncommitted: Vec<Bytes>,
    /// Allowed secrets that no outgoing commit has; printed as a warning.
    #[serde(skip)]
    pub unused: Vec<Guard>,
}

/// What was pushed.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Sent {
    /// The old commit of the remote branch; `null` if it is new or unknown.
    pub before: Option<String>,
    /// The new commit of the remote branch.
    pub after: String,
    /// Number of commits pushed.
    pub commits: usize,
    objects: usize,
    bytes: u64,
    /// Messages from the server.
    messages: Vec<String>,
    /// Whether the connection broke, and the result was confirmed by checking the remote again.
    seen_again: bool,
}

impl From<Outcome> for Sync {
    fn from(outcome: Outcome) -> Self {
        Self {
            source: outcome.source,
            branch: outcome.branch,
            objects: outcome.objects,
            brought: outcome.brought.into(),
            sent: outcome.sent.as_ref().map(Sent::from),
            findings: outcome.findings.iter().map(Finding::from).collect(),
            unreviewed: outcome.unreviewed,
            followed: outcome.followed.into_iter().collect(),
            follow_operation: outcome.operation.as_ref().map(ToString::to_string),
            tries: outcome.tries,
            uncommitted: Bytes::of(&outcome.uncommitted),
            unused: outcome.unused,
        }
    }
}

impl From<&WasSent> for Sent {
    fn from(sent: &WasSent) -> Self {
        Self {
            before: sent.before.map(|id| id.to_string()),
            after: sent.after.to_string(),
            commits: sent.commits,
            objects: sent.objects,
            bytes: sent.bytes,
            messages: sent.messages.clone(),
            seen_again: sent.evidence == Evidence::SeenAgain,
        }
    }
}
