//! The history: walks commits newest first, optionally limited to paths, and finds merge bases.
//!
//! Its modules count ahead and behind, resolve revisions, follow files (lineage, blame), name changes by patch ids and
//! handle shallow boundaries.

pub mod added_files;
pub(crate) mod ancestry;
pub mod blame;
mod distance;
pub mod lineage;
pub mod mailmap;
pub mod patch_id;
mod path_history;
mod reflog_dates;
pub mod revision;
pub(crate) mod shallow;
pub mod topology;

use super::Scope;
use super::error::Error;
use super::id::{CommitId, TreeId};
use super::objects::commit;
use ancestry::KnownHistory;
use bstr::{BStr, BString, ByteSlice as _};
use lineage::Kinship;
use path_history::Paths;
use shallow::Boundary;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::ops::ControlFlow;

#[derive(Debug, Clone, Default)]
pub struct Range {
    /// Walk from these.
    pub tips: Vec<CommitId>,
    /// Leave these and all their ancestors out.
    pub hidden: Vec<CommitId>,
    pub interest: Interest,
    pub parents: Parents,
    /// Commits made before this second, and those reachable only from them, are left out.
    pub since: Option<i64>,
}

/// Which commits of a range are yielded.
#[derive(Debug, Clone, Default)]
pub enum Interest {
    #[default]
    All,
    /// Commits that change one of these paths (files or folders of the tree).
    Paths(Vec<BString>),
    /// Commits that change this file, under earlier names too.
    File(BString, Kinship),
}

/// Which parents of a merge are walked to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Parents {
    #[default]
    All,
    /// Only the first parent: the branch that it was made on.
    First,
}

#[derive(Debug, Clone)]
pub struct Walked {
    /// The commit; without parents on a shallow boundary.
    pub commit: commit::Commit,
    pub path: Option<BString>,
}

/// Calls `tell` for each commit of a range, newest first by committer time, children before parents at equal times,
/// until `tell` stops the walk.
///
/// With paths, history is simplified as git does by default: if a merge equals one parent there, only that parent is
/// walked.
///
/// # Errors
/// A commit that cannot be read, except where a shallow history ends.
pub fn walk(
    scope: &Scope,
    range: &Range,
    mut tell: impl FnMut(Walked) -> ControlFlow<()>,
) -> Result<(), Error> {
    // no object is read twice here
    let scope = &scope.without_object_cache();
    let mut walk = HistoryWalk::new(scope, range)?;
    while let Some(step) = walk.next()? {
        if step.shown && tell(step.into_walked()?).is_break() {
            break;
        }
    }
    Ok(())
}

/// All commits of a range, in the order of [`walk`].
///
/// # Errors
/// A commit that cannot be read, except where a shallow history ends.
pub fn list(scope: &Scope, range: &Range) -> Result<Vec<commit::Commit>, Error> {
    let mut commits = Vec::new();
    walk(scope, range, |walked| {
        commits.push(walked.commit);
        ControlFlow::Continue(())
    })?;
    Ok(commits)
}

/// The names that a file of a commit had before, newest first, as far as the last `most` commits tell.
///
/// # Errors
/// A commit that cannot be read, except where a shallow history ends.
pub fn earlier_names(scope: &Scope, tip: CommitId, path: &BStr, most: usize) -> Result<Vec<BString>, Error> {
    let scope = &scope.without_object_cache();
    let interest = Interest::File(path.to_owned(), Kinship::Renamed);
    let range = Range { tips: vec![tip], interest, ..Range::default() };
    let mut walk = HistoryWalk::new(scope, &range)?;
    let mut names: Vec<BString> = Vec::new();
    for _ in 0..most {
        let Some(name) = walk.next()?.and_then(|step| step.path) else { break };
        if name != path && !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

/// A commit that the walk passes.
pub(super) struct WalkStep {
    pub commit: commit::Undecoded,
    /// Whether it changes the requested paths.
    pub shown: bool,
    pub follow: Vec<CommitId>,
    is_end: bool,
    path: Option<BString>,
}

impl WalkStep {
    pub fn into_walked(self) -> Result<Walked, Error> {
        let mut commit = self.commit.decode()?;
        if self.is_end {
            commit.parents.clear();
        }
        Ok(Walked { commit, path: self.path })
    }
}

pub(super) struct HistoryWalk<'a> {
    scope: &'a Scope,
    range: &'a Range,
    shallow: Boundary,
    hidden: HashSet<CommitId>,
    seen: HashSet<CommitId>,
    queue: BinaryHeap<Queued>,
    /// Commits that were read before their turn.
    trees: HashMap<CommitId, TreeId>,
    /// The paths, or the names that a followed file has had so far.
    paths: HashMap<BString, Paths<'a>>,
    /// The followed file's path in a commit, where it differs from the current one.
    called: HashMap<CommitId, BString>,
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

/// Decides whether a commit is yielded, and which parents are walked.
type WalkDecision = (bool, Vec<CommitId>);

impl<'a> HistoryWalk<'a> {
    pub fn new(scope: &'a Scope, range: &'a Range) -> Result<Self, Error> {
        let mut walk = HistoryWalk {
            scope,
            range,
            shallow: shallow::read(&scope.repo)?,
            hidden: hidden_set(scope, range)?,
            seen: HashSet::new(),
            queue: BinaryHeap::new(),
            trees: HashMap::new(),
            paths: HashMap::new(),
            called: HashMap::new(),
            buffer: Vec::new(),
        };
        for tip in &range.tips {
            walk.enqueue(*tip)?;
        }
        Ok(walk)
    }

    pub fn next(&mut self) -> Result<Option<WalkStep>, Error> {
        let commit = loop {
            let Some(Queued { commit, .. }) = self.queue.pop() else { return Ok(None) };
            if self.range.since.is_none_or(|since| commit.seconds >= since) {
                break commit;
            }
        };
        let is_end = self.shallow.contains(&commit.id.0);
        let range = self.range;
        let parents = match range.parents {
            _ if is_end => &[],
            Parents::All => commit.parents.as_slice(),
            Parents::First => &commit.parents[..commit.parents.len().min(1)],
        };
        let path = match &range.interest {
            Interest::File(path, _) => Some(self.called.remove(&commit.id).unwrap_or_else(|| path.clone())),
            _ => None,
        };
        let (shown, follow) = match &range.interest {
            Interest::All => (true, parents.to_vec()),
            Interest::Paths(paths) => self.simplify(&commit, parents, paths, None)?,
            Interest::File(_, kinship) => {
                let path = path.clone().unwrap_or_default();
                self.simplify(&commit, parents, std::slice::from_ref(&path), Some(*kinship))?
            }
        };
        for parent in &follow {
            self.enqueue(*parent)?;
        }
        Ok(Some(WalkStep { commit, shown, follow, is_end, path }))
    }

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

    /// A commit on the walk's way is read only once.
    fn tree_of(&mut self, id: CommitId) -> Result<TreeId, Error> {
        self.enqueue(id)?;
        self.trees.get(&id).map_or_else(|| self.scope.tree_of(id), |tree| Ok(*tree))
    }

    /// Passes the name of a followed file on to the parents.
    fn simplify(
        &mut self,
        commit: &commit::Undecoded,
        parents: &[CommitId],
        paths: &[BString],
        kinship: Option<Kinship>,
    ) -> Result<WalkDecision, Error> {
        let key = paths.first().cloned().unwrap_or_default();
        let mut known = self.paths.remove(&key).unwrap_or_else(|| Paths::new(self.scope, paths));
        let decision = self.compare(commit, parents, &mut known);
        self.paths.insert(key, known);
        let (shown, follow) = decision?;
        if let Some(kinship) = kinship {
            for parent in &follow {
                self.pass_name(commit, *parent, &paths[0], kinship)?;
            }
        }
        Ok((shown, follow))
    }

    /// The default mode of "History Simplification" in git-log's manual: a commit that is the same as a parent is not
    /// shown, and only that parent is walked; if it is the same as none, all are.
    fn compare(
        &mut self,
        commit: &commit::Undecoded,
        parents: &[CommitId],
        paths: &mut Paths<'_>,
    ) -> Result<WalkDecision, Error> {
        if parents.is_empty() {
            return Ok((paths.exist(commit.tree)?, Vec::new()));
        }
        let deciding: Vec<CommitId> =
            parents.iter().copied().filter(|parent| self.decides(*parent, parents)).collect();
        for parent in &deciding {
            let tree = match parents {
                // the only way on, whatever the comparison says
                [only] => self.tree_of(*only)?,
                _ => self.scope.tree_of(*parent)?,
            };
            if paths.are_same(tree, commit.tree)? {
                return Ok((false, vec![*parent]));
            }
        }
        let mut differs = !deciding.is_empty();
        for parent in parents.iter().filter(|_| deciding.is_empty()) {
            differs = differs || !paths.are_same(self.scope.tree_of(*parent)?, commit.tree)?;
        }
        Ok((differs, parents.to_vec()))
    }

    /// Whether a parent decides if a commit is shown: a hidden parent of a merge does only if it was named in the range.
    fn decides(&self, parent: CommitId, parents: &[CommitId]) -> bool {
        parents.len() == 1 || !self.hidden.contains(&parent) || self.range.hidden.contains(&parent)
    }

    /// The path in the parent of the file at `path` of a commit.
    fn pass_name(
        &mut self,
        commit: &commit::Undecoded,
        parent: CommitId,
        path: &BString,
        kinship: Kinship,
    ) -> Result<(), Error> {
        if self.seen.contains(&parent) && self.called.contains_key(&parent) {
            return Ok(());
        }
        let tree = self.tree_of(parent)?;
        let paths = self.paths.get_mut(path).expect("compared before");
        let name = if paths.exist(tree)? {
            None
        } else {
            lineage::source(self.scope, tree, commit.tree, path.as_bstr(), kinship)?.map(|found| found.path)
        };
        self.called.insert(parent, name.unwrap_or_else(|| path.clone()));
        Ok(())
    }
}

fn hidden_set(scope: &Scope, range: &Range) -> Result<HashSet<CommitId>, Error> {
    if range.hidden.is_empty() {
        return Ok(HashSet::new());
    }
    // hides what both sides reach, so that commits behind the merge bases are never walked
    let hidden: Vec<_> = range.hidden.iter().map(|id| id.0).collect();
    let tips: Vec<_> = range.tips.iter().map(|id| id.0).collect();
    let wanted: HashSet<_> = ids(scope, tips.clone(), hidden.clone())?.into_iter().collect();
    let boundary = wanted.iter().map(|id| commit::read(scope, *id)).collect::<Result<Vec<_>, _>>()?;
    let parents = boundary.iter().flat_map(|commit| commit.parents.iter().copied());
    let own = tips.into_iter().map(CommitId);
    Ok(parents.chain(own).filter(|id| !wanted.contains(id)).collect())
}

fn ids(scope: &Scope, tips: Vec<gix::ObjectId>, hidden: Vec<gix::ObjectId>) -> Result<Vec<CommitId>, Error> {
    let known = KnownHistory { tips: &hidden, boundary: &Boundary::new() };
    let found = ancestry::ahead(&scope.repo, &tips, known)?;
    Ok(found.into_iter().map(|commit| CommitId(commit.id)).collect())
}

/// A commit of the history; on a shallow boundary it has no parents.
pub fn read(scope: &Scope, id: CommitId) -> Result<commit::Commit, Error> {
    let mut commit = commit::read(scope, id)?;
    if shallow::read(&scope.repo)?.contains(&id.0) {
        commit.parents.clear();
    }
    Ok(commit)
}

/// How far two tips have diverged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AheadBehind {
    /// The number of commits only in ours.
    pub ahead: usize,
    /// The number of commits only in theirs.
    pub behind: usize,
}

/// Counts the commits that each side has alone. Exact.
pub fn ahead_behind(scope: &Scope, ours: CommitId, theirs: CommitId) -> Result<AheadBehind, Error> {
    if ours == theirs {
        return Ok(AheadBehind { ahead: 0, behind: 0 });
    }
    let (ahead, behind) = distance::between(&scope.without_object_cache().repo, ours.0, theirs.0)?;
    Ok(AheadBehind { ahead, behind })
}

/// Whether `ancestor` is reachable from `descendant`.
pub fn is_ancestor(scope: &Scope, ancestor: CommitId, descendant: CommitId) -> Result<bool, Error> {
    ancestry::is_ancestor(&scope.repo, ancestor.0, descendant.0)
}

/// The best common ancestors of two commits.
pub fn merge_bases(scope: &Scope, ours: CommitId, theirs: CommitId) -> Result<Vec<CommitId>, Error> {
    merge_bases_with_all(scope, ours, &[theirs])
}

/// The best common ancestors of a commit and a hypothetical merge of all `others`.
pub fn merge_bases_with_all(
    scope: &Scope,
    one: CommitId,
    others: &[CommitId],
) -> Result<Vec<CommitId>, Error> {
    let others: Vec<_> = others.iter().map(|id| id.0).collect();
    let bases = ancestry::common(&scope.repo, one.0, &others)?;
    best(scope, bases.into_iter().map(CommitId).collect())
}

/// Removes commits that another one descends from: gitoxide leaves some where commits are of one second.
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
pub fn between(scope: &Scope, tips: &[CommitId], hidden: &[CommitId]) -> Result<Vec<CommitId>, Error> {
    ids(scope, tips.iter().map(|id| id.0).collect(), hidden.iter().map(|id| id.0).collect())
}

/// Whether the history here ends inside a range: a commit that is reachable from `tips` and not from `known` lacks its
/// parents, so that nobody can say which commits the range has.
///
/// # Errors
/// A commit that cannot be read, except where a shallow history ends.
pub fn ends_inside(scope: &Scope, tips: &[CommitId], known: &[CommitId]) -> Result<bool, Error> {
    let ends = shallow::read(&scope.repo)?;
    Ok(!ends.is_empty() && between(scope, tips, known)?.iter().any(|commit| ends.contains(&commit.0)))
}
