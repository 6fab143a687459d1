//! The folder of a project inside its git folder. No clone, archive or checkout brings what it holds, so what means
//! trust is kept there.

use super::layout::{NoTree, Places, host_work_tree};
use crate::{FailureKind, Stop};
use brv_base::content::fnv;
use brv_base::fs;
use std::path::{Path, PathBuf};

impl Places {
    /// Where the project keeps what no other clone may bring: `.git/brv/` of the tree's repository, or, where the tree is a
    /// folder of the host, a folder for it in `.git/brv/` of the host, which may have several trees. It exists once for all
    /// linked work trees.
    ///
    /// # Errors
    /// Outside a repository; files of git that cannot be read.
    pub fn private(&self) -> Result<PathBuf, Stop> {
        let absent = || Stop::because(FailureKind::Failed, &NoTree(self.tree()));
        if self.has_own_repository() {
            let git = common_dir(&self.tree())?.ok_or_else(absent)?;
            return Ok(private_folder(&git, ""));
        }
        let (host, prefix) = self.in_host().ok_or_else(absent)?;
        let git = common_dir(&host)?.ok_or_else(absent)?;
        Ok(private_folder(&git, &prefix))
    }
}

/// The same of the tree that is the folder `prefix` of a repository with this git folder; empty: the whole.
pub fn private_folder(common_dir: &Path, prefix: &str) -> PathBuf {
    let own = common_dir.join("brv");
    if prefix.is_empty() { own } else { own.join(format!("tree-{:016x}", fnv(prefix.bytes()))) }
}

/// The git folder that all work trees of a repository share; `None` if `.git` is missing, or names none.
fn common_dir(work_tree: &Path) -> Result<Option<PathBuf>, fs::Error> {
    let git = work_tree.join(".git");
    if git.is_dir() {
        return Ok(Some(git));
    }
    if !git.is_file() {
        return Ok(None);
    }
    let text = fs::read(&git)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let Some(target) = text.strip_prefix("gitdir:").map(|target| work_tree.join(target.trim())) else {
        return Ok(None);
    };
    let common = fs::read_if_there(&target.join("commondir"))?;
    let common = common.map(|text| target.join(String::from_utf8_lossy(&text).trim()));
    Ok(Some(common.unwrap_or(target)))
}

/// The exclude file of the git repository around `project`; `None` outside a repository.
///
/// # Errors
/// Files of git that cannot be read.
pub fn host_exclude(project: &Path) -> Result<Option<PathBuf>, fs::Error> {
    let Some(host) = host_work_tree(project) else { return Ok(None) };
    Ok(common_dir(host)?.map(|git| git.join("info").join("exclude")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_in_the_git_folder_of_the_tree_or_of_the_host_and_shared_by_work_trees() {
        let folder = tempfile::tempdir().unwrap();
        let (main, linked) = (folder.path().join("main"), folder.path().join("linked"));
        let places = Places::of(&main);
        assert!(places.private().unwrap_err().message.starts_with("no context tree in "));
        let git = main.join(".git/worktrees/linked");
        std::fs::create_dir_all(&git).unwrap();
        std::fs::create_dir_all(&linked).unwrap();
        let write = |path: PathBuf, text: &str| {
            fs::replace(&path, text.as_bytes(), fs::Durability::Later).unwrap();
        };
        write(git.join("commondir"), "../..\n");
        write(linked.join(".git"), &format!("gitdir: {}\n", git.display()));
        let in_host = places.private().unwrap();
        assert!(in_host.starts_with(main.join(".git/brv")), "{in_host:?}");
        assert_ne!(in_host, Places::of(main.join("sub")).private().unwrap(), "a host may have several trees");
        let named = |path: PathBuf| path.file_name().unwrap().to_owned();
        let from_linked = Places::of(&linked).private().unwrap();
        assert!(from_linked.starts_with(git.join("../..")), "{from_linked:?}");
        assert_eq!(named(from_linked), named(in_host));
        std::fs::create_dir_all(places.tree().join(".git")).unwrap();
        assert_eq!(places.private().unwrap(), places.tree().join(".git/brv"));
    }
}
