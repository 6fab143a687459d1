//! Map paths of the tree to paths on disk without loss, and read below a root without following symlinks.

use super::{Error, FileKind, read_if_there, stat};
use bstr::{BStr, ByteSlice as _};
use std::ffi::OsStr;
use std::io::{Error as IoError, ErrorKind};
use std::path::{Path, PathBuf};

/// The path on disk of a `/`-separated path below `root`, byte for byte; `root` itself if the path is empty.
///
/// # Errors
/// [`Error`] for a path that points outside `root`, or that this system does not allow: outside Unix, one that is not
/// UTF-8.
pub fn below(root: &Path, path: &BStr) -> Result<PathBuf, Error> {
    let mut place = root.to_path_buf();
    for part in path.split(|byte| *byte == b'/').filter(|part| !part.is_empty()) {
        let part = native(part).filter(|part| is_plain(part)).ok_or_else(|| {
            let why = IoError::new(ErrorKind::InvalidInput, "this system does not allow that file name");
            Error::during("find", root.join(path.to_str_lossy().as_ref()))(why)
        })?;
        place.push(part);
    }
    Ok(place)
}

#[cfg(unix)]
fn native(part: &[u8]) -> Option<&OsStr> {
    use std::os::unix::ffi::OsStrExt as _;
    Some(OsStr::from_bytes(part))
}

#[cfg(not(unix))]
fn native(part: &[u8]) -> Option<&OsStr> {
    std::str::from_utf8(part).ok().map(OsStr::new)
}

/// Whether the part is neither `..` nor, where the system has such things, a drive or several parts.
fn is_plain(part: &OsStr) -> bool {
    let mut components = Path::new(part).components();
    matches!(components.next(), Some(std::path::Component::Normal(first)) if first == part)
        && components.next().is_none()
}

/// Whether every existing parent of the file below `root` is a real folder: a path through a symlink ends up somewhere
/// else.
///
/// # Errors
/// [`Error`] for a folder that cannot be inspected.
pub fn is_reached_by_folders(root: &Path, file: &Path) -> Result<bool, Error> {
    for folder in file.ancestors().skip(1).take_while(|folder| *folder != root) {
        if stat(folder)?.is_some_and(|stat| stat.kind != FileKind::Folder) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// As [`read_if_there`], but a path through a symlinked directory counts as absent, and so does a file in whose place a
/// folder is.
///
/// # Errors
/// [`Error`] with the path, for any reason but absence.
pub fn read_below(root: &Path, file: &Path) -> Result<Option<Vec<u8>>, Error> {
    Below::of(root).read(file)
}

/// Reads files below a root, many of one folder after another: each folder is looked at once.
#[derive(Debug)]
pub struct Below<'r> {
    root: &'r Path,
    /// The last folder that was reached.
    folder: Option<PathBuf>,
}

impl<'r> Below<'r> {
    /// Paths below this root.
    pub const fn of(root: &'r Path) -> Self {
        Self { root, folder: None }
    }

    /// As [`read_below`].
    ///
    /// # Errors
    /// As there.
    pub fn read(&mut self, file: &Path) -> Result<Option<Vec<u8>>, Error> {
        if !self.reaches(file)? {
            return Ok(None);
        }
        match read_if_there(file) {
            Err(_) if is_folder(file) => Ok(None),
            read => read,
        }
    }

    /// As [`is_reached_by_folders`].
    ///
    /// # Errors
    /// As there.
    pub fn reaches(&mut self, file: &Path) -> Result<bool, Error> {
        if self.folder.is_none() || self.folder.as_deref() != file.parent() {
            if !is_reached_by_folders(self.root, file)? {
                return Ok(false);
            }
            self.folder = file.parent().map(Path::to_path_buf);
        }
        Ok(true)
    }
}

fn is_folder(place: &Path) -> bool {
    stat(place).is_ok_and(|stat| stat.is_some_and(|stat| stat.kind == FileKind::Folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_the_root_and_its_parts_and_never_leaves_it() {
        let root = Path::new("root");
        assert_eq!(below(root, "".into()).unwrap(), root);
        assert_eq!(below(root, "a/観測.md".into()).unwrap(), root.join("a").join("観測.md"));
        assert_eq!(below(root, "/a//b/".into()).unwrap(), root.join("a").join("b"));
        for path in ["..", "a/../../b", "a/."] {
            assert!(below(root, path.into()).is_err(), "{path}");
        }
        let broken = below(root, b"a/\xff.md".as_bstr());
        assert_eq!(broken.is_ok(), cfg!(unix), "{broken:?}");
    }

    #[test]
    fn a_folder_in_the_place_of_a_file_is_no_file_and_neither_is_what_would_be_below_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        crate::fs::replace(&root.join("a.md/b.md"), b"x", crate::fs::Durability::Later).unwrap();
        assert_eq!(read_below(root, &root.join("a.md")).unwrap(), None);
        assert_eq!(read_below(root, &root.join("a.md/b.md/c.md")).unwrap(), None);
        assert_eq!(read_below(root, &root.join("a.md/b.md")).unwrap().unwrap(), b"x");
    }

    #[test]
    #[cfg(unix)]
    fn what_is_behind_a_link_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("real/deep")).unwrap();
        crate::fs::replace(&folder.path().join("other/x.md"), b"x", crate::fs::Durability::Later).unwrap();
        crate::fs::replace(&root.join("real/deep/x.md"), b"x", crate::fs::Durability::Later).unwrap();
        std::os::unix::fs::symlink(folder.path().join("other"), root.join("real/link")).unwrap();
        assert_eq!(read_below(&root, &root.join("real/deep/x.md")).unwrap().unwrap(), b"x");
        assert_eq!(read_below(&root, &root.join("real/link/x.md")).unwrap(), None);
        assert_eq!(read_below(&root, &root.join("real/deep")).unwrap(), None);
        assert!(!is_reached_by_folders(&root, &root.join("real/link/new/x.md")).unwrap());
        assert!(is_reached_by_folders(&root, &root.join("gone/x.md")).unwrap());
        assert!(is_reached_by_folders(&root, &root.join("x.md")).unwrap());
    }
}
