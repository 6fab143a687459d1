//! What is asked of the server, and what is refused before: the rules of `git push` for each ref.
//!
//! Sends nothing.

use super::offered::Offered;
use super::{Atomicity, Course, Error, Force, RefOutcome, RefUpdate, Status};
use crate::git::error::{During, Error as GitError};
use crate::git::history::ancestry::is_ancestor;
use crate::git::id::{CommitId, ObjectName};
use bstr::{BStr, ByteSlice as _};
use gix::ObjectId;
use gix::refs::FullName;

/// A ref to move: an index into the outcome, and what the server is told.
pub(super) struct Command {
    pub at: usize,
    pub before: ObjectId,
    pub after: ObjectId,
}

/// The outcome as far as it is known before anything is sent, and what the server will be asked for.
pub struct Decided {
    pub(super) refs: Vec<RefOutcome>,
    pub(super) commands: Vec<Command>,
    pub(super) atomicity: Atomicity,
    pub(super) repo: gix::Repository,
}

impl Decided {
    /// The commits that refs would move to; what is no commit in the end is left out.
    #[must_use]
    pub fn tips(&self) -> Vec<CommitId> {
        let new = self.commands.iter().filter(|command| !command.after.is_null());
        let commit = |id| self.repo.find_object(id).ok()?.peel_to_commit().ok().map(|commit| commit.id);
        let mut tips: Vec<_> = new.filter_map(|command| commit(command.after)).map(CommitId).collect();
        tips.sort_unstable();
        tips.dedup();
        tips
    }
}

/// What a server can do beside moving refs.
#[derive(Clone, Copy)]
pub(super) struct Abilities {
    pub atomic: bool,
    pub delete: bool,
}

/// Say of every update what is known without the server, and list what it is asked for.
pub(super) fn decide(
    repo: &gix::Repository,
    updates: &[RefUpdate],
    atomicity: Atomicity,
    offered: &Offered,
    abilities: Abilities,
) -> Result<Decided, Error> {
    for update in updates {
        check(update.destination.as_bstr())?;
    }
    if atomicity == Atomicity::AllOrNothing && !abilities.atomic {
        return Err(Error::Incapable("update several refs atomically"));
    }
    let mut repo = repo.clone();
    // looking for new packs for each of thousands of objects that were never fetched would take seconds
    repo.objects.refresh_never();
    let mut refs = Vec::with_capacity(updates.len());
    for update in updates {
        refs.push(outlook(&repo, update, offered, abilities)?);
    }
    if atomicity == Atomicity::AllOrNothing && refs.iter().any(|reference| !reference.status.is_done()) {
        let hopeful = refs.iter_mut().filter(|reference| reference.status == Status::Ok);
        hopeful.for_each(|reference| reference.status = Status::NotAsked);
    }
    let commands = commands(&refs);
    Ok(Decided { refs, commands, atomicity, repo })
}

/// A command for each ref that nothing speaks against.
fn commands(refs: &[RefOutcome]) -> Vec<Command> {
    let id = |name: Option<ObjectName>| name.map_or(ObjectId::null(gix::hash::Kind::Sha1), |name| name.0);
    let asked = refs.iter().enumerate().filter(|(_, reference)| reference.status == Status::Ok);
    asked
        .map(|(at, reference)| Command { at, before: id(reference.before), after: id(reference.after) })
        .collect()
}

/// Only full names, and none of this machine's own.
fn check(name: &BStr) -> Result<(), Error> {
    super::check_own(name)?;
    if !name.starts_with(b"refs/") || FullName::try_from(name).is_err() {
        return Err(Error::RefName(crate::git::printable(name)));
    }
    Ok(())
}

/// What would become of a ref if the server agreed, and how it would move.
fn outlook(
    repo: &gix::Repository,
    update: &RefUpdate,
    offered: &Offered,
    abilities: Abilities,
) -> Result<RefOutcome, GitError> {
    let before = offered.get(update.destination.as_bstr());
    let mut outlook = RefOutcome {
        destination: update.destination.clone(),
        before: before.map(ObjectName),
        after: update.source,
        status: Status::Ok,
        course: Course::Forward,
        rescue: None,
    };
    let trust = Trust::of(update, outlook.before);
    outlook.status = match (outlook.before, update.source) {
        (None, None) => Status::Rejected("the remote has no such ref".into()),
        (before, after) if before == after => Status::UpToDate,
        _ if trust == Trust::Broken => Status::StaleLease,
        (Some(_), None) if !abilities.delete => Status::Rejected("the remote does not support deleting refs".into()),
        (None, Some(_)) | (Some(_), None) => Status::Ok,
        (Some(before), Some(after)) => match harm(repo, update.destination.as_bstr(), before, after)? {
            None => Status::Ok,
            Some(harm) => {
                outlook.course = Course::Elsewhere;
                if trust == Trust::Full { Status::Ok } else { harm }
            }
        },
    };
    Ok(outlook)
}

/// How far it is known that what the remote has may be replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// Somebody said so, and of what is there.
    Full,
    /// Only by what comes after it.
    Plain,
    /// Somebody said so of something else than what is there.
    Broken,
}

impl Trust {
    fn of(update: &RefUpdate, before: Option<ObjectName>) -> Self {
        match update.force {
            Force::No => Self::Plain,
            Force::Yes => Self::Full,
            Force::WithLease(expected) if expected == before => Self::Full,
            Force::WithLease(_) => Self::Broken,
        }
    }
}

/// Why a ref is not replaced unasked: a tag stays what it is, and a branch loses no commit, nor what is not here to be
/// looked at.
fn harm(
    repo: &gix::Repository,
    name: &BStr,
    before: ObjectName,
    after: ObjectName,
) -> Result<Option<Status>, GitError> {
    if name.starts_with(b"refs/tags/") {
        return Ok(Some(Status::TagExists));
    }
    let Some(old) = repo.try_find_header(before.0).during("look up what the remote has")? else {
        return Ok(Some(Status::FetchFirst));
    };
    let new = repo.find_header(after.0).during(|| format!("read {}", after.0))?;
    let both = [old.kind(), new.kind()] == [gix::object::Kind::Commit; 2];
    let comes_after = both && is_ancestor(repo, before.0, after.0)?;
    Ok((!comes_after).then_some(Status::NonFastForward))
}
