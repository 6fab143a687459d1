//! Which objects a remote lacks, by the boundary rule: everything in the trees of commits it has, it has.
//!
//! Trees are compared with those of the parents, so that only folders that differ are read. A file that moved is found
//! where it was; a copy of a file that did not change is sent once more, as git does.
//!
//! Reads only; does not know how objects travel.

use super::error::{During, Error};
use gix::hashtable::{HashMap, HashSet};
use gix::objs::FindExt as _;
use gix::{ObjectId, Repository};

/// The objects to send, oldest first, and for some of them one like it that the other side has or gets before.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Each once.
    pub objects: Vec<ObjectId>,
    /// Object → what stood at its path in the first parent.
    pub bases: HashMap<ObjectId, ObjectId>,
}

/// A repository that shows objects as they are, not as `refs/replace` would have them.
pub(super) fn without_replacements(repo: &Repository) -> Repository {
    let mut repo = repo.clone();
    repo.objects.ignore_replacements = true;
    repo
}

/// Everything reachable from `want` that is not reachable from `have`. Ids of `have` that are not here are passed over.
pub(super) fn select(repo: &Repository, want: &[ObjectId], have: &[ObjectId]) -> Result<Plan, Error> {
    let repo = &without_replacements(repo);
    let mut walk = Walk { repo, seen: HashSet::default(), plan: Plan::default() };
    let hidden = walk.mark_known(have)?;
    let tips = walk.add_tags(want)?;
    let commits = repo
        .rev_walk(tips)
        .with_hidden(hidden)
        .all()
        .and_then(Iterator::collect::<gix::Result<Vec<_>>>)
        .during("list the commits to send")?;
    let ahead: HashMap<ObjectId, usize> =
        commits.iter().enumerate().map(|(at, commit)| (commit.id, at)).collect();
    let shallow = repo.shallow_commits().during("read where the history ends")?;
    let mut found = Vec::with_capacity(commits.len());
    for commit in &commits {
        let tree = walk.tree_of(commit.id)?;
        let cut = shallow.as_ref().is_some_and(|shallow| shallow.contains(&commit.id));
        let parents = commit.parent_ids().filter(|_| !cut).map(gix::Id::detach);
        let parents: Vec<_> = parents.map(|id| Ok((id, walk.tree_of(id)?))).collect::<Result<_, Error>>()?;
        for (_, before) in parents.iter().filter(|(id, _)| !ahead.contains_key(id)) {
            walk.mark_gone(*before, tree)?;
        }
        found.push((tree, parents));
    }
    for at in parents_first(&found, &ahead) {
        let (tree, parents) = &found[at];
        walk.plan.objects.push(commits[at].id);
        let known: Vec<_> = parents.iter().map(|(_, tree)| *tree).collect();
        walk.add_tree(*tree, &known)?;
    }
    Ok(walk.plan)
}

/// The commits in an order in which each stands behind its parents, oldest first otherwise: with several tips, or clocks
/// that are wrong, the walk's own order is another, and a tree whose parent's is not known yet would be sent whole.
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
    /// Trees and blobs that the other side has or that are in the plan.
    seen: HashSet<ObjectId>,
    plan: Plan,
}

impl Walk<'_> {
    /// The commits of `have`; what is not a commit in the end is marked itself.
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

    /// The commits of `want`; annotated tags on the way are added, and trees and blobs that tags name.
    fn add_tags(&mut self, want: &[ObjectId]) -> Result<Vec<ObjectId>, Error> {
        let mut commits = Vec::new();
        for id in want {
            let mut object = self.repo.find_object(*id).during(|| format!("read {id}"))?;
            while object.kind == gix::object::Kind::Tag {
                if self.seen.insert(object.id) {
                    self.plan.objects.push(object.id);
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
                        self.plan.objects.push(id);
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

    /// Names, kinds and ids of what a tree holds, without the commits of submodules, which live elsewhere.
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

    /// What the other side has at places where a later tree has something else: that may be there under other names.
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

    /// Add what is new in a tree. What stands in one of `bases` at the same place is not: the other side has those, or
    /// gets them before.
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
        self.plan.objects.push(id);
        if let Some(base) = bases.first() {
            self.plan.bases.insert(id, *base);
            // once it is a base it must not be made of what is made of it
            self.seen.insert(*base);
        }
    }
}

type Names = std::collections::HashMap<(bstr::BString, bool), ObjectId>;

fn by_name(entries: Vec<(bstr::BString, bool, ObjectId)>) -> Names {
    entries.into_iter().map(|(name, is_tree, id)| ((name, is_tree), id)).collect()
}

fn target_of_tag(data: &[u8]) -> Result<ObjectId, Error> {
    gix::objs::TagRefIter::from_bytes(data, gix::hash::Kind::Sha1).target_id().during("read a tag")
}

/// Whether `ancestor` is `commit` or in its history. Both must be here.
pub(super) fn is_ancestor(repo: &Repository, ancestor: ObjectId, commit: ObjectId) -> Result<bool, Error> {
    let act = "compare histories";
    // everything from `commit` on is hidden: nothing of `ancestor` is left if it is in there
    let mut left = repo.rev_walk([ancestor]).with_hidden([commit]).all().during(act)?;
    Ok(ancestor == commit || left.next().transpose().during(act)?.is_none())
}
