//! The operations of a tree that learned something from a commit of the code, and which of them made a statement.

use super::fact_history::{self, FactVersion};
use crate::journal::{Listed, OperationKind, Record, SourceCommit, undone};
use brv_git as git;
use brv_git::Scope;
use brv_git::trees::{self, TreeItem};
use bstr::ByteSlice as _;

/// An operation, and the commit of the code that it learned from.
pub type Curation<'l> = (&'l Record, SourceCommit);

/// The operations of this tree that have a source, the newest first, except those that were undone.
pub fn standing<'l>(scope: &Scope, listed: &'l [Listed]) -> Vec<Curation<'l>> {
    let undone = undone(listed);
    let known = listed.iter().filter(|one| !undone.contains_key(&one.id));
    known
        .filter_map(|one| one.record.as_ref().ok())
        .filter(|record| record.kind == OperationKind::Curate && record.is_of(scope))
        .filter_map(|record| Some((record, record.source_commit?)))
        .collect()
}

/// The newest of these operations, up to a time, that made a statement about a subject.
pub fn stating<'l>(
    scope: &Scope,
    curations: &[Curation<'l>],
    (subject, stated): (&str, &FactVersion),
    until: Option<i64>,
) -> Result<Option<Curation<'l>>, git::Error> {
    let states = |commit| -> Result<bool, git::Error> {
        let found = trees::find(scope, scope.tree_of(commit)?, stated.path.as_bstr())?;
        let Some(TreeItem::File(version)) = found else { return Ok(false) };
        let mut all = fact_history::statements(trees::blob(scope, version.id)?, subject).into_iter();
        Ok(all.any(|(_, statement)| statement == stated.statement))
    };
    for (record, source) in curations {
        if until.is_some_and(|until| record.seconds > until) {
            continue;
        }
        if states(record.after)? && !states(record.before)? {
            return Ok(Some((record, *source)));
        }
    }
    Ok(None)
}
