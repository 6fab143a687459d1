//! Lists the commits that one side has and another lacks, in shallow repositories too. gitoxide's walk is used where
//! the history is complete.
//!
//! In a shallow repository it may leave out a commit that is both behind the boundary and before it, by a merge; and it
//! does not know the other side's boundary.

use super::shallow::{self, Boundary};
use crate::error::{During, Error};
use crate::objects::headers::{Headers, Lenient};
use gix::hashtable::{HashMap, HashSet};
use gix::revision::plumbing::merge_base;
use gix::traverse::commit::Simple;
use gix::{ObjectId, Repository};
use std::collections::BinaryHeap;

/// A commit, and those of its parents that are part of the history.
#[derive(Debug, Clone)]
pub(crate) struct CommitParents {
    pub id: ObjectId,
    pub parents: Vec<ObjectId>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownHistory<'a> {
    /// Its tips: it has these and their ancestors.
    pub tips: &'a [ObjectId],
    /// Its boundary: it lacks the parents of these.
    pub boundary: &'a Boundary,
}

/// Whether `ancestor` is `commit` or in its history. Both must exist here.
pub(crate) fn is_ancestor(repo: &Repository, ancestor: ObjectId, commit: ObjectId) -> Result<bool, Error> {
    // everything from `commit` on is hidden: if `ancestor` is in there, nothing is left
    Ok(ancestor == commit || first_ahead(repo, ancestor, commit)?.is_none())
}

/// The commits reachable from `tips` that are not known, newest first.
pub(crate) fn ahead(
    repo: &Repository,
    tips: &[ObjectId],
    known: KnownHistory<'_>,
) -> Result<Vec<CommitParents>, Error> {
    let own = shallow::read(repo)?;
    if own.is_empty() && known.boundary.is_empty() {
        return in_full_history(repo, tips, known.tips);
    }
    let cut = |id: &ObjectId| own.contains(id);
    let hidden = all(repo, known.tips, known.boundary)?;
    let mut walk = CommitCache::new(repo);
    let mut queue = BinaryHeap::new();
    let mut seen: HashSet<ObjectId> = HashSet::default();
    let mut found = Vec::new();
    for id in tips {
        if !hidden.contains(id) && seen.insert(*id) {
            queue.push((walk.read(*id)?.seconds, *id));
        }
    }
    while let Some((_, id)) = queue.pop() {
        let parents = if cut(&id) { Vec::new() } else { walk.read(id)?.parents.clone() };
        for parent in &parents {
            if !hidden.contains(parent) && seen.insert(*parent) {
                queue.push((walk.read(*parent)?.seconds, *parent));
            }
        }
        walk.read.remove(&id);
        found.push(CommitParents { id, parents });
    }
    Ok(found)
}

/// A commit reachable from `tip` but not from `known`, if there is one.
pub(super) fn first_ahead(
    repo: &Repository,
    tip: ObjectId,
    known: ObjectId,
) -> Result<Option<ObjectId>, Error> {
    if !shallow::read(repo)?.is_empty() {
        let found = ahead(repo, &[tip], KnownHistory { tips: &[known], boundary: &Boundary::new() })?;
        return Ok(found.first().map(|commit| commit.id));
    }
    let first = walk(repo, &[tip], &[known])?.next().transpose().during("compare histories")?;
    Ok(first.map(|commit| commit.id))
}

fn in_full_history(
    repo: &Repository,
    tips: &[ObjectId],
    hidden: &[ObjectId],
) -> Result<Vec<CommitParents>, Error> {
    let found = walk(repo, tips, hidden)?.map(|commit| {
        let commit = commit.during("list new commits")?;
        Ok(CommitParents { id: commit.id, parents: commit.parent_ids.into_vec() })
    });
    found.collect()
}

/// gitoxide's walk through a history that is not shallow.
fn walk(
    repo: &Repository,
    tips: &[ObjectId],
    hidden: &[ObjectId],
) -> Result<impl Iterator<Item = gix::Result<gix::traverse::commit::Info>>, Error> {
    let graph = repo.commit_graph_if_enabled().ok().flatten();
    let walk = Simple::new(tips.iter().copied(), Lenient(&repo.objects)).commit_graph(graph);
    walk.hide(hidden.iter().copied()).during("walk the history")
}

/// gitoxide's graph of commits, whatever their author lines are. `cache` is the commit-graph file.
pub(crate) fn graph<'r, 'c, T>(
    repo: &'r Repository,
    cache: Option<&'c gix::commitgraph::Graph>,
) -> gix::revwalk::Graph<'r, 'c, T> {
    gix::revwalk::Graph::new(Lenient(&repo.objects), cache)
}

/// The common ancestors of a commit and of all `others`.
pub(super) fn common(repo: &Repository, one: ObjectId, others: &[ObjectId]) -> Result<Vec<ObjectId>, Error> {
    let act = "find the merge base";
    let cache = repo.commit_graph_if_enabled().during(act)?;
    let bases = merge_base(one, others, &mut graph(repo, cache.as_ref())).during(act)?;
    Ok(bases.into_iter().flatten().collect())
}

/// Every commit reachable from `tips` without crossing the boundary or this repository's own. Missing commits are
/// skipped.
pub(crate) fn all(
    repo: &Repository,
    tips: &[ObjectId],
    boundary: &Boundary,
) -> Result<HashSet<ObjectId>, Error> {
    let own = shallow::read(repo)?;
    let mut walk = CommitCache::new(repo);
    let mut seen: HashSet<ObjectId> = tips.iter().copied().collect();
    let mut waiting: Vec<ObjectId> = seen.iter().copied().collect();
    while let Some(id) = waiting.pop() {
        if !repo.has_object(id) {
            seen.remove(&id);
            continue;
        }
        if own.contains(&id) || boundary.contains(&id) {
            continue;
        }
        let commit = walk.read(id)?;
        let parents = commit.parents.clone();
        walk.read.remove(&id);
        waiting.extend(parents.into_iter().filter(|parent| seen.insert(*parent)));
    }
    Ok(seen)
}

/// The commits at most `levels` steps away, nearest first: `tips` are level one. Commits of the last level that have
/// parents become the new boundary; `boundary` gets them.
pub(crate) fn within(
    repo: &Repository,
    tips: &[ObjectId],
    levels: Option<u32>,
    boundary: &mut Boundary,
) -> Result<Vec<CommitParents>, Error> {
    let own = shallow::read(repo)?;
    let mut walk = CommitCache::new(repo);
    let mut seen: HashSet<ObjectId> = HashSet::default();
    let mut level: Vec<ObjectId> = tips.iter().copied().filter(|id| seen.insert(*id)).collect();
    let (mut found, mut number) = (Vec::new(), 1);
    while !level.is_empty() {
        let mut next = Vec::new();
        for id in level {
            let parents = walk.read(id)?.parents.clone();
            walk.read.remove(&id);
            let ends = own.contains(&id) || (levels == Some(number) && !parents.is_empty());
            if ends {
                boundary.insert(id);
            } else {
                next.extend(parents.iter().copied().filter(|parent| seen.insert(*parent)));
            }
            found.push(CommitParents { id, parents: if ends { Vec::new() } else { parents } });
        }
        level = next;
        number += 1;
    }
    Ok(found)
}

struct CachedCommit {
    parents: Vec<ObjectId>,
    seconds: i64,
}

/// Commits that were read and not used yet.
struct CommitCache<'a> {
    repo: &'a Repository,
    read: HashMap<ObjectId, CachedCommit>,
    buffer: Vec<u8>,
}

impl<'a> CommitCache<'a> {
    fn new(repo: &'a Repository) -> Self {
        Self { repo, read: HashMap::default(), buffer: Vec::new() }
    }

    fn read(&mut self, id: ObjectId) -> Result<&CachedCommit, Error> {
        if !self.read.contains_key(&id) {
            let headers = Headers::find(&self.repo.objects, id, &mut self.buffer)?;
            let seconds = headers.seconds();
            self.read.insert(id, CachedCommit { parents: headers.parents, seconds });
        }
        Ok(&self.read[&id])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates commits with these parents, by number, each a second after the one before.
    fn repository(parents: &[&[usize]]) -> (tempfile::TempDir, Repository, Vec<ObjectId>) {
        let folder = tempfile::tempdir().unwrap();
        let repo = gix::init_bare(folder.path()).unwrap();
        let tree = repo.write_object(gix::objs::Tree::empty()).unwrap().detach();
        let mut ids: Vec<ObjectId> = Vec::new();
        for (number, parents) in parents.iter().enumerate() {
            let who = format!("A <a@b> {} +0000", 1_700_000_000 + number);
            let who = gix::actor::SignatureRef::from_bytes(who.as_bytes()).unwrap().to_owned().unwrap();
            let commit = gix::objs::Commit {
                tree,
                parents: parents.iter().map(|parent| ids[*parent]).collect(),
                author: who.clone(),
                committer: who,
                encoding: None,
                message: format!("{number}").into(),
                extra_headers: Vec::new(),
            };
            ids.push(repo.write_object(commit).unwrap().detach());
        }
        (folder, repo, ids)
    }

    fn numbers(steps: &[CommitParents], ids: &[ObjectId]) -> Vec<usize> {
        let mut numbers: Vec<_> =
            steps.iter().map(|step| ids.iter().position(|id| *id == step.id).unwrap()).collect();
        numbers.sort_unstable();
        numbers
    }

    fn cut(repo: &Repository, at: ObjectId) {
        let shift = shallow::Shift::between(&Boundary::new(), &[at].into()).unwrap();
        shallow::shift(repo, &shift).unwrap();
    }

    fn known<'a>(tips: &'a [ObjectId], boundary: &'a Boundary) -> KnownHistory<'a> {
        KnownHistory { tips, boundary }
    }

    #[test]
    fn a_commit_behind_the_boundary_is_walked_to_by_another_way() {
        // 3 merges 2 and 1; 2 is on the boundary, though its parent 1 exists
        let (_folder, repo, ids) = repository(&[&[], &[0], &[1], &[2, 1]]);
        cut(&repo, ids[2]);
        let none = Boundary::new();
        assert_eq!(numbers(&ahead(&repo, &[ids[3]], known(&[], &none)).unwrap(), &ids), [0, 1, 2, 3]);
        assert_eq!(numbers(&ahead(&repo, &[ids[2]], known(&[], &none)).unwrap(), &ids), [2]);
    }

    #[test]
    fn the_other_sides_boundary_hides_no_more_than_it_has() {
        let (_folder, repo, ids) = repository(&[&[], &[0], &[1], &[2], &[0]]);
        let none = Boundary::new();
        assert_eq!(numbers(&ahead(&repo, &[ids[4]], known(&[ids[3]], &none)).unwrap(), &ids), [4]);
        let ends: Boundary = [ids[2]].into();
        assert_eq!(numbers(&ahead(&repo, &[ids[4]], known(&[ids[3]], &ends)).unwrap(), &ids), [0, 4]);
        assert_eq!(numbers(&ahead(&repo, &[ids[3]], known(&[ids[2]], &ends)).unwrap(), &ids), [3]);
    }

    #[test]
    fn levels_are_counted_from_the_nearest_tip() {
        let (_folder, repo, ids) = repository(&[&[], &[0], &[1], &[2], &[1, 3]]);
        for (levels, found, ends) in
            [(Some(1), &[4][..], &[4][..]), (Some(2), &[1, 3, 4], &[1, 3]), (None, &[0, 1, 2, 3, 4], &[])]
        {
            let mut boundary = Boundary::new();
            let steps = within(&repo, &[ids[4]], levels, &mut boundary).unwrap();
            assert_eq!(numbers(&steps, &ids), found);
            assert_eq!(boundary, ends.iter().map(|end| ids[*end]).collect());
        }
    }

    #[test]
    fn one_is_an_ancestor_of_the_other_only_on_this_side_of_the_boundary() {
        let (_folder, repo, ids) = repository(&[&[], &[0], &[1]]);
        assert_eq!(first_ahead(&repo, ids[0], ids[2]).unwrap(), None);
        cut(&repo, ids[1]);
        assert_eq!(first_ahead(&repo, ids[0], ids[2]).unwrap(), Some(ids[0]));
        assert_eq!(first_ahead(&repo, ids[1], ids[2]).unwrap(), None);
    }
}
