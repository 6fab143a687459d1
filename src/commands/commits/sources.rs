//! Which commits of the host the tree has already, by the trailers of its commits and by the journal.

use brv_engine::Stop;
use brv_engine::journal::{self, Record, SourceCommit};
use brv_engine::open::context::Opened;
use brv_engine::read::history::curations;
use brv_engine::read::history::provenance::{OPERATION, SOURCE, Trailers, UNDOES};
use brv_git as git;
use brv_git::history::{self, Range};
use brv_git::{CommitId, Scope};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// What the tree has from commits of the host. What was undone counts as not there.
#[derive(Debug, Default)]
pub struct TreeSources {
    known: HashSet<CommitId>,
    undone: HashSet<String>,
}

impl TreeSources {
    /// Look at the history of the tree, and at the operations of this clone.
    pub fn of(opened: &Opened) -> Result<Self, Stop> {
        let scope = &opened.scope;
        let listed = journal::list(scope)?;
        let standing = curations::standing(scope, &listed).into_iter();
        let mut sources = Self {
            known: standing.map(|(_, source)| source.commit).collect(),
            undone: journal::undone(&listed).into_keys().map(|id| id.to_string()).collect(),
        };
        if let Some(head) = scope.head()?.commit() {
            let range = Range { tips: vec![head], ..Range::default() };
            history::walk(scope, &range, |walked| {
                sources.add(&walked.commit);
                ControlFlow::Continue(())
            })?;
        }
        Ok(sources)
    }

    /// Add a commit of the tree, which comes before those that were added already.
    fn add(&mut self, commit: &git::commit::Commit) {
        let trailers = Trailers::of(&commit.message);
        if trailers.get(OPERATION).is_some_and(|id| self.undone.contains(id)) {
            return;
        }
        self.undone.extend(trailers.all(UNDOES).map(str::to_owned));
        let source = trailers.get(SOURCE).and_then(SourceCommit::parse);
        self.known.extend(source.map(|source| source.commit));
    }

    /// Whether the tree has what a commit of the host states.
    pub fn has(&self, commit: CommitId) -> bool {
        self.known.contains(&commit)
    }

    /// Whether an operation was undone.
    pub fn is_undone(&self, operation: &str) -> bool {
        self.undone.contains(operation)
    }
}

/// The operation that still stands and took a commit of the host in.
pub fn operation_of(scope: &Scope, commit: CommitId) -> Result<Option<Record>, Stop> {
    let listed = journal::list(scope)?;
    let found = curations::standing(scope, &listed).into_iter().find(|(_, source)| source.commit == commit);
    Ok(found.map(|(record, _)| record.clone()))
}
