//! Take the write lock and recover an interrupted command.

use crate::fs::{Busy, WriteGuard};
use crate::journal::{self, Recovered};
use crate::ops::context::Opened;
use crate::ops::steps::remotes::own_files;

/// Why the tree cannot be written now.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages describe the variants")]
pub enum Error {
    #[error(transparent)]
    Busy(#[from] Busy),
    #[error("could not recover the interrupted command")]
    Journal(#[from] journal::Error),
}

impl Error {
    /// The kind of this failure.
    #[must_use]
    pub fn kind(&self) -> crate::ops::FailureKind {
        match self {
            Self::Busy(Busy::Held { .. }) => crate::ops::FailureKind::Busy,
            Self::Journal(error) => crate::ops::FailureKind::of_journal(error),
            Self::Busy(Busy::File(_)) => crate::ops::FailureKind::Failed,
        }
    }
}

/// Take the lock, then finish or roll back an interrupted command.
///
/// # Errors
/// [`Error`]
pub fn lock(opened: &Opened) -> Result<(WriteGuard, Option<Recovered>), Error> {
    let guard = opened.lock()?;
    let recovered = journal::recover(&opened.scope, &guard, own_files::admits)?;
    Ok((guard, recovered))
}
