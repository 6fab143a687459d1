//! Hints for a merge that is in progress or not possible.

use super::remotes;
use crate::say::Failure;
use brv_base::escape::escape_line;
use brv_commands::vc::merge;
use brv_engine::merge::integrate::{Error, SigningError};
use brv_engine::outcome::in_progress::{WAITING, unfinished};
use brv_engine::vc::remotes::followed::Unsettled;
use brv_engine::vc::work_tree::ongoing;

impl From<merge::Error> for Failure {
    fn from(error: merge::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            merge::Error::Integrate(Error::Unrelated) => failure.hinting(Some(
                "merge them anyway with `--allow-unrelated-histories`; or, if the history is shallow, fetch the rest with `brv vc fetch --unshallow`",
            )),
            merge::Error::Integrate(error) => integrate(failure, error),
            merge::Error::Merging => failure.hinting(Some(WAITING)),
            merge::Error::UnderWay(error) => under_way(failure, error),
            merge::Error::Stop(stop) => Failure::from(stop.clone()),
            _ => failure,
        }
    }
}

/// Hints for a command that makes commits and did not start.
pub fn under_way(failure: Failure, error: &ongoing::Error) -> Failure {
    match error {
        ongoing::Error::InProgress(kind) => failure.hinting(Some(unfinished(*kind))),
        ongoing::Error::File(_) => failure,
    }
}

/// Hints for a branch that cannot be merged into now.
pub fn unsettled(failure: Failure, error: &Unsettled) -> Failure {
    match error {
        Unsettled::Merging => failure.hinting(Some(WAITING)),
        Unsettled::UnderWay(error) => under_way(failure, error),
        _ => failure,
    }
}

pub fn integrate(failure: Failure, error: &Error) -> Failure {
    match error {
        Error::Cause(cause) => remotes::caused(failure, cause),
        Error::NotForward => {
            failure.hinting(Some("nothing was written; merge them by leaving out `--ff-only`"))
        }
        Error::Staged(paths) => failure
            .detailing(paths.iter().map(|path| escape_line(path).into_owned()))
            .hinting(Some("commit the staged changes, then try again")),
        Error::Signing(SigningError::Git(_) | SigningError::File(_)) => failure,
        Error::Signing(_) => failure.hinting(Some(
            "nothing was merged; check the settings `gpg.format` and `user.signingKey`",
        )),
        Error::Identity(_) => failure.hinting(Some(
            "a merge needs an author: set `brv vc config user.name NAME` and `brv vc config user.email ADDRESS`",
        )),
        _ => failure,
    }
}
