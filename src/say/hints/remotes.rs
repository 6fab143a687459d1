//! What may help where a remote is meant that is not clear, or where what it has cannot be written.

use crate::ops::steps::remotes::remote_choice;
use crate::ops::steps::writing::{self, Refused};
use crate::say::Failure;
use crate::say::escape::escape_line;

/// What helps when it is not clear which remote or branch is meant.
#[must_use]
pub const fn which(error: &remote_choice::Error) -> Option<&'static str> {
    match error {
        remote_choice::Error::NoRemote => Some("`brv vc remote add origin URL` sets one up"),
        remote_choice::Error::Ambiguous(_) => Some("name one of them, as `brv vc remote` lists them"),
        remote_choice::Error::NoUpstream(_) => {
            Some("name remote and branch; `brv vc push -u REMOTE BRANCH` makes the branch follow it")
        }
        remote_choice::Error::Unknown { .. } => Some("`brv vc remote -v` lists the remotes"),
        _ => None,
    }
}

/// A guard's refusal with the paths it is about.
#[must_use]
pub fn write(failure: Failure, error: &writing::Error) -> Failure {
    match error {
        writing::Error::Refused(Refused::Unsafe(paths)) => failure
            .detailing(paths.iter().map(|found| format!("{} {}", escape_line(&found.path), found.reason)))
            .hinting(Some("nothing was written; whoever pushed them must take them out of the branch")),
        writing::Error::Refused(Refused::InTheWay(found)) => failure
            .detailing(found.paths.iter().map(|path| escape_line(path).into_owned()))
            .hinting(Some("nothing was written; commit these files, or move them away, and try again")),
        _ => failure,
    }
}
