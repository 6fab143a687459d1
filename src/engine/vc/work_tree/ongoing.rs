//! Refuse to commit during a rebase, cherry-pick, revert or `git am`: the commit would end up among that command's own.
//! Each command checks for a merge itself.

use crate::outcome::in_progress::unfinished;
use crate::{Fails, FailureKind};
use brv_base::fs;
use brv_git::{Scope, in_progress};

pub use brv_git::in_progress::{InProgress, InProgressKind};

/// Why a command that makes commits cannot start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0} is in progress")]
    InProgress(InProgressKind),
    #[error(transparent)]
    File(#[from] fs::Error),
}

impl Fails for Error {
    fn kind(&self) -> FailureKind {
        match self {
            Self::InProgress(_) => FailureKind::Refused,
            Self::File(_) => FailureKind::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::InProgress(kind) => Some(unfinished(*kind)),
            Self::File(_) => None,
        }
    }
}

/// Fail if anything other than a merge or a bisect is in progress.
pub fn refuse(scope: &Scope) -> Result<(), Error> {
    match in_progress::committing(scope)? {
        None | Some(InProgressKind::Merge) => Ok(()),
        Some(kind) => Err(Error::InProgress(kind)),
    }
}
