//! Finds all objects reachable from the roots.
//!
//! Reads only, and does not care where objects are stored.

use crate::error::{During, Error};
use crate::id::{BlobId, object_id};
use crate::objects::headers::Headers;
use crate::objects::object::ObjectKind;
use brv_base::content::fnv;
use gix::hashtable::HashSet;
use gix::objs::{TagRefIter, TreeRefIter};
use gix::prelude::FindExt as _;
use gix::{ObjectId, Repository};

#[derive(Debug, Clone, Copy)]
pub(super) struct ReachedObject {
    pub id: ObjectId,
    pub kind: ObjectKind,
    /// The path at which it was found first.
    pub name: NameHash,
}

/// The name of an object, reduced to what helps to find similar ones. Ordered: objects whose names end alike are
/// neighbours, and among them those of one path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NameHash {
    ending: u64,
    path: u32,
}

impl NameHash {
    fn below(self, name: &[u8]) -> Self {
        let ending = name.iter().rev().take(8).fold((0u64, 56i32), |(ending, shift), byte| {
            (ending | u64::from(*byte) << shift, (shift - 8).max(0))
        });
        let path = fnv(self.path.to_le_bytes().into_iter().chain(name.iter().copied()));
        Self { ending: ending.0, path: (path >> 32) as u32 }
    }
}

/// What to do when an object is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Absent {
    /// Stop: the repository is damaged or partial.
    Refused,
    /// Continue with the objects that exist.
    PassedOver,
}

pub(super) struct ReachWalk<'r> {
    repo: &'r Repository,
    shallow: Option<Vec<ObjectId>>,
    seen: HashSet<ObjectId>,
    /// The latest commits first, then tags, trees and blobs.
    found: Vec<ReachedObject>,
    buffer: Vec<u8>,
    /// The name of files whose text names blobs, and the files found so far.
    watched: (Option<&'static str>, Vec<ObjectId>),
}

impl<'r> ReachWalk<'r> {
    /// A walk that has reached nothing yet. `repo` shows objects without replacements.
    /// Files with the name `watched` can be asked for later.
    pub fn new(repo: &'r Repository, watched: Option<&'static str>) -> Result<Self, Error> {
        let shallow = repo.shallow_commits().during("read the shallow boundary")?;
        let shallow = shallow.map(|commits| commits.iter().copied().collect());
        let watched = (watched, Vec::new());
        Ok(Self { repo, shallow, seen: HashSet::default(), found: Vec::new(), buffer: Vec::new(), watched })
    }

    /// Walks from objects of any kind.
    pub fn follow_from(&mut self, tips: &[ObjectId], absent: Absent) -> Result<(), Error> {
        let mut commits = Vec::new();
        let mut trees = Vec::new();
        let mut waiting: Vec<ObjectId> = tips.to_vec();
        while let Some(id) = waiting.pop() {
            if !self.seen.insert(id) {
                continue;
            }
            let Some(kind) = self.read(id, absent)? else { continue };
            match kind {
                ObjectKind::Blob => self.put(id, kind, NameHash::default()),
                ObjectKind::Tree => trees.push(id),
                ObjectKind::Tag => {
                    self.put(id, kind, NameHash::default());
                    let tag = TagRefIter::from_bytes(&self.buffer, gix::hash::Kind::Sha1);
                    waiting.push(tag.target_id().during(|| format!("read tag {id}"))?);
                }
                ObjectKind::Commit => {
                    let commit = Headers::of(id, &self.buffer)?;
                    commits.push((commit.seconds(), id, commit.tree));
                    if !self.shallow.as_ref().is_some_and(|shallow| shallow.contains(&id)) {
                        waiting.extend(commit.parents);
                    }
                }
            }
        }
        commits.sort_by_key(|(seconds, ..)| std::cmp::Reverse(*seconds));
        for (_, id, _) in &commits {
            self.put(*id, ObjectKind::Commit, NameHash::default());
        }
        for (_, _, tree) in commits {
            if self.seen.insert(tree) {
                self.follow_tree(tree, absent)?;
            }
        }
        // objects asked for explicitly are marked already
        trees.into_iter().try_for_each(|tree| self.follow_tree(tree, absent))
    }

    fn follow_tree(&mut self, tree: ObjectId, absent: Absent) -> Result<(), Error> {
        let mut waiting = vec![(tree, NameHash::default())];
        while let Some((id, name)) = waiting.pop() {
            if self.read(id, absent)?.is_none() {
                continue;
            }
            self.put(id, ObjectKind::Tree, name);
            for entry in TreeRefIter::from_bytes(&self.buffer, gix::hash::Kind::Sha1) {
                let entry = entry.during(|| format!("read tree {id}"))?;
                // the commit of a submodule lives elsewhere
                if entry.mode.is_commit() || !self.seen.insert(entry.oid.to_owned()) {
                    continue;
                }
                let below = name.below(entry.filename);
                if entry.mode.is_tree() {
                    waiting.push((entry.oid.to_owned(), below));
                } else {
                    if self.watched.0.is_some_and(|name| entry.filename == name) {
                        self.watched.1.push(entry.oid.to_owned());
                    }
                    self.found.push(ReachedObject {
                        id: entry.oid.to_owned(),
                        kind: ObjectKind::Blob,
                        name: below,
                    });
                }
            }
        }
        Ok(())
    }

    /// Reads an object into the buffer; `None` if it is absent and may be.
    fn read(&mut self, id: ObjectId, absent: Absent) -> Result<Option<ObjectKind>, Error> {
        let act = || format!("read object {id}");
        if absent == Absent::PassedOver && !self.repo.has_object(id) {
            return Ok(None);
        }
        let object = self.repo.objects.find(&id, &mut self.buffer).during(act)?;
        Ok(Some(ObjectKind::from_gix(object.kind)))
    }

    fn put(&mut self, id: ObjectId, kind: ObjectKind, name: NameHash) {
        self.found.push(ReachedObject { id, kind, name });
    }

    /// The blobs that the watched files name.
    pub fn mentioned(&mut self, names: fn(&[u8]) -> Vec<BlobId>) -> Result<Vec<ObjectId>, Error> {
        let mut all = Vec::new();
        for id in std::mem::take(&mut self.watched.1) {
            if self.read(id, Absent::PassedOver)? == Some(ObjectKind::Blob) {
                all.extend(names(&self.buffer).into_iter().map(object_id));
            }
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    pub fn has_seen(&self, id: &ObjectId) -> bool {
        self.seen.contains(id)
    }

    /// The objects reached since the last call, in the order of the walk.
    pub fn take(&mut self) -> Vec<ReachedObject> {
        std::mem::take(&mut self.found)
    }
}
