//! A plain clone of a tree: `git clone URL` made it in any folder, and `brv init` never saw it. It can be read, and
//! nothing is written there.

use brv_base::fs;
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::tree::{self, Places};
use brv_engine::{OrStop, Stop};
use brv_git as git;
use brv_git::{Scope, trees};
use std::path::{Path, PathBuf};

/// A tree to be read.
pub struct PlainCloneTree {
    pub opened: Opened,
    /// The work tree of the code around a plain clone, if there is one.
    pub code: Option<PathBuf>,
    pub is_plain_clone: bool,
}

/// The tree of the project, or the plain clone that the command was called in. A clone inside of a project is nearer
/// than the tree of that project.
pub fn open(cx: &Context<'_>) -> Result<PlainCloneTree, Stop> {
    let project = match tree::discover(&cx.cwd, &cx.environment) {
        Ok(places) => Some(places),
        Err(OrStop::This(_)) => None,
        Err(OrStop::Stop(stop)) => return Err(stop),
    };
    let around = tree::host_work_tree(&cx.cwd).filter(|folder| {
        let is_nearer = |project: &Places| *folder != project.project && folder.starts_with(&project.project);
        project.as_ref().is_none_or(|project| is_nearer(project) && !folder.starts_with(project.brv()))
    });
    if let Some(folder) = around
        && let Some(scope) = tree_at(cx, folder, project.is_some())?
    {
        let opened = Opened { places: Places::of(folder), scope, config: cx.config.clone() };
        let code = folder.parent().and_then(tree::host_work_tree).map(Path::to_path_buf);
        return Ok(PlainCloneTree { opened, code, is_plain_clone: true });
    }
    let opened = cx.open()?;
    Ok(PlainCloneTree { opened, code: None, is_plain_clone: false })
}

/// The repository of a work tree, if its last commit is a tree.
fn tree_at(cx: &Context<'_>, folder: &Path, is_in_project: bool) -> Result<Option<Scope>, Stop> {
    let scope = match git::open(folder, "", &cx.environment) {
        Ok(scope) => scope.noting(&cx.broken_refs),
        // what is in it is not known, and without a project no other is meant
        Err(error @ git::OpenError::Foreign(_)) if !is_in_project => {
            return Err(error.into());
        }
        Err(error) if fs::stat(&folder.join("brv.yaml"))?.is_some() => {
            return Err(error.into());
        }
        Err(_) => return Ok(None),
    };
    let Some(commit) = scope.head()?.commit() else { return Ok(None) };
    let files = trees::list(&scope, scope.tree_of(commit)?)?;
    Ok(tree::is_tree(files.iter().map(|(path, _)| path.as_slice())).then_some(scope))
}
