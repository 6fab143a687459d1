//! What a commit includes: what is staged, changes of tracked files, or only some paths.
//!
//! Stages in the locked index and writes trees; moves no reference.

use super::Include;
use brv_base::escape::escape_line;
use brv_base::fs::{FileKind, Listing};
use brv_engine::Stop;
use brv_engine::journal::{IndexSides, Staged, Waiting};
use brv_engine::open::context::Context;
use brv_engine::open::naming::paths;
use brv_engine::open::survey::{self, Survey};
use brv_engine::vc::work_tree::staging::{self, Refused, Selection, Wanted};
use brv_engine::write::overriding::{Allowed, Guard};
use brv_git as git;
use brv_git::index::WriteTreeError;
use brv_git::pathspec::{Pathspec, Pathspecs};
use brv_git::trees::{self, Renames};
use brv_git::{Edit, Index, Scope, TreeId, Version};
use bstr::{BString, ByteSlice as _};
use std::collections::BTreeMap;

pub(super) struct StagedFiles {
    /// Changed files that could not be staged.
    pub(super) refused: Vec<Refused>,
    /// The secrets in the staged files that are allowed.
    pub(super) opened: Vec<Guard>,
    pub(super) index: Index,
    /// What staging and the commit change in the index and in the state of a merge in progress.
    pub(super) sides: IndexSides,
    /// If the commit includes only some paths: the full paths that may differ from `HEAD`, with their version in the
    /// commit.
    pub(super) only: Option<BTreeMap<BString, Option<Version>>>,
}

/// Stage the changes that the commit includes in addition to what is already staged.
pub(super) fn record_changes(
    cx: &Context<'_>,
    scope: &Scope,
    index: Index,
    (include, allowed): (&Include, &Allowed),
) -> Result<StagedFiles, Stop> {
    let mut taken = match include {
        Include::Staged => {
            let sides = IndexSides::of(scope, &index, [])?;
            StagedFiles { refused: Vec::new(), opened: Vec::new(), index, sides, only: None }
        }
        Include::AllChanges => {
            let survey = survey::survey(scope, index, Listing::Nothing)?;
            let allowed = allowed.clone();
            let wanted = Wanted { selection: Selection::Recorded, allowed, ..Wanted::default() };
            stage(cx, scope, survey, &wanted)?.0
        }
        Include::Only(paths) => {
            let specs = paths::pathspecs(&scope.root(), &cx.cwd, paths)?;
            let survey = survey::survey_at(scope, index, &specs)?;
            let mut only = staged_at(scope, &survey, &specs)?;
            let known = come_back(scope, &only)?;
            let allowed = allowed.clone();
            let wanted = Wanted { specs, selection: Selection::Named, known, allowed, ..Wanted::default() };
            let (mut taken, edits) = stage(cx, scope, survey, &wanted)?;
            for (path, edit) in &edits {
                if let Edit::Put(version, _) = edit {
                    only.insert(path.clone(), Some(*version));
                } else {
                    only.insert(path.clone(), None);
                }
            }
            only.retain(|path, _| !taken.refused.iter().any(|file| scope.full(&file.file) == *path));
            taken.only = Some(only);
            taken
        }
    };
    // in a folder of a bigger repository, a merge in progress belongs to the host
    if scope.prefix().is_empty() {
        taken.sides.after.waiting = Waiting::default();
    }
    Ok(taken)
}

fn stage(
    cx: &Context<'_>,
    scope: &Scope,
    survey: Survey,
    wanted: &Wanted,
) -> Result<(StagedFiles, git::Edits), Stop> {
    let (outcome, edits) = staging::stage(scope, &survey, wanted, cx.progress)?;
    let changes = edits.iter().map(|(path, edit)| (path.clone(), Staged::after(edit)));
    let sides = IndexSides::of(scope, &survey.index, changes)?;
    let index = survey.index.edited(&edits)?;
    let staging::StagingResult { refused, opened, .. } = outcome;
    Ok((StagedFiles { refused, opened, index, sides, only: None }, edits))
}

/// The staged versions of the named paths, by full path. Each pathspec must match something in `HEAD` or in the index.
fn staged_at(
    scope: &Scope,
    survey: &Survey,
    specs: &[Pathspec],
) -> Result<BTreeMap<BString, Option<Version>>, Stop> {
    let staged = survey.staged(scope, Renames::Ignore)?;
    let all = || survey.index.first_versions().chain(survey.index.versions());
    let recorded = || all().filter_map(|(path, _)| scope.strip(path));
    for spec in specs {
        let is_gone = || staged.iter().any(|change| spec.matches(change.path.as_bstr()));
        if !recorded().any(|path| spec.matches(path)) && !is_gone() {
            return Err(staging::untracked(spec).hint("stage a new file with `brv vc add PATH`"));
        }
    }
    let specs = Pathspecs::of(specs);
    let named = staged.into_iter().filter(|change| specs.matches(change.path.as_bstr()));
    Ok(named.map(|change| (scope.full(&change.path), change.after)).collect())
}

/// Paths that were removed from the index but exist on disk, relative to the tree: the commit includes them, as git's
/// does.
fn come_back(scope: &Scope, staged: &BTreeMap<BString, Option<Version>>) -> Result<Vec<BString>, Stop> {
    let root = scope.root();
    let mut found = Vec::new();
    for (full, _) in staged.iter().filter(|(_, version)| version.is_none()) {
        let Some(path) = scope.strip(full.as_bstr()) else { continue };
        let file = brv_base::fs::below(&root, path)?;
        let is_file = brv_base::fs::stat(&file)?.is_some_and(|stat| stat.kind == FileKind::Regular);
        if is_file && brv_base::fs::is_reached_by_folders(&root, &file)? {
            found.push(path.to_owned());
        }
    }
    Ok(found)
}

pub(super) fn tree(
    scope: &Scope,
    head_tree: TreeId,
    index: &mut Index,
    only: Option<&BTreeMap<BString, Option<Version>>>,
) -> Result<TreeId, Stop> {
    match (only, scope.prefix().is_empty()) {
        (Some(only), _) => tree_of_paths(scope, head_tree, index, only),
        (None, false) => folder_tree(scope, head_tree, index),
        (None, true) => write_tree(scope, index),
    }
}

/// The tree of `HEAD`, with these paths replaced.
fn tree_of_paths(
    scope: &Scope,
    head_tree: TreeId,
    index: &Index,
    only: &BTreeMap<BString, Option<Version>>,
) -> Result<TreeId, Stop> {
    refuse_unmerged(scope, index)?;
    let changes = only.values().map(|version| version.map(|version| (version.mode, version.id)));
    Ok(git::tree_with(&scope.whole(), head_tree, only.keys().zip(changes))?)
}

pub(super) fn refuse_unmerged(scope: &Scope, index: &Index) -> Result<(), Stop> {
    let unmerged = index.unmerged();
    if unmerged.iter().any(|path| scope.strip(path.as_ref()).is_some()) {
        return Err(in_conflict(scope, &unmerged));
    }
    Ok(())
}

/// The reason to stop for these files (full paths).
fn in_conflict(scope: &Scope, paths: &[BString]) -> Stop {
    let inside = paths.iter().filter_map(|path| scope.strip(path.as_ref()));
    Stop::conflict("files are still in conflict")
        .detailing(inside.map(|path| escape_line(path).into_owned()))
        .hint("list the conflicts with `brv vc resolve --list`, resolve them with `brv vc resolve PATH`")
}

fn write_tree(scope: &Scope, index: &mut Index) -> Result<TreeId, Stop> {
    index.write_tree(scope).map_err(|error| match error {
        WriteTreeError::Unmerged(paths) => in_conflict(scope, &paths),
        WriteTreeError::Git(error) => error.into(),
    })
}

/// The tree of `HEAD` with the staged versions inside the folder; what is staged outside of it belongs to the user.
fn folder_tree(scope: &Scope, head_tree: TreeId, index: &Index) -> Result<TreeId, Stop> {
    refuse_unmerged(scope, index)?;
    let staged = trees::diff_index(scope, head_tree, index, Renames::Ignore)?;
    let paths: Vec<_> = staged.iter().map(|change| scope.full(&change.path)).collect();
    let changes = staged.iter().map(|change| change.after.map(|version| (version.mode, version.id)));
    Ok(git::tree_with(&scope.whole(), head_tree, paths.iter().zip(changes))?)
}
