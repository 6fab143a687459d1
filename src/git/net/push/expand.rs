//! Expands refspecs to refs of both sides, by git's rules.
//!
//! Reads refs and names of objects; decides nothing about histories.

use super::offered::{Offered, RefMatch, meant};
use super::refspec::{RefPattern, Refspec, Wish};
use super::{Error, Force, RefUpdate};
use crate::error::During;
use crate::history::ancestry::{KnownHistory, ahead};
use crate::history::revision;
use crate::history::shallow::Boundary;
use crate::id::ObjectName;
use crate::net::fetch;
use crate::{Scope, refs};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::{BTreeMap, HashMap, HashSet};

#[derive(Debug, Clone)]
pub struct PushRequest {
    pub refspecs: Vec<Refspec>,
    /// Whether `:` pushes branches that the remote lacks.
    pub unmatched: Unmatched,
    /// Whether annotated tags of pushed commits are pushed too.
    pub tags: FollowTags,
    /// When non-fast-forward updates are allowed.
    pub force: Forcing,
}

/// Whether `:` pushes branches that the remote lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unmatched {
    #[default]
    Keep,
    /// Yes (`--all`).
    Push,
}

/// Whether annotated tags that point to pushed commits and that the remote lacks are pushed too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FollowTags {
    #[default]
    No,
    Yes,
}

/// When non-fast-forward updates are allowed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Forcing {
    /// Where the refspec begins with `+`.
    #[default]
    AsWritten,
    Everything,
    /// If a lease holds. A lease that does not hold also stops a refspec with `+`.
    Leased(Vec<PushLease>),
}

/// The expected value of a remote ref (`--force-with-lease`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushLease {
    /// The name of a remote ref, full or not; `None`: all that no other lease names.
    pub name: Option<BString>,
    pub expected: LeaseExpectation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseExpectation {
    /// The value of its tracking ref. Without one, the ref must not exist.
    Tracking,
    /// The ref must not exist.
    Absent,
    Is(ObjectName),
}

/// A ref to move, and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedPush {
    pub update: RefUpdate,
    /// The full name of the local ref, if it is one.
    pub source: Option<BString>,
}

/// Checks that every explicitly named source exists, before connecting.
///
/// # Errors
/// The first source that does not exist.
pub fn check_sources(scope: &Scope, refspecs: &[Refspec]) -> Result<(), Error> {
    refspecs.iter().try_for_each(|refspec| match &refspec.wish {
        Wish::One { source, .. } => source_of(scope, source).map(drop),
        Wish::Matching | Wish::Exclude(_) | Wish::Delete(_) | Wish::Every { .. } => Ok(()),
    })
}

pub(super) fn expand(
    scope: &Scope,
    offered: &Offered,
    tracked: &fetch::Tracked,
    request: &PushRequest,
) -> Result<Vec<PlannedPush>, Error> {
    let mut expansion = Expansion { scope, offered, planned: Vec::new(), at: HashMap::new() };
    for refspec in &request.refspecs {
        expansion.single(refspec)?;
    }
    expansion.patterns(request)?;
    if request.tags == FollowTags::Yes {
        expansion.following_tags()?;
    }
    let mut planned = expansion.planned;
    for one in &mut planned {
        force(scope, tracked, &request.force, &mut one.update)?;
    }
    Ok(planned)
}

fn force(
    scope: &Scope,
    tracked: &fetch::Tracked,
    forcing: &Forcing,
    update: &mut RefUpdate,
) -> Result<(), Error> {
    match forcing {
        Forcing::AsWritten => {}
        Forcing::Everything => update.force = Force::Yes,
        Forcing::Leased(leases) => {
            let named = |lease: &&PushLease| {
                lease.name.as_ref().is_some_and(|name| {
                    super::refspec::readings(name.as_bstr()).concat().contains(&update.destination)
                })
            };
            let lease =
                leases.iter().find(named).or_else(|| leases.iter().find(|lease| lease.name.is_none()));
            let Some(lease) = lease else { return Ok(()) };
            update.force = Force::WithLease(match lease.expected {
                LeaseExpectation::Absent => None,
                LeaseExpectation::Is(id) => Some(id),
                LeaseExpectation::Tracking => match tracked.name(update.destination.as_bstr())? {
                    Some(tracking) => refs::find(scope, tracking.as_bstr())?,
                    None => None,
                },
            });
        }
    }
    Ok(())
}

struct Expansion<'a> {
    scope: &'a Scope,
    offered: &'a Offered,
    planned: Vec<PlannedPush>,
    /// The remote refs that have a source so far.
    at: HashMap<BString, usize>,
}

struct PushSource {
    id: ObjectName,
    name: Option<BString>,
}

fn source_of(scope: &Scope, text: &BString) -> Result<PushSource, Error> {
    let find = |full: &BStr| {
        let id = refs::find(scope, full)?;
        Ok(id.map(|id| PushSource { id, name: Some(full.to_owned()) }))
    };
    match meant(text.as_bstr(), find)? {
        RefMatch::One(source) => {
            super::check_own(source.name.as_ref().map_or(BStr::new(""), |name| name.as_bstr()))?;
            Ok(source)
        }
        RefMatch::Several => Err(Error::AmbiguousHere(text.clone())),
        RefMatch::None => {
            // `refs/brv/ops/x~0` is still brv's own ref: it must not be pushed under any name
            let end = text.find_byteset(b"~^@:").unwrap_or(text.len());
            if let RefMatch::One(own) =
                meant(text[..end].as_bstr(), |full| Ok(refs::find(scope, full)?.map(|_| full.to_owned())))?
            {
                super::check_own(own.as_bstr())?;
            }
            let id = revision::object(scope, &text.to_str_lossy())?;
            let head = (text == "HEAD").then(|| scope.head()).transpose()?;
            let name = head.and_then(|head| head.branch().map(ToOwned::to_owned));
            Ok(PushSource { id, name })
        }
    }
}

impl Expansion<'_> {
    fn add(&mut self, source: Option<&PushSource>, destination: BString, forced: bool) {
        let update = RefUpdate {
            source: source.map(|source| source.id),
            destination: destination.clone(),
            force: if forced { Force::Yes } else { Force::No },
        };
        self.at.insert(destination, self.planned.len());
        self.planned.push(PlannedPush { update, source: source.and_then(|source| source.name.clone()) });
    }

    /// Adds a refspec that names its refs.
    fn single(&mut self, refspec: &Refspec) -> Result<(), Error> {
        let (source, destination) = match &refspec.wish {
            Wish::Delete(name) => (None, self.deleted(name)?),
            Wish::One { source: text, destination } => {
                let source = source_of(self.scope, text)?;
                let destination = self.destination(text, &source, destination.as_ref())?;
                (Some(source), destination)
            }
            Wish::Matching | Wish::Exclude(_) | Wish::Every { .. } => return Ok(()),
        };
        super::check_own(destination.as_bstr())?;
        if self.at.contains_key(&destination) {
            return Err(Error::Twice(destination));
        }
        self.add(source.as_ref(), destination, refspec.forced);
        Ok(())
    }

    fn deleted(&self, name: &BString) -> Result<BString, Error> {
        super::check_own(name.as_bstr())?;
        match self.offered.meant(name.as_bstr()) {
            RefMatch::One(full) => Ok(full),
            RefMatch::Several => Err(Error::AmbiguousThere(name.clone())),
            RefMatch::None => Err(Error::NotThere(name.clone())),
        }
    }

    fn destination(
        &self,
        text: &BString,
        source: &PushSource,
        written: Option<&BString>,
    ) -> Result<BString, Error> {
        let Some(written) = written else {
            return source.name.clone().ok_or_else(|| Error::Nameless(text.clone()));
        };
        match self.offered.meant(written.as_bstr()) {
            RefMatch::One(full) => return Ok(full),
            RefMatch::Several => return Err(Error::AmbiguousThere(written.clone())),
            RefMatch::None if written.starts_with(b"refs/") => return Ok(written.clone()),
            RefMatch::None => {}
        }
        // a new ref gets the kind of its source
        let kinds = ["refs/heads/", "refs/tags/"];
        let name = source.name.as_ref();
        let kind = kinds.iter().find(|kind| name.is_some_and(|name| name.starts_with(kind.as_bytes())));
        kind.map(|kind| [kind.as_bytes(), written].concat().into())
            .ok_or_else(|| Error::Unqualified { source_name: text.clone(), destination: written.clone() })
    }

    fn patterns(&mut self, request: &PushRequest) -> Result<(), Error> {
        let specs = &request.refspecs;
        let mut folders: Vec<BString> = Vec::new();
        for refspec in specs {
            match &refspec.wish {
                Wish::Matching => folders.push("refs/heads/".into()),
                Wish::Every { source, destination } => {
                    super::check_own(source.folder())?;
                    super::check_own(destination.folder())?;
                    folders.push(source.folder().to_owned());
                }
                Wish::Delete(_) | Wish::One { .. } | Wish::Exclude(_) => {}
            }
        }
        let mut local: BTreeMap<BString, ObjectName> = BTreeMap::new();
        for folder in folders {
            let below = if folder.starts_with(b"refs/") { folder.to_str_lossy() } else { "refs/".into() };
            local.extend(refs::list(self.scope, &below)?);
        }
        for (name, id) in local {
            let Some((refspec, destination)) = mapped(specs, name.as_bstr()) else { continue };
            let is_own = |name: &BString| super::check_own(name.as_bstr()).is_err();
            let is_new = self.offered.get(destination.as_bstr()).is_none();
            let stays = refspec.wish == Wish::Matching && is_new && request.unmatched == Unmatched::Keep;
            if stays || is_own(&name) || is_own(&destination) || self.at.contains_key(&destination) {
                continue;
            }
            self.add(Some(&PushSource { id, name: Some(name) }), destination, refspec.forced);
        }
        Ok(())
    }

    /// Adds annotated tags that the remote lacks, for commits that it has or gets.
    fn following_tags(&mut self) -> Result<(), Error> {
        let repo = &self.scope.repo;
        let mut candidates: Vec<(BString, ObjectName, gix::ObjectId)> = Vec::new();
        for (name, id) in refs::list(self.scope, "refs/tags/")? {
            if self.offered.get(name.as_bstr()).is_some() || self.at.contains_key(&name) {
                continue;
            }
            let object = repo.find_object(id.0).during(|| format!("read the tag {name}"))?;
            if object.kind == gix::object::Kind::Tag
                && let Ok(commit) = object.peel_to_commit()
            {
                candidates.push((name, id, commit.id));
            }
        }
        if candidates.is_empty() {
            return Ok(());
        }
        let mut tips = self.offered.known(repo);
        tips.extend(self.planned.iter().filter_map(|planned| planned.update.source.map(|id| id.0)));
        let tips =
            tips.into_iter().filter_map(|id| Some(repo.find_object(id).ok()?.peel_to_commit().ok()?.id));
        let tips: Vec<_> = tips.collect();
        let tagged: Vec<_> = candidates.iter().map(|(_, _, commit)| *commit).collect();
        let pushed = KnownHistory { tips: &tips, boundary: &Boundary::new() };
        let beyond: HashSet<_> = ahead(repo, &tagged, pushed)?.into_iter().map(|commit| commit.id).collect();
        for (name, id, _) in candidates.into_iter().filter(|(_, _, commit)| !beyond.contains(commit)) {
            self.add(Some(&PushSource { id, name: Some(name.clone()) }), name, false);
        }
        Ok(())
    }
}

/// The refspec for a local ref, and its remote name: the first pattern, else `:` for branches.
fn mapped<'s>(specs: &'s [Refspec], name: &BStr) -> Option<(&'s Refspec, BString)> {
    let excluded = |refspec: &Refspec| matches!(&refspec.wish, Wish::Exclude(out) if covers(out, name));
    if specs.iter().any(excluded) {
        return None;
    }
    let by_pattern = specs.iter().find_map(|refspec| match &refspec.wish {
        Wish::Every { source, destination } => Some((refspec, destination.filled(source.matched(name)?))),
        _ => None,
    });
    let is_matching = |refspec: &&Refspec| refspec.wish == Wish::Matching && name.starts_with(b"refs/heads/");
    by_pattern.or_else(|| specs.iter().find(is_matching).map(|refspec| (refspec, name.to_owned())))
}

fn covers(pattern: &RefPattern, name: &BStr) -> bool {
    pattern.matched(name).is_some()
}
