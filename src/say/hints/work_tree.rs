//! Hints for the errors of `vc switch`, `checkout`, `restore` and `reset`.

use super::refs::branch;
use super::{remotes, unfinished};
use crate::say::Failure;
use brv_base::escape::escape_line;
use brv_commands::vc::{checkout, reset, restore, switch};
use brv_engine::vc::work_tree::{hard_reset, restoring, switching};
use bstr::BString;

impl From<switch::Error> for Failure {
    fn from(error: switch::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            switch::Error::Switch(error) => go(failure, error),
            _ => failure,
        }
    }
}

impl From<checkout::Error> for Failure {
    fn from(error: checkout::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            checkout::Error::Switch(error) => go(failure, error),
            checkout::Error::Revision(error) => branch(failure, error),
            checkout::Error::Restore(error) => restored(failure, error),
            _ => failure,
        }
    }
}

impl From<restore::Error> for Failure {
    fn from(error: restore::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            restore::Error::Restore(error) => restored(failure, error),
            restore::Error::Revision(error) => branch(failure, error),
            _ => failure,
        }
    }
}

impl From<reset::Error> for Failure {
    fn from(error: reset::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            reset::Error::Branch(error) => branch(failure, error),
            reset::Error::Restore(error) => restored(failure, error),
            reset::Error::Forced(error) => refused(failure, error),
            reset::Error::PathsOnly => failure.hinting(Some(
                "leave out `--soft` or `--hard` to unstage paths; restore files with `brv vc restore`",
            )),
            reset::Error::Merging => failure.hinting(Some(super::WAITING)),
            _ => failure,
        }
    }
}

fn go(failure: Failure, error: &switching::Error) -> Failure {
    let named =
        |paths: &[BString]| paths.iter().map(|path| escape_line(path).into_owned()).collect::<Vec<_>>();
    match error {
        switching::Error::Branch(error) => branch(failure, error),
        switching::Error::NotABranch(_) => {
            failure.hinting(Some("use `--detach` to switch to the commit itself, or `-c NAME` to create a branch there"))
        }
        switching::Error::Ambiguous { .. } => {
            failure.hinting(Some("name the remote: `--track REMOTE/BRANCH`"))
        }
        switching::Error::UnderWay(kind) => failure.hinting(Some(unfinished(*kind))),
        switching::Error::Unmerged(paths) => failure.detailing(named(paths)).hinting(Some(
            "resolve a file with `brv vc resolve PATH`, or discard it with `brv vc restore --source REV PATH`",
        )),
        switching::Error::Cause(cause) => remotes::caused(failure, cause),
        switching::Error::Forced(error) => refused(failure, error),
    }
}

fn restored(failure: Failure, error: &restoring::Error) -> Failure {
    match error {
        restoring::Error::Unmerged(paths) => {
            failure.detailing(paths.iter().map(|path| escape_line(path).into_owned())).hinting(Some(
                "resolve it with `brv vc resolve PATH`; or take one side with `--ours` or `--theirs`",
            ))
        }
        restoring::Error::Forced(error) => refused(failure, error),
        _ => failure,
    }
}

/// The paths that must not be written, or that are in the way, with a hint.
fn refused(failure: Failure, error: &hard_reset::Error) -> Failure {
    match error {
        hard_reset::Error::Unsafe(paths) => failure
            .detailing(paths.iter().map(|found| format!("{} {}", escape_line(&found.path), found.reason)))
            .hinting(Some("nothing was written; these paths must be removed from the commit")),
        hard_reset::Error::Hidden(paths) => failure
            .detailing(paths.iter().map(|path| escape_line(path).into_owned()))
            .hinting(Some(remotes::HIDDEN)),
        hard_reset::Error::InTheWay(paths) => failure
            .detailing(paths.iter().map(|path| escape_line(path).into_owned()))
            .hinting(Some("nothing was written; move them away, then try again")),
        _ => failure,
    }
}
