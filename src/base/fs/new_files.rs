//! Create many new files, folder by folder: each folder is looked up once, each file is opened once.
//!
//! The files are written in place, for a tree that nothing reads yet. Files that may be read are replaced (`replace`).

use super::{Error, FileStat, below};
use bstr::{BStr, BString, ByteSlice as _};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Creates new files below a root.
pub struct NewFiles {
    root: PathBuf,
    last: Option<(BString, OpenFolder)>,
}

impl NewFiles {
    /// Create files below `root`, which must exist.
    pub fn below(root: &Path) -> Self {
        Self { root: root.to_path_buf(), last: None }
    }

    /// Write a file and the folders above it, and return its stat. `None` if something else is at its path or in place
    /// of a parent folder; that is left alone.
    ///
    /// # Errors
    /// [`Error`] with the path; no file is left there.
    pub fn create(&mut self, path: &BStr, bytes: &[u8]) -> Result<Option<FileStat>, Error> {
        let end = path.rfind_byte(b'/');
        let (folder, name) =
            end.map_or((BStr::new(""), path), |end| (path[..end].into(), path[end + 1..].into()));
        if self.last.as_ref().is_none_or(|(last, _)| last != folder) {
            let Some(opened) = OpenFolder::open(&self.root, &below(&self.root, folder)?)? else {
                return Ok(None);
            };
            self.last = Some((folder.to_owned(), opened));
        }
        let Some((_, folder)) = &self.last else { return Ok(None) };
        match folder.create(name, bytes) {
            Ok(stat) => Ok(Some(stat)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(Error::during("write", below(&self.root, path)?)(error)),
        }
    }
}

/// A folder that is not reached through a symlink.
struct OpenFolder {
    #[cfg(unix)]
    fd: std::os::fd::OwnedFd,
    #[cfg(not(unix))]
    path: PathBuf,
}

impl OpenFolder {
    /// Create and open it. `None` if something else is at its path or in place of a parent folder.
    fn open(root: &Path, folder: &Path) -> Result<Option<Self>, Error> {
        if folder != root {
            if !super::is_reached_by_folders(root, &folder.join("file"))? {
                return Ok(None);
            }
            match super::create_folder(folder) {
                Err(error)
                    if matches!(error.source.kind(), ErrorKind::AlreadyExists | ErrorKind::NotADirectory) =>
                {
                    return Ok(None);
                }
                other => other?,
            }
        }
        #[cfg(unix)]
        {
            use rustix::fs::{Mode, OFlags};
            let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
            // the user may reach the root itself through a symlink
            let flags = if folder == root { flags } else { flags | OFlags::NOFOLLOW };
            let fd = rustix::fs::open(folder, flags, Mode::empty())
                .map_err(|error| Error::during("write", folder)(error.into()))?;
            Ok(Some(Self { fd }))
        }
        #[cfg(not(unix))]
        Ok(Some(Self { path: folder.to_path_buf() }))
    }

    #[cfg(unix)]
    fn create(&self, name: &BStr, bytes: &[u8]) -> std::io::Result<FileStat> {
        use rustix::fs::{Mode, OFlags};
        use std::io::Write as _;
        if matches!(name.as_bytes(), b"" | b"." | b"..") {
            return Err(ErrorKind::InvalidInput.into());
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&self.fd, name.as_bytes(), flags, Mode::from_raw_mode(0o666))?;
        let mut file = std::fs::File::from(fd);
        let written = file.write_all(bytes).and_then(|()| super::walk::stat_of(&file));
        written.inspect_err(|_| {
            // it was made here, and a part of it is of no use
            let _ = rustix::fs::unlinkat(&self.fd, name.as_bytes(), rustix::fs::AtFlags::empty());
        })
    }

    #[cfg(not(unix))]
    fn create(&self, name: &BStr, bytes: &[u8]) -> std::io::Result<FileStat> {
        use std::io::Write as _;
        let path = &below(&self.path, name).map_err(|error| error.source)?;
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(path)?;
        let written = file.write_all(bytes);
        drop(file);
        written
            .and_then(|()| super::stat(path).map_err(|error| error.source)?.ok_or(ErrorKind::NotFound.into()))
            .inspect_err(|_| {
                // it was made here, and a part of it is of no use
                let _ = std::fs::remove_file(path);
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_put_into_new_folders_and_their_stat_is_that_of_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let mut new = NewFiles::below(folder.path());
        for path in ["a.md", "x/b.md", "x/y/c.md", "x/d.md"] {
            let stat = new.create(path.into(), path.as_bytes()).unwrap().unwrap();
            let file = folder.path().join(path);
            assert_eq!(std::fs::read(&file).unwrap(), path.as_bytes());
            assert_eq!(crate::fs::stat(&file).unwrap().unwrap(), stat);
        }
    }

    #[test]
    fn what_stands_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let mut new = NewFiles::below(folder.path());
        new.create("a".into(), b"mine").unwrap().unwrap();
        new.create("d/x".into(), b"mine").unwrap().unwrap();
        for path in ["a", "a/b", "d", "d/x", "d/x/y"] {
            assert!(new.create(path.into(), b"theirs").unwrap().is_none(), "{path}");
        }
        assert_eq!(std::fs::read(folder.path().join("a")).unwrap(), b"mine");
        assert_eq!(std::fs::read(folder.path().join("d/x")).unwrap(), b"mine");
    }

    #[test]
    #[cfg(unix)]
    fn no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir_all(&root).unwrap();
        std::fs::create_dir(folder.path().join("outside")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("outside"), root.join("link")).unwrap();
        let mut new = NewFiles::below(&root);
        assert!(new.create("link/a".into(), b"x").unwrap().is_none());
        assert!(new.create("link/deep/a".into(), b"x").unwrap().is_none());
        assert_eq!(std::fs::read_dir(folder.path().join("outside")).unwrap().count(), 0);
    }
}
