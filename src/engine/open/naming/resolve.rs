//! Resolve a typed name to something in the tree: with or without `.md`, from the current folder or the tree's root, an
//! entry, one of its companions, or a folder.
//!
//! Checks only the paths that the name may mean, unless none exists.

use super::paths;
use crate::Stop;
use brv_base::fs::{self, FileKind};
use brv_base::nearest::nearest;
use brv_base::path::{Derived, PathKind, TreePath};
use brv_text::doc;
use std::collections::BTreeSet;
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// An existing file: curated, support, or archived.
    File(TreePath),
    /// The abstract of an existing entry, generated or not.
    Abstract(TreePath),
    /// The overview of an existing entry, generated or not.
    Overview(TreePath),
    /// An existing folder, or its `_index.md`; empty for the root.
    Folder(String),
    /// An existing file that brv does not manage.
    NotKnowledge(String),
}

/// Whether a file or folder of this kind exists at a path.
pub type Is<'a> = dyn Fn(&TreePath, FileKind) -> Result<bool, fs::Error> + 'a;

/// Resolve `typed`, typed in `cwd`, in the tree at `root`; `None` if it matches nothing.
///
/// As everywhere, a path is relative to the current folder if that is inside the tree. If nothing exists there, it is
/// taken from the root, so that paths printed by commands, and relations, can be pasted anywhere.
pub fn resolve(root: &Path, cwd: &Path, typed: &str) -> Result<Option<Named>, fs::Error> {
    resolve_by(root, cwd, typed, &|path, kind| is(root, path, kind))
}

/// As [`resolve`], where `is` checks what exists at a path.
pub fn resolve_by(root: &Path, cwd: &Path, typed: &str, is: &Is<'_>) -> Result<Option<Named>, fs::Error> {
    let from = |cwd: &Path| {
        let specs = paths::pathspecs(root, cwd, &[typed.to_owned()]).ok()?;
        Some(specs.first()?.as_bstr().to_string())
    };
    for path in [from(cwd), from(root), doc::relation(typed)].into_iter().flatten() {
        if let Some(named) = at_by(path.trim_end_matches('/'), is)? {
            return Ok(Some(named));
        }
    }
    Ok(None)
}

/// As [`resolve`], among these files alone, on disk or not, and the folders that have some.
pub fn resolve_among(
    root: &Path,
    cwd: &Path,
    typed: &str,
    paths: &[TreePath],
) -> Result<Option<Named>, fs::Error> {
    let is_below = |path: &TreePath, folder: &TreePath| {
        path.as_str().strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
    };
    resolve_by(root, cwd, typed, &|path, kind| {
        Ok(match kind {
            FileKind::Folder => paths.iter().any(|other| is_below(other, path)),
            _ => paths.contains(path),
        })
    })
}

/// Resolve exactly this path of the tree, with or without `.md`; `is` checks what exists at a path.
pub fn at_by(path: &str, is: &Is<'_>) -> Result<Option<Named>, fs::Error> {
    if path.is_empty() {
        return Ok(Some(Named::Folder(String::new())));
    }
    for name in [path.to_owned(), format!("{path}.md")] {
        let Ok(file) = TreePath::parse(name.as_bytes()) else { continue };
        if let PathKind::Derived(derived @ (Derived::Index | Derived::Abstract | Derived::Overview)) =
            file.kind()
        {
            if let Some(named) = source_of(&file, derived, is)? {
                return Ok(Some(named));
            }
        } else if is(&file, FileKind::Regular)? {
            let is_knowledge =
                !matches!(file.kind(), PathKind::Foreign | PathKind::Derived(Derived::Manifest));
            return Ok(Some(if is_knowledge { Named::File(file) } else { Named::NotKnowledge(name) }));
        }
    }
    match TreePath::parse(path.as_bytes()) {
        Ok(folder) if is(&folder, FileKind::Folder)? => Ok(Some(Named::Folder(path.to_owned()))),
        _ => Ok(None),
    }
}

/// The entry or folder that a derived file belongs to, if it exists.
fn source_of(file: &TreePath, derived: Derived, is: &Is<'_>) -> Result<Option<Named>, fs::Error> {
    let folder = file.folder();
    if derived == Derived::Index {
        let is_there = match TreePath::parse(folder.as_bytes()) {
            Ok(folder) => is(&folder, FileKind::Folder)?,
            Err(_) => folder.is_empty(),
        };
        return Ok(is_there.then(|| Named::Folder(folder.to_owned())));
    }
    let path = file.as_str();
    let stem = path.strip_suffix(".abstract.md").or_else(|| path.strip_suffix(".overview.md"));
    let Some(Ok(entry)) = stem.map(|stem| TreePath::parse(format!("{stem}.md").as_bytes())) else {
        return Ok(None);
    };
    if !is(&entry, FileKind::Regular)? {
        return Ok(None);
    }
    Ok(Some(if derived == Derived::Abstract { Named::Abstract(entry) } else { Named::Overview(entry) }))
}

pub fn is(root: &Path, path: &TreePath, kind: FileKind) -> Result<bool, fs::Error> {
    let file = path.on_disk(root);
    Ok(fs::is_reached_by_folders(root, &file)? && fs::stat(&file)?.is_some_and(|stat| stat.kind == kind))
}

pub fn missing(typed: &str, curated: &[TreePath]) -> Stop {
    let nearest = meant(typed, curated.iter().map(TreePath::as_str));
    Stop::usage(format!("`{typed}` is not in the context tree")).nearest(&nearest)
}

/// The curated paths and their folders that `typed` may have meant, at most three. People forget folders more often
/// than they mistype names, so the last component counts first.
pub fn meant<'a>(typed: &str, curated: impl Iterator<Item = &'a str>) -> Vec<String> {
    let typed = typed.trim_matches('/').trim_start_matches('@');
    let mut names: Vec<&str> = curated.collect();
    let folders: BTreeSet<&str> = names.iter().filter_map(|path| Some(path.rsplit_once('/')?.0)).collect();
    names.extend(folders);
    let called = |name: &str| -> Vec<String> {
        let alike = names.iter().filter(|path| stem(path).eq_ignore_ascii_case(name));
        alike.take(3).map(|path| (*path).to_owned()).collect()
    };
    let same = called(stem(typed));
    if !same.is_empty() {
        return same;
    }
    match nearest(typed, names.iter().copied()) {
        Some(path) => vec![path.to_owned()],
        None => nearest(stem(typed), names.iter().map(|path| stem(path))).map(called).unwrap_or_default(),
    }
}

/// The last component without its extension.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for path in files {
            fs::replace(&folder.path().join(path), b"x", fs::Durability::Later).unwrap();
        }
        folder
    }

    fn path(path: &str) -> TreePath {
        TreePath::parse(path.as_bytes()).unwrap()
    }

    #[test]
    fn a_name_is_found_from_here_from_the_root_and_as_a_relation() {
        let folder = tree(&["auth/jwt/a.md", "auth/context.md", "a.md", "tool.exe", "README.md", "auth.md"]);
        let root = folder.path();
        let below = root.join("auth/jwt");
        let find = |cwd: &Path, typed: &str| resolve(root, cwd, typed).unwrap();
        for typed in ["a", "a.md", "./a.md", "auth/jwt/a", "@auth/jwt/a.md", "../jwt/a.md"] {
            assert_eq!(find(&below, typed), Some(Named::File(path("auth/jwt/a.md"))), "{typed}");
        }
        assert_eq!(find(root, "a"), Some(Named::File(path("a.md"))));
        assert_eq!(find(root, "auth/jwt/"), Some(Named::Folder("auth/jwt".into())));
        assert_eq!(find(root, "auth/jwt/_index"), Some(Named::Folder("auth/jwt".into())));
        assert_eq!(find(root, "_index.md"), Some(Named::Folder(String::new())));
        assert_eq!(find(root, "auth"), Some(Named::File(path("auth.md"))));
        assert_eq!(find(root, "auth/jwt/a.abstract.md"), Some(Named::Abstract(path("auth/jwt/a.md"))));
        assert_eq!(find(root, "auth/jwt/a.overview"), Some(Named::Overview(path("auth/jwt/a.md"))));
        assert_eq!(find(root, "auth/jwt/b.overview"), None);
        assert_eq!(find(root, "tool.exe"), Some(Named::NotKnowledge("tool.exe".into())));
        assert_eq!(find(root, "README.md"), Some(Named::File(path("README.md"))));
        for typed in ["", "nothing", "../outside", ".git", "/etc/passwd"] {
            assert_eq!(find(root, typed), None, "{typed}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn what_is_behind_a_link_is_not_there() {
        let folder = tree(&["real/a.md"]);
        std::os::unix::fs::symlink(folder.path().join("real"), folder.path().join("linked")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("secret.md")).unwrap();
        for typed in ["linked/a.md", "linked", "secret"] {
            assert_eq!(resolve(folder.path(), folder.path(), typed).unwrap(), None, "{typed}");
        }
    }

    #[test]
    fn what_was_meant_is_an_entry_or_else_a_folder() {
        let curated = ["auth/sessions/token.md", "ops/deploy.md"];
        assert_eq!(meant("sessions/tokne", curated.into_iter()), ["auth/sessions/token.md"]);
        assert_eq!(meant("auth/sesions", curated.into_iter()), ["auth/sessions"]);
    }
}
