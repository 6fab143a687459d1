//! Failures and hints for `vc push`: rejected refs, unreachable addresses, blocked content.

use super::remotes::which;
use crate::say::blocked::{self, Reader};
use crate::say::{Failure, refs, words};
use crate::wire;
use brv_commands::vc::push;
use brv_engine::outcome::in_progress::continuing;
use brv_engine::vc::remotes::transfer::Ref;
use brv_engine::vc::remotes::{push_choice, remote_choice};

impl From<push::Error> for Failure {
    fn from(error: push::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            push::Error::Choice(error) => failure.hinting(choice_hint(error)),
            push::Error::Mirror(_) => failure.hinting(Some(
                "a mirror push would delete every remote ref that is missing here, and push brv's own refs; unset `remote.NAME.mirror` and name what to push",
            )),
            push::Error::Push(error) => failure.hinting(push_hint(error)),
            push::Error::NoName(_) => failure.hinting(Some(NO_NAME)),
            push::Error::NotFollowed(_) => failure.hinting(Some(NOT_FOLLOWED)),
            _ => failure,
        }
    }
}

/// The failure for content that blocked the push, refs that were rejected and addresses that failed.
pub fn unreached(failed: Vec<(String, push::Error)>, data: &wire::Push, reader: Reader) -> Option<Failure> {
    let unreached = failed.into_iter().map(|(address, error)| {
        let failure = Failure::from(error);
        let named = failure.stop.message.contains(address.as_str());
        match named {
            true => failure,
            false => {
                let message = format!("{address}: {}", failure.stop.message);
                failure.saying(message)
            }
        }
    });
    let mut failures: Vec<Failure> = unreached.collect();
    let count = words::many(failures.len(), "address", "addresses");
    let rejected = rejected(&data.refs, data.in_progress);
    if let Some(mut blocked) = blocked::failure(&data.findings, &data.unreviewed, reader) {
        blocked.stop.details.extend(rejected.into_iter().chain(failures).map(|failure| failure.stop.message));
        return Some(blocked);
    }
    let mut first = match rejected {
        Some(rejected) if failures.is_empty() => return Some(rejected),
        Some(rejected) => {
            let message = format!("{}, and the push to {count} failed", rejected.stop.message);
            rejected.saying(message)
        }
        None if failures.len() < 2 => return failures.pop(),
        None => {
            let first = failures[0].clone();
            first.saying(format!("cannot push to {count}"))
        }
    };
    first.stop.details.extend(failures.into_iter().map(|failure| failure.stop.message));
    Some(first)
}

fn rejected(moved: &[Ref], in_progress: Option<push::InProgress>) -> Option<Failure> {
    let reason =
        |moved: &Ref, words: &[&str]| moved.reason.as_deref().is_some_and(|reason| words.contains(&reason));
    let guarded = |moved: &Ref| {
        reason(
            moved,
            &[
                "non-fast-forward",
                "fetch first",
                "stale lease",
                "would change a tag",
                "another ref was rejected",
            ],
        )
    };
    let failure = refs::rejected(moved, guarded)?;
    let any = |words: &[&str]| moved.iter().any(|moved| reason(moved, words));
    let pulling = |lack: &str, verb: &str| match in_progress {
        None => format!("the remote has commits that {lack}: `brv vc pull` {verb} them, then push again"),
        Some(kind) => format!(
            "the remote has commits that {lack}, and {kind} is in progress: finish it with `{}`, then `brv vc pull`, then push again",
            continuing(kind)
        ),
    };
    let hint = if any(&["non-fast-forward"]) {
        Some(pulling("this branch lacks", "merges"))
    } else if any(&["fetch first"]) {
        Some(pulling("are not here", "brings"))
    } else if any(&["stale lease"]) {
        Some(
            "the remote has changed since it was last fetched: run `brv vc fetch` and check what it has now"
                .to_owned(),
        )
    } else {
        None
    };
    Some(failure.hinting(hint))
}

/// The hint for a branch that cannot track a plain address.
pub(super) const NO_NAME: &str = "nothing was sent; give it a name with `brv vc remote add NAME ADDRESS`";

pub(super) const NOT_FOLLOWED: &str = "set it with `brv vc branch --set-upstream-to REMOTE/BRANCH`";

fn choice_hint(error: &push_choice::Error) -> Option<String> {
    let fixed = match error {
        push_choice::Error::NoUpstream { branch, remote } => {
            let (branch, remote) = (words::typed(branch), words::typed(remote));
            return Some(format!("push it and set its upstream with `brv vc push -u {remote} {branch}`"));
        }
        push_choice::Error::Remote(remote_choice::Error::Detached) => {
            Some("name what to push, and where: `brv vc push REMOTE HEAD:refs/heads/NAME`")
        }
        push_choice::Error::Remote(error) => which(error),
        push_choice::Error::Unborn(_) => Some("create the first commit with `brv vc commit -m MSG`"),
        push_choice::Error::OtherName { .. } => Some("name both sides: `brv vc push REMOTE BRANCH:OTHER`"),
        push_choice::Error::OtherRemote { .. } | push_choice::Error::Nothing => {
            Some("name remote and branch: `brv vc push REMOTE BRANCH`")
        }
        _ => None,
    };
    fixed.map(str::to_owned)
}

const fn push_hint(error: &push::PushError) -> Option<&'static str> {
    match error {
        push::PushError::Unqualified { .. } | push::PushError::Nameless(_) => {
            Some("use the full name, as in `brv vc push REMOTE SOURCE:refs/heads/NAME`")
        }
        push::PushError::AmbiguousHere(_) | push::PushError::AmbiguousThere(_) => {
            Some("use the full name: refs/heads/NAME for a branch, refs/tags/NAME for a tag")
        }
        push::PushError::NotThere(_) => {
            Some("`brv vc fetch --prune` removes remote-tracking branches that the remote no longer has")
        }
        push::PushError::Unanswered(_) => {
            Some("push again when the remote can be reached; nothing is sent twice")
        }
        _ => None,
    }
}
