//! Which commits count as reviewed by others, since a remote has them.
//!
//! A branch that is there to be reviewed does not count: what it has is published once another branch has it.

use super::Error;
use crate::git::push::KnownRef;
use crate::git::remotes::{self, RemoteName};
use crate::git::{self, CommitId, Head, Scope, commit, refs};
use crate::ops::steps::history::provenance::{BRANCH, Trailers};
use bstr::{BStr, ByteSlice as _};

const HEADS: &[u8] = b"refs/heads/";

/// What the remote of the current branch has, as far as is known here; without an upstream, what any remote has.
pub fn commits(scope: &Scope, head: &Head) -> Result<Vec<CommitId>, Error> {
    let upstream = tracked_by(scope, head)?;
    let mut known: Vec<CommitId> = upstream.iter().filter_map(|(_, tip)| *tip).collect();
    let folder = upstream.map_or_else(String::new, |(remote, _)| format!("{remote}/"));
    known.extend(tracked(scope, &folder)?);
    known.sort_unstable();
    known.dedup();
    Ok(known)
}

/// The remote of the current branch, and the commit that its upstream has, as far as is known here; `None` without an
/// upstream, or with one that is no branch of a named remote.
pub fn tracked_by(scope: &Scope, head: &Head) -> Result<Option<(String, Option<CommitId>)>, Error> {
    let Some(branch) = head.short_branch() else { return Ok(None) };
    let Some(upstream) = remotes::upstream(scope, &branch)? else { return Ok(None) };
    let Some(tracking) = upstream.tracking else { return Ok(None) };
    match tracking.starts_with(b"refs/remotes/") && RemoteName::parse(&upstream.remote).is_ok() {
        true => Ok(Some((upstream.remote, refs::commit(scope, tracking.as_bstr())?))),
        false => Ok(None),
    }
}

/// The commits of tracking refs in this folder below `refs/remotes/` (`origin/`).
fn tracked(scope: &Scope, folder: &str) -> Result<Vec<CommitId>, Error> {
    let prefix = format!("refs/remotes/{folder}");
    let mut known = Vec::new();
    for (name, commit) in refs::commits(scope, &prefix)? {
        let rest = name.strip_prefix(prefix.as_bytes()).unwrap_or(&name);
        // without an upstream the name of the remote stands in front
        let branch = match folder {
            "" => rest.splitn_str(2, "/").nth(1).unwrap_or(rest),
            _ => rest,
        };
        if !is_for_review(scope, branch.as_bstr(), commit)? {
            known.push(commit);
        }
    }
    Ok(known)
}

/// The commits of a remote's refs that count.
pub fn of_remote(scope: &Scope, known: &[KnownRef]) -> Result<Vec<CommitId>, Error> {
    let mut commits = Vec::new();
    for KnownRef { name, commit } in known {
        if name.starts_with(b"refs/") && !is_destination_for_review(scope, name.as_bstr(), *commit)? {
            commits.push(*commit);
        }
    }
    commits.sort_unstable();
    commits.dedup();
    Ok(commits)
}

/// Whether a ref of a remote is a branch for review, if it has this commit.
pub fn is_destination_for_review(scope: &Scope, name: &BStr, tip: CommitId) -> Result<bool, git::Error> {
    name.strip_prefix(HEADS).map_or(Ok(false), |branch| is_for_review(scope, branch.as_bstr(), tip))
}

/// `dream/…`, or the branch that its own commit was made for.
fn is_for_review(scope: &Scope, branch: &BStr, tip: CommitId) -> Result<bool, git::Error> {
    if branch.starts_with(b"dream/") {
        return Ok(true);
    }
    let message = commit::read(scope, tip)?.message;
    let is_named =
        || Trailers::of(&message).get(BRANCH).is_some_and(|name| name.as_bytes() == branch.as_bytes());
    Ok(message.contains_str(BRANCH) && is_named())
}
