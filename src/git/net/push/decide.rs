//! Decides for each ref whether its update is sent or rejected, by the rules of `git push`.
//!
//! Sends nothing.

use super::offered::Offered;
use super::{Atomicity, Course, Error, Force, RefOutcome, RefUpdate, Status};
use crate::error::{During, Error as GitError};
use crate::history::ancestry::is_ancestor;
use crate::id::{CommitId, ObjectName};
use brv_base::sorting;
use bstr::{BStr, BString, ByteSlice as _};
use gix::ObjectId;
use gix::refs::FullName;

/// A ref to move: an index into the outcome, and the values sent to the server.
pub(super) struct Command {
    pub at: usize,
    pub before: ObjectId,
    pub after: ObjectId,
}

/// The outcome as far as it is known before sending, and the commands to send.
pub struct Decided {
    pub(super) refs: Vec<RefOutcome>,
    pub(super) commands: Vec<Command>,
    pub(super) atomicity: Atomicity,
    pub(super) repo: gix::Repository,
}

/// A commit that a push sends to a ref.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leaving {
    pub tip: CommitId,
    /// The full name of the remote's ref.
    pub to: BString,
    /// The commit that the remote's ref has now, if it has one that exists here.
    pub there: Option<CommitId>,
}

impl Decided {
    /// The new commits of the refs, each once; objects that do not peel to a commit are left out.
    pub fn leaving(&self) -> Vec<Leaving> {
        let commit = |id: ObjectId| {
            let object = if id.is_null() { None } else { self.repo.find_object(id).ok() };
            object?.peel_to_commit().ok().map(|commit| CommitId(commit.id))
        };
        let leaving = |command: &Command| {
            let to = self.refs[command.at].destination.clone();
            Some(Leaving { tip: commit(command.after)?, to, there: commit(command.before) })
        };
        let mut leaving: Vec<_> = self.commands.iter().filter_map(leaving).collect();
        sorting::sort(&mut leaving);
        leaving.dedup();
        leaving
    }
}

/// The optional capabilities of a server.
#[derive(Clone, Copy)]
pub(super) struct Abilities {
    pub atomic: bool,
    pub delete: bool,
}

/// Sets the outcome of every update as far as it is known without the server, and lists the commands.
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

fn commands(refs: &[RefOutcome]) -> Vec<Command> {
    let id = |name: Option<ObjectName>| name.map_or(ObjectId::null(gix::hash::Kind::Sha1), |name| name.0);
    let asked = refs.iter().enumerate().filter(|(_, reference)| reference.status == Status::Ok);
    asked
        .map(|(at, reference)| Command { at, before: id(reference.before), after: id(reference.after) })
        .collect()
}

/// Accepts only full names, and none of brv's own refs.
fn check(name: &BStr) -> Result<(), Error> {
    super::check_own(name)?;
    if !name.starts_with(b"refs/") || FullName::try_from(name).is_err() {
        return Err(Error::RefName(crate::printable(name)));
    }
    Ok(())
}

/// The result for a ref if the server accepts it, and the kind of move.
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
    let trust = OverwritePermission::of(update, outlook.before);
    outlook.status = match (outlook.before, update.source) {
        (None, None) => Status::Rejected("the remote has no such ref".into()),
        (before, after) if before == after => Status::UpToDate,
        _ if trust == OverwritePermission::Broken => Status::StaleLease,
        (Some(_), None) if !abilities.delete => {
            Status::Rejected("the remote does not support deleting refs".into())
        }
        (None, Some(_)) | (Some(_), None) => Status::Ok,
        (Some(before), Some(after)) => match harm(repo, update.destination.as_bstr(), before, after)? {
            None => Status::Ok,
            Some(harm) => {
                outlook.course = Course::Elsewhere;
                if trust == OverwritePermission::Full { Status::Ok } else { harm }
            }
        },
    };
    Ok(outlook)
}

/// Whether replacing the remote's value is allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OverwritePermission {
    /// Allowed explicitly, for the current value.
    Full,
    /// Only a fast-forward is allowed.
    Plain,
    /// Allowed explicitly, but the remote has another value (stale lease).
    Broken,
}

impl OverwritePermission {
    fn of(update: &RefUpdate, before: Option<ObjectName>) -> Self {
        match update.force {
            Force::No => Self::Plain,
            Force::Yes => Self::Full,
            Force::WithLease(expected) if expected == before => Self::Full,
            Force::WithLease(_) => Self::Broken,
        }
    }
}

/// Why a ref must not be replaced without force: a tag does not change, and a branch loses neither commits nor objects
/// that are not here to be checked.
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
