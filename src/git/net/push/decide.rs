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
        return Err(Error::Incapable("move several refs at once"));
    }
    let mut repo = repo.clone();
    // looking for new packs for each of thousands of objects that were never fetched would take seconds
    repo.objects.refresh_never();
    let null = ObjectId::null(gix::hash::Kind::Sha1);
    let (mut refs, mut commands) = (Vec::new(), Vec::new());
    for update in updates {
        let before = offered.get(update.destination.as_bstr());
        let (mut refusal, course) = judge(&repo, update, before)?;
        if refusal.is_none() && update.source.is_none() && !abilities.delete {
            refusal = Some(Status::Rejected("the remote deletes no refs".into()));
        }
        if refusal.is_none() {
            commands.push(Command {
                at: refs.len(),
                before: before.unwrap_or(null),
                after: update.source.map_or(null, |id| id.0),
            });
        }
        refs.push(RefOutcome {
            destination: update.destination.clone(),
            before: before.map(ObjectName),
            after: update.source,
            status: refusal.unwrap_or(Status::Ok),
            course,
            rescue: None,
        });
    }
    let refused = refs.iter().any(|reference| !reference.status.is_done());
    if refused && atomicity == Atomicity::AllOrNothing {
        for command in commands.drain(..) {
            refs[command.at].status = Status::NotAsked;
        }
    }
    Ok(Decided { refs, commands, atomicity, repo })
}

/// Only full names, and none of this machine's own.
fn check(name: &BStr) -> Result<(), Error> {
    super::check_own(name)?;
    if !name.starts_with(b"refs/") || FullName::try_from(name).is_err() {
        return Err(Error::RefName(crate::git::printable(name)));
    }
    Ok(())
}

/// No status: ask the server.
fn judge(
    repo: &gix::Repository,
    update: &RefUpdate,
    before: Option<ObjectId>,
) -> Result<(Option<Status>, Course), GitError> {
    let after = update.source.map(|id| id.0);
    if before == after {
        let reason = "the remote has no such ref".into();
        let status = if after.is_some() { Status::UpToDate } else { Status::Rejected(reason) };
        return Ok((Some(status), Course::Forward));
    }
    if let Force::WithLease(expected) = update.force
        && expected.map(|id| id.0) != before
    {
        return Ok((Some(Status::StaleLease), Course::Forward));
    }
    let (Some(before), Some(after)) = (before, after) else { return Ok((None, Course::Forward)) };
    let loss = loss(repo, update, before, after)?;
    let course = if loss.is_some() { Course::Elsewhere } else { Course::Forward };
    Ok((loss.filter(|_| update.force == Force::No), course))
}

/// What may be lost where the ref is now.
fn loss(
    repo: &gix::Repository,
    update: &RefUpdate,
    before: ObjectId,
    after: ObjectId,
) -> Result<Option<Status>, GitError> {
    if update.destination.starts_with(b"refs/tags/") {
        return Ok(Some(Status::TagExists));
    }
    let Some(header) = repo.try_find_header(before).during("look for what the remote has")? else {
        return Ok(Some(Status::FetchFirst));
    };
    let new = repo.find_header(after).during(|| format!("read {after}"))?;
    let commits = [header.kind(), new.kind()].iter().all(|kind| *kind == gix::object::Kind::Commit);
    let forward = commits && is_ancestor(repo, before, after)?;
    Ok((!forward).then_some(Status::NonFastForward))
}
