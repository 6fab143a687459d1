//! Write files into a folder: manual pages, CI files.
//!
//! Knows nothing of their text.

use crate::fs::{self, Durability};
use std::path::PathBuf;

/// What to write.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The folder; created if it does not exist.
    pub folder: PathBuf,
    /// Paths below the folder, with their text.
    pub files: Vec<(String, String)>,
}

/// Why not all files were written.
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

/// Write each file, replacing existing ones. Returns the paths, in the same order.
///
/// # Errors
/// [`Error`]; files before the one that failed are written.
pub fn run(options: &Options) -> Result<Vec<PathBuf>, Error> {
    let mut written = Vec::new();
    for (name, text) in &options.files {
        let path = options.folder.join(name);
        let folder = path.parent().unwrap_or(&options.folder).to_path_buf();
        std::fs::create_dir_all(&folder).map_err(|source| Error::Folder { folder, source })?;
        fs::replace(&path, text.as_bytes(), Durability::Later)?;
        written.push(path);
    }
    Ok(written)
}
