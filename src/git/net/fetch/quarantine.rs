//! Quarantine for received objects: they enter the repository only after a connectivity check.
//!
//! The folder has git's name for its own kind of quarantine, so that `git prune` removes what a crash left.

use super::GitError;
use super::connected::{self, Gap};
use super::map::WantedRef;
use crate::error::During;
use crate::objects::pack::{Arrived, ReceiveError, receive};
use crate::repository::scope::without_replacements;
use brv_base::fs;
use gix::object::Kind;
use gix::{ObjectId, Repository};
use std::collections::BTreeSet;
use std::io::BufRead;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

/// Removed when dropped, with everything in it.
pub(super) struct Quarantine {
    folder: TempDir,
    arrived: Option<Arrived>,
}

const STORE: &str = "store the received objects";

impl Quarantine {
    /// A new quarantine beside the objects of `repo`.
    pub fn begin(repo: &Repository) -> Result<Self, GitError> {
        let objects = repo.objects.store_ref().path();
        let folder =
            tempfile::Builder::new().prefix("tmp_objdir-incoming-").tempdir_in(objects).during(STORE)?;
        fs::create_folder(&folder.path().join("pack")).during(STORE)?;
        Ok(Self { folder, arrived: None })
    }

    /// The path of a temporary file in it.
    pub fn scratch(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Reads a pack into it.
    pub fn receive(
        &mut self,
        repo: &Repository,
        reader: &mut dyn BufRead,
        progress: &mut dyn gix::DynNestedProgress,
        interrupt: &AtomicBool,
    ) -> Result<(), ReceiveError> {
        let store = without_replacements(repo).objects;
        let folder = self.folder.path().join("pack");
        self.arrived = receive(reader, &folder, &store, progress, interrupt)?;
        Ok(())
    }

    /// Moves everything into `repo`, if everything that the wanted refs reach exists. The boundary changes from
    /// `ends.0` to `ends.1`.
    pub fn admit(
        self,
        repo: &Repository,
        wanted: &[WantedRef],
        ends: (&BTreeSet<ObjectId>, &BTreeSet<ObjectId>),
    ) -> Result<Admitted, Failure> {
        let here = without_replacements(repo).objects;
        let branch = |one: &WantedRef| one.remote.starts_with(b"refs/heads/").then_some(Kind::Commit);
        let tips: Vec<_> = wanted.iter().map(|one| (one.id, branch(one))).collect();
        let mut received = gix::odb::at(self.folder.path(), gix::hash::Kind::Sha1).during(STORE)?;
        // most lookups fail, and nothing more arrives
        received.refresh_never();
        let opened = ends.0.difference(ends.1).copied().collect();
        connected::check(&here, &received, &tips, (ends.1, &opened)).map_err(|error| match error {
            connected::Error::Gap(gap) => Failure::Gap(gap),
            connected::Error::Git(error) => Failure::Git(error),
        })?;
        Ok(self.settle(repo)?)
    }

    /// The pack comes first: readers look for its index.
    fn settle(&self, repo: &Repository) -> Result<Admitted, GitError> {
        let Some(Arrived { pack, objects }) = &self.arrived else { return Ok(Admitted::default()) };
        let folder = repo.objects.store_ref().path().join("pack");
        fs::create_folder(&folder).during(STORE)?;
        let target = folder.join(pack.file_name().expect("it was given a name"));
        let index = target.with_extension("idx");
        if target.is_file() && index.is_file() {
            // the name is derived from the content
            return Ok(Admitted { objects: *objects, keep: None });
        }
        let keep = Keep::new(target.with_extension("keep"))?;
        std::fs::rename(pack, &target)
            .and_then(|()| std::fs::rename(pack.with_extension("idx"), &index))
            .during(STORE)
            .and_then(|()| fs::sync_folder(&folder).during(STORE))?;
        Ok(Admitted { objects: *objects, keep: Some(keep) })
    }
}

/// The current objects of the repository.
#[derive(Default)]
pub(super) struct Admitted {
    pub objects: usize,
    pub keep: Option<Keep>,
}

/// The `.keep` file that protects a pack from garbage collection; removed with this value, whatever happens to the
/// refs.
#[derive(Debug)]
pub(super) struct Keep(PathBuf);

impl Keep {
    fn new(path: PathBuf) -> Result<Self, GitError> {
        fs::replace(&path, b"", fs::Durability::Later).during(STORE)?;
        Ok(Self(path))
    }

    pub fn remove(self) -> Result<(), GitError> {
        fs::remove_file(&self.0).during("release the received pack")?;
        Ok(())
    }
}

impl Drop for Keep {
    fn drop(&mut self) {
        // it is removed already, or an earlier error is reported
        let _ = fs::remove_file(&self.0);
    }
}

/// Why the objects were not accepted.
pub(super) enum Failure {
    Gap(Gap),
    Git(GitError),
}

impl From<GitError> for Failure {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}
