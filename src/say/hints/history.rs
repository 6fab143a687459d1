//! Hints for the errors of `vc check` and `op`.

use crate::say::Failure;
use brv_commands::op::show as operation;
use brv_commands::vc::check;
use brv_engine::open::naming::operations;

const BEHIND_DASHES: &str = "use `--` before paths that no longer exist or that look like a revision";

impl From<check::Error> for Failure {
    fn from(error: check::Error) -> Self {
        Failure::because(error.kind(), &error).hinting(match &error {
            check::Error::Arguments(_) => Some(BEHIND_DASHES),
            check::Error::NoUpstream => Some(
                "name what to compare with, as in `brv vc check origin/main...HEAD`, or check the whole tree with `--all`",
            ),
            check::Error::NotHere => Some("switch to the branch that has the commit, then run `brv vc check --fix`"),
            check::Error::Unborn => Some("check the files before the first commit with `--staged` or `--all`"),
            check::Error::Shallow => Some(
                "fetch the whole history with `brv vc fetch --unshallow`, in a plain clone with `git fetch --unshallow`",
            ),
            check::Error::PlainClone => Some("clone it with `brv vc clone`, and change that clone"),
            check::Error::TooManyRevisions => Some("write two revisions as `A..B`"),
            _ => None,
        })
    }
}

impl From<operation::Error> for Failure {
    fn from(error: operation::Error) -> Self {
        let failure = Failure::because(error.kind(), &error);
        match &error {
            operation::Error::Name(operations::Error::Elsewhere(_) | operations::Error::Unknown(_)) => {
                failure.hinting(Some(
                    "no commit of this history has this operation ID either; `brv op log` lists the logged operations",
                ))
            }
            operation::Error::Name(error) => named(failure, error),
            _ => failure,
        }
    }
}

/// Hints for a name that does not stand for exactly one operation.
pub fn named(failure: Failure, error: &operations::Error) -> Failure {
    match error {
        operations::Error::Ambiguous { candidates, .. } => failure
            .detailing(candidates.iter().map(ToString::to_string))
            .hinting(Some("use a longer part of the ID")),
        operations::Error::Unreadable { .. } => failure.hinting(Some("use the version of brv that wrote it")),
        operations::Error::Elsewhere(_) => failure.hinting(Some(
            "it was made in another clone, or pruned; `brv op log` lists the operations of this clone",
        )),
        operations::Error::Unknown(_) | operations::Error::None => {
            failure.hinting(Some("`brv op log` lists the logged operations"))
        }
    }
}
