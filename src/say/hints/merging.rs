//! What may help where a merge is in progress, or cannot be made.

use super::remotes;
use crate::ops::Keeper;
use crate::ops::steps::cause::Cause;
use crate::ops::steps::merging::abort;
use crate::ops::steps::merging::integrate::{Error, SigningError};
use crate::ops::steps::remotes::followed::Unsettled;
use crate::ops::steps::work_tree::ongoing::{self, Kind};
use crate::ops::vc::merge;
use crate::say::Failure;
use crate::say::escape::escape_line;

impl From<merge::Error> for Failure {
    fn from(error: merge::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            merge::Error::Integrate(Error::Unrelated) => failure.hinting(Some(
                "`--allow-unrelated-histories` merges them all the same; in a repository without all its history `brv vc fetch --unshallow` brings what they share",
            )),
            merge::Error::Integrate(error) => integrate(failure, error),
            merge::Error::Merging => failure.hinting(Some(WAITING)),
            merge::Error::UnderWay(error) => under_way(failure, error),
            merge::Error::Abort(abort::Error::OtherInProgress(kind)) => {
                failure.hinting(Some(unfinished(*kind)))
            }
            merge::Error::Abort(abort::Error::NotMerging) => failure
                .hinting(Some("`brv vc merge REV` begins one; `brv vc status` shows how the tree stands")),
            _ => failure,
        }
    }
}

/// What helps where a merge waits already.
pub const WAITING: &str = "`brv vc resolve --list` shows what is left; `brv vc merge --continue` ends the merge, `brv vc merge --abort` goes back";

/// What helps where git is in the middle of something.
#[must_use]
pub fn unfinished(kind: Kind) -> String {
    match kind {
        Kind::Merge => WAITING.to_owned(),
        kind => {
            format!("`brv vc status` shows what is open; `{}` in the tree continues it", kind.continuing())
        }
    }
}

/// The command that finishes it in a tree with a repository of its own.
#[must_use]
pub const fn continuing(kind: Kind) -> &'static str {
    match kind {
        Kind::Merge => "brv vc merge --continue",
        kind => kind.continuing(),
    }
}

/// What helps where a command that makes commits did not begin.
#[must_use]
pub fn under_way(failure: Failure, error: &ongoing::Error) -> Failure {
    match error {
        ongoing::Error::InProgress(kind) => failure.hinting(Some(unfinished(*kind))),
        ongoing::Error::File(_) => failure,
    }
}

/// What helps where nothing can be merged into the branch now.
#[must_use]
pub fn unsettled(failure: Failure, error: &Unsettled) -> Failure {
    match error {
        Unsettled::Merging => failure.hinting(Some(WAITING)),
        Unsettled::UnderWay(error) => under_way(failure, error),
        _ => failure,
    }
}

/// The same, by whose merge it is.
#[must_use]
pub const fn waiting(keeper: Keeper) -> &'static str {
    match keeper {
        Keeper::Tree => WAITING,
        Keeper::Host => {
            "`brv vc resolve --list` shows what is left in the tree; `git merge --continue` ends the merge, `git merge --abort` goes back"
        }
    }
}

/// What may help.
#[must_use]
pub fn integrate(failure: Failure, error: &Error) -> Failure {
    match error {
        Error::Cause(Cause::Write(error)) => remotes::write(failure, error),
        Error::NotForward => {
            failure.hinting(Some("nothing was written; without `--ff-only` they are merged"))
        }
        Error::Staged(paths) => failure
            .detailing(paths.iter().map(|path| escape_line(path).into_owned()))
            .hinting(Some("commit what is recorded, then try again")),
        Error::Signing(SigningError::Git(_) | SigningError::File(_)) => failure,
        Error::Signing(_) => failure.hinting(Some(
            "nothing was merged; the settings `gpg.format` and `user.signingKey` say how commits are signed",
        )),
        Error::Identity(_) => failure.hinting(Some(
            "a merge needs an author: `brv vc config user.name NAME` and `brv vc config user.email ADDRESS`",
        )),
        _ => failure,
    }
}
