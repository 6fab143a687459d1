//! The shallow boundary of a repository: git's `shallow` file, a line for each commit whose parents are missing.
//!
//! Knows nothing of how the commits came.

use crate::error::{During, Error};
use crate::repository::scope::Scope;
use brv_base::fs;
use gix::{ObjectId, Repository};
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::path::Path;
use std::time::Duration;

/// How much history a fetch requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Depth {
    /// No change of the boundary: only new commits.
    #[default]
    Unchanged,
    /// This many commits from each tip.
    Of(NonZeroU32),
    /// This many more commits behind the boundary.
    Deepen(NonZeroU32),
    /// All of it: the repository is no longer shallow.
    Full,
}

/// What happens when the remote itself is shallow, with a boundary that is not known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Roots {
    /// Refs that reach that boundary are not updated: this repository would no longer be complete.
    #[default]
    Refuse,
    /// The remote's boundary becomes one here too.
    Accept,
}

/// Commits whose parents are missing here.
pub(crate) type Boundary = BTreeSet<ObjectId>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shift {
    /// Commits that join the boundary.
    pub added: Boundary,
    /// Commits that leave the boundary.
    pub removed: Boundary,
}

impl Shift {
    /// The change from one boundary to another; `None`: they are the same.
    pub fn between(before: &Boundary, after: &Boundary) -> Option<Self> {
        let added: Boundary = after.difference(before).copied().collect();
        let removed: Boundary = before.difference(after).copied().collect();
        (!added.is_empty() || !removed.is_empty()).then_some(Self { added, removed })
    }
}

/// How long to wait for another writer of the file.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether the repository is shallow.
///
/// # Errors
/// When the `shallow` file cannot be read.
pub fn is_shallow(scope: &Scope) -> Result<bool, Error> {
    Ok(!read(&scope.repo)?.is_empty())
}

/// The boundary of a repository at some time, to be compared with a later one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End(Boundary);

impl End {
    /// The current boundary.
    ///
    /// # Errors
    /// When the `shallow` file cannot be read.
    pub fn of(scope: &Scope) -> Result<Self, Error> {
        Ok(Self(read(&scope.repo)?))
    }

    pub fn is_whole(&self) -> bool {
        self.0.is_empty()
    }
}

/// The boundary on disk; empty for a repository with all its history.
pub(crate) fn read(repo: &Repository) -> Result<Boundary, Error> {
    let act = "read the shallow boundary";
    read_file(&repo.shallow_file().during(act)?)
}

/// Reads the boundary from a file in git's format.
pub(super) fn read_file(path: &Path) -> Result<Boundary, Error> {
    let act = "read the shallow boundary";
    let Some(bytes) = fs::read_if_there(path).during(act)? else { return Ok(Boundary::new()) };
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| ObjectId::from_hex(line).during(act)).collect()
}

/// Changes the boundary, durably and under git's own lock. What others did to it meanwhile is kept; missing commits are
/// left out.
pub(crate) fn shift(repo: &Repository, shift: &Shift) -> Result<(), Error> {
    let act = "write the shallow boundary";
    let path = repo.shallow_file().during(act)?;
    let (_notice, lock) = crate::repository::locks::take(repo.common_dir(), &path, PATIENCE, act)?;
    let mut boundary = read_file(&path)?;
    boundary.retain(|id| !shift.removed.contains(id));
    boundary.extend(&shift.added);
    let here = boundary.iter().filter(|id| repo.has_object(id));
    let text: String = here.map(|id| format!("{id}\n")).collect();
    if text.is_empty() {
        fs::remove_file(&path).during(act)?;
        return fs::sync_folder(path.parent().expect("the file stands in the repository")).during(act);
    }
    crate::repository::locks::replace(lock, &path, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_that_shift_the_boundary_at_once_lose_nothing_of_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let repo = gix::init_bare(folder.path()).unwrap();
        let id = |text: &str| repo.write_blob(text).unwrap().detach();
        let (a, b, c, d) = (id("a"), id("b"), id("c"), id("d"));
        let before = Boundary::from([a, b]);
        shift(&repo, &Shift::between(&Boundary::new(), &before).unwrap()).unwrap();
        let one = Shift::between(&before, &[a, b, c].into()).unwrap();
        let other = Shift::between(&before, &[b, d].into()).unwrap();
        shift(&repo, &one).unwrap();
        shift(&repo, &other).unwrap();
        assert_eq!(read(&repo).unwrap(), [b, c, d].into());
        assert_eq!(Shift::between(&before, &before), None);
        shift(&repo, &Shift::between(&[b, c, d].into(), &Boundary::new()).unwrap()).unwrap();
        assert!(!repo.shallow_file().unwrap().exists());
    }
}
