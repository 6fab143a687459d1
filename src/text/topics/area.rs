//! The area of files: the first part of their paths, where what has no folder of its own is filed.

use super::parts::domain_stem;
use crate::curate::slug;
use crate::judge::lists::housekeeping;

/// The area of code in `src`, `crates`, `packages`, and of files in no folder.
pub(super) const CODE: &str = "code";

/// The area of housekeeping, and the topic of commits that change nothing but side files.
pub(super) const PROJECT: &str = "project";
pub(super) const MISC: &str = "misc";

/// Folders that say no more than that there is code, and names that would say nothing.
const PLAIN: [&str; 7] = ["crate", "crates", "general", "package", "packages", "source", "src"];

/// Whether a folder says no more than that there is code.
pub(super) fn is_plain(folder: &str) -> bool {
    PLAIN.contains(&folder)
}

/// The area of a file, as a stem; `bare` is a name without the prefix that many folders share.
pub(super) fn of_path(path: &str, bare: impl Fn(&str) -> String) -> String {
    let first = path.split_once('/').and_then(|(first, _)| slug(first));
    let Some(first) = first.filter(|first| !is_plain(first)) else { return CODE.to_owned() };
    let area = domain_stem(&bare(&first)).into_owned();
    if housekeeping(&area).is_some() { PROJECT.to_owned() } else { area }
}
