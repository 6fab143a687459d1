//! Hints for the errors of `vc branch` and `vc tag`.

use crate::say::Failure;
use brv_base::escape::escape_line;
use brv_commands::vc::{branch, tag};
use brv_engine::open::naming::branches;

impl From<branch::Error> for Failure {
    fn from(error: branch::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            branch::Error::Branch(error) => branch(failure, error),
            branch::Error::Unmerged(names) => failure
                .detailing(names.iter().map(|name| escape_line(name.as_bytes()).into_owned()))
                .hinting(Some(
                    "nothing was deleted; merge them first, or delete them with `-D`: `brv undo` restores them",
                )),
            _ => failure,
        }
    }
}

impl From<tag::Error> for Failure {
    fn from(error: tag::Error) -> Self {
        Failure::of(error.kind(), &error).hinting(match &error {
            tag::Error::Exists(_) => Some("move it with `--force`; `brv vc tag -n` lists the tags"),
            tag::Error::Absent(_) => Some("`brv vc tag` lists the tags"),
            tag::Error::NoMessage => Some("an annotated tag needs a message: `-m \"…\"`"),
            tag::Error::Identity(_) => Some(
                "set yours with `brv vc config user.name NAME` and `brv vc config user.email ADDRESS`, or in git's own settings",
            ),
            tag::Error::Signing(_) => Some("create the tag without a signature with `--no-sign`"),
            _ => None,
        })
    }
}

/// Hints for a branch that cannot be created, deleted or found.
pub(super) fn branch(failure: Failure, error: &branches::Error) -> Failure {
    match error {
        branches::Error::Exists(_) | branches::Error::Absent(_) => {
            failure.hinting(Some("`brv vc branch` lists the branches"))
        }
        branches::Error::Current(_) => failure.hinting(Some("switch to another branch first")),
        branches::Error::NotABranch(_) => {
            failure.hinting(Some("`brv vc branch -a` lists the branches that can be tracked"))
        }
        _ => failure,
    }
}
