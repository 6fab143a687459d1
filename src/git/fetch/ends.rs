//! Where the history ends after a fetch: a copy of git's `shallow` file that gitoxide changes, judged before it counts.
//!
//! A server that was not asked for less may say where its own history ends; it cannot end the one that is here.

use super::GitError;
use crate::fs;
use crate::git::error::During;
use gix::{ObjectId, Repository};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The copy. Removed when dropped.
pub(super) struct Ends {
    folder: TempDir,
    file: PathBuf,
    /// Where the history ends now.
    pub before: BTreeSet<ObjectId>,
}

const READ: &str = "read where the history ends";

impl Ends {
    /// Copy the file of `repo`, if it has one.
    pub fn begin(repo: &Repository) -> Result<Self, GitError> {
        let file = repo.shallow_file().during(READ)?;
        let folder =
            tempfile::Builder::new().prefix("tmp_shallow_").tempdir_in(repo.common_dir()).during(READ)?;
        let ends = Self { before: commits(&file)?, folder, file };
        if !ends.before.is_empty() {
            write(&ends.copy(), &ends.before, fs::Durability::Later)?;
        }
        Ok(ends)
    }

    /// The copy.
    pub fn copy(&self) -> PathBuf {
        self.folder.path().join("shallow")
    }

    /// Where the history will end, when nothing but new history was asked for.
    pub fn after(&self, repo: &Repository) -> Result<BTreeSet<ObjectId>, GitError> {
        let mut after = commits(&self.copy())?;
        after.retain(|id| !repo.has_object(id));
        after.extend(&self.before);
        Ok(after)
    }

    /// Let it end there.
    pub fn set(&self, after: &BTreeSet<ObjectId>) -> Result<(), GitError> {
        if *after == self.before { Ok(()) } else { write(&self.file, after, fs::Durability::Now) }
    }
}

fn write(file: &Path, commits: &BTreeSet<ObjectId>, durability: fs::Durability) -> Result<(), GitError> {
    let lines: String = commits.iter().map(|id| format!("{id}\n")).collect();
    fs::replace(file, lines.as_bytes(), durability).during("write where the history ends")
}

fn commits(file: &Path) -> Result<BTreeSet<ObjectId>, GitError> {
    let bytes = fs::read_if_there(file).during(READ)?.unwrap_or_default();
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| ObjectId::from_hex(line).during(READ)).collect()
}
