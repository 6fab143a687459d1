//! What was probably meant by a name that leads nowhere, and where a remote went that does not answer.

use crate::environment::Environment;
use crate::git::remotes;
use crate::ops::context::Context;
pub use crate::ops::steps::naming::suggestion::Sought;
use crate::ops::steps::naming::suggestion::near;
use crate::ops::steps::remotes::host;
use crate::tree::{self, Places};
use std::path::{Path, PathBuf};

/// The name that was probably meant, in the form in which it is typed; nothing where nothing is near.
#[must_use]
pub fn run(cx: &Context<'_>, sought: &Sought) -> Option<String> {
    let opened = cx.open().ok()?;
    near(&opened.scope, &cx.cwd, sought)
}

/// The folder of the tree that is found from `start` (absolute), or where one usually stands.
#[must_use]
pub fn tree_folder(start: &Path, environment: &Environment) -> PathBuf {
    tree::discover(start, environment).map_or_else(|_| Places::of("").tree(), |places| places.tree())
}

/// A remote that is the host's and stayed where the host's was: its name, and where the host's is now (without secrets).
#[must_use]
pub fn moved_host(cx: &Context<'_>) -> Option<(String, String)> {
    let opened = cx.open().ok()?;
    let remotes = remotes::list(&opened.scope).ok()?;
    remotes.iter().find_map(|remote| {
        let url = host::moved(&opened, remote)?;
        Some((remote.name.to_string(), url.to_string()))
    })
}
