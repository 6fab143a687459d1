//! Hints for the errors of `vc remote`, for ambiguous remotes, and for files that cannot be written.

use crate::say::Failure;
use brv_commands::vc::remote;
use brv_engine::Fails as _;
use brv_engine::outcome::cause::Cause;
use brv_engine::vc::remotes::{host, remote_choice};

impl From<remote::Error> for Failure {
    fn from(error: remote::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        let remote::Error::Host(error) = &error else { return failure };
        match error {
            host::Error::NoHost(_) => {
                failure.hinting(Some("give the address: `brv vc remote add NAME URL`"))
            }
            host::Error::Choice { error: remote_choice::Error::NoRemote, .. } => failure.hinting(Some(
                "add one to the project's repository with `git remote add origin URL`, or give the tree its own address",
            )),
            host::Error::Choice { error: remote_choice::Error::Ambiguous(names), .. } => failure
                .detailing(names.iter().map(ToString::to_string))
                .hinting(Some("name one: `--host=REMOTE`")),
            _ => failure,
        }
    }
}

/// Hints for an ambiguous or missing remote or branch.
pub const fn which(error: &remote_choice::Error) -> Option<&'static str> {
    match error {
        remote_choice::Error::NoRemote => Some("add one with `brv vc remote add origin URL`"),
        remote_choice::Error::Ambiguous(_) => Some("name one of them; `brv vc remote` lists them"),
        remote_choice::Error::NoUpstream(_) => {
            Some("name remote and branch; `brv vc push -u REMOTE BRANCH` also sets the upstream")
        }
        remote_choice::Error::Unknown { .. } => Some("`brv vc remote -v` lists the remotes"),
        _ => None,
    }
}

/// The hint and the details of a shared failure.
pub fn caused(failure: Failure, cause: &Cause) -> Failure {
    failure.detailing(cause.details()).hinting(cause.hint())
}
