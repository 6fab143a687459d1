//! What the data of `brv vc fetch`, `push` and `pull` share: refs that moved, and how far the history goes back.

use super::text;
use crate::git::fetch::{Kind, Refusal, Update as FetchUpdate};
use crate::git::push::{Course, RefOutcome, Status};
use crate::ops::vc::fetch;
use schemars::JsonSchema;
use serde::Serialize;

/// How far the history goes back since a fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// As before.
    Unchanged,
    /// It ended in the middle, and is all here now.
    Whole,
    /// Further.
    Deepened,
    /// It ends in the middle, at other commits than before.
    Limited,
}

/// What became of one ref.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Ref {
    /// Its full name at the remote; empty for one that is gone there.
    pub remote: String,
    /// Its full name here, if it is remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local: Option<String>,
    /// Of a push: the full name of the ref here that it was made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The id it had.
    pub before: Option<String>,
    /// The id it has, or was to have.
    pub after: Option<String>,
    /// In a word: `new`, `moved`, `forced`, `unchanged`, `deleted`, `fetched`, `rejected`.
    pub status: Moved,
    /// Why it was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The ref here that keeps where it was: what it had was left behind by whoever rewrote its history, or is gone there and
    /// nothing else here has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rescue: Option<String>,
    /// At which address of the remote, if it has several; without secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

/// What was done with a ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Moved {
    /// It was made.
    New,
    /// It moved to a descendant.
    Moved,
    /// It moved to something else.
    Forced,
    /// It was there already.
    Unchanged,
    /// It is gone.
    Deleted,
    /// Its objects came, no ref here remembers it.
    Fetched,
    /// It was left as it was.
    Rejected,
}

impl From<fetch::History> for History {
    fn from(history: fetch::History) -> Self {
        match history {
            fetch::History::Unchanged => Self::Unchanged,
            fetch::History::Whole => Self::Whole,
            fetch::History::Deepened => Self::Deepened,
            fetch::History::Limited => Self::Limited,
        }
    }
}

impl From<&FetchUpdate> for Ref {
    fn from(update: &FetchUpdate) -> Self {
        let (status, reason) = match update.kind {
            Kind::New => (Moved::New, None),
            Kind::FastForward => (Moved::Moved, None),
            Kind::Forced => (Moved::Forced, None),
            Kind::Unchanged => (Moved::Unchanged, None),
            Kind::Unnamed => (Moved::Fetched, None),
            Kind::Deleted => (Moved::Deleted, None),
            Kind::Refused(refusal) => (Moved::Rejected, Some(refusal)),
        };
        let reason = reason.map(|refusal| match refusal {
            Refusal::NonFastForward => "non-fast-forward",
            Refusal::TagExists => "would change a tag",
            Refusal::CheckedOut => "is checked out",
            Refusal::ShallowRemote => "shallow update not allowed",
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
