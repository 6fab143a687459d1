//! JSON of `brv status`: an overview of a project's tree.

use brv_base::clock::format_utc;
use brv_commands::config::Preference;
use brv_commands::hooks::lines::overview::Overview;
use brv_commands::status::Outcome;
use brv_engine::journal::Record;
use brv_engine::merge::disputes::Disputed;
use brv_engine::merge::guards::Stopped;
use brv_engine::read::history::gc_advice::Tidying;
use brv_engine::vc::remotes::listed::ListedRemote;
use brv_engine::vc::work_tree::state::{SetUp, State, Unfinished, UpstreamState};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.status/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Overall {
    /// The folder that contains `.brv/`, absolute.
    pub project: String,
    /// The folder of the tree, absolute.
    pub tree: String,
    /// The work tree of the project's repository, if that tracks the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Number of entries, tracked or not.
    pub entries: usize,
    /// Number of folders with a `context.md`.
    pub overviews: usize,
    /// Number of top-level folders with entries.
    pub domains: usize,
    /// The current branch; `null` if `HEAD` is detached.
    pub branch: Option<String>,
    /// The commit of `HEAD`; `null` if there is none yet.
    pub head: Option<String>,
    /// The upstream of the branch.
    pub upstream: Option<UpstreamState>,
    /// The guard that will stop the next pull: the upstream has dropped commits that are merged here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// Whether a merge is in progress.
    pub merging: bool,
    /// Git operations in progress, a merge included.
    pub in_progress: Vec<Unfinished>,
    /// Number of changed files; `brv vc status` lists them.
    pub changes: Changes,
    /// Entries with disputed subjects.
    pub disputed: Vec<Disputed>,
    /// Entries with conflict markers outside of a merge; `brv vc repair` redoes the merge.
    pub marked: Vec<String>,
    /// Number of derived files that are missing or out of date.
    pub stale: usize,
    /// The remotes.
    pub remotes: Vec<ListedRemote>,
    /// Settings that are set explicitly; `brv config list` lists all.
    pub settings: Vec<Preference>,
    /// The newest operation.
    pub last_operation: Option<Operation>,
    /// An interrupted operation; the next command that writes recovers it.
    pub interrupted: Option<Operation>,
    /// Whether `brv vc gc` is due, because many objects are loose.
    pub gc_due: bool,
    /// What waits for review.
    pub review: ToReview,
    /// The git hooks, where they were installed once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hooks: Option<Overview>,
    /// The versions of brv and of its formats.
    pub formats: Formats,
    /// Whether brv has set the repository up.
    #[serde(skip)]
    pub is_set_up: bool,
}

/// What waits for review; `brv review` lists it.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ToReview {
    /// Number of changes.
    pub pending: usize,
}

/// Numbers of changed files.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Changes {
    /// Staged.
    pub staged: usize,
    /// Changed on disk, not staged.
    pub unstaged: usize,
    /// Not tracked.
    pub untracked: usize,
    /// In conflict.
    pub conflicted: usize,
    /// Not managed by brv; added only with `--force`.
    pub foreign: usize,
}

/// A logged operation.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Operation {
    /// Its id.
    pub id: String,
    /// The command: `commit`, `pull`, …
    pub kind: &'static str,
    /// Why it was made.
    pub reason: String,
    /// The person or agent; empty if unknown.
    pub actor: String,
    /// The session of the actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When it was made, in UTC.
    pub time: String,
}

/// The versions of brv and of its formats.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Formats {
    /// The version of the program.
    pub brv: &'static str,
    /// The format version of derived files.
    pub derived: u32,
}

impl From<Outcome> for Overall {
    fn from(outcome: Outcome) -> Self {
        let state: State = outcome.state;
        Self {
            project: outcome.project.to_string_lossy().into_owned(),
            tree: outcome.tree.to_string_lossy().into_owned(),
            host: outcome.host.as_ref().map(|path| path.to_string_lossy().into_owned()),
            entries: outcome.entries,
            overviews: outcome.overviews,
            domains: outcome.domains,
            branch: state.branch,
            head: state.head.map(|id| id.to_string()),
            upstream: state.upstream,
            stopped: state.stopped,
            merging: state.merging,
            in_progress: state.in_progress,
            changes: Changes {
                staged: state.staged.len(),
                unstaged: state.unstaged.len(),
                untracked: state.untracked.len(),
                conflicted: state.conflicted.len(),
                foreign: state.foreign.len(),
            },
            disputed: state.disputed,
            marked: state.marked.iter().map(ToString::to_string).collect(),
            stale: state.stale,
            remotes: outcome.remotes.iter().map(ListedRemote::from).collect(),
            settings: outcome.settings.iter().map(Preference::from).collect(),
            last_operation: outcome.last.as_ref().map(Operation::from),
            interrupted: outcome.interrupted.as_ref().map(Operation::from),
            gc_due: outcome.tidying == Tidying::Due,
            review: ToReview { pending: outcome.pending },
            hooks: outcome.hooks,
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
