//! The data of `brv vc status`.

use crate::doc;
use crate::journal;
use crate::ops::steps::merging::disputes::Disputed;
use crate::ops::steps::remotes::upstream::Upstream;
use crate::ops::steps::work_tree::state;
use crate::ops::vc::status::{Conflicted, Entry, Foreign, Outcome, SetUp};
use crate::wire::bytes::Bytes;
use crate::wire::change::Change;
use crate::wire::integrated::Stopped;
use crate::wire::text;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.status/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Status {
    /// The branch, unless `HEAD` is detached.
    pub branch: Option<String>,
    /// The commit, unless there is none yet.
    pub head: Option<String>,
    /// What the branch follows.
    pub upstream: Option<UpstreamState>,
    /// What the next pull stops at: the upstream has dropped commits that were taken in here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// Whether a merge waits for its decisions.
    pub merging: bool,
    /// What git is in the middle of, a merge included.
    pub in_progress: Vec<Unfinished>,
    /// The kind of the command that was interrupted, or is under way; the next one that writes puts it right.
    pub interrupted: Option<&'static str>,
    /// Nothing is staged, changed, untracked or in conflict.
    clean: bool,
    /// Recorded in the index, not yet committed.
    pub staged: Vec<Change>,
    /// Changed on disk, not yet recorded.
    pub unstaged: Vec<Change>,
    /// Knowledge that is not recorded at all.
    pub untracked: Vec<Bytes>,
    /// In conflict.
    pub conflicted: Vec<Conflict>,
    /// Not knowledge: never added unasked.
    pub foreign: Vec<ForeignFile>,
    /// Entries with subjects about which more than one thing is claimed.
    pub disputed: Vec<DisputedEntry>,
    /// Entries with conflict markers that no merge waits for; `brv vc repair` merges them again.
    pub marked: Vec<String>,
    /// How many derived files are missing or out of date.
    pub stale: usize,
    /// Whether brv has set the repository up: one that another tool made waits for `brv init`.
    #[serde(skip)]
    pub is_set_up: bool,
}

/// A command that has stopped on the way.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Unfinished {
    /// `merge`, `rebase`, `am`, `cherry-pick`, `revert` or `bisect`.
    pub kind: &'static str,
    /// The branch that a rebase moves or a bisect started on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// What is merged, picked or reverted, or what a rebase builds on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The command that continues it; one of git's is run in the tree.
    #[serde(rename = "continue")]
    pub continuing: &'static str,
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
pub struct DisputedEntry {
    /// Where it is.
    pub path: String,
    /// What is in dispute in it.
    pub subjects: Vec<Dispute>,
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

/// What the branch follows, and how far it is from it.
#[derive(Debug, JsonSchema, Serialize)]
pub struct UpstreamState {
    /// `origin/main`
    pub name: String,
    /// Both `null` when the upstream is not there.
    pub ahead: Option<usize>,
    /// Commits that it has and the branch has not.
    pub behind: Option<usize>,
}

/// A file in conflict.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Conflict {
    /// Where it is.
    pub path: Bytes,
    /// The sides that exist, of `base`, `ours`, `theirs`.
    pub sides: Vec<&'static str>,
}

/// A file that is no knowledge.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ForeignFile {
    /// Where it is.
    pub path: Bytes,
    /// Why brv leaves it alone.
    pub reason: &'static str,
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
            untracked: Bytes::of(&outcome.untracked),
            conflicted: outcome.conflicted.iter().map(Conflict::from).collect(),
            foreign: outcome.foreign.iter().map(ForeignFile::from).collect(),
            disputed: outcome.disputed.iter().map(DisputedEntry::from).collect(),
            marked: outcome.marked.iter().map(ToString::to_string).collect(),
            stale: outcome.stale,
            is_set_up: outcome.setting_up == SetUp::Done,
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
            path: Bytes::from(&file.path),
            sides: names.filter(|(_, there)| *there).map(|(name, _)| name).collect(),
        }
    }
}

impl From<&Foreign> for ForeignFile {
    fn from(file: &Foreign) -> Self {
        Self { path: Bytes::from(&file.path), reason: file.reason }
    }
}
