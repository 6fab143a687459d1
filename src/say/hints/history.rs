//! Hints for the errors of commands that read the history: `vc diff`, `log`, `show` and `blame`, and `op`.

use crate::say::Failure;
use brv_commands::op::show as operation;
use brv_commands::vc::{blame, check, diff, log, show};
use brv_engine::open::naming::operations;

const BEHIND_DASHES: &str = "use `--` before paths that no longer exist or that look like a revision";

impl From<diff::Error> for Failure {
    fn from(error: diff::Error) -> Self {
        Failure::of(error.kind(), &error).hinting(match &error {
            diff::Error::Arguments(_) => Some(BEHIND_DASHES),
            _ => None,
        })
    }
}

impl From<check::Error> for Failure {
    fn from(error: check::Error) -> Self {
        Failure::of(error.kind(), &error).hinting(match &error {
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

impl From<log::Error> for Failure {
    fn from(error: log::Error) -> Self {
        Failure::of(error.kind(), &error).hinting(match &error {
            log::Error::Unborn(_) => Some("create the first commit with `brv vc commit -m MSG`"),
            log::Error::Date(_) => {
                Some("valid dates: 2024-11-20, \"2024-11-20 18:30\", yesterday, 2.weeks.ago")
            }
            log::Error::Arguments(_) => Some(BEHIND_DASHES),
            _ => None,
        })
    }
}

impl From<show::Error> for Failure {
    fn from(error: show::Error) -> Self {
        let is_unborn = matches!(error, show::Error::Revision(show::RevisionError::Unborn(_)));
        Failure::of(error.kind(), &error)
            .hinting(is_unborn.then_some("create the first commit with `brv vc commit -m MSG`"))
    }
}

impl From<blame::Error> for Failure {
    fn from(error: blame::Error) -> Self {
        let meant = match &error {
            blame::Error::NoFact { nearest: Some(nearest), .. } => Some(format!("perhaps `{nearest}`")),
            _ => None,
        };
        Failure::of(error.kind(), &error).hinting(match error {
            blame::Error::NoFact { .. } => meant.as_deref(),
            blame::Error::Arguments(_) => Some(BEHIND_DASHES),
            blame::Error::Lines(_) => Some("valid ranges: 10,20 or 10,+5 or /START/,/END/"),
            _ => None,
        })
    }
}

impl From<operation::Error> for Failure {
    fn from(error: operation::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
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
