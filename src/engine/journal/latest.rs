//! The newest published operation, and the pending one.

use super::OPERATIONS;
use super::interrupted::{Interrupted, look};
use crate::Stop;
use crate::journal::operation::place::pending_ref;
use crate::journal::operation::record::{Record, read};
use brv_git::{Scope, refs};
use bstr::ByteSlice as _;

/// The newest published operation of this tree, `None` if there is none that this version can read.
pub fn latest(scope: &Scope) -> Result<Option<Record>, Stop> {
    let operations = refs::list(scope, OPERATIONS)?;
    // their names sort by time
    for (name, _) in operations.iter().rev() {
        if let Some(commit) = refs::commit(scope, name.as_bstr())?
            && let Ok(record) = read(scope, commit)
            && record.is_of(scope)
        {
            return Ok(Some(record));
        }
    }
    Ok(None)
}

/// The pending operation: it was interrupted, or another process is running it now. A broken ref counts as none, and is
/// noted.
///
/// # Errors
/// A reference that cannot be read, or an operation that this version cannot read.
pub fn pending(scope: &Scope) -> Result<Option<Record>, Stop> {
    match look(scope)? {
        Interrupted::Nothing => Ok(None),
        Interrupted::Operation(record) => Ok(Some(*record)),
        Interrupted::Broken(fault) => {
            scope.broken_refs().note(pending_ref(scope).as_bstr(), fault);
            Ok(None)
        }
    }
}

/// Whether it is certain that no operation is pending.
pub fn is_idle(scope: &Scope) -> bool {
    matches!(look(scope), Ok(Interrupted::Nothing))
}
