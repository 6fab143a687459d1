//! JSON of what was fetched and pushed: updated refs, new upstreams, and addresses that could not be reached.

use crate::outcome::bytes::text;
use brv_git::fetch::{FetchRefusal, FetchUpdateKind, Update as FetchUpdate};
use brv_git::push::{Course, RefOutcome, Status};
use schemars::JsonSchema;
use serde::Serialize;

/// What happened to a ref.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct Ref {
    /// Its full name at the remote; empty if it was deleted there.
    pub remote: String,
    /// The full name of its remote-tracking ref, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local: Option<String>,
    /// For a push: the full name of the local ref that was pushed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Its old id.
    pub before: Option<String>,
    /// Its new id, or the id of a rejected update.
    pub after: Option<String>,
    /// `new`, `moved`, `forced`, `unchanged`, `deleted`, `fetched` or `rejected`.
    pub status: Moved,
    /// Why it was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The local ref that keeps its old commits, if its history was rewritten, or if it was deleted and no other ref
    /// has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rescue: Option<String>,
    /// The address, if the remote has several; without secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

/// What happened to a ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Moved {
    /// The ref was created.
    New,
    /// The ref was fast-forwarded.
    Moved,
    /// The ref was updated without a fast-forward.
    Forced,
    /// The ref was up to date.
    Unchanged,
    /// The ref was deleted.
    Deleted,
    /// Its objects were fetched, without a remote-tracking ref.
    Fetched,
    /// The update was rejected.
    Rejected,
}

/// A branch and its new upstream.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "Followed")]
pub struct NewUpstream {
    /// The local branch.
    pub branch: String,
    /// The upstream: `origin/main`
    pub upstream: String,
}

/// An address that could not be reached.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Unreached {
    /// The address, without secrets.
    pub address: String,
    /// Why it failed.
    pub reason: String,
}

impl From<&FetchUpdate> for Ref {
    fn from(update: &FetchUpdate) -> Self {
        let (status, reason) = match update.kind {
            FetchUpdateKind::New => (Moved::New, None),
            FetchUpdateKind::FastForward => (Moved::Moved, None),
            FetchUpdateKind::Forced => (Moved::Forced, None),
            FetchUpdateKind::Unchanged => (Moved::Unchanged, None),
            FetchUpdateKind::Unnamed => (Moved::Fetched, None),
            FetchUpdateKind::Deleted => (Moved::Deleted, None),
            FetchUpdateKind::Refused(refusal) => (Moved::Rejected, Some(refusal)),
        };
        let reason = reason.map(|refusal| match refusal {
            FetchRefusal::NonFastForward => "non-fast-forward",
            FetchRefusal::TagExists => "would change a tag",
            FetchRefusal::CheckedOut => "is checked out",
            FetchRefusal::ShallowRemote => "shallow update not allowed",
        });
        Self {
            remote: text(&update.remote),
            local: update.local.as_ref().map(|name| text(name)),
            source: None,
            before: update.before.map(|id| id.to_string()),
            after: update.after.map(|id| id.to_string()),
            status,
            reason: reason.map(Into::into),
            rescue: update.rescue.as_ref().map(|name| text(name)),
            address: None,
        }
    }
}

impl From<&RefOutcome> for Ref {
    fn from(moved: &RefOutcome) -> Self {
        let reason = match &moved.status {
            Status::Ok | Status::UpToDate => None,
            Status::NonFastForward => Some("non-fast-forward".to_string()),
            Status::FetchFirst => Some("fetch first".into()),
            Status::StaleLease => Some("stale lease".into()),
            Status::TagExists => Some("would change a tag".into()),
            Status::NotAsked => Some("another ref was rejected".into()),
            Status::Rejected(reason) => Some(reason.clone()),
        };
        let status = match (&moved.status, moved.before, moved.after) {
            (Status::UpToDate, ..) => Moved::Unchanged,
            (Status::Ok, None, _) => Moved::New,
            (Status::Ok, _, None) => Moved::Deleted,
            (Status::Ok, ..) if moved.course == Course::Elsewhere => Moved::Forced,
            (Status::Ok, ..) => Moved::Moved,
            _ => Moved::Rejected,
        };
        Self {
            remote: text(&moved.destination),
            local: None,
            source: None,
            before: moved.before.map(|id| id.to_string()),
            after: moved.after.map(|id| id.to_string()),
            status,
            reason,
            rescue: moved.rescue.as_ref().map(|name| text(name)),
            address: None,
        }
    }
}
