//! Checks the object stores that a repository borrows from (`objects/info/alternates`). gitoxide reads through them.
//!
//! A missing store would show as missing objects, one by one, and a cycle is rejected before anything is read.

use std::path::{Path, PathBuf};

/// Why objects cannot be borrowed.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    message: String,
    source: Option<gix::Error>,
}

fn shown(paths: &[PathBuf]) -> String {
    let paths: Vec<_> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
    paths.join(", ")
}

/// Checks the stores that the one at `objects` borrows from, recursively.
pub(crate) fn check(objects: &Path) -> Result<(), Error> {
    if !objects.join("info/alternates").is_file() {
        return Ok(());
    }
    // relative paths are relative to the store itself
    let stores = gix::odb::alternate::resolve(objects.to_path_buf(), objects);
    let stores = stores.map_err(|error| match error.downcast_any_ref::<gix::odb::alternate::Cycle>() {
        Some(cycle) => Error {
            message: format!("object stores borrow from each other in a cycle: {}", shown(&cycle.paths)),
            source: None,
        },
        None => Error { message: "cannot read `objects/info/alternates`".into(), source: Some(error) },
    })?;
    match stores.into_iter().find(|store| !store.is_dir()) {
        Some(missing) => Err(Error {
            message: format!("it borrows objects from `{}`, which does not exist", missing.display()),
            source: None,
        }),
        None => Ok(()),
    }
}
