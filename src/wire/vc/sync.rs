//! The data of `brv vc sync`.

use crate::git::push::Evidence;
use crate::ops::vc::sync::{Outcome, Sent as WasSent};
use crate::wire::Followed;
use crate::wire::bytes::Bytes;
use crate::wire::integrated::Integrated;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.sync/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Sync {
    /// With whom, without secrets.
    pub source: String,
    /// The branch there.
    pub branch: String,
    /// How many objects came.
    objects: usize,
    /// What came into the current branch. In a dry run, and where there are conflicts, nothing did: it is what would.
    #[serde(flatten)]
    pub brought: Integrated,
    /// What the remote got; absent where it lacked nothing, or where conflicts are to be decided first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent: Option<Sent>,
    /// The branch that follows it from now on, if it did not before.
    pub followed: Vec<Followed>,
    /// What it is in the journal that it follows it, where nothing came that it could be a part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follow_operation: Option<String>,
    /// How many tries it took, since others were faster or the connection broke.
    pub tries: u32,
    /// Knowledge that is in no commit, and so took no part.
    pub uncommitted: Vec<Bytes>,
}

/// What the remote got.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Sent {
    /// Where the branch was there; `null`: it is new, or it is not known.
    pub before: Option<String>,
    /// Where it is.
    pub after: String,
    /// How many commits it did not have.
    pub commits: usize,
    objects: usize,
    bytes: u64,
    /// What the server said to people.
    messages: Vec<String>,
    /// Whether the server said so, or the connection broke and the remote was found to have it.
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
            followed: outcome.followed.iter().map(Followed::from).collect(),
            follow_operation: outcome.operation.as_ref().map(ToString::to_string),
            tries: outcome.tries,
            uncommitted: Bytes::of(&outcome.uncommitted),
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
