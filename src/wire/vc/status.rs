//! JSON of `brv vc status`.

use crate::wire::integrated::Stopped;
use brv_commands::vc::status::{Conflicted, Foreign, Outcome, SetUp};
use brv_engine::journal;
use brv_engine::merge::disputes::Disputed;
use brv_engine::open::naming::upstream::Upstream;
use brv_engine::outcome::bytes::{Bytes, text};
use brv_engine::outcome::change::Change;
use brv_engine::vc::work_tree::state;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.status/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Status {
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
    /// The command that was interrupted, or is running; the next command that writes recovers it.
    pub interrupted: Option<&'static str>,
    /// Whether nothing is staged, changed, untracked or in conflict.
    clean: bool,
    /// Staged changes.
    pub staged: Vec<Change>,
    /// Changes on disk that are not staged.
    pub unstaged: Vec<Change>,
    /// Untracked files.
    pub untracked: Vec<Bytes>,
    /// Files in conflict.
    pub conflicted: Vec<Conflict>,
    /// Files not managed by brv; added only with `--force`.
    pub foreign: Vec<ForeignFile>,
    /// Entries with disputed subjects.
    pub disputed: Vec<Disputed>,
    /// Entries with conflict markers outside of a merge; `brv vc repair` redoes the merge.
    pub marked: Vec<String>,
    /// Number of derived files that are missing or out of date.
    pub stale: usize,
    /// Whether brv has set up the repository; one made by another tool needs `brv init`.
    #[serde(skip)]
    pub is_set_up: bool,
}

/// A git operation in progress.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Unfinished {
    /// `merge`, `rebase`, `am`, `cherry-pick`, `revert` or `bisect`.
    pub kind: &'static str,
    /// The branch that is rebased, or that a bisect started on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit that is merged, cherry-picked or reverted, or that a rebase is onto.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The command that continues it; git commands are to be run in the tree.
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

/// The upstream of a branch, and the distance to it.
#[derive(Debug, JsonSchema, Serialize)]
pub struct UpstreamState {
    /// Its name: `origin/main`
    pub name: String,
    /// Number of commits that the upstream lacks; `null` if the upstream does not exist.
    pub ahead: Option<usize>,
    /// Number of commits that the branch lacks; `null` if the upstream does not exist.
    pub behind: Option<usize>,
}

/// A file in conflict.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Conflict {
    /// Its path.
    pub path: Bytes,
    /// The versions that exist: `base`, `ours`, `theirs`.
    pub sides: Vec<&'static str>,
}

/// A file that brv does not manage.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ForeignFile {
    /// Its path.
    pub path: Bytes,
    /// Why brv does not manage it.
    pub reason: &'static str,
}

impl From<&Outcome> for Status {
    fn from(outcome: &Outcome) -> Self {
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
            staged: outcome.staged.clone(),
            unstaged: outcome.unstaged.clone(),
            untracked: Bytes::of(&outcome.untracked),
            conflicted: outcome.conflicted.iter().map(Conflict::from).collect(),
            foreign: outcome.foreign.iter().map(ForeignFile::from).collect(),
            disputed: outcome.disputed.clone(),
            marked: outcome.marked.iter().map(ToString::to_string).collect(),
            stale: outcome.stale,
            is_set_up: outcome.setting_up == SetUp::Done,
        }
    }
}

impl From<&Upstream> for UpstreamState {
    fn from(upstream: &Upstream) -> Self {
        Self { name: upstream.name.clone(), ahead: upstream.ahead, behind: upstream.behind }
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
