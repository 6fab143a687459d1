//! What may help where a revision, an operation or a path of the history is not found.

use crate::ops::op::{prune, show as operation};
use crate::ops::steps::naming::operations;
use crate::ops::vc::{blame, diff, log, show};
use crate::say::Failure;

const BEHIND_DASHES: &str = "paths that are gone, or are named like a revision, stand behind `--`";

impl From<diff::Error> for Failure {
    fn from(error: diff::Error) -> Self {
        Failure::of(error.kind(), &error).hinting(match &error {
            diff::Error::Arguments(_) => Some(BEHIND_DASHES),
            _ => None,
        })
    }
}

impl From<log::Error> for Failure {
    fn from(error: log::Error) -> Self {
        Failure::of(error.kind(), &error).hinting(match &error {
            log::Error::Unborn(_) => Some("`brv vc commit -m MSG` makes the first one"),
            log::Error::Date(_) => {
                Some("2024-11-20, \"2024-11-20 18:30\", yesterday and 2.weeks.ago are understood")
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
            .hinting(is_unborn.then_some("`brv vc commit -m MSG` makes the first commit"))
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
            blame::Error::Lines(_) => Some("10,20 and 10,+5 and /START/,/END/ are understood"),
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
                    "no commit of this history carries the name either; `brv op log` shows what is on record",
                ))
            }
            operation::Error::Name(error) => named(failure, error),
            _ => failure,
        }
    }
}

impl From<prune::Error> for Failure {
    fn from(error: prune::Error) -> Self {
        Failure::of(error.kind(), &error).hinting(match &error {
            prune::Error::NotOne(_) => Some("name the files one by one, or their folder"),
            _ => None,
        })
    }
}

/// What helps where a name is not that of one operation.
#[must_use]
pub fn named(failure: Failure, error: &operations::Error) -> Failure {
    match error {
        operations::Error::Ambiguous { candidates, .. } => failure
            .detailing(candidates.iter().map(ToString::to_string))
            .hinting(Some("a longer part of the name tells which")),
        operations::Error::Unreadable { .. } => {
            failure.hinting(Some("the version of brv that wrote it knows it"))
        }
        operations::Error::Elsewhere(_) => {
            failure.hinting(Some("it was made in another clone, or pruned; `brv op log` shows what is here"))
        }
        operations::Error::Unknown(_) | operations::Error::None => {
            failure.hinting(Some("`brv op log` shows what is on record"))
        }
    }
}
