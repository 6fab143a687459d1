//! Hints for commands that read and write the tree.

use super::unfinished;
use crate::ops::steps::landing;
use crate::ops::steps::searching::{Refusal, Unaskable};
use crate::ops::{Fails, curate};
use crate::say::Failure;
use crate::say::words::perhaps;

impl From<curate::Error> for Failure {
    fn from(error: curate::Error) -> Self {
        let failure = Self::of(error.kind(), &error);
        match &error {
            curate::Error::Landing(error) => landed(failure, error),
            _ => failure,
        }
    }
}

/// The hint for an operation that could not begin or end.
pub(super) fn landed(failure: Failure, error: &landing::Error) -> Failure {
    match error {
        landing::Error::InProgress(kind) => failure.hinting(Some(unfinished(*kind))),
        _ => failure,
    }
}

impl From<Refusal> for Failure {
    fn from(error: Refusal) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            Refusal::Unaskable(Unaskable::Scope { nearest, .. }) => failure.hinting(Some(perhaps(nearest))),
            _ => failure,
        }
    }
}
