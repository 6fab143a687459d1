//! Reset files and index to a tree, discarding local changes: the code of `reset --hard` and a forced switch.
//!
//! The transition holds everything that is discarded, committed or not, so it is all in the operation log. Untracked
//! files that are not in the way are kept.

use crate::Stop;
use crate::journal::{IndexSides, Staged, Transition, Waiting};
use crate::open::survey::Survey;
use crate::write::operation;
use crate::write::policy::incoming::{self, Unsafe};
use crate::write::policy::own_files::{self, LocalFiles};
use brv_git as git;
use brv_git::switch::{self, Admission, Content};
use brv_git::trees::{self, Change};
use brv_git::{FileMode, Scope, TreeId, Version};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::{BTreeMap, HashSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResetReach {
    Index,
    Files,
}

/// The transition from the current state to `tree`; a merge or squash in progress ends. The caller moves the
/// references.
pub fn to_tree(scope: &Scope, survey: &Survey, tree: TreeId, reach: ResetReach) -> Result<Transition, Stop> {
    let wanted = wanted(scope, survey, tree)?;
    let index = &survey.index;
    let staged = |version: &Option<Version>| version.map_or(Staged::Nothing, Staged::Version);
    let entries = wanted.iter().map(|(path, version)| (scope.full(path), staged(version)));
    let mut sides = IndexSides::of(scope, index, entries)?;
    sides.after.waiting = Waiting::default();
    let files = match reach {
        ResetReach::Files => {
            let hidden = survey.work_tree.hidden();
            let hidden = wanted.keys().filter(|path| hidden.contains(path.as_bstr()));
            let hidden: Vec<BString> = hidden.cloned().collect();
            if !hidden.is_empty() {
                // the user hides these edits in order to keep them
                let stop = Stop::refused("edits that skip-worktree or assume-unchanged hides would be lost");
                return Err(stop.listing(&hidden).hint(operation::HIDDEN));
            }
            files(scope, survey, &wanted)?
        }
        ResetReach::Index => Vec::new(),
    };
    check(scope, &files)?;
    let (_, disguised) = trees::compare(scope, survey.head_tree, tree)?;
    refuse_unsafe(&incoming::unsafe_entries(disguised).collect::<Vec<_>>())?;
    Ok(Transition { files, index: sides, ..Transition::default() })
}

/// Check whether the files can change in this way: if not, nothing is written.
///
/// # Errors
/// Unsafe paths; or untracked files in a folder that must become a file, or a file where a folder must be. The details
/// have every path.
pub fn check(scope: &Scope, files: &[Change]) -> Result<(), Stop> {
    refuse_unsafe(&incoming::unsafe_paths(files))?;
    let found = switch::in_the_way(scope, files, &*LocalFiles::read(scope)?.into_admit())?;
    if found.is_empty() {
        return Ok(());
    }
    let stop = Stop::refused("other files are in the way").listing(&found);
    Err(stop.hint("nothing was written; move them away, then try again"))
}

fn refuse_unsafe(paths: &[Unsafe]) -> Result<(), Stop> {
    if paths.is_empty() {
        return Ok(());
    }
    let stop = Stop::refused("the commit has unsafe paths").detailing(paths.iter().map(ToString::to_string));
    Err(stop.hint("nothing was written; these paths must be removed from the commit"))
}

/// The tree's version of each path (relative to the tree) where index or disk differ from it; hidden edits are kept.
fn wanted(
    scope: &Scope,
    survey: &Survey,
    tree: TreeId,
) -> Result<BTreeMap<BString, Option<Version>>, git::Error> {
    let index = &survey.index;
    let differing = trees::diff_index(scope, tree, index, trees::Renames::Ignore)?;
    let mut wanted: BTreeMap<BString, Option<Version>> =
        differing.into_iter().map(|change| (change.path, change.before)).collect();
    let unmerged = index.unmerged();
    let unmerged = unmerged.iter().filter_map(|full| scope.strip(full.as_bstr()));
    for path in unmerged.chain(survey.work_tree.shown().map(|file| file.path.as_bstr())) {
        if !wanted.contains_key(path) {
            wanted.insert(path.to_owned(), trees::file(scope, tree, path)?);
        }
    }
    Ok(wanted)
}

/// The changes on disk that produce these versions.
fn files(
    scope: &Scope,
    survey: &Survey,
    wanted: &BTreeMap<BString, Option<Version>>,
) -> Result<Vec<Change>, Stop> {
    let here = on_disk(scope, survey, wanted.iter().map(|(path, after)| (path, *after)))?;
    let changes = wanted.iter().zip(here).filter_map(|((path, after), before)| {
        let before = match before {
            Here::Is(before) => before,
            Here::StaysAsItIs => return None,
        };
        // an untracked file belongs to the user, unless the tree has a file at its path
        let is_recorded = survey.index.contains(scope.full(path).as_bstr());
        (before != *after && (is_recorded || after.is_some())).then(|| Change {
            path: path.clone(),
            renamed_from: None,
            before,
            after: *after,
        })
    });
    Ok(changes.collect())
}

/// The current state of a path.
pub enum Here {
    /// This version, as far as git can store it.
    Is(Option<Version>),
    /// Something that is not a version of the path and is not touched.
    StaysAsItIs,
}

/// The current state of each of these paths; the second item is the wanted version. Versions that only the disk has are
/// stored; files unchanged since they were staged are not read.
///
/// # Errors
/// A file that cannot be read; objects that cannot be stored.
pub fn on_disk<'a>(
    scope: &Scope,
    survey: &Survey,
    wanted: impl Iterator<Item = (&'a BString, Option<Version>)>,
) -> Result<Vec<Here>, Stop> {
    let (index, kept) = (&survey.index, LocalFiles::read(scope)?);
    let changed: HashSet<&BStr> = survey.work_tree.changed.iter().map(|file| file.path.as_bstr()).collect();
    let mut found: Vec<Here> = Vec::new();
    let (mut unknown, mut places) = (Vec::new(), Vec::new());
    for (path, after) in wanted {
        let full = scope.full(path);
        let recorded = index.version(full.as_bstr());
        let is_link = |version: Option<Version>| {
            version.is_some_and(|version| matches!(version.mode, FileMode::Symlink | FileMode::Gitlink))
        };
        let is_known = recorded.is_some() && !changed.contains(path.as_bstr());
        found.push(if is_link(recorded) && (after.is_none() || after == recorded) {
            Here::StaysAsItIs
        } else if index.is_withheld(full.as_bstr())
            || is_never_written(&kept, path.as_bstr(), (recorded, after))
        {
            // whatever is there is not a version of the path
            Here::Is(None)
        } else if is_known {
            Here::Is(recorded)
        } else {
            places.push(found.len());
            unknown.push(path.clone());
            Here::Is(None)
        });
    }
    for (place, version) in places.into_iter().zip(operation::on_disk(scope, index, &unknown)?) {
        found[place] = Here::Is(version);
    }
    Ok(found)
}

/// Whether the path is withheld by its name alone. A tracked file that brv does not manage, and that is not withheld,
/// is on disk all the same.
fn is_never_written(
    kept: &LocalFiles,
    path: &BStr,
    (recorded, after): (Option<Version>, Option<Version>),
) -> bool {
    let is_written =
        |version: Version| !matches!(kept.admit(path, Content::Unread(version)), Admission::Withheld(_));
    let is_own = recorded.is_some_and(|version| version.mode.is_file()) && own_files::is_foreign(path);
    let by_name = || incoming::admit_name(path) == Admission::Admitted;
    !is_own && !after.or(recorded).map_or_else(by_name, is_written)
}
