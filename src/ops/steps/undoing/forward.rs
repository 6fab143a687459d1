//! Operations of another clone, known from the commits that carry their name.

use crate::git::history::{self, Range};
use crate::git::{self, CommitId, Scope};
use crate::journal::OperationId;
use bstr::ByteSlice as _;

/// A commit that an operation made, here or elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// The commit.
    pub commit: CommitId,
    /// Its first parent.
    pub parent: Option<CommitId>,
    /// The first line of its message.
    pub subject: String,
}

/// The commits of the history of `HEAD` that carry the name of an operation, newest first.
///
/// # Errors
/// Commits that cannot be read.
pub fn commits_of(scope: &Scope, id: &OperationId) -> Result<Vec<Foreign>, git::Error> {
    let Some(head) = scope.head()?.commit() else { return Ok(Vec::new()) };
    let trailer = format!("Brv-Op: {id}");
    let range = Range { tips: vec![head], ..Range::default() };
    let commits = history::list(scope, &range)?;
    let is_of = |commit: &&git::commit::Commit| commit.message.lines().any(|line| line == trailer.as_bytes());
    Ok(commits
        .iter()
        .filter(is_of)
        .map(|commit| Foreign {
            commit: commit.id,
            parent: commit.parents.first().copied(),
            subject: commit.subject().to_string(),
        })
        .collect())
}
