//! Walking commits: ancestors newest first, those that touch a path, how far two tips are apart.

use super::ancestry::{self, Known};
use super::error::{During, Error};
use super::id::{CommitId, TreeId};
use super::path_history::Paths;
use super::shallow::{self, Boundary};
use super::{Scope, commit};
use bstr::BString;
use std::collections::{BinaryHeap, HashMap, HashSet};

/// Which commits to walk.
#[derive(Debug, Clone, Default)]
pub struct Range {
    /// Walk from these.
    pub tips: Vec<CommitId>,
    /// Leave these and all their ancestors out.
    pub hidden: Vec<CommitId>,
    /// Only commits that change one of these paths (files or folders of the tree); empty: all.
    pub paths: Vec<BString>,
}

/// The commits of a range, newest first by committer time, children before parents at equal times. Where a shallow
/// history ends a commit has no parents, as in git.
///
/// With paths, history is simplified as git does by default: of a merge that equals one parent there, only that
/// parent is followed.
///
/// # Errors
/// A commit that cannot be read, except where a shallow history ends.
pub fn walk(scope: &Scope, range: &Range, limit: Option<usize>) -> Result<Vec<commit::Commit>, Error> {
    // no object is read twice here
    let scope = &scope.without_object_cache();
    let mut walk = Walk {
        scope,
        hidden: hidden_set(scope, range)?,
        seen: HashSet::new(),
        queue: BinaryHeap::new(),
        trees: HashMap::new(),
        buffer: Vec::new(),
    };
    let shallow = shallow::read(&scope.repo)?;
    let mut paths = Paths::new(scope, &range.paths);
    for tip in &range.tips {
        walk.enqueue(*tip)?;
    }
    let mut found = Vec::new();
    while let Some(Queued { commit, .. }) = walk.queue.pop() {
        if limit.is_some_and(|limit| found.len() >= limit) {
            break;
        }
        let is_end = shallow.contains(&commit.id.0);
        let parents = if is_end { &[] } else { commit.parents.as_slice() };
        let step = if range.paths.is_empty() {
            Step { shown: true, follow: parents.to_vec() }
        } else {
            walk.simplify(&commit, parents, &mut paths)?
        };
        for parent in step.follow {
            walk.enqueue(parent)?;
        }
        if step.shown {
            let mut shown = commit.decode()?;
            if is_end {
                shown.parents.clear();
            }
            found.push(shown);
        }
    }
    Ok(found)
}

struct Step {
    shown: bool,
    follow: Vec<CommitId>,
}

struct Walk<'a> {
    scope: &'a Scope,
    hidden: HashSet<CommitId>,
    seen: HashSet<CommitId>,
    queue: BinaryHeap<Queued>,
    /// Of commits that were read before their turn.
    trees: HashMap<CommitId, TreeId>,
    buffer: Vec<u8>,
}

struct Queued {
    time: i64,
    order: std::cmp::Reverse<usize>,
    commit: commit::Undecoded,
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.time, self.order).cmp(&(other.time, other.order))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Queued {}

impl Walk<'_> {
    fn enqueue(&mut self, id: CommitId) -> Result<(), Error> {
        if self.hidden.contains(&id) || !self.seen.insert(id) {
            return Ok(());
        }
        let commit = commit::read_undecoded(self.scope, id, &mut self.buffer)?;
        let order = std::cmp::Reverse(self.seen.len());
        self.trees.insert(id, commit.tree);
        self.queue.push(Queued { time: commit.seconds, order, commit });
        Ok(())
    }

    /// A commit that is walked to anyway is read only once.
    fn tree_of(&mut self, id: CommitId) -> Result<TreeId, Error> {
        self.enqueue(id)?;
        self.trees.get(&id).map_or_else(|| self.scope.tree_of(id), |tree| Ok(*tree))
    }

    fn simplify(
        &mut self,
        commit: &commit::Undecoded,
        parents: &[CommitId],
        paths: &mut Paths<'_>,
    ) -> Result<Step, Error> {
        if parents.is_empty() {
            return Ok(Step { shown: paths.exist(commit.tree)?, follow: Vec::new() });
        }
        for parent in parents {
            let tree = match parents.len() {
                // the only way on, whatever comes of the comparison
                1 => self.tree_of(*parent)?,
                _ => self.scope.tree_of(*parent)?,
            };
            if paths.are_same(tree, commit.tree)? {
                return Ok(Step { shown: false, follow: vec![*parent] });
            }
        }
        Ok(Step { shown: true, follow: parents.to_vec() })
    }
}

fn hidden_set(scope: &Scope, range: &Range) -> Result<HashSet<CommitId>, Error> {
    if range.hidden.is_empty() {
        return Ok(HashSet::new());
    }
    // what both sides reach is hidden; what lies behind the merge bases is never walked to
    let hidden: Vec<_> = range.hidden.iter().map(|id| id.0).collect();
    let tips: Vec<_> = range.tips.iter().map(|id| id.0).collect();
    let wanted: HashSet<_> = ids(scope, tips.clone(), hidden.clone())?.into_iter().collect();
    let boundary = wanted.iter().map(|id| commit::read(scope, *id)).collect::<Result<Vec<_>, _>>()?;
    let parents = boundary.iter().flat_map(|commit| commit.parents.iter().copied());
    let own = tips.into_iter().map(CommitId);
    Ok(parents.chain(own).filter(|id| !wanted.contains(id)).collect())
}

fn ids(scope: &Scope, tips: Vec<gix::ObjectId>, hidden: Vec<gix::ObjectId>) -> Result<Vec<CommitId>, Error> {
    let known = Known { tips: &hidden, boundary: &Boundary::new() };
    let found = ancestry::ahead(&scope.repo, &tips, known)?;
    Ok(found.into_iter().map(|commit| CommitId(commit.id)).collect())
}

/// A commit as the history has it: where a shallow history ends it has no parents.
///
/// # Errors
/// A commit that cannot be read.
pub fn read(scope: &Scope, id: CommitId) -> Result<commit::Commit, Error> {
    let mut commit = commit::read(scope, id)?;
    if shallow::read(&scope.repo)?.contains(&id.0) {
        commit.parents.clear();
    }
    Ok(commit)
}

/// How two tips stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AheadBehind {
    /// Commits that only ours has.
    pub ahead: usize,
    /// Commits that only theirs has.
    pub behind: usize,
}

/// Count the commits that each side has alone. Exact.
///
/// # Errors
/// A commit that cannot be read.
pub fn ahead_behind(scope: &Scope, ours: CommitId, theirs: CommitId) -> Result<AheadBehind, Error> {
    if ours == theirs {
        return Ok(AheadBehind { ahead: 0, behind: 0 });
    }
    let (ahead, behind) = super::distance::between(&scope.without_object_cache().repo, ours.0, theirs.0)?;
    Ok(AheadBehind { ahead, behind })
}

/// Whether `ancestor` is reachable from `descendant`.
///
/// # Errors
/// A commit that cannot be read.
pub fn is_ancestor(scope: &Scope, ancestor: CommitId, descendant: CommitId) -> Result<bool, Error> {
    super::select::is_ancestor(&scope.repo, ancestor.0, descendant.0)
}

/// The best common ancestors of two commits.
///
/// # Errors
/// A commit that cannot be read.
pub fn merge_bases(scope: &Scope, ours: CommitId, theirs: CommitId) -> Result<Vec<CommitId>, Error> {
    merge_bases_with_all(scope, ours, &[theirs])
}

/// The best common ancestors of a commit and of one that would merge all of `others`.
///
/// # Errors
/// A commit that cannot be read.
pub fn merge_bases_with_all(
    scope: &Scope,
    one: CommitId,
    others: &[CommitId],
) -> Result<Vec<CommitId>, Error> {
    let others: Vec<_> = others.iter().map(|id| id.0).collect();
    let bases = scope.repo.merge_bases_many(one.0, &others).during("find the merge base")?;
    best(scope, bases.into_iter().map(|id| CommitId(id.detach())).collect())
}

/// Without those that another one descends from: gitoxide leaves some where commits are of one second.
fn best(scope: &Scope, bases: Vec<CommitId>) -> Result<Vec<CommitId>, Error> {
    let mut best: Vec<CommitId> = Vec::new();
    for base in bases {
        let mut is_passed = false;
        for other in &best {
            is_passed |= is_ancestor(scope, base, *other)?;
        }
        if is_passed {
            continue;
        }
        let mut kept = Vec::with_capacity(best.len() + 1);
        for other in best {
            if !is_ancestor(scope, other, base)? {
                kept.push(other);
            }
        }
        kept.push(base);
        best = kept;
    }
    Ok(best)
}

/// The commits of a push or a check: reachable from the tips and not from the hidden ones, newest first.
///
/// # Errors
/// A commit that cannot be read.
pub fn between(scope: &Scope, tips: &[CommitId], hidden: &[CommitId]) -> Result<Vec<CommitId>, Error> {
    ids(scope, tips.iter().map(|id| id.0).collect(), hidden.iter().map(|id| id.0).collect())
}
