//! The status of the tree: the differences between `HEAD`, the index and the disk, the upstream, and out-of-date
//! derived files.

use crate::derive;
use crate::journal;
use crate::merge::disputes::{self, Disputed};
use crate::merge::guards::{self, GuardStop};
use crate::open::context::Opened;
use crate::open::naming::upstream;
use crate::open::survey::{Class, Survey, UnstagedFile};
use crate::outcome::bytes::{Bytes, text};
use crate::outcome::change::{PathChange, What};
use crate::{Keeper, Stop};
use brv_base::path::TreePath;
use brv_base::sorting;
use brv_git as git;
use brv_git::CommitId;
use brv_git::in_progress::InProgress;
use brv_git::status::Now;
use brv_git::trees::Renames;
use brv_git::{in_progress, merge_state};
use bstr::{BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.status/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Status")]
pub struct WorkTreeStatus {
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
    /// The command that was interrupted, or is running; the next command that writes recovers it.
    pub interrupted: Option<&'static str>,
    /// Whether nothing is staged, changed, untracked or in conflict.
    pub clean: bool,
    /// Staged changes.
    pub staged: Vec<PathChange>,
    /// Changes on disk that are not staged.
    pub unstaged: Vec<PathChange>,
    /// Untracked files.
    pub untracked: Vec<Bytes>,
    /// Files in conflict.
    pub conflicted: Vec<Conflicted>,
    /// Files not managed by brv; added only with `--force`.
    pub foreign: Vec<UnmanagedFile>,
    /// Entries with disputed subjects.
    pub disputed: Vec<Disputed>,
    /// Entries with conflict markers outside of a merge; `brv vc repair` redoes the merge.
    pub marked: Vec<TreePath>,
    /// Number of derived files that are missing or out of date.
    pub stale: usize,
    /// Whether brv has set up the repository; one made by another tool needs `brv init`.
    #[serde(skip)]
    pub setting_up: SetUp,
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
    pub commit: Option<CommitId>,
    /// The command that continues it; git commands are to be run in the tree.
    #[serde(rename = "continue")]
    pub continuing: &'static str,
}

impl Unfinished {
    fn of(what: &InProgress, keeper: Keeper) -> Self {
        let continuing = match (what.kind, keeper) {
            (in_progress::InProgressKind::Merge, Keeper::Tree) => "brv vc merge --continue",
            (kind, _) => kind.continuing(),
        };
        let branch = what.branch.as_ref().map(|name| text(name));
        Self { kind: what.kind.word(), branch, commit: what.commit, continuing }
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

/// Whether brv has set up a repository.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SetUp {
    #[default]
    Done,
    /// No: another tool made it, or a plain `git clone`.
    Missing,
}

impl SetUp {
    pub fn of(scope: &git::Scope) -> Self {
        if git::is_set_up(scope) { Self::Done } else { Self::Missing }
    }
}

/// A file in conflict.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Conflict")]
pub struct Conflicted {
    /// Its path.
    pub path: Bytes,
    /// The versions that exist: `base`, `ours`, `theirs`.
    pub sides: Vec<&'static str>,
}

/// A file that brv does not manage.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "ForeignFile")]
pub struct UnmanagedFile {
    /// Its path.
    pub path: Bytes,
    /// Why brv does not manage it.
    pub reason: &'static str,
}

/// The status, from a [`derive::quick_survey`]. Writes nothing but refreshed stats into the index.
pub fn of(opened: &Opened, survey: &Survey) -> Result<WorkTreeStatus, Stop> {
    let scope = &opened.scope;
    let (untracked, foreign) = unrecorded(opened, survey)?;
    if survey.work_tree.is_refreshed()
        && let Some(guard) = opened.lock_at_once()
    {
        survey.work_tree.refresh_index(scope, &guard);
    }
    let stale = derive::stale_count(opened, survey)?;
    let unsettled = disputes::find(opened, survey)?;
    let upstream = upstream::of(scope, &survey.head)?;
    let tracking = upstream.as_ref().and_then(|upstream| upstream.tracking.as_ref());
    let rewritten =
        tracking.map(|tracking| guards::held_back(scope, tracking.as_ref())).transpose()?.flatten();
    let (staged, unstaged, conflicted) =
        (staged(scope, survey)?, unstaged(scope, survey)?, conflicted(scope, survey));
    let keeper = Keeper::of(scope);
    Ok(WorkTreeStatus {
        branch: survey.head.short_branch(),
        head: survey.head.commit(),
        upstream: upstream.map(|one| UpstreamState { name: one.name, ahead: one.ahead, behind: one.behind }),
        stopped: rewritten.as_ref().map(GuardStop::from),
        merging: merge_state::read(scope)?.is_some(),
        in_progress: in_progress::read(scope)?.iter().map(|what| Unfinished::of(what, keeper)).collect(),
        interrupted: journal::pending(scope)?.map(|record| record.kind.word()),
        clean: staged.is_empty() && unstaged.is_empty() && untracked.is_empty() && conflicted.is_empty(),
        staged,
        unstaged,
        untracked,
        conflicted,
        foreign,
        disputed: unsettled.disputed,
        marked: unsettled.marked,
        stale,
        setting_up: SetUp::of(scope),
    })
}

fn conflicted(scope: &git::Scope, survey: &Survey) -> Vec<Conflicted> {
    let file = |full: BString| {
        let sides = ["base", "ours", "theirs"].into_iter().zip(survey.index.stages(full.as_ref()));
        Some(Conflicted {
            path: scope.strip(full.as_ref())?.into(),
            sides: sides.filter_map(|(name, side)| side.map(|_| name)).collect(),
        })
    };
    survey.index.unmerged().into_iter().filter_map(file).collect()
}

/// The untracked files that `add` would stage, and those that brv does not manage.
fn unrecorded(opened: &Opened, survey: &Survey) -> Result<(Vec<Bytes>, Vec<UnmanagedFile>), Stop> {
    let scope = &opened.scope;
    let (mut untracked, mut foreign) = (Vec::new(), Vec::new());
    for file in survey.unrecorded_and_fit(scope)? {
        match file.class {
            Class::Untracked => untracked.push(Bytes::from(&file.path)),
            Class::Foreign(reason) => foreign.push(UnmanagedFile { path: Bytes::from(&file.path), reason }),
            Class::Derived | Class::Ignored => {}
        }
    }
    let is_tracked = |file: &derive::ForeignFile| {
        survey.index.contains(scope.full(file.path.as_bytes().as_bstr()).as_bstr())
    };
    for file in derive::foreign(opened, survey)?.into_iter().filter(|file| !is_tracked(file)) {
        let reason = match file.why {
            derive::Why::Altered => "a derived file that was edited",
            _ => "a derived file that brv did not write",
        };
        foreign.push(UnmanagedFile { path: file.path.as_str().into(), reason });
    }
    sorting::sort_by(&mut foreign, |a, b| a.path.cmp(&b.path));
    Ok((untracked, foreign))
}

pub fn staged(scope: &git::Scope, survey: &Survey) -> Result<Vec<PathChange>, git::Error> {
    Ok(survey.staged(scope, Renames::DetectForStatus)?.iter().map(PathChange::of_type).collect())
}

pub fn unstaged(scope: &git::Scope, survey: &Survey) -> Result<Vec<PathChange>, git::Error> {
    let told = |UnstagedFile { changed, renamed_from }: UnstagedFile<'_>| PathChange {
        path: Bytes::from(&changed.path),
        change: match changed.now {
            _ if renamed_from.is_some() => What::Renamed,
            Now::Modified(..) if survey.is_meant_to_be_added(scope, changed) => What::Added,
            Now::Modified(..) => What::Modified,
            Now::Deleted => What::Deleted,
            Now::NotAFile => What::TypeChanged,
        },
        renamed_from: renamed_from.as_ref().map(Bytes::from),
    };
    Ok(survey.unstaged(scope, Renames::DetectForStatus)?.into_iter().map(told).collect())
}
