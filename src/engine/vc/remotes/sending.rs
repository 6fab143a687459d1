//! Push one commit to one branch of a remote, after checking the outgoing content.
//!
//! Never forces. Reports whether another writer was faster, and does not retry.

use super::followed::FollowedBranch;
use crate::review::ReviewRow;
use crate::vc::check::gate::{PushGate, PushVerdict, Unreviewed};
use crate::write::overriding::Guard;
use crate::{Mode, Stop};
use brv_git::network::{self, Network};
use brv_git::push::{self, Atomicity, KnownRef, Leaving, PushEvidence, Status};
use brv_git::{CommitId, Scope, history};
use schemars::JsonSchema;
use serde::Serialize;

/// What was pushed.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Sent {
    /// The old commit of the remote branch; `null` if it is new or unknown.
    pub before: Option<String>,
    /// The new commit of the remote branch.
    pub after: CommitId,
    /// Number of commits pushed.
    pub commits: usize,
    pub objects: usize,
    pub bytes: u64,
    /// Messages from the server.
    pub messages: Vec<String>,
    /// Whether the connection broke, and the result was confirmed by checking the remote again.
    pub seen_again: bool,
}

#[derive(Debug)]
pub enum Sending {
    /// The remote accepted the commit (in a dry run: it would be offered).
    Sent(Sent),
    Moved,
    /// The connection broke: it is unknown whether the remote accepted the commit.
    Broken(network::Error),
    /// The server rejected the commit, with this reason.
    Rejected(String),
    /// The server could not take in the pack, for this reason. A full process table or a busy disk passes.
    Stumbled(String),
    /// This must not be shared.
    Blocked(PushVerdict),
}

#[derive(Clone, Copy)]
pub struct Parcel<'a> {
    pub commit: CommitId,
    pub gate: PushGate<'a>,
    pub mode: Mode,
}

/// What the gate let pass.
#[derive(Debug, Default)]
pub struct Passed {
    /// The guards that were met and are overridden.
    pub opened: Vec<Guard>,
    /// Changes that leave though nobody has reviewed them.
    pub unreviewed: Vec<ReviewRow>,
}

impl Passed {
    /// Note what a verdict lets pass; returns the rest.
    fn note(&mut self, mut verdict: PushVerdict) -> PushVerdict {
        self.opened.append(&mut verdict.opened);
        if !verdict.unreviewed.stops {
            for row in std::mem::take(&mut verdict.unreviewed.rows) {
                if !self.unreviewed.contains(&row) {
                    self.unreviewed.push(row);
                }
            }
        }
        verdict
    }
}

/// Push a commit to the branch, at every URL of the remote. The first URL decides whether another writer was faster.
/// Adds to `passed` what the gate lets pass.
pub fn send(
    scope: &Scope,
    followed: &FollowedBranch,
    parcel: Parcel<'_>,
    network: &Network<'_>,
    passed: &mut Passed,
) -> Result<Sending, Stop> {
    if push::settings::read(scope, &followed.target)?.is_mirror {
        let target = &followed.target;
        return Err(Stop::refused(format!(
            "`{target}` is set up as a mirror, and brv does not push to mirrors"
        )));
    }
    let mut first = None;
    for address in push::addresses(scope, &followed.target)? {
        match to(scope, (&address, followed), parcel, network, passed)? {
            Sending::Sent(sent) => first = first.or(Some(sent)),
            other => return Ok(other),
        }
    }
    Ok(first.map_or(Sending::Moved, Sending::Sent))
}

/// What a merge of the commit with `theirs` would be stopped by, without making it: what the commit brings, and the
/// policies of both sides.
pub fn examine(
    scope: &Scope,
    followed: &FollowedBranch,
    (parcel, theirs): (Parcel<'_>, CommitId),
    network: &Network<'_>,
) -> Result<PushVerdict, Stop> {
    let to = followed.update(parcel.commit).destination;
    let leaving = [Leaving { tip: parcel.commit, to: to.clone(), there: Some(theirs) }];
    let mut passed = Passed::default();
    for address in push::addresses(scope, &followed.target)? {
        let connection = push::connect(scope, &address, network)?;
        let mut known = connection.known();
        connection.leave();
        known.push(KnownRef { name: to.clone(), commit: theirs });
        let verdict = parcel.gate.judge(&leaving, &known)?;
        let stops = verdict.stops();
        let stopped = passed.note(verdict);
        if stops {
            return Ok(PushVerdict { opened: passed.opened, ..stopped });
        }
    }
    let Passed { opened, unreviewed } = passed;
    let unreviewed = Unreviewed { rows: unreviewed, stops: false };
    Ok(PushVerdict { opened, unreviewed, ..PushVerdict::default() })
}

fn to(
    scope: &Scope,
    (address, followed): (&push::PushAddress, &FollowedBranch),
    Parcel { commit, gate, mode }: Parcel<'_>,
    network: &Network<'_>,
    passed: &mut Passed,
) -> Result<Sending, Stop> {
    let mut connection = match push::connect(scope, address, network) {
        Ok(connection) => connection,
        Err(error) => return broken(error),
    };
    let decided = connection.decide(&[followed.update(commit)], Atomicity::EachRef)?;
    let known = connection.known();
    let verdict = gate.judge(&decided.leaving(), &known)?;
    let stops = verdict.stops();
    let verdict = passed.note(verdict);
    if stops {
        connection.leave();
        return Ok(Sending::Blocked(verdict));
    }
    let known: Vec<CommitId> = known.into_iter().map(|one| one.commit).collect();
    let outcome = match connection.finish(decided, mode, network) {
        Ok(outcome) => outcome,
        Err(error) => return broken(error),
    };
    let Some(moved) = outcome.refs.into_iter().next() else { return Ok(Sending::Moved) };
    match moved.status {
        Status::Ok | Status::UpToDate => Ok(Sending::Sent(Sent {
            commits: history::between(scope, &[commit], &known)?.len(),
            before: moved.before.map(|id| id.to_string()),
            after: commit,
            objects: outcome.objects,
            bytes: outcome.bytes,
            messages: outcome.messages,
            seen_again: outcome.evidence == PushEvidence::SeenAgain,
        })),
        Status::Rejected(reason) if reason.starts_with(push::NOT_UNPACKED) => Ok(Sending::Stumbled(reason)),
        Status::Rejected(reason) if !is_contention(&reason) => Ok(Sending::Rejected(reason)),
        _ => Ok(Sending::Moved),
    }
}

fn broken(error: push::Error) -> Result<Sending, Stop> {
    match error {
        push::Error::Network(error @ network::Error::Unreachable { .. }) | push::Error::Unanswered(error) => {
            Ok(Sending::Broken(error))
        }
        error => Err(error.into()),
    }
}

/// Whether the server's reason means that another writer moves the ref at the same time. (git: `failed to update ref`,
/// in later versions `incorrect old value provided`; hosts add `cannot lock ref`; the others are brv's own words.)
fn is_contention(reason: &str) -> bool {
    const WORDS: [&str; 7] = [
        "failed to update ref",
        "cannot lock ref",
        "incorrect old value",
        "reference already exists",
        "non-fast-forward",
        push::OVERTAKEN,
        push::NOT_UPDATED,
    ];
    WORDS.iter().any(|words| reason.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_says_no_is_not_a_server_that_was_faster() {
        assert!(is_contention("failed to update ref"));
        assert!(is_contention(
            "cannot lock ref 'refs/heads/main': is at 1111111 but expected 2222222 (unpack ok)"
        ));
        assert!(!is_contention("pre-receive hook declined"));
        assert!(!is_contention("protected branch hook declined"));
    }
}
