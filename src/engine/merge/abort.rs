//! Abort a merge in progress: restore the files and the index to the state before the merge.
//!
//! First saves the resolutions made so far in the operation log. Files that the merge did not touch stay as they are,
//! staged or not.

use crate::Stop;
use crate::journal::{self, IndexSides, OperationKind, Staged, Transition};
use crate::outcome::bytes::{text, texts};
use crate::outcome::in_progress::unfinished;
use crate::write::operation::{self, Derived, Purpose, Work, WriteOutcome, Writing};
use crate::write::policy::own_files;
use brv_base::fs;
use brv_git::merge_state::{self, MergeState};
use brv_git::trees::{self, Change};
use brv_git::{CommitId, Index, Scope, in_progress};
use bstr::{BStr, BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;

/// An aborted merge.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Aborted {
    /// The commit that was being merged.
    pub theirs: CommitId,
    /// Files that were restored to their state before the merge.
    pub restored: Vec<String>,
    /// Files that another program changed meanwhile; left alone.
    left_alone: Vec<String>,
    /// Files that were not written, because other files are in the way.
    blocked: Vec<String>,
    /// The operation, which keeps the replaced files.
    operation: String,
    /// What was written; the operation holds every file as it was.
    #[serde(skip)]
    pub written: WriteOutcome,
}

/// The reason to stop a command that needs a merge in progress.
pub fn not_merging(scope: &Scope) -> Result<Stop, fs::Error> {
    Ok(match in_progress::committing(scope)? {
        Some(kind) => Stop::refused(format!("no merge is in progress, but {kind} is")).hint(unfinished(kind)),
        None => Stop::usage("no merge is in progress")
            .hint("start one with `brv vc merge REV`; `brv vc status` shows the state of the tree"),
    })
}

/// Restore the files and the index to the state before the merge, and end the merge.
///
/// # Errors
/// No merge is in progress, or a file cannot be written; the next command finishes an interrupted operation.
pub fn abort(mut writing: Writing<'_>) -> Result<Aborted, Stop> {
    let scope = writing.scope();
    let merging = merge_state::read(scope)?;
    let head = scope.head()?.commit();
    let (Some(MergeState { heads, .. }), Some(head)) = (merging, head) else {
        return Err(not_merging(scope)?);
    };
    let theirs = heads[0];
    let index = writing.index()?;
    let paths = journal::footprint(scope, &index, head, theirs)?;
    let transition = back(scope, &index, head, &paths)?;
    let admits = own_files::admits(scope, OperationKind::AbortMerge)?;
    let purpose = Purpose::new(OperationKind::AbortMerge, format!("abort the merge of {theirs}"));
    let work = Work::exact(transition).admitting(&*admits).reporting_obstacles();
    writing.carry_out(Some(index), work, &purpose)?;
    // files that are withheld in `HEAD` were withheld before the merge, too
    let written = WriteOutcome { withheld: Vec::new(), ..writing.finish(Derived::Changed) };
    let inside = paths.iter().filter_map(|path| scope.strip(path.as_bstr()));
    let is_back = |path: &&BStr| !written.blocked.iter().any(|blocked| blocked == path);
    Ok(Aborted {
        theirs,
        restored: inside.filter(is_back).map(|path| text(path)).collect(),
        left_alone: texts(&written.left_alone),
        blocked: texts(&written.blocked),
        operation: written.operation.as_ref().map(ToString::to_string).unwrap_or_default(),
        written,
    })
}

/// The changes from the current state to `HEAD` at these paths (full), with no merge in progress.
fn back(scope: &Scope, index: &Index, head: CommitId, paths: &[BString]) -> Result<Transition, Stop> {
    let head_tree = scope.tree_of(head)?;
    let inside: Vec<BString> =
        paths.iter().filter_map(|path| Some(scope.strip(path.as_bstr())?.to_owned())).collect();
    let (mut files, mut entries) = (Vec::new(), Vec::new());
    for (path, here) in inside.iter().zip(operation::on_disk(scope, index, &inside)?) {
        let full = scope.full(path);
        let after = trees::file(&scope.whole(), head_tree, full.as_bstr())?;
        // a withheld path: whatever is on disk is not a version of it
        let before = index.version(full.as_bstr()).filter(|_| index.is_withheld(full.as_bstr())).or(here);
        files.push(Change { path: path.clone(), renamed_from: None, before, after });
        entries.push((full, after.map_or(Staged::Nothing, Staged::Version)));
    }
    let mut index = IndexSides::of(scope, index, entries)?;
    index.after.waiting.merge = None;
    Ok(Transition { files, index, ..Transition::default() })
}
