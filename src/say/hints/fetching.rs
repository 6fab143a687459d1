//! Hints for the errors of `vc pull` and `vc sync`.

use super::merging::{integrate as advised, unsettled};
use super::push::{NO_NAME, NOT_FOLLOWED};
use crate::say::Failure;
use brv_commands::vc::{pull, sync};
use brv_engine::Fails as _;
use brv_engine::merge::integrate;
use brv_engine::vc::remotes::{followed, remote_choice};

impl From<pull::Error> for Failure {
    fn from(error: pull::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            pull::Error::Followed(error) => followed(failure, error),
            pull::Error::Integrate(integrate::Error::Unrelated) => failure
                .hinting(Some("if the history is shallow, fetch the rest with `brv vc fetch --unshallow`")),
            pull::Error::Integrate(error) => advised(failure, error),
            pull::Error::Unsettled(error) => unsettled(failure, error),
            _ => failure,
        }
    }
}

impl From<sync::Error> for Failure {
    fn from(error: sync::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            sync::Error::Followed(followed::Error::Choice(remote_choice::Error::NoUpstream(_))) => failure
                .hinting(Some(
                    "sync with the branch of the same name and track it with `brv vc sync -u`; or name remote and branch",
                )),
            sync::Error::Followed(error) => followed(failure, error),
            sync::Error::NoName(_) => failure.hinting(Some(NO_NAME)),
            sync::Error::NotFollowed(_) => failure.hinting(Some(NOT_FOLLOWED)),
            sync::Error::NothingYet(_) => {
                failure.hinting(Some("create the first commit with `brv vc commit -m MSG`"))
            }
            sync::Error::Integrate(error) => advised(failure, error),
            sync::Error::Unsettled(error) => unsettled(failure, error),
            sync::Error::Exhausted { .. } => failure.hinting(Some(
                "nothing changed here, and nothing is lost: try again, or use a larger `--tries`",
            )),
            sync::Error::NotHere(_) => {
                failure.hinting(Some("resolve that, then run `brv vc pull`"))
            }
            _ => failure,
        }
    }
}

/// Hints for a pull without a known remote or branch.
fn followed(failure: Failure, error: &followed::Error) -> Failure {
    failure.hinting(error.hint())
}
