//! Read what a repository may bring along: settings, state, caches.
//!
//! One door for all of them: only regular files, of a size that can be read at once, and of texts only what a parser takes in
//! linear time. What is turned away is noted until somebody asks, since most readers take it for absent.

use super::{Error, open_regular};
use crate::shape::{self, Unfit};
use std::collections::BTreeMap;
use std::io::{Error as IoError, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The most bytes of a file that brv makes of a tree, which grows with it.
pub const MOST_OF_CACHE: usize = 64 << 20;

/// The limit for files that are read in linear time: for a million entries the ledger of derived files has 82 MB, what is known of
/// them for the brain 227 MB. A file that is turned away is made again by every command.
const MOST_OF_TABLE: usize = 512 << 20;

/// What a file is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// YAML that people write.
    Yaml,
    /// JSON of a fixed size that brv wrote, or another tool.
    State,
    /// JSON that grows with the tree.
    Json,
    /// What brv wrote in a form of its own, which is read in linear time.
    Table,
}

/// Files that were turned away, with the reasons. Of the process, as the files are: those who read them pass nothing on.
static TURNED_AWAY: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());

/// The most of them that are noted.
const MOST_NOTED: usize = 64;

/// Read a file that a repository may have brought; `None` if it does not exist.
///
/// # Errors
/// [`Error`] with the path: it is not a regular file, or does not parse as the expected kind.
pub fn read_shipped(path: &Path, form: Form) -> Result<Option<Vec<u8>>, Error> {
    let read = read(path, form);
    if let Err(error) = &read
        && matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::InvalidInput)
    {
        let mut noted = TURNED_AWAY.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() < MOST_NOTED {
            noted.insert(path.to_path_buf(), error.to_string());
        }
    }
    match read {
        Err(error) if super::is_absence(&error) => Ok(None),
        read => read.map(Some).map_err(Error::during("read", path)),
    }
}

fn read(path: &Path, form: Form) -> std::io::Result<Vec<u8>> {
    let most = match form {
        Form::Yaml | Form::State => shape::MOST_BYTES,
        Form::Json => MOST_OF_CACHE,
        Form::Table => MOST_OF_TABLE,
    };
    let (file, size) = open_regular(path)?;
    if size > most as u64 {
        return Err(IoError::new(ErrorKind::InvalidData, Unfit::Large(most)));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(most).min(most) + 1);
    file.take(most as u64 + 1).read_to_end(&mut bytes)?;
    let fits = match form {
        Form::Yaml => shape::yaml(&bytes),
        Form::State | Form::Json => shape::json(&bytes, most),
        Form::Table if bytes.len() > most => Err(Unfit::Large(most)),
        Form::Table => Ok(()),
    };
    fits.map_err(|unfit| IoError::new(ErrorKind::InvalidData, unfit))?;
    Ok(bytes)
}

/// The files below a folder that were turned away since this was asked last, each with the reason.
pub fn turned_away(below: &Path) -> Vec<(PathBuf, String)> {
    let mut noted = TURNED_AWAY.lock().unwrap_or_else(PoisonError::into_inner);
    let paths: Vec<PathBuf> = noted.keys().filter(|path| path.starts_with(below)).cloned().collect();
    paths.into_iter().filter_map(|path| noted.remove_entry(&path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_parser_should_see_is_turned_away_and_noted_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &[u8]| {
            let path = folder.path().join(name);
            crate::fs::put(&path, text).unwrap();
            path
        };
        let deep = file("deep", &b"[".repeat(65));
        assert!(read_shipped(&deep, Form::Yaml).is_err() && read_shipped(&deep, Form::Json).is_err());
        assert_eq!(read_shipped(&deep, Form::Table).unwrap().unwrap().len(), 65);
        let large = file("large", &vec![b'a'; shape::MOST_BYTES + 1]);
        assert!(read_shipped(&large, Form::Yaml).is_err() && read_shipped(&large, Form::State).is_err());
        assert!(read_shipped(&large, Form::Json).is_ok());
        // a hole in a file costs nothing
        let of_million = folder.path().join("ledger");
        let hole = std::fs::OpenOptions::new().write(true).open(file("ledger", b"")).unwrap();
        hole.set_len(100 << 20).unwrap();
        assert_eq!(read_shipped(&of_million, Form::Table).unwrap().unwrap().len(), 100 << 20);
        assert!(read_shipped(&of_million, Form::Json).is_err());
        hole.set_len((512 << 20) + 1).unwrap();
        assert!(read_shipped(&of_million, Form::Table).is_err());
        turned_away(&of_million);
        assert_eq!(read_shipped(&folder.path().join("none"), Form::Yaml).unwrap(), None);
        let noted = turned_away(folder.path());
        let noted: Vec<(&Path, &str)> = noted.iter().map(|(path, why)| (&**path, &**why)).collect();
        let why = "is nested more than 64 levels deep";
        assert_eq!(noted, [(&*deep, why), (&*large, "is larger than 1 MiB")]);
        assert_eq!(turned_away(folder.path()), []);
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_or_a_device_is_no_file_and_nobody_waits_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, device) = (folder.path().join("pipe"), folder.path().join("device"));
        let environment = [("PATH", "/usr/bin:/bin")].into_iter().collect();
        let made = crate::process::command("mkfifo", &environment).arg(&pipe).status().unwrap();
        assert!(made.success());
        std::os::unix::fs::symlink("/dev/zero", &device).unwrap();
        for path in [&pipe, &device] {
            for form in [Form::Yaml, Form::Json, Form::Table] {
                assert!(read_shipped(path, form).is_err(), "{}", path.display());
            }
            assert!(crate::fs::read_if_there(path).is_err() && crate::fs::read(path).is_err());
            assert!(crate::fs::read_into(path, &mut Vec::new()).is_err());
        }
        assert_eq!(turned_away(folder.path()).len(), 2);
        // nothing is what many put in the place of settings
        let none = folder.path().join("none");
        std::os::unix::fs::symlink("/dev/null", &none).unwrap();
        assert_eq!(read_shipped(&none, Form::Yaml).unwrap().unwrap(), b"");
    }
}
