//! Change index entries as one operation. The blobs are stored already; the operation holds the old and new entries.

use super::{Purpose, Work, Writing};
use crate::Stop;
use crate::journal::{IndexSides, OperationKind, Side, Staged, Transition};
use crate::open::survey::Survey;
use brv_git::{Edits, Scope, TreeId};
use bstr::{BString, ByteSlice as _};

/// Apply the edits to the surveyed index; if they change nothing, no operation is logged. `told` completes the reason.
///
/// # Errors
/// The next command finishes an interrupted operation.
pub fn stage(
    writing: &mut Writing<'_>,
    survey: Survey,
    edits: &Edits,
    told: impl FnOnce(String) -> String,
) -> Result<(), Stop> {
    let change = change(writing.scope(), &survey, edits)?;
    let index = survey.index.edited(edits)?;
    match change {
        Some((work, reason)) => {
            let purpose = Purpose::new(OperationKind::Add, told(reason));
            writing.carry_out(Some(index), work, &purpose)?;
            Ok(())
        }
        None => writing.write_index(index),
    }
}

/// The index entries that change, with the reason to log; `None` if none do.
fn change(scope: &Scope, survey: &Survey, edits: &Edits) -> Result<Option<(Work<'static>, String)>, Stop> {
    let changes = edits.iter().map(|(path, edit)| (path, Staged::after(edit)));
    let differs = |(path, after): &(&BString, Staged)| Staged::of(&survey.index, path.as_bstr()) != *after;
    let changes: Vec<(BString, Staged)> =
        changes.filter(differs).map(|(path, after)| (path.clone(), after)).collect();
    let reason = match &changes[..] {
        [] => return Ok(None),
        [(path, _)] => scope.strip(path.as_bstr()).unwrap_or(path.as_bstr()).to_string(),
        _ => format!("{} files", changes.len()),
    };
    let side = match survey.head.commit() {
        Some(commit) => Side::Commit(commit),
        None => Side::Snapshot { tree: TreeId::empty(), parents: Vec::new() },
    };
    let index = IndexSides::of(scope, &survey.index, changes)?;
    let transition = Transition { index, ..Transition::default() };
    Ok(Some((Work::untouched([side.clone(), side], transition), reason)))
}
