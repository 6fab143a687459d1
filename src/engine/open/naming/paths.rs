//! Turn typed paths into pathspecs of the tree.

use crate::{Fails, FailureKind};
use brv_git::pathspec::Pathspec;
use std::path::{Component, Path, PathBuf};

/// A path outside the tree, or an empty one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not in the context tree")]
pub struct OutsidePath(pub String);

/// A path in a project whose link leads out of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` leads out of the project through a link")]
pub struct LeadsOut(pub String);

impl Fails for OutsidePath {
    fn kind(&self) -> FailureKind {
        FailureKind::Usage
    }
}

/// Turn paths typed in `cwd` into pathspecs of the tree at `root`.
///
/// Inside the tree a path is relative to the current folder, as in git. Anywhere else in the project it is relative to
/// the tree, so that `brv vc add .` means the whole tree; a path that leads into the tree from the current folder
/// (`.brv/context-tree/a.md`) works, too.
///
/// # Errors
/// [`OutsidePath`] with the first path outside the tree.
pub fn pathspecs(root: &Path, cwd: &Path, typed: &[String]) -> Result<Vec<Pathspec>, OutsidePath> {
    typed.iter().map(|path| pathspec(root, cwd, path)).collect()
}

fn pathspec(root: &Path, cwd: &Path, typed: &str) -> Result<Pathspec, OutsidePath> {
    let outside = || OutsidePath(typed.to_owned());
    if typed.is_empty() {
        // a shell variable that was not set, say: it must not come to mean everything
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

/// A file or folder typed in `cwd`, through its links; one that cannot be resolved is given as it is.
///
/// # Errors
/// [`LeadsOut`]: it stands within one of these folders, which are a project's, and a link leads out of all of them.
pub fn through_links(cwd: &Path, typed: &Path, project: &[&Path]) -> Result<PathBuf, LeadsOut> {
    let path = cwd.join(typed);
    let Ok(real) = path.canonicalize() else { return Ok(path) };
    let roots: Vec<PathBuf> = project.iter().filter_map(|root| root.canonicalize().ok()).collect();
    let clean = normalize(&path);
    let is_inside = project.iter().any(|root| clean.starts_with(root))
        || roots.iter().any(|root| clean.starts_with(root));
    if is_inside && !roots.iter().any(|root| real.starts_with(root)) {
        return Err(LeadsOut(typed.to_string_lossy().into_owned()));
    }
    Ok(real)
}

/// Resolve `.` and `..` lexically: the path need not exist.
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

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
        assert_eq!(spec("/p/.brv/context-tree/auth", "../../x"), Err(OutsidePath("../../x".into())));
        assert_eq!(spec("/p", ""), Err(OutsidePath(String::new())));
        assert_eq!(spec("/p", "/etc/passwd"), Err(OutsidePath("/etc/passwd".into())));
    }
}
