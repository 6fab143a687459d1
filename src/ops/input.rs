//! Read the input of a command: a file, or standard input.
//!
//! Knows nothing of its content.

use crate::fs;
use std::path::{Path, PathBuf};

/// What to read.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A file; `-` is standard input.
    pub path: PathBuf,
    /// The most bytes to read. One more is returned if there is more, so that the caller can tell.
    pub most: usize,
}

/// Why it was not read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages describe the variants")]
pub enum Error {
    #[error(transparent)]
    File(#[from] fs::Error),
}

/// The bytes.
///
/// # Errors
/// [`Error`]
pub fn run(options: &Options) -> Result<Vec<u8>, Error> {
    let most = options.most as u64 + 1;
    Ok(match options.path == Path::new("-") {
        true => fs::read_stdin(most)?,
        false => fs::read_start(&options.path, most)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_read_than_tells_that_there_is_more() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::put(&path, b"123456").unwrap();
        assert_eq!(run(&Options { path: path.clone(), most: 6 }).unwrap(), b"123456");
        assert_eq!(run(&Options { path: path.clone(), most: 3 }).unwrap(), b"1234");
        assert!(run(&Options { path: folder.path().join("none"), most: 3 }).is_err());
        assert!(run(&Options { path: folder.path().into(), most: 3 }).is_err());
    }
}
