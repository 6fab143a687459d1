//! Write the output of a command to a file instead of the screen.
//!
//! Knows nothing of its content.

use crate::fs;
use std::path::PathBuf;

/// What to write, and where.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A file or a device.
    pub path: PathBuf,
    /// The whole content.
    pub bytes: Vec<u8>,
}

/// Why it was not written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    File(#[from] fs::Error),
}

/// Replace the file.
///
/// # Errors
/// [`Error`]; the file then still has its previous content.
pub fn run(options: &Options) -> Result<(), Error> {
    Ok(fs::put(&options.path, &options.bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(path: PathBuf, bytes: &[u8]) -> Result<(), Error> {
        run(&Options { path, bytes: bytes.to_vec() })
    }

    #[test]
    fn a_file_is_replaced_and_a_link_to_it_stays_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.html");
        put(file.clone(), b"long before").unwrap();
        put(file.clone(), b"after").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"after");
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink("a.html", &link).unwrap();
            put(link.clone(), b"through").unwrap();
            assert!(link.symlink_metadata().unwrap().is_symlink());
            assert_eq!(std::fs::read(&file).unwrap(), b"through");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_device_is_written_to_and_not_replaced() {
        use std::os::unix::fs::FileTypeExt as _;
        put("/dev/null".into(), b"gone").unwrap();
        assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }

    #[test]
    fn a_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(put(folder.path().into(), b"x").is_err());
    }
}
