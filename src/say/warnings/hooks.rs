//! Warnings about what is installed beside the tree.

use crate::say::Failure;
use brv_engine::Stop;

/// Files of hooks that git shows as changed.
pub fn shared_hooks(files: &[String]) -> Vec<String> {
    let said =
        |file| format!("`{file}` is in the work tree: if it is committed, everybody who pulls gets the line");
    files.iter().map(said).collect()
}

/// `init` set up the tree, but not all that was to be installed with it: why, and what to do.
pub fn left_undone(stop: Stop) -> String {
    let failure = Failure::from(stop);
    let hint = failure.stop.hint.map(|hint| format!("\n{hint}")).unwrap_or_default();
    format!("{}{hint}", failure.stop.message)
}
