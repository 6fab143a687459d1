//! `brv op`: the operations on record.

pub mod diff;
pub mod log;
pub mod prune;
pub mod show;

use crate::ops::steps::operations::Error;
use crate::say::Failure;

/// What helps where a name is not that of one operation.
#[must_use]
pub fn named(failure: Failure, error: &Error) -> Failure {
    match error {
        Error::Ambiguous { candidates, .. } => failure
            .detailing(candidates.iter().map(ToString::to_string))
            .hinting(Some("a longer part of the name tells which")),
        Error::Unreadable { .. } => failure.hinting(Some("the version of brv that wrote it knows it")),
        Error::Elsewhere(_) => {
            failure.hinting(Some("it was made in another clone, or pruned; `brv op log` shows what is here"))
        }
        Error::Unknown(_) | Error::None => failure.hinting(Some("`brv op log` shows what is on record")),
    }
}
