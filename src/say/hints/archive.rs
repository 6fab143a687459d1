//! Hints for names that are not archived.

use super::tree::landed;
use crate::ops::archive::{restore, run, show};
use crate::say::Failure;
use crate::say::words::perhaps;

const LIST: &str = "`brv archive list` lists what is archived";
const THERE: &str = "it is in the tree; `brv read` prints it";
/// The hint for an item that brv cannot read.
pub const MALFORMED: &str = "its item in `archived:` of context.md cannot be read: NAME.md, blob ID, importance and time, separated by spaces";

impl From<show::Error> for Failure {
    fn from(error: show::Error) -> Self {
        let failure = Self::of(error.kind(), &error);
        match &error {
            show::Error::NotArchived { is_malformed: true, .. } => failure.hinting(Some(MALFORMED)),
            show::Error::NotArchived { is_there: true, .. } => failure.hinting(Some(THERE)),
            show::Error::NotArchived { .. } => failure.hinting(Some(LIST)),
            show::Error::Cause(_) => failure,
        }
    }
}

impl From<run::Error> for Failure {
    fn from(error: run::Error) -> Self {
        let failure = Self::of(error.kind(), &error);
        match &error {
            run::Error::Unknown { nearest, .. } => failure.hinting(Some(perhaps(nearest))),
            run::Error::Landing(error) => landed(failure, error),
            run::Error::Reading(_) | run::Error::Cause(_) => failure,
        }
    }
}

impl From<restore::Error> for Failure {
    fn from(error: restore::Error) -> Self {
        let failure = Self::of(error.kind(), &error);
        match &error {
            restore::Error::Landing(error) => landed(failure, error),
            restore::Error::Taken(_) => failure.hinting(Some("move it away first; nothing was restored")),
            restore::Error::Cause(_) => failure,
        }
    }
}
