//! The status of the tree: the differences between `HEAD`, the index and the disk, the upstream, and out-of-date
//! derived files.

use crate::derive;
use crate::journal;
use crate::merge::disputes::{self, Disputed};
use crate::merge::guards::{self, Rewrite};
use crate::open::context::Opened;
use crate::open::naming::upstream::{self, Upstream};
use crate::open::survey::{Class, Survey, Unstaged};
use crate::outcome::bytes::Bytes;
use crate::outcome::change::{Change, What};
use crate::{Keeper, Stop};
use brv_base::path::TreePath;
use brv_base::sorting;
use brv_git as git;
use brv_git::CommitId;
pub use brv_git::in_progress::InProgress;
use brv_git::status::Now;
use brv_git::trees::Renames;
use brv_git::{in_progress, merge_state};
use bstr::{BString, ByteSlice as _};

/// The status of the tree; every list is sorted by path, every path relative to the tree.
#[derive(Debug)]
pub struct State {
    /// The branch, `None` when detached.
    pub branch: Option<String>,
    /// The commit, `None` on an unborn branch.
    pub head: Option<CommitId>,
    /// The branch's upstream, if one is set.
    pub upstream: Option<Upstream>,
    /// The rewritten history that stops the next pull: the remote dropped commits that were integrated here.
    pub rewritten: Option<Rewrite>,
    /// Which repository's merge is in progress, if any.
    pub merging: Option<Keeper>,
    /// What is in progress in git, including that merge.
    pub in_progress: Vec<Unfinished>,
    /// Whether brv has set up the repository: one that another tool made needs `brv init`.
    pub setting_up: SetUp,
    /// The command that was interrupted, or is running: the next command that writes recovers it.
    pub interrupted: Option<journal::Kind>,
    pub staged: Vec<Change>,
    pub unstaged: Vec<Change>,
    /// Untracked files that `add` would stage.
    pub untracked: Vec<BString>,
    pub conflicted: Vec<Conflicted>,
    /// Files not managed by brv: never overwritten or deleted, and added only if they are named.
    pub foreign: Vec<Foreign>,
    pub disputed: Vec<Disputed>,
    /// Entries with conflict markers although no merge is in progress: a host merged them by line, or markers were
    /// committed.
    pub marked: Vec<TreePath>,
    /// Derived files that are missing or out of date.
    pub stale: usize,
}

/// A git command in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    pub what: InProgress,
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflicted {
    pub path: BString,
    /// Which versions exist: base, ours, theirs.
    pub sides: [bool; 3],
}

/// A file that brv does not manage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    pub path: BString,
    pub reason: &'static str,
}

/// The status, from a [`derive::quick_survey`]. Writes nothing but refreshed stats into the index.
pub fn of(opened: &Opened, survey: &Survey) -> Result<State, Stop> {
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
    let is_tracked = |file: &derive::ForeignFile| {
        survey.index.contains(scope.full(file.path.as_bytes().as_bstr()).as_bstr())
    };
    for file in derive::foreign(opened, survey)?.into_iter().filter(|file| !is_tracked(file)) {
        let reason = match file.why {
            derive::Why::Altered => "a derived file that was edited",
            _ => "a derived file that brv did not write",
        };
        foreign.push(Foreign { path: file.path.as_str().into(), reason });
    }
    sorting::sort_by(&mut foreign, |a, b| a.path.cmp(&b.path));
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

pub fn staged(scope: &git::Scope, survey: &Survey) -> Result<Vec<Change>, git::Error> {
    Ok(survey.staged(scope, Renames::DetectForStatus)?.iter().map(Change::of_type).collect())
}

pub fn unstaged(scope: &git::Scope, survey: &Survey) -> Result<Vec<Change>, git::Error> {
    let told = |Unstaged { changed, renamed_from }: Unstaged<'_>| Change {
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
