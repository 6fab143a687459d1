//! Write manual pages into a folder.
//!
//! Knows nothing of their text.

use crate::fs::{self, Durability};
use std::path::PathBuf;

/// What to write.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The folder; created if it does not exist.
    pub folder: PathBuf,
    /// File names with their text.
    pub pages: Vec<(String, String)>,
}

/// Why not all pages were written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages describe the variants")]
pub enum Error {
    #[error("cannot make the folder `{}`", folder.display())]
    Folder {
        folder: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    #[error(transparent)]
    File(#[from] fs::Error),
}

/// Write each page, replacing existing files. Returns the paths, in the order of the pages.
///
/// # Errors
/// [`Error`]; pages before the one that failed are written.
pub fn run(options: &Options) -> Result<Vec<PathBuf>, Error> {
    let folder = &options.folder;
    std::fs::create_dir_all(folder).map_err(|source| Error::Folder { folder: folder.clone(), source })?;
    let mut written = Vec::new();
    for (name, text) in &options.pages {
        let path = folder.join(name);
        fs::replace(&path, text.as_bytes(), Durability::Later)?;
        written.push(path);
    }
    Ok(written)
}
