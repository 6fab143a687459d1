//! The data of `brv status`: the whole picture of a project's tree.

use super::config::Preference;
use super::integrated::Stopped;
use super::vc::remote::Remote;
use super::vc::status::{DisputedEntry, Unfinished, UpstreamState};
use crate::clock::format_utc;
use crate::journal::Record;
use crate::ops::status::Outcome;
use crate::ops::steps::telling::gc_advice::Tidying;
use crate::ops::steps::work_tree::state::SetUp;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.status/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Overall {
    /// The folder that holds `.brv/`, absolute.
    pub project: String,
    /// The folder of the tree, absolute.
    pub tree: String,
    /// The work tree of the repository that tracks it, if it has none of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Recorded or not.
    pub entries: usize,
    /// Folders that say what they are for, in a `context.md`.
    pub overviews: usize,
    /// Folders in the root that hold knowledge.
    pub domains: usize,
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
    /// How many files differ; `brv vc status` names them.
    pub changes: Changes,
    /// Entries with subjects about which more than one thing is claimed.
    pub disputed: Vec<DisputedEntry>,
    /// Entries with conflict markers that no merge waits for; `brv vc repair` merges them again.
    pub marked: Vec<String>,
    /// How many derived files are missing or out of date.
    pub stale: usize,
    /// Where the tree is shared.
    pub remotes: Vec<Remote>,
    /// Those that somebody made; `brv config list` has all.
    pub settings: Vec<Preference>,
    /// The newest operation.
    pub last_operation: Option<Operation>,
    /// One that was interrupted; the next command that writes puts it right.
    pub interrupted: Option<Operation>,
    /// Whether many objects are loose: `brv vc gc` is due.
    pub gc_due: bool,
    /// The versions of what this brv writes.
    pub formats: Formats,
    /// Whether brv has set the repository up.
    #[serde(skip)]
    pub is_set_up: bool,
}

/// How many files differ.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Changes {
    /// Recorded in the index.
    pub staged: usize,
    /// Changed on disk.
    pub unstaged: usize,
    /// Not recorded at all.
    pub untracked: usize,
    /// In conflict.
    pub conflicted: usize,
    /// No knowledge, never added unasked.
    pub foreign: usize,
}

/// An operation on record.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Operation {
    /// Its name.
    pub id: String,
    /// `commit`, `pull`, …
    pub kind: &'static str,
    /// Why it was done.
    pub reason: String,
    /// Who did it.
    pub actor: String,
    /// In which session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// In UTC.
    pub time: String,
}

/// The versions of what this brv writes.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Formats {
    /// The program's own.
    pub brv: &'static str,
    /// Of derived files.
    pub derived: u32,
}

impl From<&Outcome> for Overall {
    fn from(outcome: &Outcome) -> Self {
        let state = &outcome.state;
        Self {
            project: outcome.project.to_string_lossy().into_owned(),
            tree: outcome.tree.to_string_lossy().into_owned(),
            host: outcome.host.as_ref().map(|path| path.to_string_lossy().into_owned()),
            entries: outcome.entries,
            overviews: outcome.overviews,
            domains: outcome.domains,
            branch: state.branch.clone(),
            head: state.head.map(|id| id.to_string()),
            upstream: state.upstream.as_ref().map(UpstreamState::from),
            stopped: state.rewritten.as_ref().map(Stopped::from),
            merging: state.merging.is_some(),
            in_progress: state.in_progress.iter().map(Unfinished::from).collect(),
            changes: Changes {
                staged: state.staged.len(),
                unstaged: state.unstaged.len(),
                untracked: state.untracked.len(),
                conflicted: state.conflicted.len(),
                foreign: state.foreign.len(),
            },
            disputed: state.disputed.iter().map(DisputedEntry::from).collect(),
            marked: state.marked.iter().map(ToString::to_string).collect(),
            stale: state.stale,
            remotes: outcome.remotes.iter().map(Remote::from).collect(),
            settings: outcome.settings.iter().map(Preference::from).collect(),
            last_operation: outcome.last.as_ref().map(Operation::from),
            interrupted: outcome.interrupted.as_ref().map(Operation::from),
            gc_due: outcome.tidying == Tidying::Due,
            formats: Formats { brv: outcome.formats.program, derived: outcome.formats.derived },
            is_set_up: state.setting_up == SetUp::Done,
        }
    }
}

impl From<&Record> for Operation {
    fn from(record: &Record) -> Self {
        Self {
            id: record.id.to_string(),
            kind: record.kind.word(),
            reason: record.reason.clone(),
            actor: record.actor.clone(),
            session: record.session.clone(),
            time: format_utc(record.seconds),
        }
    }
}
