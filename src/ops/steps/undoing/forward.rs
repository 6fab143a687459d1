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
    /// When it was made, in seconds since 1970.
    pub seconds: i64,
    /// Its trailers that are brv's, by name.
    trailers: Vec<(String, String)>,
}

impl Foreign {
    /// What a trailer says.
    #[must_use]
    pub fn trailer(&self, name: &str) -> Option<&str> {
        self.trailers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

fn trailers(message: &[u8]) -> Vec<(String, String)> {
    let trailer = |line: &[u8]| {
        let (name, value) = line.to_str().ok()?.split_once(": ")?;
        name.starts_with("Brv-").then(|| (name.to_owned(), value.to_owned()))
    };
    message.lines().filter_map(trailer).collect()
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

/// Whether the commits (newest first) stand on each other, with no other between them.
#[must_use]
pub fn stand_together(commits: &[Foreign]) -> bool {
    commits.windows(2).all(|pair| pair[0].parent == Some(pair[1].commit))
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
            seconds: commit.committer.seconds,
            trailers: trailers(&commit.message),
        })
        .collect())
}
