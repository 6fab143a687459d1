//! Connectivity check: whether every object that the received ones refer to came with them or existed before.
//!
//! Received objects are checked even if they existed; objects that were not received and existed are taken to be
//! complete.

use super::GitError;
use crate::error::During;
use crate::objects::headers::Headers;
use crate::trees::MOST_FILES;
use gix::hashtable::{HashMap, HashSet};
use gix::object::Kind;
use gix::objs::FindHeader as _;
use gix::objs::tag::ref_iter::Token;
use gix::objs::tree::EntryKind;
use gix::objs::{TagRefIter, TreeRefIter};
use gix::prelude::Find as _;
use gix::{ObjectId, OdbHandle};
use std::collections::BTreeSet;

/// Folders nested deeper are rejected: git's own limit is 2,048, and no path that brv writes has more than 100.
const DEEPEST: u32 = 512;
const SHA1: gix::hash::Kind = gix::hash::Kind::Sha1;

/// A fault in the received objects.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Gap {
    #[error("the {0} {1} is missing")]
    Missing(Kind, ObjectId),
    #[error("{0} is not a {1}")]
    WrongKind(ObjectId, Kind),
    #[error("the {0} {1} is damaged")]
    Damaged(Kind, ObjectId),
    #[error("folders nested more than {DEEPEST} deep")]
    Deep,
    #[error("a tree with more than {MOST_FILES} files")]
    Many,
}

impl Gap {
    /// Whether it is a size limit, rather than damage.
    pub const fn is_excess(&self) -> bool {
        matches!(self, Self::Deep | Self::Many)
    }
}

/// A fault, or why the check failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(transparent)]
    Gap(#[from] Gap),
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Checks all received objects that `tips` reach; a tip may be required to be of a kind. Commits of `shallow` end the
/// history, those of `opened` ended it before.
pub(super) fn check(
    here: &OdbHandle,
    received: &gix::odb::Handle,
    tips: &[(ObjectId, Option<Kind>)],
    (shallow, opened): (&BTreeSet<ObjectId>, &BTreeSet<ObjectId>),
) -> Result<(), Error> {
    let mut here = here.clone();
    // nearly all lookups fail: do not look for new packs each time
    here.refresh_never();
    let mut walk = ConnectivityWalk { here, received, blobs: HashSet::default(), trees: HashMap::default() };
    let mut seen: HashSet<ObjectId> = HashSet::default();
    for (id, expected) in tips {
        let known = walk.here.try_header(id).during(|| format!("read {id}"))?.map(|header| header.kind);
        if let (Some(expected), Some(kind)) = (*expected, known)
            && expected != kind
        {
            return Err(Gap::WrongKind(*id, expected).into());
        }
    }
    let mut left = tips.to_vec();
    let mut buffer = Vec::new();
    for id in opened {
        let commit = walk.here.try_find(id, &mut buffer).during(|| format!("read {id}"))?;
        let Some(commit) = commit else { continue };
        let parents = Headers::of(*id, commit.data)?.parents;
        left.extend(parents.into_iter().map(|parent| (parent, Some(Kind::Commit))));
    }
    while let Some((id, expected)) = left.pop() {
        if !seen.insert(id) {
            continue;
        }
        let Some(kind) = walk.read(id, expected.unwrap_or(Kind::Commit), &mut buffer)? else { continue };
        if let Some(expected) = expected.filter(|expected| *expected != kind) {
            return Err(Gap::WrongKind(id, expected).into());
        }
        let damaged = || Gap::Damaged(kind, id);
        match kind {
            Kind::Commit => {
                let commit = Headers::of(id, &buffer).map_err(|_| damaged())?;
                if !shallow.contains(&id) {
                    left.extend(commit.parents.iter().map(|parent| (*parent, Some(Kind::Commit))));
                }
                walk.tree(commit.tree)?;
            }
            Kind::Tree => walk.tree(id)?,
            Kind::Tag => {
                left.push(target(TagRefIter::from_bytes(&buffer, SHA1)).ok_or_else(damaged)?);
            }
            Kind::Blob => {}
        }
    }
    Ok(())
}

/// What a tag names, and its kind. The tagger is not read: git accepts any.
fn target(mut tag: TagRefIter<'_>) -> Option<(ObjectId, Option<Kind>)> {
    match (tag.next()?.ok()?, tag.next()?.ok()?) {
        (Token::Target { id }, Token::TargetKind(kind)) => Some((id, Some(kind))),
        _ => None,
    }
}

struct ConnectivityWalk<'a> {
    here: OdbHandle,
    received: &'a gix::odb::Handle,
    blobs: HashSet<ObjectId>,
    /// Received trees that are complete: how deep they are, and how many files they hold.
    trees: HashMap<ObjectId, (u32, u64)>,
}

/// A tree whose folders are being checked.
struct PendingTree {
    id: ObjectId,
    folders: Vec<ObjectId>,
    depth: u32,
    files: u64,
}

impl ConnectivityWalk<'_> {
    fn is_here(&self, id: &gix::oid) -> bool {
        gix::objs::Exists::exists(&self.here, id)
    }

    /// The kind of a received object, its bytes in `buffer`. `None`: it was not received, and existed before.
    fn read(&self, id: ObjectId, expected: Kind, buffer: &mut Vec<u8>) -> Result<Option<Kind>, Error> {
        let found =
            self.received.try_find(&id, buffer).during(|| format!("read the received object {id}"))?;
        match found.map(|object| object.kind) {
            None if !self.is_here(&id) => Err(Gap::Missing(expected, id).into()),
            kind => Ok(kind),
        }
    }

    /// Checks a tree and everything below, without recursion: the sender chooses its depth.
    fn tree(&mut self, root: ObjectId) -> Result<(), Error> {
        let mut open: Vec<PendingTree> = self.open(root)?.into_iter().collect();
        while let Some(top) = open.last_mut() {
            if let Some(id) = top.folders.pop() {
                match self.trees.get(&id).copied() {
                    Some(known) => top.count(known)?,
                    None => match self.open(id)? {
                        Some(next) => open.push(next),
                        // it existed before
                        None => top.count((0, 1))?,
                    },
                }
                if open.len() > DEEPEST as usize {
                    return Err(Gap::Deep.into());
                }
                continue;
            }
            let known = (top.depth, top.files);
            self.trees.insert(top.id, known);
            open.pop();
            if let Some(above) = open.last_mut() {
                above.count(known)?;
            }
        }
        Ok(())
    }

    /// Starts with a tree, looking up its files. `None`: it existed before, or was checked already.
    fn open(&mut self, id: ObjectId) -> Result<Option<PendingTree>, Error> {
        if self.trees.contains_key(&id) || id.is_empty_tree() {
            return Ok(None);
        }
        let mut buffer = Vec::new();
        match self.read(id, Kind::Tree, &mut buffer)? {
            None => return Ok(None),
            Some(Kind::Tree) => {}
            Some(_) => return Err(Gap::WrongKind(id, Kind::Tree).into()),
        }
        let mut open = PendingTree { id, folders: Vec::new(), depth: 0, files: 0 };
        for entry in TreeRefIter::from_bytes(&buffer, SHA1) {
            let entry = entry.map_err(|_| Gap::Damaged(Kind::Tree, id))?;
            match entry.mode.kind() {
                EntryKind::Tree => open.folders.push(entry.oid.to_owned()),
                // the commits of submodules live elsewhere
                EntryKind::Commit => {}
                EntryKind::Blob | EntryKind::BlobExecutable | EntryKind::Link => {
                    open.files += 1;
                    self.blob(entry.oid)?;
                }
            }
        }
        Ok(Some(open))
    }

    fn blob(&mut self, id: &gix::oid) -> Result<(), Gap> {
        if self.blobs.contains(id) {
            return Ok(());
        }
        if gix::objs::Exists::exists(self.received, id) {
            self.blobs.insert(id.to_owned());
            return Ok(());
        }
        if self.is_here(id) { Ok(()) } else { Err(Gap::Missing(Kind::Blob, id.to_owned())) }
    }
}

impl PendingTree {
    fn count(&mut self, (depth, files): (u32, u64)) -> Result<(), Gap> {
        self.depth = self.depth.max(depth + 1);
        self.files = self.files.saturating_add(files);
        if self.depth > DEEPEST {
            return Err(Gap::Deep);
        }
        if self.files > MOST_FILES as u64 { Err(Gap::Many) } else { Ok(()) }
    }
}
