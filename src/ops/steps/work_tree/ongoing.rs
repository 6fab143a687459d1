//! Refusing to make commits while git is in the middle of a rebase, a pick, a revert or patches: they would end up among
//! that command's own. A merge is each command's own matter.

use crate::fs;
use crate::git::{Scope, in_progress};
use crate::ops::FailureKind;

pub use crate::git::in_progress::{InProgress, Kind};

/// Why a command that makes commits does not begin.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another command of git's has stopped on the way.
    #[error("{0} is in progress")]
    InProgress(Kind),
    /// Its files cannot be read.
    #[error(transparent)]
    File(#[from] fs::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub const fn kind(&self) -> FailureKind {
        match self {
            Self::InProgress(_) => FailureKind::Refused,
            Self::File(_) => FailureKind::Failed,
        }
    }
}

/// Refuse, unless nothing but a merge or a bisect is in progress.
///
/// # Errors
/// [`Error`]
pub fn refuse(scope: &Scope) -> Result<(), Error> {
    match in_progress::committing(scope)? {
        None | Some(Kind::Merge) => Ok(()),
        Some(kind) => Err(Error::InProgress(kind)),
    }
}
