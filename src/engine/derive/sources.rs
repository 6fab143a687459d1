//! The curated files on disk, tracked or not, and the files with derived names.

use crate::open::survey::{Class, Survey};
use brv_base::content::ContentId;
use brv_base::fs;
use brv_base::path::{self, TreePath};
use brv_git::status::{Now, StatusError};
use brv_git::{Index, Scope, trees};
use bstr::{BString, ByteSlice as _};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The curated files on disk, tracked or not, sorted. Only files with unstaged changes are read.
pub fn curated(scope: &Scope, survey: &Survey) -> Result<Vec<Curated>, StatusError> {
    let mut curated: Vec<Curated> = survey
        .index
        .first_versions()
        .filter_map(|(path, version)| {
            let path = TreePath::parse(scope.strip(path)?).ok()?;
            path.kind().is_curated().then_some(Curated { path, id: version.id, ours: None })
        })
        .collect();
    let mut differing = on_disk(scope, survey)?;
    let mut ours = sides_of_conflicts(scope, survey, &mut differing)?;
    if !differing.is_empty() {
        curated.retain(|file| !differing.contains_key(&file.path));
        let there = differing.into_iter().filter_map(|(path, id)| Some((path, id?)));
        curated.extend(there.map(|(path, id)| Curated { ours: ours.remove(&path), path, id }));
        curated.sort_by(|a, b| a.path.cmp(&b.path));
    }
    Ok(curated)
}

/// The curated paths whose content may differ from what is `known`, with what is there now; and all known paths that are
/// no curated files now. `known` has paths in the order of their bytes. A file that is as known costs one comparison.
pub fn differences<'k>(
    scope: &Scope,
    survey: &Survey,
    known: impl Iterator<Item = (&'k str, ContentId)>,
) -> Result<BTreeMap<TreePath, Option<Curated>>, StatusError> {
    let mut differences = Differing::new();
    let mut insert = |path: &[u8], id: Option<ContentId>| {
        if let Ok(path) = TreePath::parse(path)
            && (id.is_none() || path.kind().is_curated())
        {
            differences.insert(path, id);
        }
    };
    let mut known = known.peekable();
    for (path, version) in survey.index.first_versions() {
        let Some(path) = scope.strip(path) else { continue };
        while let Some((gone, _)) = known.next_if(|(known, _)| known.as_bytes() < &**path) {
            insert(gone.as_bytes(), None);
        }
        match known.next_if(|(known, _)| known.as_bytes() == &**path) {
            // a stub that somebody committed: git's index does not tell whether it is still on disk
            Some((stub, _)) if is_archive_file(stub) => insert(path, None),
            Some((_, id)) if id == version.id => {}
            _ => insert(path, Some(version.id)),
        }
    }
    known.for_each(|(gone, _)| insert(gone.as_bytes(), None));
    let mut differing = on_disk(scope, survey)?;
    let mut ours = sides_of_conflicts(scope, survey, &mut differing)?;
    differences.extend(differing);
    let now = |(path, id): (TreePath, Option<ContentId>)| {
        let now = id.map(|id| Curated { ours: ours.remove(&path), path: path.clone(), id });
        (path, now)
    };
    Ok(differences.into_iter().map(now).collect())
}

/// Whether a path is that of a stub or full copy; fast, since it runs for every path.
fn is_archive_file(known: &str) -> bool {
    let rest = known.strip_prefix(path::ARCHIVE).unwrap_or_default();
    rest.starts_with('/') && !path::kind_of(known).is_curated()
}

/// The curated paths on disk, tracked or not, sorted. No file is read, so an untracked file counts whatever its
/// content.
pub fn curated_paths(scope: &Scope, survey: &Survey) -> Result<Vec<TreePath>, StatusError> {
    let gone: BTreeSet<&bstr::BStr> = survey
        .work_tree
        .changed
        .iter()
        .filter(|changed| matches!(changed.now, Now::Deleted | Now::NotAFile))
        .map(|changed| changed.path.as_ref())
        .collect();
    let recorded = survey.index.first_versions().filter_map(|(path, _)| scope.strip(path));
    let mut paths: Vec<TreePath> =
        recorded.filter(|path| !gone.contains(path)).filter_map(|path| TreePath::parse(path).ok()).collect();
    let found = survey.unrecorded_and_fit(scope)?.into_iter().filter(|file| file.class == Class::Untracked);
    let before = paths.len();
    paths.extend(found.filter_map(|file| TreePath::parse(&file.path).ok()));
    if paths.len() > before {
        paths.sort();
    }
    paths.retain(|path| path.kind().is_curated());
    paths.dedup();
    Ok(paths)
}

/// The curated paths in the index that are kept off this disk, by a sparse checkout or by the flag skip-worktree, sorted.
/// They exist, and everything else about them is left to whoever has them on disk.
pub fn absent_paths(scope: &Scope, index: &Index) -> Vec<TreePath> {
    withheld_paths(scope, index).into_iter().filter(|path| path.kind().is_curated()).collect()
}

/// The same, of files of every kind.
pub fn withheld_paths(scope: &Scope, index: &Index) -> Vec<TreePath> {
    index.withheld().filter_map(|path| TreePath::parse(scope.strip(path)?).ok()).collect()
}

/// The blobs of these curated paths, which are sorted: of those that are on disk as in the index.
pub fn blobs(scope: &Scope, survey: &Survey, paths: &[TreePath]) -> Vec<Option<ContentId>> {
    let changed = survey.work_tree.changed.iter().map(|changed| changed.path.clone());
    let unmerged = survey.index.unmerged();
    let unmerged = unmerged.iter().filter_map(|full| Some(scope.strip(full.as_ref())?.to_owned()));
    let differing: HashSet<BString> = changed.chain(unmerged).collect();
    let mut recorded =
        survey.index.first_versions().filter_map(|(path, version)| Some((scope.strip(path)?, version)));
    let mut next = recorded.next();
    let blob = |path: &TreePath| {
        let path = path.as_bytes();
        while next.is_some_and(|(recorded, _)| &**recorded < path) {
            next = recorded.next();
        }
        let (_, version) = next.filter(|(recorded, _)| &***recorded == path)?;
        (!differing.contains(path.as_bstr())).then_some(version.id)
    };
    paths.iter().map(blob).collect()
}

/// The curated paths in the index, sorted.
pub fn recorded<'a>(scope: &'a Scope, index: &'a Index) -> impl Iterator<Item = &'a str> {
    index.first_versions().filter_map(|(path, _)| {
        let path = path::check(scope.strip(path)?).ok()?;
        path::kind_of(path).is_curated().then_some(path)
    })
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Curated {
    pub path: TreePath,
    pub id: ContentId,
    /// Our side of a file in conflict: the file on disk has conflict markers, which are not content.
    pub ours: Option<Vec<u8>>,
}

/// Curated paths whose content differs from the index: the id that counts, `None` if the file does not.
pub(super) type Differing = BTreeMap<TreePath, Option<ContentId>>;

/// The curated files on disk that differ from the index.
pub(super) fn on_disk(scope: &Scope, survey: &Survey) -> Result<Differing, StatusError> {
    let mut differing = BTreeMap::new();
    for changed in &survey.work_tree.changed {
        let Ok(path) = TreePath::parse(&changed.path) else { continue };
        if path.kind().is_curated() {
            let id = match changed.now {
                Now::Modified(id, _) => Some(id),
                Now::Deleted | Now::NotAFile => None,
            };
            differing.insert(path, id);
        }
    }
    for file in survey.unrecorded(scope)? {
        let Ok(path) = TreePath::parse(&file.path) else { continue };
        if file.class == Class::Untracked
            && path.kind().is_curated()
            && let Some(bytes) = fs::read_if_there(&path.on_disk(&scope.root()))?
            && crate::open::tree::check_content(path.kind(), &bytes).is_ok()
        {
            differing.insert(path, Some(ContentId::of(&bytes)));
        }
    }
    Ok(differing)
}

/// In a file in conflict our side counts until it is resolved; a file that we deleted does not count.
fn sides_of_conflicts(
    scope: &Scope,
    survey: &Survey,
    differing: &mut Differing,
) -> Result<BTreeMap<TreePath, Vec<u8>>, StatusError> {
    let mut sides = BTreeMap::new();
    for full in survey.index.unmerged() {
        let Some(Ok(path)) = scope.strip(full.as_ref()).map(|path| TreePath::parse(path)) else { continue };
        if !path.kind().is_curated() {
            continue;
        }
        let ours = survey.index.stages(full.as_ref())[1];
        differing.insert(path.clone(), ours.map(|ours| ours.id));
        if let Some(ours) = ours {
            sides.insert(path, trees::blob(scope, ours.id)?);
        }
    }
    Ok(sides)
}

/// The files on disk with the name of a derived file.
pub(super) fn derived_names(survey: &Survey) -> BTreeSet<TreePath> {
    let names = survey.work_tree.unexpected.iter().filter(|file| file.is_regular);
    names
        .filter_map(|file| TreePath::parse(&file.path).ok())
        .filter(|path| matches!(path.kind(), brv_base::path::PathKind::Derived(_)))
        .collect()
}
