//! Replace, remove and create files that other programs may be saving: what stood at the path is moved aside instead of
//! being overwritten, so that the caller can look at it and put it back.
//!
//! Linux and macOS exchange two names in one step. Elsewhere, and on file systems that cannot, three renames do it, and
//! for a moment no file has the name.

use super::{Error, TEMPORARY_PREFIX, is_absence};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// The name of a temporary file with this tag, without its random end.
fn prefix(tag: &str) -> String {
    format!("{TEMPORARY_PREFIX}{tag}-")
}

/// A new temporary file in `folder`, whose name has the tag. It stays until it is removed or renamed.
fn temporary(folder: &Path, tag: &str) -> std::io::Result<(std::fs::File, PathBuf)> {
    let prefix = prefix(tag);
    let file = super::replace::builder(&prefix).tempfile_in(folder)?;
    file.keep().map_err(|error| error.error)
}

/// Write `bytes` to a new temporary file in `folder`, which is made as needed; its name has the tag.
///
/// # Errors
/// [`Error`] with `path`, for which the bytes are meant; no file is left.
pub fn put_aside(folder: &Path, tag: &str, bytes: &[u8], path: &Path) -> Result<PathBuf, Error> {
    let made = match temporary(folder, tag) {
        Err(error) if is_absence(&error) => {
            super::create_folder(folder)?;
            temporary(folder, tag)
        }
        other => other,
    };
    let (mut file, aside) = made.map_err(Error::during("write", path))?;
    if let Err(error) = file.write_all(bytes) {
        let _ = std::fs::remove_file(&aside);
        return Err(Error::during("write", path)(error));
    }
    Ok(aside)
}

/// Give a file a second name in `folder`, or copy it there where the file system has no second names. `None` if there is
/// no file.
pub fn keep(path: &Path, folder: &Path) -> Result<Option<PathBuf>, Error> {
    let (_, second) = temporary(folder, "kept").map_err(Error::during("write", path))?;
    let kept = std::fs::remove_file(&second).and_then(|()| std::fs::hard_link(path, &second));
    match kept {
        Err(error) if is_absence(&error) => return Ok(None),
        Err(_) => drop(std::fs::copy(path, &second).map_err(Error::during("write", path))?),
        Ok(()) => {}
    }
    Ok(Some(second))
}

/// Give the file `from` the name `to`; a file that has it is replaced.
///
/// # Errors
/// [`Error`] with `to`.
pub fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    super::despite_read_only(to, || std::fs::rename(from, to)).map_err(Error::during("write", to))
}

/// The temporary files in `folder` whose names have a tag, with it.
///
/// # Errors
/// [`Error`] with the folder.
pub fn asides(folder: &Path) -> Result<Vec<(String, PathBuf)>, Error> {
    let tagged = |name: String| {
        let file = folder.join(name);
        Some((tag_of(&file)?, file))
    };
    Ok(super::names(folder)?.into_iter().filter_map(tagged).collect())
}

/// The tag in the name of a temporary file; `None` for other files.
pub fn tag_of(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    let (tag, _) = name.strip_prefix(TEMPORARY_PREFIX)?.split_once('-')?;
    Some(tag.to_owned())
}

/// Exchange two existing files.
///
/// # Errors
/// [`Error`] with `path`. If it is absent, nothing has changed.
pub fn exchange(aside: &Path, path: &Path) -> Result<(), Error> {
    match exchange_at_once(aside, path) {
        Err(error) if is_unsupported(&error) => exchange_in_steps(aside, path),
        other => other,
    }
    .map_err(Error::during("write", path))
}

/// Move the file at `path` aside, in `folder`, under a new name with the tag; if that is on another file system, in the
/// file's own folder. `None` if there is no file.
///
/// # Errors
/// [`Error`] with the path; the file is still there.
pub fn take_aside(folder: &Path, tag: &str, path: &Path) -> Result<Option<PathBuf>, Error> {
    let own = path.parent().unwrap_or(folder);
    match take_aside_in(folder, tag, path) {
        Err(error) if error.source.kind() == ErrorKind::CrossesDevices && own != folder => {
            take_aside_in(own, tag, path)
        }
        other => other,
    }
}

fn take_aside_in(folder: &Path, tag: &str, path: &Path) -> Result<Option<PathBuf>, Error> {
    let (_, aside) = temporary(folder, tag).map_err(Error::during("remove", path))?;
    match std::fs::rename(path, &aside) {
        Ok(()) => Ok(Some(aside)),
        Err(error) => {
            let _ = std::fs::remove_file(&aside);
            if is_absence(&error) { Ok(None) } else { Err(Error::during("remove", path)(error)) }
        }
    }
}

/// Give the file `aside` the name `path`, creating folders as needed, unless something has that name already. Returns
/// whether it got it.
///
/// # Errors
/// [`Error`] with the path; the file is still aside.
pub fn put_in_place(aside: &Path, path: &Path) -> Result<bool, Error> {
    let named = match rename_to_new(aside, path) {
        Err(error) if is_absence(&error) => {
            if let Some(folder) = path.parent() {
                super::create_folder(folder)?;
            }
            rename_to_new(aside, path)
        }
        other => other,
    };
    match named {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(Error::during("write", path)(error)),
    }
}

/// Three renames. If one fails, those before it are taken back; no file is overwritten that another program has saved.
fn exchange_in_steps(aside: &Path, path: &Path) -> std::io::Result<()> {
    let folder = aside.parent().unwrap_or(Path::new("."));
    let name = aside.file_name().unwrap_or_default().to_string_lossy();
    let third = folder.join(format!("{name}-old"));
    std::fs::rename(path, &third)?;
    if let Err(error) = rename_to_new(aside, path) {
        // if another program has saved a file there meanwhile, that is what came out
        return match error.kind() == ErrorKind::AlreadyExists {
            true => std::fs::rename(&third, aside),
            false => rename_to_new(&third, path).and(Err(error)),
        };
    }
    std::fs::rename(&third, aside).or_else(|error| {
        std::fs::rename(path, aside)?;
        rename_to_new(&third, path).and(Err(error))
    })
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange_at_once(one: &Path, other: &Path) -> std::io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange_at_once(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn rename_to_new(from: &Path, to: &Path) -> std::io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).map_err(std::io::Error::from) {
        Err(error) if is_unsupported(&error) => link_to_new(from, to),
        other => other,
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn rename_to_new(from: &Path, to: &Path) -> std::io::Result<()> {
    link_to_new(from, to)
}

fn link_to_new(from: &Path, to: &Path) -> std::io::Result<()> {
    match std::fs::hard_link(from, to) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists && !is_absence(&error) => {
            copy_to_new(from, to)?
        }
        other => other?,
    }
    let permissions = if cfg!(windows) { to.metadata().ok().map(|found| found.permissions()) } else { None };
    super::despite_read_only(from, || std::fs::remove_file(from))?;
    // both names may have been of one file
    permissions.map_or(Ok(()), |permissions| std::fs::set_permissions(to, permissions))
}

/// For file systems in which a file has one name only, such as FAT.
fn copy_to_new(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(to)?;
    let copied = std::fs::read(from).and_then(|bytes| file.write_all(&bytes));
    copied.inspect_err(|_| {
        // it was made here
        let _ = std::fs::remove_file(to);
    })
}

/// Whether the file system, or the system, has no such call.
fn is_unsupported(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::InvalidInput)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs::Durability;

    fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            crate::fs::replace(&folder.path().join(name), text.as_bytes(), Durability::Later).unwrap();
        }
        folder
    }

    fn text(path: &Path) -> String {
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn two_files_change_places_with_and_without_the_call_for_it() {
        for exchange in [exchange_at_once, exchange_in_steps] {
            let folder = folder_with(&[("a", "old"), ("b", "new")]);
            let (a, b) = (folder.path().join("a"), folder.path().join("b"));
            match exchange(&b, &a) {
                Err(error) if is_unsupported(&error) => continue,
                other => other.unwrap(),
            }
            assert_eq!((text(&a).as_str(), text(&b).as_str()), ("new", "old"));
            assert!(exchange(&b, &folder.path().join("gone")).is_err());
            assert_eq!((text(&b).as_str(), std::fs::read_dir(folder.path()).unwrap().count()), ("old", 2));
        }
    }

    #[test]
    fn a_name_that_is_taken_is_not_given_again() {
        let folder = folder_with(&[("a", "theirs")]);
        let root = folder.path();
        let aside = put_aside(root, "tag", b"ours", &root.join("a")).unwrap();
        assert_eq!(asides(root).unwrap(), [("tag".to_owned(), aside.clone())]);
        assert!(!put_in_place(&aside, &root.join("a")).unwrap());
        assert!(put_in_place(&aside, &root.join("deep/er/b")).unwrap());
        assert_eq!(
            (text(&root.join("a")).as_str(), text(&root.join("deep/er/b")).as_str()),
            ("theirs", "ours")
        );
        for rename in [rename_to_new, link_to_new, copy_to_new] {
            let error = rename(&root.join("deep/er/b"), &root.join("a")).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        }
        copy_to_new(&root.join("deep/er/b"), &root.join("c")).unwrap();
        assert_eq!(text(&root.join("c")), "ours");
        let second = keep(&root.join("c"), root).unwrap().unwrap();
        rename(&root.join("a"), &root.join("c")).unwrap();
        assert_eq!((text(&second).as_str(), text(&root.join("c")).as_str()), ("ours", "theirs"));
        assert_eq!(keep(&root.join("gone"), root).unwrap(), None);
    }

    #[test]
    fn a_file_is_taken_aside_whole_and_an_absent_one_is_none() {
        let folder = folder_with(&[("a", "bytes")]);
        let root = folder.path();
        let aside = take_aside(root, "tag", &root.join("a")).unwrap().unwrap();
        assert_eq!(text(&aside), "bytes");
        assert!(!root.join("a").exists());
        assert_eq!(take_aside(root, "tag", &root.join("a")).unwrap(), None);
        assert_eq!(std::fs::read_dir(root).unwrap().count(), 1);
    }
}
