//! Suggestions: the name that was probably meant by one that matches nothing, and the new URL of a remote that does not
//! answer.

use brv_base::environment::Environment;
use brv_engine::open::context::Context;
use brv_engine::open::tree::{self, Places};
use brv_engine::outcome::unknown_name::UnknownName;
use brv_engine::vc::remotes::host;
use brv_engine::vc::suggest::near;
use brv_git::remotes;
use std::path::{Path, PathBuf};

/// The closest name, in the form in which it is typed; `None` if nothing is similar.
pub fn run(cx: &Context<'_>, sought: &UnknownName) -> Option<String> {
    let opened = cx.open().ok()?;
    near(&opened.scope, &cx.cwd, sought)
}

/// The tree folder found from `start` (absolute), or its usual location.
pub fn tree_folder(start: &Path, environment: &Environment) -> PathBuf {
    tree::discover(start, environment).map_or_else(|_| Places::of("").tree(), |places| places.tree())
}

/// A remote that was copied from the host and still has the host's old URL: its name and the host's current URL
/// (without secrets).
pub fn moved_host(cx: &Context<'_>) -> Option<(String, String)> {
    let opened = cx.open().ok()?;
    let remotes = remotes::list(&opened.scope).ok()?;
    remotes.iter().find_map(|remote| {
        let url = host::moved(&opened, remote)?;
        Some((remote.name.to_string(), url.to_string()))
    })
}
