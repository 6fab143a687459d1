//! The data of `brv vc fetch`, `push`, `pull` and `clone`.

use super::derive::{Refreshed, refreshed};
use super::integrated::Integrated;
use super::text;
use super::written::{Logged, Withheld, withheld};
use crate::git::fetch::{Kind, Refusal, Update as FetchUpdate};
use crate::git::push::{Course, RefOutcome, Status};
use crate::ops::steps::remotes::fetch_options;
use crate::ops::vc::{clone, fetch, pull, push};
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
}

/// What one remote had.
#[derive(Debug, JsonSchema, Serialize)]
pub struct FetchedRemote {
    source: String,
    refs: Vec<Ref>,
    objects: usize,
    history: History,
}

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

/// `brv.vc.push/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Push {
    /// Where to, without secrets.
    pub destination: String,
    /// Refs that were to move, at every address of the remote.
    pub refs: Vec<Ref>,
    objects: usize,
    bytes: u64,
    /// What the servers said to people.
    messages: Vec<String>,
    /// Addresses of the remote that failed when others did not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<Unreached>,
    /// Branches that follow a branch of the remote from now on.
    pub followed: Vec<Followed>,
    /// The rest; an operation only if any of them followed another, or none.
    #[serde(flatten)]
    written: Logged,
}

/// An address that nothing is known to have been pushed to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Unreached {
    /// Without secrets.
    pub address: String,
    /// Why.
    pub reason: String,
}

/// A branch and what it follows.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Followed {
    /// The branch here.
    pub branch: String,
    /// `origin/main`
    pub upstream: String,
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

/// `brv.vc.pull/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Pull {
    source: String,
    branch: String,
    objects: usize,
    history: History,
    /// How it was brought into the current branch.
    #[serde(flatten)]
    pub brought: Integrated,
}

/// `brv.vc.clone/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Clone {
    /// The folder of the tree, absolute.
    tree: String,
    source: String,
    branch: String,
    /// `null`: the remote has no commits.
    commit: Option<String>,
    objects: usize,
    /// Whether the history ends in the middle (`--depth`).
    shallow: bool,
    /// How many files were written.
    files: usize,
    /// Files that stay in the commit without being written.
    pub withheld: Vec<Withheld>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    derived: Option<Refreshed>,
}

impl From<&fetch::Outcome> for Fetch {
    fn from(outcome: &fetch::Outcome) -> Self {
        let refs = |received: &fetch::Received| -> Vec<Ref> {
            received.fetched.updates.iter().map(Ref::from).collect()
        };
        let remote = |received: &fetch::Received| FetchedRemote {
            source: received.source.clone(),
            refs: refs(received),
            objects: received.fetched.objects,
            history: received.history.into(),
        };
        let mut changed = outcome.received.iter().map(|received| received.history);
        let changed = changed.rfind(|history| *history != fetch_options::History::Unchanged);
        Self {
            source: outcome.received.first().map_or_else(String::new, |first| first.source.clone()),
            refs: outcome.received.iter().flat_map(refs).collect(),
            objects: outcome.received.iter().map(|received| received.fetched.objects).sum(),
            history: changed.unwrap_or_default().into(),
            remotes: outcome.received.iter().map(remote).collect(),
        }
    }
}

impl From<fetch_options::History> for History {
    fn from(history: fetch_options::History) -> Self {
        match history {
            fetch_options::History::Unchanged => Self::Unchanged,
            fetch_options::History::Whole => Self::Whole,
            fetch_options::History::Deepened => Self::Deepened,
            fetch_options::History::Limited => Self::Limited,
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

impl From<&push::Outcome> for Push {
    fn from(outcome: &push::Outcome) -> Self {
        let followed = |(branch, upstream): &(String, String)| Followed {
            branch: branch.clone(),
            upstream: upstream.clone(),
        };
        let several = outcome.pushed.len() + outcome.failed.len() > 1;
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
            failed: outcome
                .failed
                .iter()
                .map(|(address, error)| Unreached { address: address.clone(), reason: error.to_string() })
                .collect(),
            followed: outcome.followed.iter().map(followed).collect(),
            written: Logged::from(&outcome.written),
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

impl From<&pull::Outcome> for Pull {
    fn from(outcome: &pull::Outcome) -> Self {
        Self {
            source: outcome.source.clone(),
            branch: outcome.branch.clone(),
            objects: outcome.fetched.objects,
            history: outcome.history.into(),
            brought: (&outcome.brought).into(),
        }
    }
}

impl From<&clone::Outcome> for Clone {
    fn from(outcome: &clone::Outcome) -> Self {
        Self {
            tree: outcome.tree.to_string_lossy().into_owned(),
            source: outcome.source.clone(),
            branch: outcome.branch.clone(),
            commit: outcome.commit.map(|id| id.to_string()),
            objects: outcome.objects,
            shallow: outcome.shallow,
            files: outcome.files,
            withheld: withheld(&outcome.written.withheld),
            operation: outcome.written.operation.as_ref().map(ToString::to_string),
            derived: refreshed(outcome.written.derived.as_ref()),
        }
    }
}
