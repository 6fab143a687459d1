//! How the tree stands: what differs between `HEAD`, the index and the disk, the upstream, and what is out of date.

use super::survey::{Class, Survey, Unstaged};
pub use crate::git::in_progress::InProgress;
use crate::git::status::Now;
use crate::git::trees::{Change, Renames};
use crate::git::{self, CommitId};
use crate::git::{in_progress, merge_state};
use crate::journal;
use crate::ops::context::Opened;
use crate::ops::steps::cause::{Cause, caused};
use crate::ops::steps::merging::disputes::{self, Disputed};
use crate::ops::steps::merging::guards::{self, Rewrite};
use crate::ops::steps::refresh;
use crate::ops::steps::remotes::upstream::{self, Upstream};
use crate::ops::{FailureKind, Keeper};
use crate::path::TreePath;
use bstr::BString;

/// The state of the tree; every list is sorted by path, every path relative to the tree.
#[derive(Debug)]
pub struct State {
    /// The branch, `None` when detached.
    pub branch: Option<String>,
    /// The commit, `None` on an unborn branch.
    pub head: Option<CommitId>,
    /// The branch's upstream, if one is set.
    pub upstream: Option<Upstream>,
    /// What the next pull stops at: the remote has dropped commits that were taken in here.
    pub rewritten: Option<Rewrite>,
    /// Whose merge waits for its decisions, if one does.
    pub merging: Option<Keeper>,
    /// What git is in the middle of, that merge included.
    pub in_progress: Vec<Unfinished>,
    /// Whether brv has set the repository up: one that another tool made waits for `brv init`.
    pub setting_up: SetUp,
    /// The command that was interrupted, or is under way: the next one that writes puts it right.
    pub interrupted: Option<journal::Kind>,
    /// Recorded in the index, not yet committed.
    pub staged: Vec<Entry>,
    /// Changed on disk, not yet recorded.
    pub unstaged: Vec<Entry>,
    /// Knowledge that is not recorded at all.
    pub untracked: Vec<BString>,
    /// In conflict.
    pub conflicted: Vec<Conflicted>,
    /// Not knowledge: never added unasked, overwritten or deleted.
    pub foreign: Vec<Foreign>,
    /// Entries with disputed subjects.
    pub disputed: Vec<Disputed>,
    /// Entries with conflict markers that no merge waits for: a host merged them by line, or markers were recorded.
    pub marked: Vec<TreePath>,
    /// Derived files that are missing or out of date.
    pub stale: usize,
}

/// A command that has stopped on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// Which.
    pub what: InProgress,
    /// The command that continues it.
    pub continuing: &'static str,
}

impl Unfinished {
    fn of(what: InProgress, keeper: Keeper) -> Self {
        let continuing = match (what.kind, keeper) {
            (in_progress::Kind::Merge, Keeper::Tree) => "brv vc merge --continue",
            (kind, _) => kind.continuing(),
        };
        Self { what, continuing }
    }
}

/// Whether brv has set a repository up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SetUp {
    /// It has.
    #[default]
    Done,
    /// It has not: another tool made it, or a plain `git clone`.
    Missing,
}

impl SetUp {
    /// Of a repository.
    #[must_use]
    pub fn of(scope: &git::Scope) -> Self {
        if git::is_set_up(scope) { Self::Done } else { Self::Missing }
    }
}

/// A file that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it is now.
    pub path: BString,
    /// Where it was, if it was renamed.
    pub renamed_from: Option<BString>,
    /// What happened.
    pub change: ChangeKind,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its bytes changed.
    Modified,
    /// It is gone.
    Deleted,
    /// It moved, perhaps with changes.
    Renamed,
    /// Something else than a file stands there.
    TypeChanged,
}

/// A file in conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflicted {
    /// Where it is.
    pub path: BString,
    /// Which versions exist: base, ours, theirs.
    pub sides: [bool; 3],
}

/// A file that is not knowledge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// Where it is.
    pub path: BString,
    /// Why it does not count.
    pub reason: &'static str,
}

/// Why the state is not known.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What is no fault of the settings.
    #[error(transparent)]
    Cause(Cause),
    /// The upstream.
    #[error(transparent)]
    Upstream(#[from] upstream::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Upstream(_) => FailureKind::Failed,
        }
    }
}

caused!(Error);

/// What a [`refresh::quick_survey`] tells. Writes nothing but refreshed stats into the index.
///
/// # Errors
/// [`Error`]
pub fn of(opened: &Opened, survey: &Survey) -> Result<State, Error> {
    let scope = &opened.scope;
    let unmerged = survey.index.unmerged();
    let conflicted: Vec<Conflicted> = unmerged
        .iter()
        .filter_map(|full| {
            let path = scope.strip(full.as_ref())?.to_owned();
            Some(Conflicted { path, sides: survey.index.stages(full.as_ref()).map(|side| side.is_some()) })
        })
        .collect();
    let (mut untracked, mut foreign) = (Vec::new(), Vec::new());
    for file in survey.unrecorded_and_fit(scope)? {
        match file.class {
            Class::Untracked => untracked.push(file.path),
            Class::Foreign(reason) => foreign.push(Foreign { path: file.path, reason }),
            Class::Derived | Class::Ignored => {}
        }
    }
    for file in refresh::foreign(opened, survey)? {
        let reason = match file.why {
            refresh::Why::Altered => "a derived file that was edited",
            _ => "a derived file that brv did not write",
        };
        foreign.push(Foreign { path: file.path.as_str().into(), reason });
    }
    foreign.sort_by(|a, b| a.path.cmp(&b.path));
    if survey.work_tree.is_refreshed()
        && let Some(guard) = opened.lock_at_once()
    {
        survey.work_tree.refresh_index(scope, &guard);
    }
    let stale = refresh::stale_count(opened, survey)?;
    let unsettled = disputes::find(opened, survey)?;
    let upstream = upstream::of(scope, &survey.head)?;
    let tracking = upstream.as_ref().and_then(|upstream| upstream.tracking.as_ref());
    let rewritten =
        tracking.map(|tracking| guards::held_back(scope, tracking.as_ref())).transpose()?.flatten();
    Ok(State {
        branch: survey.head.short_branch(),
        head: survey.head.commit(),
        upstream,
        rewritten,
        merging: merge_state::read(scope)?.map(|_| Keeper::of(scope)),
        in_progress: in_progress::read(scope)?
            .into_iter()
            .map(|what| Unfinished::of(what, Keeper::of(scope)))
            .collect(),
        setting_up: SetUp::of(scope),
        interrupted: journal::pending(scope)?.map(|record| record.kind),
        staged: staged(scope, survey)?,
        unstaged: unstaged(scope, survey)?,
        untracked,
        conflicted,
        foreign,
        disputed: unsettled.disputed,
        marked: unsettled.marked,
        stale,
    })
}

/// Recorded in the index, not yet committed.
///
/// # Errors
/// Trees that cannot be read.
pub fn staged(scope: &git::Scope, survey: &Survey) -> Result<Vec<Entry>, git::Error> {
    Ok(survey.staged(scope, Renames::DetectForStatus)?.into_iter().map(entry).collect())
}

/// Changed on disk, not yet recorded.
///
/// # Errors
/// Files that cannot be read.
pub fn unstaged(scope: &git::Scope, survey: &Survey) -> Result<Vec<Entry>, git::Error> {
    let entry = |Unstaged { changed, renamed_from }: Unstaged<'_>| Entry {
        path: changed.path.clone(),
        change: match changed.now {
            _ if renamed_from.is_some() => ChangeKind::Renamed,
            Now::Modified(..) if survey.is_meant_to_be_added(scope, changed) => ChangeKind::Added,
            Now::Modified(..) => ChangeKind::Modified,
            Now::Deleted => ChangeKind::Deleted,
            Now::NotAFile => ChangeKind::TypeChanged,
        },
        renamed_from,
    };
    Ok(survey.unstaged(scope, Renames::DetectForStatus)?.into_iter().map(entry).collect())
}

fn entry(change: Change) -> Entry {
    let kind = match (&change.renamed_from, change.before, change.after) {
        (Some(_), ..) => ChangeKind::Renamed,
        (None, None, _) => ChangeKind::Added,
        (None, _, None) => ChangeKind::Deleted,
        (None, Some(before), Some(after)) if !before.mode.is_of_same_type(after.mode) => {
            ChangeKind::TypeChanged
        }
        _ => ChangeKind::Modified,
    };
    Entry { path: change.path, renamed_from: change.renamed_from, change: kind }
}
