//! List all logged operations, and find out which of them have been undone.

use super::{Extent, OPERATIONS, OperationId};
use crate::Stop;
use crate::journal::operation::record::{Record, parse};
use brv_git as git;
use brv_git::{CommitId, Scope, refs};
use bstr::{BStr, ByteSlice as _};
use std::collections::HashMap;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub id: OperationId,
    pub commit: CommitId,
    /// The operation, or why this version cannot read it.
    pub record: Result<Record, String>,
}

/// All operations, newest first. An unreadable one is not an error.
pub fn list(scope: &Scope) -> Result<Vec<Listed>, Stop> {
    let mut found = Vec::new();
    for (name, commit) in refs::commits(scope, OPERATIONS)?.into_iter().rev() {
        let Some(id) = id_of(name.as_bstr()) else { continue };
        let record = match git::commit::read(scope, commit) {
            Ok(object) => parse(&object).map_err(str::to_owned),
            Err(_) => Err("its commit cannot be read".to_owned()),
        };
        found.push(Listed { id, commit, record });
    }
    Ok(found)
}

/// The IDs of all operations, newest first.
pub(super) fn ids(scope: &Scope) -> Result<Vec<OperationId>, Stop> {
    Ok(refs::names(scope, OPERATIONS)?.iter().rev().filter_map(|name| id_of(name.as_bstr())).collect())
}

/// The operations among these (newest first) that have been undone, each with the operation that undid it. An undo that
/// was itself undone does not count.
pub fn undone(listed: &[Listed]) -> HashMap<OperationId, OperationId> {
    let mut undone = HashMap::new();
    for one in listed {
        let Ok(record) = &one.record else { continue };
        if undone.contains_key(&one.id) {
            continue;
        }
        for undoes in record.undoes.iter().filter(|undoes| undoes.extent == Extent::Whole) {
            undone.entry(undoes.operation.clone()).or_insert_with(|| one.id.clone());
        }
    }
    undone
}

pub(super) fn id_of(name: &BStr) -> Option<OperationId> {
    OperationId::parse(name.to_str().ok()?.strip_prefix(OPERATIONS)?)
}
