//! Operations of other clones, found by the trailers of their commits.

use brv_engine::journal::{Extent, OperationId, Undoes};
use brv_engine::read::history::provenance::{self, Trailers};
use brv_git as git;
use brv_git::commit::Commit;
use brv_git::history::{self, Range};
use brv_git::{CommitId, Scope};
use bstr::ByteSlice as _;
use std::collections::HashSet;

/// A commit that an operation made, in any clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    pub commit: CommitId,
    pub parent: Option<CommitId>,
    /// The first line of its message.
    pub subject: String,
    /// The commit time, in seconds since 1970.
    pub seconds: i64,
    trailers: Trailers,
}

impl Foreign {
    fn of(commit: &Commit, trailers: Trailers) -> Self {
        Self {
            commit: commit.id,
            parent: commit.parents.first().copied(),
            subject: commit.subject().to_string(),
            seconds: commit.committer.seconds,
            trailers,
        }
    }

    pub fn trailer(&self, name: &str) -> Option<&str> {
        self.trailers.get(name)
    }

    /// The operations that its operation undid.
    pub fn undoes(&self) -> Vec<OperationId> {
        self.trailers.undoes().collect()
    }
}

/// The operations, newest first, that commits in the history of `HEAD` name and that begin with `typed`, or whose eight
/// final digits do.
pub fn named(scope: &Scope, typed: &str) -> Result<Vec<OperationId>, git::Error> {
    let mut found = Vec::new();
    if !OperationId::may_begin_so(typed) {
        return Ok(found);
    }
    for commit in of_head(scope)? {
        let made_by = Trailers::of(&commit.message).operation();
        found.extend(made_by.filter(|id| id.is_called(typed) && !found.contains(id)));
    }
    Ok(found)
}

/// Operations of other clones, each with the commits that it made.
type OfSession = Vec<(OperationId, Vec<Foreign>)>;

/// The operations of a session that commits in the history of `HEAD` name, newest first, each with its commits. What was
/// undone is left out, and so is an undo. `None`: no commit names the session.
pub fn of_session(scope: &Scope, session: &str) -> Result<Option<OfSession>, git::Error> {
    let mut found: Vec<(OperationId, Vec<Foreign>)> = Vec::new();
    let mut undone: HashSet<OperationId> = HashSet::new();
    let mut is_known = false;
    for commit in of_head(scope)? {
        let trailers = Trailers::of(&commit.message);
        is_known |= trailers.get(provenance::SESSION) == Some(session);
        let Some(id) = trailers.operation().filter(|id| !undone.contains(id)) else { continue };
        let undoes: Vec<Undoes> = trailers.all(provenance::UNDOES).filter_map(Undoes::parse).collect();
        if !undoes.is_empty() {
            let whole = undoes.into_iter().filter(|one| one.extent == Extent::Whole);
            undone.extend(whole.map(|one| one.operation));
        } else if trailers.get(provenance::SESSION) == Some(session) {
            let known = found.iter().position(|(own, _)| *own == id);
            let place = known.unwrap_or(found.len());
            if known.is_none() {
                found.push((id, Vec::new()));
            }
            found[place].1.push(Foreign::of(&commit, trailers));
        }
    }
    Ok(is_known.then_some(found))
}

fn of_head(scope: &Scope) -> Result<Vec<Commit>, git::Error> {
    let Some(head) = scope.head()?.commit() else { return Ok(Vec::new()) };
    let range = Range { tips: vec![head], ..Range::default() };
    history::list(scope, &range)
}

/// Whether each commit (newest first) is a child of the next, with no other commit between them.
pub fn stand_together(commits: &[Foreign]) -> bool {
    commits.windows(2).all(|pair| pair[0].parent == Some(pair[1].commit))
}

/// The commits in the history of `HEAD` that name an operation, newest first. A cherry-pick of one of them does not
/// count again.
pub fn commits_of(scope: &Scope, id: &OperationId) -> Result<Vec<Foreign>, git::Error> {
    let named = |commit: Commit| {
        let trailers = Trailers::of(&commit.message);
        (trailers.operation().as_ref() == Some(id)).then_some((commit, trailers))
    };
    let found: Vec<(Commit, Trailers)> = of_head(scope)?.into_iter().filter_map(named).collect();
    let is_copy = |(commit, _): &&(Commit, Trailers)| {
        let is_original = |(other, _): &(Commit, Trailers)| {
            let order = (other.committer.seconds, other.id) < (commit.committer.seconds, commit.id);
            order && other.author == commit.author && words(other) == words(commit)
        };
        found.iter().any(is_original)
    };
    let own = found.iter().filter(|one| !is_copy(one));
    Ok(own.map(|(commit, trailers)| Foreign::of(commit, trailers.clone())).collect())
}

/// The message without cherry-pick lines.
fn words(commit: &Commit) -> Vec<&str> {
    let lines = commit.message.lines().map(|line| line.to_str().unwrap_or_default());
    lines.filter(|line| !provenance::is_picked(line)).collect()
}
