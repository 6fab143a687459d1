//! Take the write lock of a tree, and finish or roll back what an interrupted command left there.
//!
//! The journal recovers. This file says which of its files belong on this disk, and what kind of failure a busy tree is.

use crate::journal::{self, Recovered};
use crate::open::context::Opened;
use crate::write::policy::own_files;
use crate::{Fails, FailureKind};
use brv_base::fs::{Busy, WriteGuard};

/// Why the tree cannot be written now.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Busy(#[from] Busy),
    #[error("could not recover the interrupted command")]
    Journal(#[from] journal::Error),
}

impl Fails for Error {
    fn kind(&self) -> FailureKind {
        match self {
            Self::Busy(Busy::Held { .. }) => FailureKind::Busy,
            Self::Journal(error) => FailureKind::of_journal(error),
            Self::Busy(Busy::File(_)) => FailureKind::Failed,
        }
    }
}

/// Take the lock, then finish or roll back an interrupted command.
pub fn lock(opened: &Opened) -> Result<(WriteGuard, Option<Recovered>), Error> {
    let guard = opened.lock()?;
    let recovered = journal::recover(&opened.scope, &guard, own_files::admits)?;
    Ok((guard, recovered))
}
