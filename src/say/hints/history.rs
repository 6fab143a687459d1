//! Hints for the errors of `vc check`.

use crate::say::Failure;
use brv_commands::vc::check;

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
