//! Find a project's `.brv/` folder from any folder below it, and name the paths inside.

use crate::{Fails, FailureKind, OrStop, Stop};
use brv_base::environment::Environment;
use brv_base::fs::{self, FileKind};
use std::path::{Path, PathBuf};

/// The folder that holds everything brv keeps in a project.
pub const BRV_FOLDER: &str = ".brv";
/// The folder inside it that holds the tree.
pub const TREE_FOLDER: &str = "context-tree";
/// The lock held while `config.yaml` changes.
const CONFIG_LOCK: &str = ".config.lock";

/// The paths of one project. They need not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The folder that holds `.brv/`.
    pub project: PathBuf,
}

impl Places {
    /// The paths of the project in `folder`.
    pub fn of(project: impl Into<PathBuf>) -> Self {
        Self { project: project.into() }
    }

    /// `.brv/`
    pub fn brv(&self) -> PathBuf {
        self.project.join(BRV_FOLDER)
    }

    /// `.brv/context-tree/`: the work tree of the tree's repository.
    pub fn tree(&self) -> PathBuf {
        self.brv().join(TREE_FOLDER)
    }

    /// Whether the tree has its own repository; otherwise it is a folder of the surrounding repository, or of none.
    pub fn has_own_repository(&self) -> bool {
        self.tree().join(".git").symlink_metadata().is_ok()
    }

    /// The surrounding work tree and the tree's folder in it, if the tree is a folder of that work tree.
    pub fn in_host(&self) -> Option<(PathBuf, String)> {
        let host = host_work_tree(&self.project)?;
        let tree = self.tree();
        let parts = tree.strip_prefix(host).ok()?.iter().map(|part| part.to_str());
        Some((host.to_path_buf(), parts.collect::<Option<Vec<_>>>()?.join("/")))
    }

    /// The work tree of the git repository around the project; if `cwd` is in a linked work tree of it, that one. `None`
    /// outside a repository.
    pub fn host_called_from(&self, cwd: &Path) -> Result<Option<PathBuf>, fs::Error> {
        let Some(host) = host_work_tree(&self.project) else { return Ok(None) };
        for folder in cwd.ancestors().take_while(|folder| *folder != host) {
            if main_work_tree(folder)?.is_some_and(|main| main == host) {
                return Ok(Some(folder.to_path_buf()));
            }
        }
        Ok(Some(host.to_path_buf()))
    }

    /// `.brv/config.yaml`
    pub fn config(&self) -> PathBuf {
        self.brv().join("config.yaml")
    }

    /// `.brv/cache/`: may be deleted at any time.
    pub fn cache(&self) -> PathBuf {
        self.brv().join("cache")
    }

    /// The path of a file in `.brv/` that exists once per project: in the main work tree, even if this is a linked one.
    ///
    /// # Errors
    /// Refused: a link on the way, or a folder of another user.
    pub fn shared(&self, name: &str, environment: &Environment) -> Result<PathBuf, Stop> {
        let main = self.in_main_work_tree()?;
        let brv = main.as_ref().unwrap_or(self).brv();
        if main.is_some() {
            refuse_link(&brv)?;
            if is_foreign(&brv, environment)? {
                return Err(foreign(&brv));
            }
        }
        let file = brv.join(name);
        refuse_link(&file)?;
        Ok(file)
    }

    /// The same project in the main work tree; `None` if this is the main work tree, or none.
    fn in_main_work_tree(&self) -> Result<Option<Self>, fs::Error> {
        let Some(work_tree) = host_work_tree(&self.project) else { return Ok(None) };
        let Ok(below) = self.project.strip_prefix(work_tree) else { return Ok(None) };
        Ok(main_work_tree(work_tree)?.map(|main| Self::of(main.join(below))))
    }
}

fn refuse_link(path: &Path) -> Result<(), Stop> {
    match fs::stat(path)? {
        Some(stat) if stat.kind == FileKind::Symlink => Err(link(path)),
        _ => Ok(()),
    }
}

/// A repository could bring a symlink here that points anywhere.
fn link(path: &Path) -> Stop {
    let place = path.display();
    Stop::refused(format!("`{place}` is a symbolic link; brv does not follow links inside `{BRV_FOLDER}`"))
}

/// Another user's folder: brv does not use its settings or run its hooks.
fn foreign(folder: &Path) -> Stop {
    Stop::refused(format!("`{}` belongs to another user", folder.display()))
        .hint("work in a clone of your own, or make the folder yours")
}

/// This folder is in no project.
#[derive(Debug, thiserror::Error)]
#[error("no context tree in `{}` or any folder above it", .0.display())]
pub struct NoTree(pub PathBuf);

impl Fails for NoTree {
    fn kind(&self) -> FailureKind {
        FailureKind::NotInitialised
    }
}

/// Find the project of `start`: `start` itself or the nearest parent folder that holds a tree. In a linked git work
/// tree, the main work tree's `.brv/` is found.
pub fn discover(start: &Path, environment: &Environment) -> Result<Places, OrStop<NoTree>> {
    for folder in start.ancestors() {
        let places = Places::of(folder);
        if places.tree().is_dir() {
            return Ok(checked(places, environment)?);
        }
        if let Some(main) = main_work_tree(folder)? {
            let places = Places::of(main);
            if places.has_own_repository() {
                return Ok(checked(places, environment)?);
            }
            // the main work tree has the files of its own branch; this linked work tree has its own tree
            if places.tree().is_dir() {
                return Ok(checked(Places::of(folder), environment)?);
            }
            let below = start.strip_prefix(folder).unwrap_or(Path::new("")).ancestors();
            let mut in_main = below.map(|below| Places::of(places.project.join(below)));
            if let Some(places) = in_main.find(Places::has_own_repository) {
                return Ok(checked(places, environment)?);
            }
        }
    }
    Err(OrStop::This(NoTree(start.to_path_buf())))
}

/// The paths of a project in `folder`, which may or may not exist yet.
///
/// # Errors
/// Refused: a link in `.brv/`, or a folder of another user.
pub fn at(folder: &Path, environment: &Environment) -> Result<Places, Stop> {
    checked(Places::of(folder), environment)
}

fn checked(places: Places, environment: &Environment) -> Result<Places, Stop> {
    if let Some(found) = link_in(&places)? {
        return Err(link(&found));
    }
    if places.brv().is_dir() && is_foreign(&places.brv(), environment)? {
        return Err(foreign(&places.brv()));
    }
    Ok(places)
}

/// The first path in `.brv/` that is a symlink, among those that brv reads or writes. The content of the tree is not
/// checked: git follows no symlinks there, and neither does brv.
fn link_in(places: &Places) -> Result<Option<PathBuf>, fs::Error> {
    let (brv, cache) = (places.brv(), places.cache());
    let derived = cache.join("derived");
    let lock = brv.join(CONFIG_LOCK);
    for part in [brv, places.config(), lock, places.tree(), cache.clone(), derived.clone()] {
        if fs::stat(&part)?.is_some_and(|stat| stat.kind == FileKind::Symlink) {
            return Ok(Some(part));
        }
    }
    for folder in [cache, derived] {
        // a folder that cannot be listed is reported where it is needed
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let is_link = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if let Some(link) = entries.flatten().find(is_link) {
            return Ok(Some(link.path()));
        }
    }
    Ok(None)
}

#[cfg(unix)]
fn is_foreign(folder: &Path, environment: &Environment) -> Result<bool, fs::Error> {
    let user = rustix::process::geteuid().as_raw();
    // root may use the folder of the user who ran `sudo`, as git allows
    let invoker = environment.get("SUDO_UID").and_then(|uid| uid.parse::<u32>().ok());
    let owner = fs::stat(folder)?.map(|stat| stat.user);
    Ok(owner.is_some_and(|owner| owner != user && !(user == 0 && Some(owner) == invoker)))
}

#[cfg(not(unix))]
fn is_foreign(_folder: &Path, _environment: &Environment) -> Result<bool, fs::Error> {
    Ok(false)
}

/// The main work tree if `folder` is a linked one: its `.git` is a file that points to `<main>/.git/worktrees/<name>`.
fn main_work_tree(folder: &Path) -> Result<Option<PathBuf>, fs::Error> {
    let link = folder.join(".git");
    if !link.is_file() {
        return Ok(None);
    }
    let text = fs::read(&link)?;
    let text = String::from_utf8_lossy(&text);
    let Some(target) = text.strip_prefix("gitdir:").map(str::trim) else { return Ok(None) };
    let target = folder.join(target);
    let mut above = target.ancestors().skip(1);
    let is_linked =
        above.next().is_some_and(|parent| parent.file_name().is_some_and(|name| name == "worktrees"));
    let git = above.next().filter(|git| is_linked && git.file_name().is_some_and(|name| name == ".git"));
    Ok(git.and_then(Path::parent).map(Path::to_path_buf))
}

/// The work tree of the git repository around `project`; `None` outside a repository.
pub fn host_work_tree(project: &Path) -> Option<&Path> {
    project.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_found_from_any_folder_below_its_project() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::of(folder.path());
        let deep = places.tree().join("auth/jwt");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::create_dir_all(folder.path().join("src/x")).unwrap();
        assert_eq!(discover(&deep, &Environment::default()).unwrap(), places);
        assert_eq!(discover(&folder.path().join("src/x"), &Environment::default()).unwrap(), places);
    }

    #[test]
    fn a_linked_work_tree_finds_the_main_ones() {
        let folder = tempfile::tempdir().unwrap();
        let main = folder.path().join("main");
        let linked = folder.path().join("linked");
        std::fs::create_dir_all(Places::of(&main).tree().join(".git")).unwrap();
        std::fs::create_dir_all(main.join(".git/worktrees/linked")).unwrap();
        let text = format!("gitdir: {}\n", main.join(".git/worktrees/linked").display());
        fs::replace(&linked.join(".git"), text.as_bytes(), fs::Durability::Later).unwrap();
        assert_eq!(discover(&linked, &Environment::default()).unwrap(), Places::of(&main));
        std::fs::remove_dir(Places::of(&main).tree().join(".git")).unwrap();
        assert_eq!(
            discover(&linked, &Environment::default()).unwrap(),
            Places::of(&linked),
            "tracked files are those of a branch"
        );
    }

    #[test]
    fn the_host_is_the_work_tree_that_a_command_was_called_in() {
        let folder = tempfile::tempdir().unwrap();
        let [main, linked] = ["main", "linked"].map(|name| folder.path().join(name));
        let places = Places::of(&main);
        let called = |cwd: &Path| places.host_called_from(cwd).unwrap();
        std::fs::create_dir_all(places.tree().join(".git")).unwrap();
        assert_eq!(called(&main), None);
        std::fs::create_dir_all(main.join(".git/worktrees/linked")).unwrap();
        std::fs::create_dir_all(linked.join("src")).unwrap();
        let text = format!("gitdir: {}\n", main.join(".git/worktrees/linked").display());
        fs::replace(&linked.join(".git"), text.as_bytes(), fs::Durability::Later).unwrap();
        assert_eq!(called(&places.tree()), Some(main.clone()), "the tree's own repository is not a host");
        assert_eq!(called(folder.path()), Some(main));
        assert_eq!(called(&linked.join("src")), Some(linked));
    }

    #[test]
    fn what_exists_once_per_project_is_in_the_main_work_tree() {
        let folder = tempfile::tempdir().unwrap();
        let (main, linked) = (folder.path().join("main"), folder.path().join("linked"));
        std::fs::create_dir_all(main.join(".git/worktrees/linked")).unwrap();
        std::fs::create_dir_all(Places::of(main.join("sub")).brv()).unwrap();
        std::fs::create_dir_all(Places::of(linked.join("sub")).tree()).unwrap();
        let text = format!("gitdir: {}\n", main.join(".git/worktrees/linked").display());
        fs::replace(&linked.join(".git"), text.as_bytes(), fs::Durability::Later).unwrap();
        let shared = |places: Places| places.shared("x.db", &Environment::default());
        let expected = main.join("sub/.brv/x.db");
        assert_eq!(shared(Places::of(linked.join("sub"))).unwrap(), expected);
        assert_eq!(shared(Places::of(main.join("sub"))).unwrap(), expected);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("elsewhere", &expected).unwrap();
            let refused = shared(Places::of(linked.join("sub"))).unwrap_err();
            assert_eq!(refused.kind, FailureKind::Refused);
            assert!(refused.message.contains("is a symbolic link"), "{}", refused.message);
        }
    }

    #[test]
    fn without_a_tree_the_start_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(
            matches!(discover(folder.path(), &Environment::default()), Err(OrStop::This(NoTree(path))) if path == folder.path())
        );
    }
}
