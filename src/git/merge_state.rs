//! A merge that waits for decisions, in the files that git reads: `MERGE_HEAD`, `MERGE_MSG`, `MERGE_MODE`.

use super::Scope;
use super::id::CommitId;
use crate::fs::{self, Durability};
use bstr::{BString, ByteSlice};

/// The merge that is in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeState {
    /// What is being merged.
    pub heads: Vec<CommitId>,
    /// The message for the commit that concludes it.
    pub message: BString,
}

const FILES: [&str; 3] = ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE"];

/// The merge in progress, if there is one.
///
/// # Errors
/// Files that cannot be read.
pub fn read(scope: &Scope) -> Result<Option<MergeState>, fs::Error> {
    let file = |name: &str| scope.git_dir().join(name);
    let Some(heads) = fs::read_if_there(&file("MERGE_HEAD"))? else { return Ok(None) };
    let heads = heads
        .lines()
        .filter_map(|line| std::str::from_utf8(line).ok().and_then(|line| CommitId::from_hex(line.trim())))
        .collect();
    let message = fs::read_if_there(&file("MERGE_MSG"))?.unwrap_or_default().into();
    Ok(Some(MergeState { heads, message }))
}

/// Record that a merge waits for decisions.
///
/// # Errors
/// Files that cannot be written.
pub fn write(scope: &Scope, state: &MergeState) -> Result<(), fs::Error> {
    let file = |name: &str| scope.git_dir().join(name);
    let heads: String = state.heads.iter().map(|head| format!("{head}\n")).collect();
    fs::replace(&file("MERGE_MSG"), &state.message, Durability::Now)?;
    fs::replace(&file("MERGE_MODE"), b"", Durability::Now)?;
    fs::replace(&file("MERGE_HEAD"), heads.as_bytes(), Durability::Now)
}

/// As [`clear`], when a commit was made: it also concludes the pick or revert that git was at, as git's own does.
///
/// # Errors
/// Files that cannot be removed.
pub fn conclude(scope: &Scope) -> Result<(), fs::Error> {
    clear(scope)?;
    for name in ["CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG"] {
        fs::remove_file(&scope.git_dir().join(name))?;
    }
    Ok(())
}

/// Forget the merge in progress.
///
/// # Errors
/// Files that cannot be removed.
pub fn clear(scope: &Scope) -> Result<(), fs::Error> {
    for name in FILES {
        fs::remove_file(&scope.git_dir().join(name))?;
    }
    Ok(())
}
