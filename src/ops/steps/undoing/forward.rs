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

/// The operations, newest first, of which commits of the history of `HEAD` carry a name that begins so, or the eight digits at
/// the end of which do.
///
/// # Errors
/// Commits that cannot be read.
pub fn named(scope: &Scope, typed: &str) -> Result<Vec<OperationId>, git::Error> {
    let mut found = Vec::new();
    if !OperationId::may_begin_so(typed) {
        return Ok(found);
    }
    for commit in of_head(scope)? {
        let trailer = |line: &[u8]| OperationId::parse(line.strip_prefix(b"Brv-Op: ")?.to_str().ok()?);
        for id in commit.message.lines().filter_map(trailer) {
            if id.is_called(typed) && !found.contains(&id) {
                found.push(id);
            }
        }
    }
    Ok(found)
}

fn of_head(scope: &Scope) -> Result<Vec<git::commit::Commit>, git::Error> {
    let Some(head) = scope.head()?.commit() else { return Ok(Vec::new()) };
    let range = Range { tips: vec![head], ..Range::default() };
    history::list(scope, &range)
}

/// The commits of the history of `HEAD` that carry the name of an operation, newest first.
///
/// # Errors
/// Commits that cannot be read.
pub fn commits_of(scope: &Scope, id: &OperationId) -> Result<Vec<Foreign>, git::Error> {
    let trailer = format!("Brv-Op: {id}");
    let commits = of_head(scope)?;
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
