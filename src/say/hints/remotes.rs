//! Hints for the errors of `vc remote`, for ambiguous remotes, and for files that cannot be written.

use crate::say::Failure;
use brv_base::escape::escape_line;
use brv_commands::vc::remote;
use brv_engine::outcome::cause::Cause;
use brv_engine::vc::remotes::{host, remote_choice};
use brv_engine::write::operation::{self, Refused};

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

/// What to do about edits that a flag of the index hides.
pub const HIDDEN: &str = "nothing was written; `git update-index --no-skip-worktree --no-assume-unchanged PATH` shows \
     hidden edits again: commit or restore them, then try again";

/// Hints for a shared failure: for files that cannot be written.
pub fn caused(failure: Failure, cause: &Cause) -> Failure {
    match cause.downcast_ref() {
        Some(error) => write(failure, error),
        None => failure,
    }
}

/// Hints for files that cannot be written, with their paths.
pub fn write(failure: Failure, error: &operation::Error) -> Failure {
    match error {
        operation::Error::Refused(Refused::Unsafe(paths)) => failure
            .detailing(paths.iter().map(|found| format!("{} {}", escape_line(&found.path), found.reason)))
            .hinting(Some("nothing was written; the author must remove them from the branch")),
        operation::Error::Refused(Refused::InTheWay(found)) => failure
            .detailing(found.paths.iter().map(|path| {
                let is_hidden = found.hidden.contains(path);
                format!("{}{}", escape_line(path), if is_hidden { " (its edits are hidden)" } else { "" })
            }))
            .hinting(Some(match found.hidden.is_empty() {
                true => "nothing was written; commit these files or move them away, then try again",
                false => HIDDEN,
            })),
        _ => failure,
    }
}
