//! Hints for the errors of `vc fetch`, `vc pull`, `vc sync` and `vc clone`.

use super::merging::{integrate as advised, unsettled};
use super::push::{NO_NAME, NOT_FOLLOWED};
use super::remotes::{caused, which};
use crate::say::Failure;
use brv_commands::vc::{clone, fetch, pull, sync};
use brv_engine::merge::integrate;
use brv_engine::vc::remotes::fetch_options::Impossible;
use brv_engine::vc::remotes::{followed, remote_choice};

impl From<fetch::Error> for Failure {
    fn from(error: fetch::Error) -> Self {
        Failure::of(error.kind(), &error).hinting(match &error {
            fetch::Error::Choice(error) => which(error),
            fetch::Error::Impossible(error) => impossible(error),
            _ => None,
        })
    }
}

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

impl From<clone::Error> for Failure {
    fn from(error: clone::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            clone::Error::Cause(cause) => caused(failure, cause),
            _ => failure,
        }
    }
}

/// Hints for a pull without a known remote or branch.
fn followed(failure: Failure, error: &followed::Error) -> Failure {
    failure.hinting(match error {
        followed::Error::Choice(remote_choice::Error::Detached) => Some(
            "switch to a branch with `git switch NAME` in the tree; or name what to pull: `brv vc pull REMOTE BRANCH`",
        ),
        followed::Error::Choice(error) => which(error),
        followed::Error::Impossible(error) => impossible(error),
        followed::Error::ShallowRemote(_) => Some(
            "accept the shallow history of the remote with `brv vc fetch --update-shallow`",
        ),
        _ => None,
    })
}

const fn impossible(error: &Impossible) -> Option<&'static str> {
    match error {
        Impossible::Whole => Some("leave out `--unshallow`"),
        Impossible::Tags => Some("leave out `--tags`"),
        Impossible::Git(_) => None,
    }
}
