//! Check and plan the change from the tree of `HEAD` to another one, without touching local edits.

use crate::Stop;
use crate::open::survey::Survey;
use crate::write::policy::incoming::{self, Unsafe};
use crate::write::policy::own_files::LocalFiles;
use brv_base::escape::escape_line;
use brv_base::sorting;
use brv_git::switch::{self, Admission, Content, InTheWay, Plan, PlanError};
use brv_git::trees::{self, Change, Disguised};
use brv_git::{Scope, TreeId};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::HashSet;

/// What to do about edits that a flag of the index hides.
pub const HIDDEN: &str = "nothing was written; `git update-index --no-skip-worktree --no-assume-unchanged PATH` shows \
     hidden edits again: commit or restore them, then try again";

fn unsafe_paths(paths: &[Unsafe]) -> Stop {
    Stop::refused("the remote has unsafe paths")
        .detailing(paths.iter().map(ToString::to_string))
        .hint("nothing was written; the author must remove them from the branch")
}

fn in_the_way(found: &InTheWay) -> Stop {
    let hint = match found.hidden.is_empty() {
        true => "nothing was written; commit these files or move them away, then try again",
        false => HIDDEN,
    };
    let line = |path: &BString| {
        let is_hidden = found.hidden.contains(path);
        format!("{}{}", escape_line(path), if is_hidden { " (its edits are hidden)" } else { "" })
    };
    Stop::refused("local files would be overwritten").detailing(found.paths.iter().map(line)).hint(hint)
}

/// Check the other side's changes between `base` and `theirs` before anything else is done with them.
///
/// # Errors
/// Every unsafe path.
pub fn screen(scope: &Scope, base: TreeId, theirs: TreeId) -> Result<(), Stop> {
    let (changes, disguised) = trees::compare(scope, base, theirs)?;
    let mut refused = incoming::unsafe_paths(&changes);
    refused.extend(incoming::unsafe_entries(disguised));
    if refused.is_empty() { Ok(()) } else { Err(unsafe_paths(&refused)) }
}

/// Check and plan the change from `HEAD`'s tree to `after`. Files in conflict, which
/// `conflicts` names in full, are written in any case: a person must see them to resolve them.
///
/// # Errors
/// Every offending path.
pub fn plan(scope: &Scope, survey: &Survey, after: TreeId, conflicts: &[&BStr]) -> Result<Plan, Stop> {
    let compared = trees::compare(scope, survey.head_tree, after)?;
    plan_of((scope, survey), compared, after, conflicts)
}

/// As [`plan`], for the differences between the two trees (see [`trees::compare`]).
///
/// # Errors
/// Every offending path.
pub fn plan_of(
    (scope, survey): (&Scope, &Survey),
    (mut changes, disguised): (Vec<Change>, Vec<Disguised>),
    after: TreeId,
    conflicts: &[&BStr],
) -> Result<Plan, Stop> {
    let mut refused = incoming::unsafe_paths(&changes);
    refused.extend(incoming::unsafe_entries(disguised));
    changes.extend(kept_as_ours(scope, survey, (after, conflicts), &changes)?);
    sorting::sort_by(&mut changes, |one, other| one.path.cmp(&other.path));
    refused.extend(incoming::case_twins(&changes, |folder| match trees::find(scope, after, folder)? {
        Some(trees::TreeItem::Folder(folder)) => trees::names(scope, folder),
        _ => Ok(Vec::new()),
    })?);
    if !refused.is_empty() {
        return Err(unsafe_paths(&refused));
    }
    let before = |change: &Change| Some((change.path.clone(), change.before?.id));
    let stands = |change: &&Change| !survey.index.is_withheld(scope.full(&change.path).as_bstr());
    let mut kept = LocalFiles::read(scope)?;
    kept.extend(changes.iter().filter(stands).filter_map(before));
    let admit = admission(scope, conflicts, &kept);
    switch::plan(scope, &changes, &survey.index, &survey.work_tree, &admit).map_err(|error| match error {
        PlanError::InTheWay(found) => in_the_way(&found),
        PlanError::Git(error) => error.into(),
        PlanError::File(error) => error.into(),
    })
}

/// Files in conflict that keep our version, which is not on disk, as changes that write it.
fn kept_as_ours(
    scope: &Scope,
    survey: &Survey,
    (after, conflicts): (TreeId, &[&BStr]),
    changes: &[Change],
) -> Result<Vec<Change>, Stop> {
    let mut kept = Vec::new();
    for conflict in conflicts.iter().filter(|conflict| survey.index.is_withheld(conflict)) {
        let Some(path) = scope.strip(conflict).map(ToOwned::to_owned) else { continue };
        if !changes.iter().any(|change| change.path == path)
            && let Some(trees::TreeItem::File(ours)) = trees::find(scope, after, path.as_bstr())?
        {
            let (before, after) = (Some(ours), Some(ours));
            kept.push(Change { path, renamed_from: None, before, after });
        }
    }
    Ok(kept)
}

fn admission<'a>(
    scope: &Scope,
    conflicts: &[&BStr],
    kept: &'a LocalFiles,
) -> impl Fn(&BStr, Content<'_>) -> Admission + Sync + use<'a> {
    let open: HashSet<BString> =
        conflicts.iter().filter_map(|conflict| Some(scope.strip(conflict)?.to_owned())).collect();
    move |path, content| {
        if open.contains(path.as_bytes()) { Admission::Admitted } else { kept.admit(path, content) }
    }
}
