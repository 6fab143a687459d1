//! What is curated on disk right now, recorded or not, and which derived names are there.

use super::Curated;
use crate::content::ContentId;
use crate::fs;
use crate::git::status::{Now, StatusError};
use crate::git::{Scope, trees};
use crate::ops::steps::survey::{Class, Survey};
use crate::path::TreePath;
use std::collections::{BTreeMap, BTreeSet};

/// The curated files on disk, recorded or not, sorted. Only files that are not recorded are read.
///
/// # Errors
/// Files that cannot be read.
pub fn curated(scope: &Scope, survey: &Survey) -> Result<Vec<Curated>, StatusError> {
    let mut ids: BTreeMap<TreePath, ContentId> = BTreeMap::new();
    for (path, version) in survey.index.first_versions() {
        let Some(path) = scope.strip(path) else { continue };
        if let Ok(path) = TreePath::parse(path)
            && path.kind().is_curated()
        {
            ids.insert(path, version.id);
        }
    }
    for changed in &survey.work_tree.changed {
        let Ok(path) = TreePath::parse(&changed.path) else { continue };
        match changed.now {
            Now::Modified(id, _) if path.kind().is_curated() => drop(ids.insert(path, id)),
            Now::Modified(..) => {}
            Now::Deleted | Now::NotAFile => drop(ids.remove(&path)),
        }
    }
    for file in survey.unrecorded(scope)? {
        let Ok(path) = TreePath::parse(&file.path) else { continue };
        if file.class == Class::Untracked
            && path.kind().is_curated()
            && let Some(bytes) = fs::read_if_there(&path.on_disk(&scope.root()))?
            && crate::tree::check_content(path.kind(), &bytes).is_ok()
        {
            ids.insert(path, ContentId::of(&bytes));
        }
    }
    let mut ours = sides_of_conflicts(scope, survey, &mut ids)?;
    Ok(ids.into_iter().map(|(path, id)| Curated { ours: ours.remove(&path), path, id }).collect())
}

/// Of a file in conflict our side counts until it is decided; one that we deleted does not.
fn sides_of_conflicts(
    scope: &Scope,
    survey: &Survey,
    ids: &mut BTreeMap<TreePath, ContentId>,
) -> Result<BTreeMap<TreePath, Vec<u8>>, StatusError> {
    let mut sides = BTreeMap::new();
    for full in survey.index.unmerged() {
        let Some(Ok(path)) = scope.strip(full.as_ref()).map(|path| TreePath::parse(path)) else { continue };
        if !path.kind().is_curated() {
            continue;
        }
        match survey.index.stages(full.as_ref())[1] {
            Some(ours) => {
                ids.insert(path.clone(), ours.id);
                sides.insert(path, trees::blob(scope, ours.id)?);
            }
            None => drop(ids.remove(&path)),
        }
    }
    Ok(sides)
}

/// The files on disk that have the name of a derived file.
pub(super) fn derived_names(survey: &Survey) -> BTreeSet<TreePath> {
    let names = survey.work_tree.unexpected.iter().filter(|file| file.is_regular);
    names
        .filter_map(|file| TreePath::parse(&file.path).ok())
        .filter(|path| matches!(path.kind(), crate::path::Kind::Derived(_)))
        .collect()
}
