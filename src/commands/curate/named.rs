//! The files and folders that `--file` and `--folder` name.

use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::open::naming::paths;
use brv_engine::open::tree;
use std::path::{Path, PathBuf};

/// Where a named file or folder is, through its links. Whoever made the project chose where they lead, so that none is
/// followed out of it; a path that leads elsewhere by itself is the user's own.
///
/// # Errors
/// A link leads out of the project.
pub fn followed(cx: &Context<'_>, named: &Path) -> Result<PathBuf, Stop> {
    let places = tree::discover(&cx.cwd, &cx.environment).ok();
    let project = places.as_ref().map(|places| places.project.as_path());
    let roots: Vec<&Path> = project.into_iter().chain(tree::host_work_tree(&cx.cwd)).collect();
    let followed = paths::through_links(&cx.cwd, named, &roots);
    followed.map_err(|error| Stop::usage(error.to_string()).hint("name the file itself"))
}
