//! Paths as they were typed, turned into paths of the tree.

use crate::git::pathspec::Pathspec;
use std::path::{Component, Path, PathBuf};

/// A path that leaves the tree, or names nothing at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not in the context tree")]
pub struct Outside(pub String);

/// Turn what was typed in `cwd` into pathspecs of the tree at `root`.
///
/// Inside of the tree a path is relative to the folder it was typed in, as in git. Anywhere else in the project it is
/// relative to the tree, so that `brv vc add .` means the whole tree; a path that leads into the tree from where it
/// was typed (`.brv/context-tree/a.md`) is understood as well.
///
/// # Errors
/// [`Outside`] with the first path that is not in the tree.
pub fn pathspecs(root: &Path, cwd: &Path, typed: &[String]) -> Result<Vec<Pathspec>, Outside> {
    typed.iter().map(|path| pathspec(root, cwd, path)).collect()
}

fn pathspec(root: &Path, cwd: &Path, typed: &str) -> Result<Pathspec, Outside> {
    let outside = || Outside(typed.to_owned());
    if typed.is_empty() {
        // a variable that was not set, say: it must not come to mean everything
        return Err(outside());
    }
    let given = Path::new(typed);
    let from_cwd = normalize(&cwd.join(given));
    let inside = |path: &Path| path.strip_prefix(root).ok().map(slashes);
    if let Some(path) = inside(&from_cwd) {
        return Ok(Pathspec::new(&path));
    }
    if given.is_absolute() || cwd.starts_with(root) {
        return Err(outside());
    }
    inside(&normalize(&root.join(given))).map(|path| Pathspec::new(&path)).ok_or_else(outside)
}

/// Without `.` and `..`, by the text alone: the path need not exist.
fn normalize(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

fn slashes(path: &Path) -> String {
    path.components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn paths_mean_what_their_place_makes_them_mean() {
        let root = Path::new("/p/.brv/context-tree");
        let spec = |cwd: &str, typed: &str| {
            pathspecs(root, Path::new(cwd), &[typed.to_owned()]).map(|specs| specs[0].as_bstr().to_string())
        };
        assert_eq!(spec("/p", "."), Ok(String::new()));
        assert_eq!(spec("/p", "auth/a.md"), Ok("auth/a.md".into()));
        assert_eq!(spec("/p", ".brv/context-tree/auth"), Ok("auth".into()));
        assert_eq!(spec("/p/src", "auth"), Ok("auth".into()));
        assert_eq!(spec("/p/.brv/context-tree/auth", "."), Ok("auth".into()));
        assert_eq!(spec("/p/.brv/context-tree/auth", "../b.md"), Ok("b.md".into()));
        assert_eq!(spec("/p/.brv/context-tree/auth", "../../x"), Err(Outside("../../x".into())));
        assert_eq!(spec("/p", ""), Err(Outside(String::new())));
        assert_eq!(spec("/p", "/etc/passwd"), Err(Outside("/etc/passwd".into())));
    }
}
