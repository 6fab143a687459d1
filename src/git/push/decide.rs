//! What is asked of the server, and what is refused before: the rules of `git push` for each ref.
//!
//! Sends nothing.

use super::{Atomicity, Force, Options, RefOutcome, RefUpdate, Status};
use crate::git::error::{During, Error as GitError};
use crate::git::id::ObjectName;
use crate::git::select::is_ancestor;
use bstr::ByteSlice as _;
use gix::ObjectId;
use gix::protocol::handshake::Ref;
use std::collections::HashMap;

/// A ref to move: an index into the outcome, and what the server is told.
pub(super) struct Command {
    pub at: usize,
    pub before: ObjectId,
    pub after: ObjectId,
}

/// The outcome as far as it is known before sending, and what to ask for.
pub(super) fn decide(
    repo: &gix::Repository,
    options: &Options,
    offered: &[Ref],
) -> Result<(Vec<RefOutcome>, Vec<Command>), GitError> {
    let there: HashMap<_, _> = offered
        .iter()
        .filter_map(|reference| {
            let (name, id, _) = reference.unpack();
            Some((name, id?.to_owned()))
        })
        .collect();
    let null = ObjectId::null(gix::hash::Kind::Sha1);
    let (mut refs, mut commands) = (Vec::new(), Vec::new());
    for update in &options.updates {
        let before = there.get(update.destination.as_bstr()).copied();
        let refusal = refusal(repo, update, before)?;
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
        });
    }
    let refused = refs.iter().any(|reference| !reference.status.is_done());
    if refused && options.atomicity == Atomicity::AllOrNothing {
        for command in commands.drain(..) {
            refs[command.at].status = Status::NotAsked;
        }
    }
    Ok((refs, commands))
}

/// `None`: ask the server.
fn refusal(
    repo: &gix::Repository,
    update: &RefUpdate,
    before: Option<ObjectId>,
) -> Result<Option<Status>, GitError> {
    let after = update.source.map(|id| id.0);
    if before == after {
        let reason = "the remote has no such ref".into();
        return Ok(Some(if after.is_some() { Status::UpToDate } else { Status::Rejected(reason) }));
    }
    if let Force::WithLease(expected) = update.force {
        return Ok((expected.map(|id| id.0) != before).then_some(Status::StaleLease));
    }
    let (Some(before), Some(after), Force::No) = (before, after, update.force) else { return Ok(None) };
    if update.destination.starts_with(b"refs/tags/") {
        return Ok(Some(Status::TagExists));
    }
    let Some(header) = repo.try_find_header(before).during("look for what the remote has")? else {
        return Ok(Some(Status::FetchFirst));
    };
    let new = repo.find_header(after).during(format!("read {after}"))?;
    let commits = [header.kind(), new.kind()].iter().all(|kind| *kind == gix::object::Kind::Commit);
    let forward = commits && is_ancestor(repo, before, after)?;
    Ok((!forward).then_some(Status::NonFastForward))
}
