//! Refuse to commit during a rebase, cherry-pick, revert or `git am`: the commit would end up among that command's own.
//! Each command checks for a merge itself.

use crate::Stop;
use crate::outcome::in_progress::unfinished;
use brv_git::{Scope, in_progress};

pub use brv_git::in_progress::{InProgress, InProgressKind};

/// What stops a command that makes commits while this is in progress.
pub fn interrupting(kind: InProgressKind) -> Stop {
    Stop::refused(format!("{kind} is in progress")).hint(unfinished(kind))
}

/// Fail if anything other than a merge or a bisect is in progress.
pub fn refuse(scope: &Scope) -> Result<(), Stop> {
    match in_progress::committing(scope)? {
        None | Some(InProgressKind::Merge) => Ok(()),
        Some(kind) => Err(interrupting(kind)),
    }
}
