//! Write many files that can be made again, each with as few calls as possible.
//!
//! A small new file is written in place: no reader expects it, and since it fits into one page, a killed program leaves
//! it empty or whole. Any other file is replaced atomically, as by [`super::replace`], but on Linux the two files
//! change places, and the old one is emptied and used for the next: file systems are slow to remove files, and for
//! minutes after that to make new ones (ext4 searches for an inode that was not removed lately). Nothing is synced:
//! after a power failure a file may be empty.

use super::replace::temporary;
use super::{Error, create_folder, is_absence};
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;
use tempfile::TempPath;

/// What the kernel writes at once or not at all: a page of the smallest size.
const PAGE: usize = 4096;

/// Writes files one after the other; one for each thread.
#[derive(Debug, Default)]
pub struct Renewal {
    /// A file that was replaced, for the bytes of the next.
    spare: Option<Spare>,
}

/// A temporary file, with what is known of the first one that was made.
#[derive(Debug)]
struct Spare {
    path: TempPath,
    #[cfg(target_os = "linux")]
    kind: (u32, u32),
}

impl Renewal {
    /// Write a new file, creating folders as needed. `false` if something is at its path; that is left alone.
    ///
    /// # Errors
    /// [`Error`] with the path; no file is there then.
    pub fn create(&mut self, path: &Path, bytes: &[u8]) -> Result<bool, Error> {
        if bytes.len() > PAGE {
            return match path.symlink_metadata() {
                Ok(_) => Ok(false),
                Err(_) => self.replace(path, bytes).map(|()| true),
            };
        }
        let new = || OpenOptions::new().write(true).create_new(true).open(path);
        let opened = match new() {
            Err(error) if is_absence(&error) => {
                create_folder(path.parent().unwrap_or(Path::new(".")))?;
                new()
            }
            other => other,
        };
        match opened {
            Ok(mut file) => file.write_all(bytes).map(|()| true).map_err(|error| {
                // it was made here, and nothing of it is of use
                let _ = std::fs::remove_file(path);
                Error::during("write", path)(error)
            }),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(Error::during("write", path)(error)),
        }
    }

    /// Replace a file, or write it if it is absent.
    ///
    /// # Errors
    /// [`Error`] with the path; the old file is then unchanged.
    pub fn replace(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let spare = match self.refilled(bytes) {
            Some(spare) => Ok(spare),
            None => match Spare::new(folder, bytes) {
                Err(error) if is_absence(&error) => {
                    create_folder(folder)?;
                    Spare::new(folder, bytes)
                }
                other => other,
            },
        };
        let placed = spare.and_then(|spare| spare.put_at(path));
        self.spare = placed.map_err(Error::during("write", path))?;
        Ok(())
    }

    /// The spare file with these bytes, if there is one and nobody else has a part in it.
    fn refilled(&mut self, bytes: &[u8]) -> Option<Spare> {
        let spare = self.spare.take()?;
        spare.refill(bytes).ok()?.then_some(spare)
    }
}

impl Spare {
    fn new(folder: &Path, bytes: &[u8]) -> io::Result<Self> {
        let mut file = temporary(folder)?;
        file.write_all(bytes)?;
        #[cfg(target_os = "linux")]
        let kind = kind(&file.as_file().metadata()?);
        Ok(Self {
            path: file.into_temp_path(),
            #[cfg(target_os = "linux")]
            kind,
        })
    }

    #[cfg(target_os = "linux")]
    fn put_at(self, path: &Path) -> io::Result<Option<Self>> {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            return Err(ErrorKind::IsADirectory.into());
        }
        match renameat_with(CWD, &*self.path, CWD, path, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(Some(self)),
            // nothing is there, or the file system cannot do it
            Err(_) => self.move_to(path).map(|()| None),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn put_at(self, path: &Path) -> io::Result<Option<Self>> {
        self.move_to(path).map(|()| None)
    }

    fn move_to(self, path: &Path) -> io::Result<()> {
        // a spare from elsewhere says nothing about this folder
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        self.path.persist(path).map_err(|error| error.error)
    }

    /// Write other bytes. `false` if this is no file that can be used again: a link, of which another name may be left
    /// somewhere, or one with other permissions or another owner.
    #[cfg(target_os = "linux")]
    fn refill(&self, bytes: &[u8]) -> io::Result<bool> {
        use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
        let open = || {
            let flags = (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits();
            OpenOptions::new().write(true).custom_flags(flags.cast_signed()).open(&self.path)
        };
        let emptied = open()?;
        let found = emptied.metadata()?;
        if !found.is_file() || found.nlink() != 1 || kind(&found) != self.kind {
            return Ok(false);
        }
        emptied.set_len(0)?;
        // ext4 starts to write a file to the disk when it is closed after it was emptied and filled
        drop(emptied);
        open()?.write_all(bytes)?;
        Ok(true)
    }

    #[cfg(not(target_os = "linux"))]
    fn refill(&self, _: &[u8]) -> io::Result<bool> {
        Ok(false)
    }
}

/// The mode and the owner of a file.
#[cfg(target_os = "linux")]
fn kind(found: &std::fs::Metadata) -> (u32, u32) {
    use std::os::unix::fs::MetadataExt as _;
    (found.mode(), found.uid())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn files_are_made_and_replaced_and_nothing_is_left_beside_them() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let long = "x".repeat(3 * PAGE);
        let mut renewal = Renewal::default();
        for (name, text) in [("a/b/one", "1"), ("a/two", "2"), ("three", long.as_str())] {
            assert!(renewal.create(&file(name), text.as_bytes()).unwrap(), "{name}");
            assert!(!renewal.create(&file(name), b"again").unwrap(), "{name}");
        }
        // longer and shorter ones, each in the place of another
        for round in 0..4_usize {
            for (at, name) in ["a/b/one", "a/two", "three", "new/four"].into_iter().enumerate() {
                let text = name.repeat([1, 900, 3, 2000][(round + at) % 4]);
                renewal.replace(&file(name), text.as_bytes()).unwrap();
                assert_eq!(std::fs::read_to_string(file(name)).unwrap(), text);
            }
        }
        drop(renewal);
        assert_eq!(names(folder.path()), ["a", "new", "three"]);
        assert_eq!(
            (names(&file("a")), names(&file("new"))),
            (vec!["b".into(), "two".into()], vec!["four".into()])
        );
    }

    #[test]
    fn a_folder_is_not_replaced_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("a/b")).unwrap();
        let mut renewal = Renewal::default();
        assert!(!renewal.create(&folder.path().join("a"), b"1").unwrap());
        for _ in 0..2 {
            assert!(renewal.replace(&folder.path().join("a"), b"1").is_err());
            renewal.replace(&folder.path().join("one"), b"1").unwrap();
            renewal.replace(&folder.path().join("one"), b"2").unwrap();
        }
        drop(renewal);
        assert!(folder.path().join("a/b").is_dir());
        assert_eq!(names(folder.path()), ["a", "one"]);
    }

    #[test]
    #[cfg(unix)]
    fn the_other_name_of_a_file_keeps_its_bytes_and_no_link_is_followed() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let mut renewal = Renewal::default();
        for name in ["linked", "guarded", "next", "aimed_at"] {
            assert!(renewal.create(&file(name), b"old").unwrap());
        }
        std::fs::hard_link(file("linked"), file("backup")).unwrap();
        std::fs::set_permissions(file("guarded"), std::fs::Permissions::from_mode(0o600)).unwrap();
        symlink(file("aimed_at"), file("link")).unwrap();
        for name in ["linked", "guarded", "link", "next"] {
            renewal.replace(&file(name), name.as_bytes()).unwrap();
        }
        let text = |name: &str| std::fs::read_to_string(file(name)).unwrap();
        assert_eq!((text("backup"), text("aimed_at")), ("old".into(), "old".into()));
        for name in ["linked", "guarded", "link", "next"] {
            assert_eq!(text(name), name);
            let mode = file(name).symlink_metadata().unwrap().permissions().mode();
            assert_eq!(mode, file("backup").metadata().unwrap().permissions().mode(), "{name}");
        }
        drop(renewal);
        assert_eq!(names(folder.path()).len(), 6);
    }
}
