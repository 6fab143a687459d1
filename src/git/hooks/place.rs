//! Where git looks for the hooks of a repository, and whether that place is brv's to write in.

use super::managers::{self, Manager};
use crate::error::{During as _, Error};
use crate::repository::config_file;
use crate::repository::scope::Scope;
use std::path::{Component, Path, PathBuf};

/// The hooks of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookLocation {
    /// The folder in which git looks for them; it need not exist.
    pub folder: PathBuf,
    /// Whether the folder is in the work tree: what is in it can be committed, and shared with other machines.
    pub is_in_work_tree: bool,
    /// Who rules them, if brv does not write there.
    pub ruler: Option<Ruler>,
    /// Folders in which brv may have written: that one, and git's default.
    pub own: Vec<PathBuf>,
}

/// Who rules the hooks of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruler {
    Manager(Manager),
    /// The folder is outside of the work tree and of the repository: others use it, too.
    Outside,
    /// `core.hooksPath` names something that is not a folder, such as `/dev/null`: git runs no hooks.
    Off,
}

/// Find them. `core.hooksPath` counts from any settings file, and is relative to the work tree.
pub fn place(scope: &Scope) -> Result<HookLocation, Error> {
    let set = hooks_path(scope)?;
    let default = scope.common_dir().join("hooks");
    let folder = plain(&set.as_ref().map_or_else(|| default.clone(), |path| scope.work_tree().join(path)));
    let insides = [scope.work_tree(), scope.common_dir(), scope.git_dir()].map(real);
    let is_inside = |folder: &Path| insides.iter().any(|inside| real(folder).starts_with(inside));
    let [work_tree, git @ ..] = &insides;
    let is_gits_own = git.iter().any(|git| real(&folder).starts_with(git));
    let is_in_work_tree = real(&folder).starts_with(work_tree) && !is_gits_own;
    let ruler = match managers::find(scope.work_tree(), &folder) {
        Some(manager) => Some(Ruler::Manager(manager)),
        None if folder.exists() && !folder.is_dir() => Some(Ruler::Off),
        None => (!is_inside(&folder)).then_some(Ruler::Outside),
    };
    let mut own: Vec<PathBuf> = [folder.clone(), plain(&default)].into();
    own.dedup();
    own.retain(|folder| is_inside(folder));
    Ok(HookLocation { folder, is_in_work_tree, ruler, own })
}

/// The value of `core.hooksPath`, with `~` resolved.
fn hooks_path(scope: &Scope) -> Result<Option<PathBuf>, Error> {
    let repo = config_file::reloaded(scope)?;
    let config = repo.config_snapshot();
    // for git, no name is the top of the file system
    if config.string("core.hooksPath").is_some_and(|value| value.is_empty()) {
        return Ok(Some("/".into()));
    }
    config.trusted_path("core.hooksPath").during("read `core.hooksPath`")
}

/// Without `.` and `..`, in words only.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => drop(plain.pop()),
            part => plain.push(part),
        }
        plain
    })
}

/// With the symlinks of what exists resolved.
fn real(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if let (Ok(real), Ok(below)) = (above.canonicalize(), path.strip_prefix(above)) {
            return plain(&real.join(below));
        }
    }
    path.to_path_buf()
}
