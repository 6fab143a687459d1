//! Making again what follows from curated files, where it no longer fits them.
//!
//! What is curated on disk is hashed folder by folder into a Merkle tree; folders whose hash differs from the one in
//! the ledger are stale, and only their files are read. A file with a derived name that brv did not write, or that
//! somebody edited since, is never overwritten or removed.

mod ledger;
mod outline;
mod shard;
mod sources;
mod work;

pub use outline::Curated;
pub use sources::curated;

use crate::fs::{self, Busy, WriteGuard};
use crate::git;
use crate::git::status::StatusError;
use crate::ops::context::Opened;
use crate::ops::steps::survey::{self, Survey};
use crate::path::TreePath;
use crate::progress::Progress;
use bstr::ByteSlice as _;

/// How much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Folders whose content changed; what was written before is trusted to be there.
    Changed,
    /// Also whether every derived file is still there as it was written.
    Missing,
    /// Everything is made again.
    All,
}

/// What was done; all lists sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Written, because missing or out of date.
    pub written: Vec<TreePath>,
    /// Removed, because what they were made from is gone.
    pub removed: Vec<TreePath>,
    /// Left alone.
    pub kept: Vec<Kept>,
}

/// A file with a derived name that is not brv's to write.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kept {
    /// Where it is.
    pub path: TreePath,
    /// Why.
    pub why: Why,
}

/// Why a derived file is not as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It is not there.
    Missing,
    /// It was made from something else.
    Outdated,
    /// What it was made from is gone.
    Orphaned,
    /// Somebody edited it.
    Altered,
    /// brv did not write it.
    Foreign,
}

/// Why nothing was made again.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process is at it.
    #[error(transparent)]
    Busy(#[from] Busy),
    /// Disk or index.
    #[error(transparent)]
    Survey(#[from] StatusError),
    /// A file.
    #[error(transparent)]
    File(#[from] fs::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub const fn kind(&self) -> crate::ops::FailureKind {
        match self {
            Self::Busy(Busy::Held { .. }) => crate::ops::FailureKind::Busy,
            _ => crate::ops::FailureKind::Failed,
        }
    }
}

/// Bring the derived files up to what is curated on disk.
///
/// # Errors
/// [`Error`]; what was written until then stays, and the next refresh goes on from there.
pub fn refresh(opened: &Opened, extent: Extent, progress: &dyn Progress) -> Result<Outcome, Error> {
    let cache = opened.places.cache();
    let lock = cache.join("derive.lock");
    let _guard = WriteGuard::acquire(&lock, opened.config.lock_timeout.value)?;
    let survey = survey::survey(&opened.scope, git::index::read(&opened.scope).map_err(StatusError::from)?)?;
    let (curated, on_disk) = (sources::curated(&opened.scope, &survey)?, sources::derived_names(&survey));
    tidy_up(opened, &survey);
    // a repository that git made, and that `brv init` never saw: what is made here must not look new to git
    git::exclude_derived(&opened.scope).map_err(StatusError::from)?;
    work::run(&opened.scope.root(), &cache, &curated, &on_disk, extent, progress)
}

/// Remember the stats of files that were read in vain, and remove files on their way that a killed command left: whoever
/// holds both locks knows that nobody is at them. Both are put off without a word when somebody is writing.
fn tidy_up(opened: &Opened, survey: &Survey) {
    let found = &survey.work_tree;
    if !found.is_refreshed() && found.temporary.is_empty() {
        return;
    }
    let Some(guard) = opened.lock_at_once() else { return };
    found.refresh_index(&opened.scope, &guard);
    for path in &found.temporary {
        let mut file = opened.scope.root();
        file.extend(path.to_str_lossy().split('/'));
        // what cannot be removed is found again by the next refresh
        let _ = fs::remove_left_over(&file);
    }
}

/// Name every derived file that is not as it should be. Reads all of them, writes nothing.
///
/// # Errors
/// [`Error`]
pub fn check(opened: &Opened) -> Result<Vec<Kept>, Error> {
    let survey = survey::survey(&opened.scope, git::index::read(&opened.scope).map_err(StatusError::from)?)?;
    let (curated, on_disk) = (sources::curated(&opened.scope, &survey)?, sources::derived_names(&survey));
    work::check(&opened.scope.root(), &opened.places.cache(), &curated, &on_disk)
}

/// Files with the name of a derived file that brv did not write, or that were edited since, as far as the ledger
/// tells: only files that it does not account for are read.
///
/// # Errors
/// A file that cannot be read.
pub fn foreign(opened: &Opened, survey: &Survey) -> Result<Vec<Kept>, fs::Error> {
    work::foreign(&opened.scope.root(), &opened.places.cache(), &sources::derived_names(survey))
}

/// How many derived files do not fit what is curated, as far as the ledger tells.
#[must_use]
pub fn stale_count(opened: &Opened, curated: &[Curated]) -> usize {
    let ledger = ledger::load(&opened.places.cache());
    outline::Outline::of(curated).stale_count(&ledger)
}
