//! Linked work trees of the repository (`git worktree add`), and the branch that each has checked out.

use crate::Scope;
use brv_base::fs;
use bstr::{BStr, ByteSlice as _};
use std::path::{Path, PathBuf};

/// git's name for the scope's work tree; `None` for the main one.
pub fn linked(scope: &Scope) -> Option<String> {
    let folder = scope.git_dir();
    let is_linked = folder.parent()?.file_name()? == "worktrees" && !is_same(folder, scope.common_dir());
    is_linked.then(|| folder.file_name().map(|name| name.to_string_lossy().into_owned()))?
}

/// Whether git has a linked work tree of this name.
pub fn is_known(scope: &Scope, name: &str) -> bool {
    let is_one = !name.contains(['/', '\\']) && ![".", ".."].contains(&name);
    is_one && scope.common_dir().join("worktrees").join(name).is_dir()
}

/// The other work tree that has the branch (full name) checked out, if one has.
pub fn elsewhere(scope: &Scope, branch: &BStr) -> Result<Option<PathBuf>, fs::Error> {
    let common = scope.common_dir();
    if !is_same(common, scope.git_dir()) && is_on(common, branch)? {
        return Ok(Some(common.parent().unwrap_or(common).to_path_buf()));
    }
    let Ok(listed) = std::fs::read_dir(common.join("worktrees")) else { return Ok(None) };
    for folder in listed.flatten().map(|entry| entry.path()) {
        if is_same(&folder, scope.git_dir()) || !is_on(&folder, branch)? {
            continue;
        }
        let gitdir = fs::read_if_there(&folder.join("gitdir"))?.unwrap_or_default();
        // with `extensions.relativeWorktrees` it is relative to the folder
        let place = folder.join(gitdir.trim().to_str_lossy().into_owned());
        let place = place.canonicalize().unwrap_or(place);
        return Ok(Some(place.parent().map_or_else(|| folder.clone(), Path::to_path_buf)));
    }
    Ok(None)
}

/// Whether the `HEAD` in a git folder is on the branch.
fn is_on(git_dir: &Path, branch: &BStr) -> Result<bool, fs::Error> {
    let head = fs::read_if_there(&git_dir.join("HEAD"))?.unwrap_or_default();
    Ok(head.strip_prefix(b"ref:").is_some_and(|name| name.trim().as_bstr() == branch))
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    real(one) == real(other)
}
