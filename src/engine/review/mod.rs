//! Find the changes that wait for a person's review, and why.
//!
//! Operations mark risky changes in trailers of their commits, or in their records where they make no commit. What waits
//! is computed from these, never stored, so that an undo, another clone and a pull all say the same: every marked change
//! that no remote has, less what was taken back since, and less what was approved here. [`trust`] decides what is withheld
//! from agents until a person approves it.

mod decisions;
mod flag;
mod gate;
mod history;
mod marks;
mod merged;
mod published;
mod row;
mod settings;
mod squashed;
mod status;
pub mod trust;

pub use decisions::{Decisions, decider, stored};
pub use flag::{Flag, foreign_change};
pub use gate::{Judged, judge};
pub use history::Rejection;
pub use marks::{Marks, marks};
pub use merged::paths;
pub use row::{ReviewRow, row};
pub use settings::is_enabled;
pub use squashed::{Squashed, squashed};
pub use status::{ReviewExtent, ReviewStanding, Reviewed, read};

use crate::jobs::StoreError;
use crate::journal;
use crate::open::context::Opened;
use crate::outcome::cause::Shared;
use crate::{Fails, FailureKind};
use brv_base::fs;
use brv_git as git;
use std::path::PathBuf;

/// Why it cannot be found out.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    Remotes(#[from] git::remotes::Error),
    #[error(transparent)]
    Journal(#[from] journal::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    File(#[from] fs::Error),
}

impl Shared for Error {}

/// The file with the marks of a search; see [`marks`].
fn marks_file(opened: &Opened) -> PathBuf {
    opened.places.cache().join("review.json")
}

impl Fails for Error {
    fn kind(&self) -> FailureKind {
        match self {
            Self::Git(error) => error.kind(),
            Self::Remotes(error) => error.kind(),
            Self::Journal(error) => error.kind(),
            Self::Store(error) => error.kind(),
            Self::File(error) => error.kind(),
        }
    }
}
