//! The dreams of a tree: which there were and which stand, by journal and history; their files in `.brv/`; and the gates
//! that one must pass.
//!
//! Nothing is counted up: how many dreams there were, which are undone and how much was curated since is computed, so
//! that an undo, a pull and another clone say the same. The files repeat it for people and programs that read files.

mod files;
mod gates;
mod list;
mod lock;
mod removals;
mod settling;

pub use files::{DreamState, Log, PendingMerge, Trigger, logs, read_log, read_state, write_log, write_state};
pub use gates::{Closed, Gate, of_time, pass};
pub use list::{Dream, Dreams};
pub use lock::Lock;
pub use removals::DreamRemovals;
pub use settling::{follow, mark_undone, settle};

use crate::jobs::StoreError;
use crate::journal;
use crate::open::tree::DiscoverError;
use crate::outcome::cause;
use crate::{Fails, FailureKind};
use brv_base::fs;
use brv_git as git;

/// Why dreams cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Place(#[from] DiscoverError),
    #[error(transparent)]
    File(#[from] fs::Error),
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    Journal(#[from] journal::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl cause::Shared for Error {}

impl Fails for Error {
    fn kind(&self) -> FailureKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Place(DiscoverError::ForeignOwner(_) | DiscoverError::Link(_)) => FailureKind::Refused,
            Self::Place(_) | Self::File(_) | Self::Git(_) | Self::Journal(_) => FailureKind::Failed,
        }
    }
}
