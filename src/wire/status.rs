//! The data of `brv status`: the whole picture of a project's tree.

use super::config::Preference;
use super::integrated::Stopped;
use super::vc::remote::Remote;
use super::vc::status::{DisputedEntry, Unfinished, UpstreamState};
use crate::clock::format_utc;
use crate::journal::Record;
use crate::ops::status::Outcome;
use crate::ops::steps::tidying::Tidying;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.status/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Overall {
    /// The folder that holds `.brv/`, absolute.
    project: String,
    /// The folder of the tree, absolute.
    tree: String,
    /// The work tree of the repository that tracks it, if it has none of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    /// Recorded or not.
    entries: usize,
    /// Folders that say what they are for, in a `context.md`.
    overviews: usize,
    /// Folders in the root that hold knowledge.
    domains: usize,
    branch: Option<String>,
    head: Option<String>,
    upstream: Option<UpstreamState>,
    /// What the next pull stops at: the upstream has dropped commits that were taken in here.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<Stopped>,
    /// Whether a merge waits for its decisions.
    merging: bool,
    /// What git is in the middle of, a merge included.
    in_progress: Vec<Unfinished>,
    /// How many files differ; `brv vc status` names them.
    changes: Changes,
    /// Entries with subjects about which more than one thing is claimed.
    disputed: Vec<DisputedEntry>,
    /// Entries with conflict markers that no merge waits for; `brv vc repair` merges them again.
    marked: Vec<String>,
    /// How many derived files are missing or out of date.
    stale: usize,
    remotes: Vec<Remote>,
    /// Those that somebody made; `brv config list` has all.
    settings: Vec<Preference>,
    last_operation: Option<Operation>,
    /// One that was interrupted; the next command that writes puts it right.
    interrupted: Option<Operation>,
    /// Whether many objects are loose: `brv vc gc` is due.
    gc_due: bool,
    formats: Formats,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Changes {
    staged: usize,
    unstaged: usize,
    untracked: usize,
    conflicted: usize,
    /// No knowledge, never added unasked.
    foreign: usize,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Operation {
    id: String,
    /// `commit`, `pull`, …
    kind: &'static str,
    reason: String,
    actor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// In UTC.
    time: String,
}

/// The versions of what this brv writes.
#[derive(Debug, JsonSchema, Serialize)]
struct Formats {
    /// The program's own.
    brv: &'static str,
    /// Of derived files.
    derived: u32,
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
