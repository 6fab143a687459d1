//! The area of files: the first part of their paths, where what has no folder of its own is filed.

use std::collections::BTreeMap;

use super::key::PROJECT;
use super::parts::domain_stem;
use super::project::Project;
use super::role::Role;
use crate::curate::slug;
use crate::judge::lists::housekeeping;

/// The area of code in `src`, `crates`, `packages`, and of files in no folder.
pub(super) const CODE: &str = "code";

/// Folders that say no more than that there is code, and names that would say nothing.
const PLAIN: [&str; 7] = ["crate", "crates", "general", "package", "packages", "source", "src"];

/// Whether a folder says no more than that there is code.
pub(super) fn is_plain(folder: &str) -> bool {
    PLAIN.contains(&folder)
}

/// The area of a commit, as a stem: that of most of the weight; of equals the first by name.
pub(super) fn of(project: &Project, files: &[&str]) -> String {
    let files = project.files(files);
    let has_code = files.iter().any(|file| file.role == Role::Code);
    let mut weights: BTreeMap<&str, u64> = BTreeMap::new();
    for file in &files {
        *weights.entry(&file.area).or_default() += file.role.weight(has_code);
    }
    let best = weights.into_iter().reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map_or(CODE, |(area, _)| area).to_owned()
}

/// The area of a file, as a stem.
pub(super) fn of_path(project: &Project, path: &str) -> String {
    let first = path.split_once('/').and_then(|(first, _)| slug(first));
    let Some(first) = first.filter(|first| !is_plain(first)) else { return CODE.to_owned() };
    let area = domain_stem(project.without_prefix(&first)).into_owned();
    if housekeeping(&area).is_some() { PROJECT.to_owned() } else { area }
}
