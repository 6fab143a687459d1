//! Selects the objects that a remote lacks, by the boundary rule: it has everything in the trees of commits that it
//! has.
//!
//! Trees are compared with those of the parents, so that only folders that differ are read. A renamed file is found at
//! its old path; an unchanged copy of a file is sent once more, as in git. Reads only; does not know how objects are
//! sent.

use crate::error::{During, Error};
use crate::history::ancestry::{self, CommitParents, KnownHistory};
use crate::history::shallow::{self, Boundary, Depth};
use crate::repository::scope::without_replacements;
use gix::hashtable::{HashMap, HashSet};
use gix::objs::FindExt as _;
use gix::{ObjectId, Repository};

/// The objects to send, oldest first, with a similar object for some of them that the other side has or gets earlier.
#[derive(Debug, Default)]
pub(super) struct SendPlan {
    pub objects: Vec<ObjectId>,
    /// For each of them, the object at its path in the first parent.
    pub bases: Vec<Option<ObjectId>>,
}

impl SendPlan {
    fn add(&mut self, id: ObjectId, base: Option<ObjectId>) {
        self.objects.push(id);
        self.bases.push(base);
    }
}

/// Everything reachable from `want` that the other side lacks. Missing ids in `have` are skipped.
pub(super) fn select(
    repo: &Repository,
    want: &[ObjectId],
    known: KnownHistory<'_>,
) -> Result<SendPlan, Error> {
    let repo = &without_replacements(repo);
    let mut walk = Walk::new(repo);
    let hidden = walk.mark_known(known.tips)?;
    let tips = walk.add_tags(want)?;
    let commits = ancestry::ahead(repo, &tips, KnownHistory { tips: &hidden, boundary: known.boundary })?;
    walk.add_commits(commits)
}

/// As [`select`], with the history limited by `depth`. Also returns the other side's new boundary.
pub(super) fn select_within(
    repo: &Repository,
    want: &[ObjectId],
    known: KnownHistory<'_>,
    depth: Depth,
) -> Result<(SendPlan, Boundary), Error> {
    let levels = match depth {
        Depth::Unchanged => return up_to_date(repo, want, known),
        Depth::Of(levels) => Some(levels.get()),
        Depth::Deepen(more) => Some(more.get().saturating_add(1)),
        Depth::Full => None,
    };
    let repo = &without_replacements(repo);
    let mut walk = Walk::new(repo);
    let hidden = walk.mark_known(known.tips)?;
    let tips = walk.add_tags(want)?;
    let known = KnownHistory { tips: &hidden, boundary: known.boundary };
    let (mut commits, from) = match depth {
        Depth::Deepen(_) => {
            let ends = known.boundary.iter().copied().filter(|id| repo.has_object(id)).collect();
            (ancestry::ahead(repo, &tips, known)?, ends)
        }
        _ => (Vec::new(), tips),
    };
    let mut ends = ends_among(repo, commits.iter().map(|commit| commit.id))?;
    let walked = ancestry::within(repo, &from, levels, &mut ends)?;
    let reached: HashSet<ObjectId> = walked.iter().map(|commit| commit.id).collect();
    ends.extend(known.boundary.iter().filter(|id| !reached.contains(*id)));
    commits.extend(walked);
    let there = ancestry::all(repo, known.tips, known.boundary)?;
    commits.retain(|commit| !there.contains(&commit.id));
    for end in known.boundary.iter().filter(|id| there.contains(*id)) {
        let tree = walk.tree_of(*end)?;
        walk.mark_tree(tree)?;
    }
    Ok((walk.add_commits(commits)?, ends))
}

fn up_to_date(
    repo: &Repository,
    want: &[ObjectId],
    known: KnownHistory<'_>,
) -> Result<(SendPlan, Boundary), Error> {
    let plan = select(repo, want, known)?;
    let mut ends = ends_among(repo, plan.objects.iter().copied())?;
    ends.extend(known.boundary);
    Ok((plan, ends))
}

/// The boundary of `repo`.
fn ends_among(repo: &Repository, ids: impl Iterator<Item = ObjectId>) -> Result<Boundary, Error> {
    let own = shallow::read(repo)?;
    if own.is_empty() {
        return Ok(Boundary::new());
    }
    Ok(ids.filter(|id| own.contains(id)).collect())
}

/// Orders the commits so that each comes after its parents, otherwise oldest first: with several tips, or wrong clocks,
/// the walk has another order, and a tree would be sent whole if its parent's was not known yet.
fn parents_first(
    commits: &[(ObjectId, Vec<(ObjectId, ObjectId)>)],
    places: &HashMap<ObjectId, usize>,
) -> Vec<usize> {
    let mut order = Vec::with_capacity(commits.len());
    let mut done = vec![false; commits.len()];
    for start in (0..commits.len()).rev() {
        let mut stack = vec![start];
        while let Some(&at) = stack.last() {
            let before = stack.len();
            if !done[at] {
                let parents = commits[at].1.iter().filter_map(|(id, _)| places.get(id).copied());
                stack.extend(parents.filter(|parent| !done[*parent]));
            }
            if stack.len() == before {
                stack.pop();
                if !std::mem::replace(&mut done[at], true) {
                    order.push(at);
                }
            }
        }
    }
    order
}

struct Walk<'a> {
    repo: &'a Repository,
    /// Trees and blobs that the other side has or that are planned.
    seen: HashSet<ObjectId>,
    plan: SendPlan,
}

impl<'a> Walk<'a> {
    fn new(repo: &'a Repository) -> Self {
        Self { repo, seen: HashSet::default(), plan: SendPlan::default() }
    }

    /// The commits, newest first, and what is new in their trees.
    fn add_commits(mut self, commits: Vec<CommitParents>) -> Result<SendPlan, Error> {
        let ahead: HashMap<ObjectId, usize> =
            commits.iter().enumerate().map(|(at, commit)| (commit.id, at)).collect();
        let mut found = Vec::with_capacity(commits.len());
        for commit in &commits {
            let tree = self.tree_of(commit.id)?;
            let parents = commit.parents.iter().map(|id| Ok((*id, self.tree_of(*id)?)));
            let parents: Vec<_> = parents.collect::<Result<_, Error>>()?;
            for (_, before) in parents.iter().filter(|(id, _)| !ahead.contains_key(id)) {
                self.mark_gone(*before, tree)?;
            }
            found.push((tree, parents));
        }
        for at in parents_first(&found, &ahead) {
            let (tree, parents) = &found[at];
            self.plan.add(commits[at].id, None);
            let known: Vec<_> = parents.iter().map(|(_, tree)| *tree).collect();
            self.add_tree(*tree, &known)?;
        }
        Ok(self.plan)
    }

    /// The commits of `have`; an object that does not peel to a commit is marked itself.
    fn mark_known(&mut self, have: &[ObjectId]) -> Result<Vec<ObjectId>, Error> {
        let mut commits = Vec::new();
        for id in have.iter().filter(|id| self.repo.has_object(id)) {
            let mut object = self.repo.find_object(*id).during("read what the remote has")?;
            while object.kind == gix::object::Kind::Tag {
                self.seen.insert(object.id);
                let target = target_of_tag(&object.data)?;
                let Some(next) = self.repo.try_find_object(target).during("read what the remote has")? else {
                    break;
                };
                object = next;
            }
            match object.kind {
                gix::object::Kind::Commit => commits.push(object.id),
                gix::object::Kind::Tree => {
                    let id = object.id;
                    drop(object);
                    self.mark_tree(id)?;
                }
                gix::object::Kind::Blob | gix::object::Kind::Tag => {
                    self.seen.insert(object.id);
                }
            }
        }
        Ok(commits)
    }

    /// The commits of `want`; adds annotated tags on the way, and trees and blobs that tags name.
    fn add_tags(&mut self, want: &[ObjectId]) -> Result<Vec<ObjectId>, Error> {
        let mut commits = Vec::new();
        for id in want {
            let mut object = self.repo.find_object(*id).during(|| format!("read {id}"))?;
            while object.kind == gix::object::Kind::Tag {
                if self.seen.insert(object.id) {
                    self.plan.add(object.id, None);
                }
                let target = target_of_tag(&object.data)?;
                object = self.repo.find_object(target).during(|| format!("read {target}"))?;
            }
            let (id, kind) = (object.id, object.kind);
            drop(object);
            match kind {
                gix::object::Kind::Commit => commits.push(id),
                gix::object::Kind::Tree => self.add_tree(id, &[])?,
                gix::object::Kind::Blob | gix::object::Kind::Tag => {
                    if self.seen.insert(id) {
                        self.plan.add(id, None);
                    }
                }
            }
        }
        Ok(commits)
    }

    fn tree_of(&self, commit: ObjectId) -> Result<ObjectId, Error> {
        let mut buffer = Vec::new();
        self.repo
            .objects
            .find_commit_iter(&commit, &mut buffer)
            .and_then(|mut commit| commit.tree_id())
            .during(|| format!("read commit {commit}"))
    }

    /// Names, kinds and ids of the entries of a tree, except the commits of submodules, which are in other
    /// repositories.
    fn entries(&self, tree: ObjectId) -> Result<Vec<(bstr::BString, bool, ObjectId)>, Error> {
        let act = || format!("read tree {tree}");
        let mut buffer = Vec::new();
        let mut entries = Vec::new();
        for entry in self.repo.objects.find_tree_iter(&tree, &mut buffer).during(act())? {
            let entry = entry.during(act())?;
            if !entry.mode.is_commit() {
                entries.push((entry.filename.to_owned(), entry.mode.is_tree(), entry.oid.to_owned()));
            }
        }
        Ok(entries)
    }

    fn mark_tree(&mut self, tree: ObjectId) -> Result<(), Error> {
        if !self.seen.insert(tree) {
            return Ok(());
        }
        for (_, is_tree, id) in self.entries(tree)? {
            if is_tree {
                self.mark_tree(id)?;
            } else {
                self.seen.insert(id);
            }
        }
        Ok(())
    }

    /// Entries that the other side has where a later tree has others: they may have been renamed.
    fn mark_gone(&mut self, before: ObjectId, after: ObjectId) -> Result<(), Error> {
        if before == after {
            return Ok(());
        }
        self.seen.insert(before);
        let after = by_name(self.entries(after)?);
        for (name, is_tree, id) in self.entries(before)? {
            match after.get(&(name, is_tree)) {
                Some(same) if *same == id => {}
                Some(other) if is_tree => self.mark_gone(id, *other)?,
                None if is_tree => self.mark_tree(id)?,
                _ => drop(self.seen.insert(id)),
            }
        }
        Ok(())
    }

    /// Adds what is new in a tree. Entries that one of `bases` has at the same place are not new: the other side has
    /// those, or gets them earlier.
    fn add_tree(&mut self, tree: ObjectId, bases: &[ObjectId]) -> Result<(), Error> {
        if bases.contains(&tree) || !self.seen.insert(tree) {
            return Ok(());
        }
        self.add(tree, bases);
        let before = bases.iter().map(|base| Ok(by_name(self.entries(*base)?)));
        let before: Vec<_> = before.collect::<Result<_, Error>>()?;
        for (name, is_tree, id) in self.entries(tree)? {
            let place = (name, is_tree);
            let bases: Vec<_> = before.iter().filter_map(|names| names.get(&place).copied()).collect();
            if is_tree {
                self.add_tree(id, &bases)?;
            } else if !bases.contains(&id) && self.seen.insert(id) {
                self.add(id, &bases);
            }
        }
        Ok(())
    }

    fn add(&mut self, id: ObjectId, bases: &[ObjectId]) {
        self.plan.add(id, bases.first().copied());
        if let Some(base) = bases.first() {
            // a base must not become a delta of its own delta
            self.seen.insert(*base);
        }
    }
}

type TreeEntryIds = std::collections::HashMap<(bstr::BString, bool), ObjectId>;

fn by_name(entries: Vec<(bstr::BString, bool, ObjectId)>) -> TreeEntryIds {
    entries.into_iter().map(|(name, is_tree, id)| ((name, is_tree), id)).collect()
}

fn target_of_tag(data: &[u8]) -> Result<ObjectId, Error> {
    gix::objs::TagRefIter::from_bytes(data, gix::hash::Kind::Sha1).target_id().during("read a tag")
}

/// Whether all commits and trees between `tips` and the history of `known` exist here.
pub(super) fn is_whole(repo: &Repository, tips: &[ObjectId], known: &[ObjectId]) -> bool {
    let walk = Walk::new(repo);
    let commit = |id: &ObjectId| {
        let object = repo.find_object(*id).ok()?.peel_tags_to_end().ok()?;
        (object.kind == gix::object::Kind::Commit).then_some(object.id)
    };
    let tips: Vec<_> = tips.iter().filter_map(commit).collect();
    let known: Vec<_> = known.iter().filter_map(commit).collect();
    let known = KnownHistory { tips: &known, boundary: &Boundary::new() };
    ancestry::ahead(repo, &tips, known).is_ok_and(|commits| {
        commits.iter().all(|commit| walk.tree_of(commit.id).is_ok_and(|tree| repo.has_object(tree)))
    })
}

/// Whether the parents of a commit exist here.
pub(super) fn has_parents(repo: &Repository, commit: ObjectId) -> bool {
    let Ok(commit) = repo.find_commit(commit) else { return false };
    commit.parent_ids().all(|parent| repo.has_object(parent))
}
