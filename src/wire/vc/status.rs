//! The data of `brv vc status`.

use crate::doc;
use crate::journal;
use crate::ops::steps::disputes::Disputed;
use crate::ops::steps::state;
use crate::ops::steps::upstream::Upstream;
use crate::ops::vc::status::{Conflicted, Entry, Foreign, Outcome};
use crate::wire::change::{Change, paths};
use crate::wire::integrated::Stopped;
use crate::wire::text;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.status/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Status {
    branch: Option<String>,
    head: Option<String>,
    upstream: Option<UpstreamState>,
    /// What the next pull stops at: the upstream has dropped commits that were taken in here.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<Stopped>,
    merging: bool,
    /// What git is in the middle of, a merge included.
    in_progress: Vec<Unfinished>,
    /// The kind of the command that was interrupted, or is under way; the next one that writes puts it right.
    interrupted: Option<&'static str>,
    /// Nothing is staged, changed, untracked or in conflict.
    clean: bool,
    staged: Vec<Change>,
    unstaged: Vec<Change>,
    untracked: Vec<String>,
    conflicted: Vec<Conflict>,
    foreign: Vec<ForeignFile>,
    /// Entries with subjects about which more than one thing is claimed.
    disputed: Vec<DisputedEntry>,
    /// Entries with conflict markers that no merge waits for; `brv vc repair` merges them again.
    marked: Vec<String>,
    /// How many derived files are missing or out of date.
    stale: usize,
}

/// A command that has stopped on the way.
#[derive(Debug, JsonSchema, Serialize)]
pub(in crate::wire) struct Unfinished {
    /// `merge`, `rebase`, `am`, `cherry-pick`, `revert` or `bisect`.
    kind: &'static str,
    /// The branch that a rebase moves or a bisect started on.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// What is merged, picked or reverted, or what a rebase builds on.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    /// The command that continues it; one of git's is run in the tree.
    #[serde(rename = "continue")]
    continuing: &'static str,
}

impl From<&state::Unfinished> for Unfinished {
    fn from(one: &state::Unfinished) -> Self {
        Self {
            kind: one.what.kind.word(),
            branch: one.what.branch.as_ref().map(|name| text(name)),
            commit: one.what.commit.map(|id| id.to_string()),
            continuing: one.continuing,
        }
    }
}

/// An entry with disputes.
#[derive(Debug, JsonSchema, Serialize)]
pub(in crate::wire) struct DisputedEntry {
    path: String,
    subjects: Vec<Dispute>,
}

/// A subject that is in dispute, or a heading below which both versions of a merge were kept.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Dispute {
    /// As `disputed` lists it.
    pub subject: String,
    /// What is claimed, in the order of the entry; empty for a heading.
    pub claims: Vec<Claim>,
}

/// One of several claims.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Claim {
    /// What `brv vc resolve --fact SUBJECT PATH --keep N` takes.
    pub number: usize,
    /// What it states.
    pub statement: String,
    /// The category at its end.
    pub category: Option<&'static str>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(in crate::wire) struct UpstreamState {
    name: String,
    /// Both `null` when the upstream is not there.
    ahead: Option<usize>,
    behind: Option<usize>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Conflict {
    path: String,
    /// The sides that exist, of `base`, `ours`, `theirs`.
    sides: Vec<&'static str>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct ForeignFile {
    path: String,
    reason: &'static str,
}

impl From<&Outcome> for Status {
    fn from(outcome: &Outcome) -> Self {
        let changes = |entries: &[Entry]| entries.iter().map(Change::from).collect::<Vec<_>>();
        let clean = outcome.staged.is_empty()
            && outcome.unstaged.is_empty()
            && outcome.untracked.is_empty()
            && outcome.conflicted.is_empty();
        Self {
            branch: outcome.branch.clone(),
            head: outcome.head.map(|id| id.to_string()),
            upstream: outcome.upstream.as_ref().map(UpstreamState::from),
            stopped: outcome.rewritten.as_ref().map(Stopped::from),
            merging: outcome.merging.is_some(),
            in_progress: outcome.in_progress.iter().map(Unfinished::from).collect(),
            interrupted: outcome.interrupted.map(journal::Kind::word),
            clean,
            staged: changes(&outcome.staged),
            unstaged: changes(&outcome.unstaged),
            untracked: paths(&outcome.untracked),
            conflicted: outcome.conflicted.iter().map(Conflict::from).collect(),
            foreign: outcome.foreign.iter().map(ForeignFile::from).collect(),
            disputed: outcome.disputed.iter().map(DisputedEntry::from).collect(),
            marked: outcome.marked.iter().map(ToString::to_string).collect(),
            stale: outcome.stale,
        }
    }
}

impl From<&Disputed> for DisputedEntry {
    fn from(entry: &Disputed) -> Self {
        Self { path: entry.path.to_string(), subjects: entry.disputes.iter().map(Dispute::from).collect() }
    }
}

impl From<&doc::Dispute> for Dispute {
    fn from(dispute: &doc::Dispute) -> Self {
        let claim = |(at, claim): (usize, &doc::Claim)| Claim {
            number: at + 1,
            statement: claim.statement.clone(),
            category: claim.category.map(doc::Category::as_str),
        };
        Self {
            subject: dispute.subject.clone(),
            claims: dispute.claims.iter().enumerate().map(claim).collect(),
        }
    }
}

impl From<&Upstream> for UpstreamState {
    fn from(upstream: &Upstream) -> Self {
        Self {
            name: upstream.name.clone(),
            ahead: upstream.distance.as_ref().map(|distance| distance.ahead),
            behind: upstream.distance.as_ref().map(|distance| distance.behind),
        }
    }
}

impl From<&Conflicted> for Conflict {
    fn from(file: &Conflicted) -> Self {
        let names = ["base", "ours", "theirs"].into_iter().zip(file.sides);
        Self {
            path: text(&file.path),
            sides: names.filter(|(_, there)| *there).map(|(name, _)| name).collect(),
        }
    }
}

impl From<&Foreign> for ForeignFile {
    fn from(file: &Foreign) -> Self {
        Self { path: text(&file.path), reason: file.reason }
    }
}
