//! A tree in a folder of a larger repository, tracked there: how the repository knows it, and the excludes and
//! attributes for it.
//!
//! The setting `brv.tree` names the folder (once for each tree); a fresh clone without the setting recognizes it by the
//! files tracked there.

use crate::error::{During, Error};
use crate::index;
use crate::repository::config_file;
use crate::repository::scope::{OpenError, Scope};
use brv_base::fs;
use bstr::ByteSlice as _;

/// The setting that names the folders of trees.
const KEY: &str = "brv.tree";

/// The folders of trees that the repository was set up for, without trailing slashes.
pub fn trees(scope: &Scope) -> Result<Vec<String>, Error> {
    let repo = config_file::reloaded(scope)?;
    let values = repo.config_snapshot().plumbing().strings(KEY).unwrap_or_default();
    Ok(values.iter().map(|value| value.to_str_lossy().trim_matches('/').to_owned()).collect())
}

/// As [`trees`], with the scope's own.
pub(super) fn with_own(scope: &Scope) -> Result<Vec<String>, Error> {
    let mut all = trees(scope)?;
    if !all.iter().any(|tree| tree == scope.prefix()) {
        all.push(scope.prefix().to_owned());
    }
    Ok(all)
}

/// Whether the repository has a tree in the scope's folder: it was set up for it, or tracks files there.
pub fn is_kept(scope: &Scope) -> Result<bool, Error> {
    if trees(scope)?.iter().any(|tree| tree == scope.prefix()) {
        return Ok(true);
    }
    Ok(index::read(scope)?.names_something(scope.prefix().into()))
}

/// Rejects a folder that is reached through a symlink: to the repository no file exists there, and the target is not
/// its own.
pub fn refuse_link(scope: &Scope) -> Result<(), OpenError> {
    let root = scope.root();
    match fs::is_reached_by_folders(scope.work_tree(), &root.join("any")) {
        Ok(false) => Err(OpenError::BehindLink(root)),
        Ok(true) => Ok(()),
        Err(error) => Err(Error::new("look for the tree", error).into()),
    }
}

/// Adds the tree to the repository's settings.
pub(crate) fn note(file: &mut gix::config::File, prefix: &str) -> Result<(), Error> {
    if file.strings(KEY).unwrap_or_default().iter().any(|value| value == prefix) {
        return Ok(());
    }
    file.section_mut_or_create_new("brv", None)
        .and_then(|mut section| section.push("tree", prefix).map(|_| ()))
        .during(format!("set `{KEY}`"))
}

/// Excludes for the files beside the tree in its `.brv/`, which are local to this machine.
pub(crate) fn beside(prefix: &str) -> Vec<String> {
    match escaped(prefix).rsplit_once('/') {
        Some((folder, tree)) => vec![format!("/{folder}/*"), format!("!/{folder}/{tree}/")],
        None => Vec::new(),
    }
}

/// A pattern for the folder `prefix` only.
pub(crate) fn below(prefix: &str, pattern: &str) -> String {
    let prefix = escaped(prefix);
    match pattern.strip_prefix('/') {
        Some(anchored) => format!("/{prefix}/{anchored}"),
        None => format!("/{prefix}/**/{pattern}"),
    }
}

/// A line of attributes for the folder `prefix` only. A pattern with a blank is quoted there.
pub(super) fn attribute(prefix: &str, line: &str) -> String {
    let (pattern, attributes) = line.split_once(' ').unwrap_or((line, ""));
    let pattern = below(prefix, pattern);
    if pattern.contains([' ', '"', '\t']) {
        let quoted = pattern.replace('\\', "\\\\").replace('"', "\\\"");
        return format!("\"{quoted}\" {attributes}");
    }
    format!("{pattern} {attributes}")
}

/// Escapes a name so that every character is literal in a pattern.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for letter in name.chars() {
        if matches!(letter, '*' | '?' | '[' | '\\') {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_a_tree_in_a_bigger_repository_reach_only_below_it() {
        assert_eq!(below("docs/tree", "/_manifest.json"), "/docs/tree/_manifest.json");
        assert_eq!(below("docs/tree", "*.abstract.md"), "/docs/tree/**/*.abstract.md");
        assert_eq!(beside("a/.brv/context-tree"), ["/a/.brv/*", "!/a/.brv/context-tree/"]);
    }

    #[test]
    fn a_folder_with_signs_of_patterns_means_itself() {
        assert_eq!(below("a*[b]/t", "*.md"), r"/a\*\[b]/t/**/*.md");
        assert_eq!(attribute("a b/t", "*.md merge=brv"), "\"/a b/t/**/*.md\" merge=brv");
        assert_eq!(attribute("a/t", "*.md merge=brv"), "/a/t/**/*.md merge=brv");
    }
}
