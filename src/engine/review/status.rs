//! What became of each change that was marked for review.

use super::decisions::Decisions;
use super::flag::{Flag, on_disk};
use super::history::{RangeMarks, Rejection};
use super::{merged, published};
use crate::Stop;
use crate::journal::{self, Listed, OperationId, Record};
use crate::open::context::Opened;
use crate::open::state::Ruling;
use brv_base::sorting;
use brv_git as git;
use brv_git::trees::{self, Renames};
use brv_git::{CommitId, Scope, TreeId, history};
use bstr::{BStr, BString, ByteSlice as _};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// What became of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewStanding {
    /// It waits for review.
    Pending,
    /// A remote has it, so others can review it; nobody decided here.
    Published,
    /// It was approved on this clone.
    Approved,
    /// It was rejected or undone.
    TakenBack,
}

/// How far back to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewExtent {
    /// At what no remote has: enough for what is pending.
    Outgoing,
    /// At all of the history.
    Everything,
}

/// The changes that were marked for review.
#[derive(Debug, Default)]
pub struct Reviewed {
    /// Newest first.
    pub flags: Vec<(Flag, ReviewStanding)>,
    /// The rejections in commits, newest first.
    pub rejections: Vec<Rejection>,
    /// What was decided on this clone.
    pub decisions: Decisions,
}

impl Reviewed {
    /// Those that wait for review.
    pub fn pending(&self) -> impl Iterator<Item = &Flag> {
        self.flags.iter().filter(|(_, standing)| *standing == ReviewStanding::Pending).map(|(flag, _)| flag)
    }
}

/// Find the marked changes of `HEAD`, and those of operations that made no commit.
pub fn read(opened: &Opened, extent: ReviewExtent) -> Result<Reviewed, Stop> {
    read_of(opened, None, extent)
}

/// The same for a commit, whatever is checked out or on disk.
pub fn read_at(opened: &Opened, commit: CommitId, extent: ReviewExtent) -> Result<Reviewed, Stop> {
    read_of(opened, Some(commit), extent)
}

fn read_of(opened: &Opened, at: Option<CommitId>, extent: ReviewExtent) -> Result<Reviewed, Stop> {
    let scope = &opened.scope;
    let head = scope.head()?;
    let tip = at.or_else(|| head.commit());
    let listed = journal::list(scope)?;
    let decisions = Decisions::read(opened)?;
    let known = published::commits(scope, &head)?;
    let tree = tip.map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
    let range = match (tip, extent) {
        (None, _) => RangeMarks::default(),
        (Some(tip), ReviewExtent::Outgoing) => RangeMarks::read(scope, &[tip], &known)?,
        (Some(tip), ReviewExtent::Everything) => RangeMarks::read(scope, &[tip], &[])?,
    };
    let outgoing: Option<(HashSet<CommitId>, HashSet<String>)> = match (tip, extent) {
        (Some(tip), ReviewExtent::Everything) => {
            let commits = history::between(scope, &[tip], &known)?.into_iter().collect();
            Some((commits, RangeMarks::read(scope, &[tip], &known)?.again))
        }
        _ => None,
    };
    let is_known = |flag: &Flag| {
        let of = outgoing.as_ref().zip(flag.commit);
        of.is_some_and(|((commits, again), commit)| !commits.contains(&commit) && !again.contains(&flag.id))
    };
    let mut flags = Vec::new();
    let live = Live::of(&listed);
    for flag in &range.flags {
        let is_taken_back = range.is_taken_back(scope, flag, tree)?;
        let standing = decided(&decisions, &live, flag, is_taken_back, is_known(flag));
        flags.push((flag.clone(), standing));
    }
    let published = published_tree(scope, &head)?;
    let local = LocalOperations { opened, live: &live, tree, is_on_disk: at.is_none(), published };
    for flag in local.flags(&range.flags)? {
        let is_taken_back = local.is_taken_back(&flag)?;
        let standing = decided(&decisions, &live, &flag, is_taken_back, local.is_published(&flag)?);
        flags.push((flag, standing));
    }
    sorting::sort_by_key(&mut flags, |(flag, _)| Reverse(flag.seconds));
    Ok(Reviewed { flags, rejections: range.rejections, decisions })
}

fn decided(
    decisions: &Decisions,
    live: &Live<'_>,
    flag: &Flag,
    is_taken_back: bool,
    is_published: bool,
) -> ReviewStanding {
    let decision = decisions.of(flag);
    // where a rejection makes no commit, only this clone knows of it
    let is_rejected = || {
        decision.is_some_and(|one| {
            one.ruling == Ruling::Rejected && live.is_uncommitted(one.operation.as_deref())
        })
    };
    match decision {
        _ if is_taken_back || is_rejected() => ReviewStanding::TakenBack,
        Some(one) if one.ruling == Ruling::Approved => ReviewStanding::Approved,
        _ if is_published => ReviewStanding::Published,
        _ => ReviewStanding::Pending,
    }
}

/// The operations of this clone, and which of them are undone.
struct Live<'a> {
    listed: &'a [Listed],
    undone: HashMap<OperationId, OperationId>,
}

impl<'a> Live<'a> {
    fn of(listed: &'a [Listed]) -> Self {
        Self { listed, undone: journal::undone(listed) }
    }

    fn records(&self) -> impl Iterator<Item = &'a Record> {
        self.listed.iter().filter_map(|one| one.record.as_ref().ok())
    }

    fn is_live(&self, id: &OperationId) -> bool {
        !self.undone.contains_key(id)
    }

    /// Whether this operation changed only files and index, and still stands.
    fn is_uncommitted(&self, id: Option<&str>) -> bool {
        let Some(id) = id.and_then(OperationId::parse) else { return false };
        self.records().any(|record| record.id == id && record.moves.is_empty()) && self.is_live(&id)
    }
}

/// Operations of this clone that made no commit.
struct LocalOperations<'a> {
    opened: &'a Opened,
    live: &'a Live<'a>,
    /// The tree of the commit that is looked at.
    tree: TreeId,
    /// Whether the files on disk tell what stands, and not that tree.
    is_on_disk: bool,
    /// The tree of the upstream.
    published: Option<TreeId>,
}

impl LocalOperations<'_> {
    /// Their marks, without those that a commit repeats.
    fn flags(&self, committed: &[Flag]) -> Result<Vec<Flag>, Stop> {
        let scope = &self.opened.scope;
        let mut flags = Vec::new();
        for record in self.live.records().filter(|record| record.is_of(scope)) {
            flags.extend(Flag::of_record(scope, record)?);
        }
        flags.retain(|flag| {
            let is_repeated =
                |other: &&Flag| other.path == flag.path && other.versions[1] == flag.versions[1];
            !committed.iter().any(|other| is_repeated(&other))
        });
        Ok(flags)
    }

    /// Whether the change was undone or rejected, or the file is as before it.
    fn is_taken_back(&self, flag: &Flag) -> Result<bool, Stop> {
        let Some(operation) = &flag.operation else { return Ok(false) };
        if !self.live.is_live(operation) {
            return Ok(true);
        }
        let scope = &self.opened.scope;
        for path in merged::of_merge(scope, flag)? {
            if !self.is_undone_at(operation, &path)? && !self.is_as_before(flag, path.as_bstr())? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_as_before(&self, flag: &Flag, path: &BStr) -> Result<bool, Stop> {
        let scope = &self.opened.scope;
        match self.is_on_disk {
            true => is_as_before_on_disk(scope, flag, path),
            false => Ok(flag.is_as_before(scope, path, trees::file(scope, self.tree, path)?)?),
        }
    }

    /// Whether an undo that stands took a path of an operation back.
    fn is_undone_at(&self, operation: &OperationId, path: &BString) -> Result<bool, git::Error> {
        for undo in self.live.records().filter(|record| self.live.is_live(&record.id)) {
            if undo.undoes.iter().any(|undoes| undoes.operation == *operation)
                && touches(&self.opened.scope, undo, path)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the upstream has the change, or has what `HEAD` made of it since.
    fn is_published(&self, flag: &Flag) -> Result<bool, Stop> {
        let Some(published) = self.published else { return Ok(false) };
        let scope = &self.opened.scope;
        let there = trees::file(scope, published, flag.path.as_bstr())?;
        let here = trees::file(scope, self.tree, flag.path.as_bstr())?;
        let path = flag.path.as_bstr();
        Ok(there == flag.versions[1] || (there == here && !flag.is_as_before(scope, path, here)?))
    }
}

fn touches(scope: &Scope, record: &Record, path: &BString) -> Result<bool, git::Error> {
    let [before, after] = [scope.tree_of(record.before)?, scope.tree_of(record.after)?];
    Ok(trees::diff(scope, before, after, Renames::Ignore)?.iter().any(|change| change.path == *path))
}

fn is_as_before_on_disk(scope: &Scope, flag: &Flag, path: &BStr) -> Result<bool, Stop> {
    let id =
        |side: usize| Ok::<_, Stop>(trees::file(scope, flag.sides[side], path)?.map(|version| version.id));
    let before = id(0)?;
    Ok(before != id(1)? && on_disk(scope, path)? == before)
}

/// The tree that the upstream of the current branch has.
fn published_tree(scope: &Scope, head: &git::Head) -> Result<Option<TreeId>, Stop> {
    let tip = published::tracked_by(scope, head)?.and_then(|(_, tip)| tip);
    Ok(tip.map(|tip| scope.tree_of(tip)).transpose()?)
}
