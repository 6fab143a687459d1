//! Which commits of the host the tree has already, by the trailers of its commits and by the journal.

use crate::git::history::{self, Range};
use crate::git::{self, CommitId, Scope};
use crate::journal::{self, Record, SourceCommit};
use crate::ops::Stop;
use crate::ops::context::Opened;
use crate::ops::steps::history::curations;
use crate::ops::steps::history::provenance::Provenance;
use std::collections::HashSet;
use std::ops::ControlFlow;

/// The commits of the host that the history of the tree, or an operation that still stands, names as sources.
pub fn of_tree(opened: &Opened) -> Result<HashSet<CommitId>, Stop> {
    let scope = &opened.scope;
    let mut known: HashSet<CommitId> = curations::standing(scope, &journal::list(scope)?)
        .into_iter()
        .map(|(_, source)| source.commit)
        .collect();
    if let Some(head) = scope.head()?.commit() {
        let range = Range { tips: vec![head], ..Range::default() };
        history::walk(scope, &range, |walked| {
            known.extend(source(&walked.commit));
            ControlFlow::Continue(())
        })?;
    }
    Ok(known)
}

/// The operation that still stands and took a commit of the host in.
pub fn operation_of(scope: &Scope, commit: CommitId) -> Result<Option<Record>, Stop> {
    let listed = journal::list(scope)?;
    let found = curations::standing(scope, &listed).into_iter().find(|(_, source)| source.commit == commit);
    Ok(found.map(|(record, _)| record.clone()))
}

fn source(commit: &git::commit::Commit) -> Option<CommitId> {
    let named = Provenance::of(commit, None).source_commit?;
    SourceCommit::parse(&named).map(|source| source.commit)
}
