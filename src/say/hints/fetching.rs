//! What may help where what a remote has cannot be fetched, or brought together with what is here.

use super::merging::{integrate as advised, unsettled};
use super::push::{NO_NAME, NOT_FOLLOWED, blocked};
use super::remotes::{which, write};
use crate::ops::steps::cause::Cause;
use crate::ops::steps::merging::integrate;
use crate::ops::steps::remotes::fetch_options::Impossible;
use crate::ops::steps::remotes::{followed, remote_choice, sending};
use crate::ops::vc::{clone, fetch, pull, sync};
use crate::say::Failure;

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
            pull::Error::Integrate(integrate::Error::Unrelated) => failure.hinting(Some(
                "in a repository without all its history `brv vc fetch --unshallow` brings what they share",
            )),
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
                    "`brv vc sync -u` makes it follow the branch of its name there; or name remote and branch",
                )),
            sync::Error::Followed(error) => followed(failure, error),
            sync::Error::NoName(_) => failure.hinting(Some(NO_NAME)),
            sync::Error::NotFollowed(_) => failure.hinting(Some(NOT_FOLLOWED)),
            sync::Error::NothingYet(_) => {
                failure.hinting(Some("`brv vc commit -m MSG` makes the first commit"))
            }
            sync::Error::Integrate(error) => advised(failure, error),
            sync::Error::Unsettled(error) => unsettled(failure, error),
            sync::Error::Sending(sending::Error::Blocked(findings)) => blocked(failure, findings),
            sync::Error::Exhausted { .. } => failure.hinting(Some(
                "nothing changed here, and nothing is lost: try again, or with a larger `--tries`",
            )),
            sync::Error::NotHere(_) => {
                failure.hinting(Some("`brv vc pull` brings it over when that is out of the way"))
            }
            _ => failure,
        }
    }
}

impl From<clone::Error> for Failure {
    fn from(error: clone::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            clone::Error::Cause(Cause::Write(error)) => write(failure, error),
            _ => failure,
        }
    }
}

/// What helps when it is not known what is to be pulled.
fn followed(failure: Failure, error: &followed::Error) -> Failure {
    failure.hinting(match error {
        followed::Error::Choice(remote_choice::Error::Detached) => Some(
            "`git switch NAME` in the tree goes to a branch; `brv vc pull REMOTE BRANCH` stays and takes that one",
        ),
        followed::Error::Choice(error) => which(error),
        followed::Error::Impossible(error) => impossible(error),
        followed::Error::ShallowRemote(_) => Some(
            "`brv vc fetch --update-shallow` takes what it has, and ends the history here as it does there",
        ),
        _ => None,
    })
}

/// What helps when the fetch cannot be done.
const fn impossible(error: &Impossible) -> Option<&'static str> {
    match error {
        Impossible::Whole => Some("leave `--unshallow` out"),
        Impossible::Tags => Some("leave `--tags` out"),
        Impossible::Git(_) => None,
    }
}
