//! `brv status`: an overview of a project's tree.
//!
//! What `brv vc status` lists is counted here, from the same state.

use crate::config::Preference;
use crate::hooks::lines::overview;
use brv_base::clock::format_utc;
use brv_base::config::ConfigLayer;
use brv_base::path::{PathKind, TreePath};
use brv_base::process;
use brv_engine::Stop;
use brv_engine::derive;
use brv_engine::journal::{self, OperationId, Record};
use brv_engine::merge::disputes::Disputed;
use brv_engine::merge::guards::GuardStop;
use brv_engine::open::context::Context;
use brv_engine::review::{self, ReviewExtent};
use brv_engine::vc::remotes::listed::ListedRemote;
use brv_engine::vc::work_tree::state::{self, Unfinished, UpstreamState, WorkTreeStatus};
use brv_git as git;
use brv_git::CommitId;
use brv_git::hooks::script::HookLines;
use brv_git::remotes;
use brv_text::derive::FORMAT;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use crate::hooks::lines::overview::{Overview, Queue};
pub use brv_engine::vc::work_tree::state::SetUp;

#[derive(Debug, Clone)]
pub struct Options {
    /// What brv's git hooks consist of.
    pub hook_lines: &'static HookLines,
}

/// `brv.status/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Overall")]
pub struct Outcome {
    /// The folder that contains `.brv/`, absolute.
    pub project: String,
    /// The folder of the tree, absolute.
    pub tree: String,
    /// The work tree of the project's repository, if that tracks the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Number of entries, tracked or not.
    pub entries: usize,
    /// Number of entries that a sparse checkout, or the flag skip-worktree, keeps off this disk, if there are some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent: Option<usize>,
    /// Number of folders with a `context.md`.
    pub overviews: usize,
    /// Number of top-level folders with entries.
    pub domains: usize,
    /// The current branch; `null` if `HEAD` is detached.
    pub branch: Option<String>,
    /// The commit of `HEAD`; `null` if there is none yet.
    pub head: Option<CommitId>,
    /// The upstream of the branch.
    pub upstream: Option<UpstreamState>,
    /// The guard that will stop the next pull: the upstream has dropped commits that are merged here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<GuardStop>,
    /// Whether a merge is in progress.
    pub merging: bool,
    /// Git operations in progress, a merge included.
    pub in_progress: Vec<Unfinished>,
    /// Number of changed files; `brv vc status` lists them.
    pub changes: Changes,
    /// Entries with disputed subjects.
    pub disputed: Vec<Disputed>,
    /// Entries with conflict markers outside of a merge; `brv vc repair` redoes the merge.
    pub marked: Vec<TreePath>,
    /// Number of derived files that are missing or out of date.
    pub stale: usize,
    /// The remotes.
    pub remotes: Vec<ListedRemote>,
    /// Settings that are set explicitly; `brv config list` lists all.
    pub settings: Vec<Preference>,
    /// The newest operation.
    pub last_operation: Option<StatusOperation>,
    /// An interrupted operation; the next command that writes recovers it.
    pub interrupted: Option<StatusOperation>,
    /// Whether `brv vc gc` is due, because many objects are loose.
    pub gc_due: bool,
    /// What waits for review.
    pub review: ToReview,
    /// The git hooks, where they were installed once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hooks: Option<Overview>,
    /// Another program `brv`, which comes first on `PATH`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shadowed_by: Option<String>,
    /// The versions of brv and of its formats.
    pub formats: Formats,
    /// Whether brv has set the repository up.
    #[serde(skip)]
    pub setting_up: SetUp,
    /// The folder that the command was called in, for the text.
    #[serde(skip)]
    pub cwd: PathBuf,
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
#[schemars(rename = "Operation")]
pub struct StatusOperation {
    /// Its id.
    pub id: OperationId,
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

impl Changes {
    fn of(state: &WorkTreeStatus) -> Self {
        Self {
            staged: state.staged.len(),
            unstaged: state.unstaged.len(),
            untracked: state.untracked.len(),
            conflicted: state.conflicted.len(),
            foreign: state.foreign.len(),
        }
    }
}

impl From<Record> for StatusOperation {
    fn from(record: Record) -> Self {
        Self {
            kind: record.kind.word(),
            time: format_utc(record.seconds),
            id: record.id,
            reason: record.reason,
            actor: record.actor,
            session: record.session,
        }
    }
}

fn absent_entries(scope: &git::Scope, index: &git::Index) -> Option<usize> {
    let absent = derive::absent_paths(scope, index);
    let entries = absent.iter().filter(|path| path.kind() == PathKind::Entry).count();
    (entries > 0).then_some(entries)
}

/// Look at the project. Writes nothing except refreshed stat data in the index.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let survey = derive::quick_survey(&opened, git::index::read(scope)?)?;
    let curated = derive::curated_paths(scope, &survey)?;
    let entries = curated.iter().filter(|path| path.kind() == PathKind::Entry).count();
    let domains: BTreeSet<&str> =
        curated.iter().filter_map(|path| Some(path.as_str().split_once('/')?.0)).collect();
    let settings = opened.config.all().into_iter().filter(|shown| shown.source.layer != ConfigLayer::Default);
    let state = state::of(&opened, &survey)?;
    Ok(Outcome {
        project: lossy(&opened.places.project),
        tree: lossy(&scope.root()),
        host: (!scope.prefix().is_empty()).then(|| lossy(scope.work_tree())),
        entries,
        absent: absent_entries(scope, &survey.index),
        overviews: curated.len() - entries,
        domains: domains.len(),
        changes: Changes::of(&state),
        branch: state.branch,
        head: state.head,
        upstream: state.upstream,
        stopped: state.stopped,
        merging: state.merging,
        in_progress: state.in_progress,
        disputed: state.disputed,
        marked: state.marked,
        stale: state.stale,
        setting_up: state.setting_up,
        remotes: remotes::list(scope)?.iter().map(ListedRemote::from).collect(),
        settings: settings.map(|shown| Preference::from(&shown)).collect(),
        last_operation: journal::latest(scope)?.map(StatusOperation::from),
        interrupted: journal::pending(scope)?.map(StatusOperation::from),
        gc_due: git::gc::is_due(scope),
        review: ToReview { pending: review::read(&opened, ReviewExtent::Outgoing)?.pending().count() },
        hooks: overview::of(&opened, &cx.cwd, options.hook_lines)?,
        shadowed_by: process::shadowing(&cx.environment).map(|path| lossy(&path)),
        formats: Formats { brv: env!("CARGO_PKG_VERSION"), derived: FORMAT },
        cwd: cx.cwd.clone(),
    })
}

fn lossy(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
