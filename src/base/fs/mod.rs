//! File operations on disk: atomic and durable replacement, locks, ordered walks.
//!
//! Knows nothing of file contents, nor of git: [`crate::shape`] looks at what is to be parsed.

mod below;
mod exchange;
mod guard;
mod new_files;
mod replace;
mod shipped;
mod walk;

pub use below::{Below, below, is_reached_by_folders, read_below};
pub use exchange::{asides, exchange, keep, put_aside, put_in_place, rename, tag_of, take_aside};
pub use guard::{Busy, WriteGuard};
pub use new_files::NewFiles;
pub use replace::{
    Durability, TEMPORARY_PREFIX, append, put, remove_left_over, remove_left_overs_in, replace,
    replace_private, replace_program, replace_text, sync_behind, sync_file, sync_folder, sync_work_tree,
    touch,
};
pub use shipped::{Form, MOST_OF_CACHE, read_shipped, turned_away};
pub use walk::{FileKind, FileStat, Listing, Unexpected, WalkResult, stat, walk};

use bstr::{BStr, BString, ByteVec as _};
use std::io;
use std::path::Path;

/// A file could not be read, written or removed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {act} `{}`", path.display())]
pub struct Error {
    /// The operation that failed: `read`, `write`, `remove`, `list`, `lock`, `create`, `find`.
    pub act: &'static str,
    pub path: std::path::PathBuf,
    #[source]
    pub source: io::Error,
}

impl Error {
    /// For `map_err`: adds the operation and the path.
    pub fn during(act: &'static str, path: impl Into<std::path::PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self { act, path, source }
    }
}

/// Read a whole file, which must be a regular one; see [`open_regular`].
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    read_regular(path).map_err(Error::during("read", path))
}

/// Read a whole file; `None` if it does not exist.
///
/// # Errors
/// [`Error`] with the path, for any reason but absence.
pub fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match read_regular(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_absence(&error) => Ok(None),
        Err(error) => Err(Error::during("read", path)(error)),
    }
}

fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let (file, size) = open_regular(path)?;
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    // a limit that is none: it keeps the reader from asking for the size again
    io::Read::read_to_end(&mut io::Read::take(file, u64::MAX), &mut bytes)?;
    Ok(bytes)
}

/// Read a whole file into `buffer`, reusing its memory. Returns whether the file exists.
///
/// # Errors
/// [`Error`] with the path, for any reason but absence.
pub fn read_into(path: &Path, buffer: &mut Vec<u8>) -> Result<bool, Error> {
    use std::io::Read as _;
    buffer.clear();
    match open_regular(path).and_then(|(mut file, _)| file.read_to_end(buffer)) {
        Ok(_) => Ok(true),
        Err(error) if is_absence(&error) => Ok(false),
        Err(error) => Err(Error::during("read", path)(error)),
    }
}

/// Open a regular file for reading; returns its size in bytes, too. A pipe or a device is an error: nobody waits for whoever
/// may write into it. One that has nothing to read, such as `/dev/null`, is an empty file.
pub fn open_regular(path: &Path) -> io::Result<(std::fs::File, u64)> {
    let file = without_waiting().read(true).open(path)?;
    let told = file.metadata()?;
    if told.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let is_empty = || {
        let is_pipe = told.len() == 0 && is_pipe(&told);
        !is_pipe && matches!(io::Read::read(&mut &file, &mut [0]), Ok(0))
    };
    match told.is_file() || is_empty() {
        true => Ok((file, told.len())),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a regular file")),
    }
}

/// Options that open a pipe or a device without waiting for another program.
#[cfg(unix)]
fn without_waiting() -> std::fs::OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = std::fs::OpenOptions::new();
    options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    options
}

#[cfg(not(unix))]
fn without_waiting() -> std::fs::OpenOptions {
    std::fs::OpenOptions::new()
}

#[cfg(unix)]
fn is_pipe(told: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    told.file_type().is_fifo()
}

#[cfg(not(unix))]
const fn is_pipe(_: &std::fs::Metadata) -> bool {
    false
}

impl Error {
    /// Whether the file is there and can be read, but is not to be: see [`read_shipped`].
    pub fn is_unfit(&self) -> bool {
        matches!(self.source.kind(), io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput)
    }
}

pub fn create_folder(path: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(path).map_err(Error::during("create", path))
}

/// Remove a file; an absent one is not an error. Returns whether it existed.
pub fn remove_file(path: &Path) -> Result<bool, Error> {
    match despite_read_only(path, || std::fs::remove_file(path)) {
        Ok(()) => Ok(true),
        Err(error) if is_absence(&error) => Ok(false),
        Err(error) => Err(Error::during("remove", path)(error)),
    }
}

/// Remove a folder with everything in it, such as a repository, whose objects are read-only. No symlink is followed.
pub fn remove_folder(folder: &Path) -> Result<(), Error> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if cfg!(windows) && error.kind() == io::ErrorKind::PermissionDenied => {
            for FolderFile { file, .. } in inside(folder)? {
                remove_file(&file)?;
            }
            std::fs::remove_dir_all(folder)
        }
        done => done,
    }
    .map_err(Error::during("remove", folder))
}

/// Run `act`, which removes the file at `path` or puts another one in its place. Windows refuses that for a read-only
/// file, at least on some file systems.
fn despite_read_only(path: &Path, act: impl Fn() -> io::Result<()>) -> io::Result<()> {
    act().or_else(|error| match make_writable(path, &error) {
        Some(before) => act().inspect_err(|_| drop(std::fs::set_permissions(path, before))),
        None => Err(error),
    })
}

/// If a file may be the reason of `error` because it is read-only, make it writable. Returns what it had before.
#[cfg(windows)]
fn make_writable(path: &Path, error: &io::Error) -> Option<std::fs::Permissions> {
    let found = path.symlink_metadata().ok().filter(|found| !found.is_dir())?;
    let before = found.permissions();
    if error.kind() != io::ErrorKind::PermissionDenied || !before.readonly() {
        return None;
    }
    let mut writable = before.clone();
    #[expect(clippy::permissions_set_readonly_false, reason = "on Windows it is one attribute of the file")]
    writable.set_readonly(false);
    std::fs::set_permissions(path, writable).ok().map(|()| before)
}

/// Elsewhere the permissions of the folder count.
#[cfg(not(windows))]
const fn make_writable(_: &Path, _: &io::Error) -> Option<std::fs::Permissions> {
    None
}

/// Remove `folder` and its parents while they are empty, but never `root`.
pub fn prune_empty_folders(folder: &Path, root: &Path) {
    let mut folder = folder;
    while folder != root && folder.starts_with(root) && std::fs::remove_dir(folder).is_ok() {
        let Some(parent) = folder.parent() else { break };
        folder = parent;
    }
}

/// Remove `folder` and the folders in it if none of them holds a file; otherwise nothing.
pub fn remove_empty_folders(folder: &Path) {
    let mut folders = Vec::new();
    if has_folders_only(folder, &mut folders) {
        for folder in folders {
            // a folder that was filled meanwhile stays
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// Remove `folder` with all its content, provided that it holds only folders and regular files and `gives_way` accepts
/// each file by its path from `folder` and its bytes; otherwise nothing. Returns whether the folder was removed.
pub fn remove_folder_of(folder: &Path, gives_way: &dyn Fn(&BStr, &[u8]) -> bool) -> Result<bool, Error> {
    let inside = inside(folder)?;
    for FolderFile { path, file, is_regular } in &inside {
        if !is_regular || !gives_way(path.as_ref(), &read(file)?) {
            return Ok(false);
        }
    }
    for FolderFile { file, .. } in &inside {
        remove_file(file)?;
    }
    remove_empty_folders(folder);
    Ok(!folder.is_dir())
}

/// An entry of a folder that is not itself a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderFile {
    pub path: BString,
    pub file: std::path::PathBuf,
    /// Whether it is a regular file, not a symlink or a special file.
    pub is_regular: bool,
}

/// The first `most` bytes of a file.
pub fn read_start(path: &Path, most: u64) -> Result<Vec<u8>, Error> {
    let file = std::fs::File::open(path).map_err(Error::during("read", path))?;
    read_most(file, path, most)
}

/// The last `most` bytes of a file; `None` if there is none.
pub fn read_end(path: &Path, most: u64) -> Result<Option<Vec<u8>>, Error> {
    let during = Error::during("read", path);
    let mut file = match std::fs::File::open(path) {
        Err(error) if is_absence(&error) => return Ok(None),
        opened => opened.map_err(during)?,
    };
    let length = file.metadata().map_err(Error::during("read", path))?.len();
    io::Seek::seek(&mut file, io::SeekFrom::Start(length.saturating_sub(most)))
        .map_err(Error::during("read", path))?;
    read_most(file, path, most).map(Some)
}

/// The first `most` bytes of standard input.
pub fn read_stdin(most: u64) -> Result<Vec<u8>, Error> {
    read_most(io::stdin().lock(), Path::new("standard input"), most)
}

fn read_most(from: impl io::Read, name: &Path, most: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(from, most), &mut bytes)
        .map_err(Error::during("read", name))?;
    Ok(bytes)
}

/// The names in `folder` that are UTF-8, in no order.
pub fn names(folder: &Path) -> Result<Vec<String>, Error> {
    let entries = std::fs::read_dir(folder).map_err(Error::during("read", folder))?;
    let names = entries.map(|entry| entry.map(|entry| entry.file_name().into_string().ok()));
    names.filter_map(Result::transpose).collect::<Result<_, _>>().map_err(Error::during("read", folder))
}

/// Everything below `folder` except folders; symlinks are not followed.
pub fn inside(folder: &Path) -> Result<Vec<FolderFile>, Error> {
    let mut found = Vec::new();
    list_inside(folder, &BString::default(), &mut found)?;
    Ok(found)
}

fn list_inside(folder: &Path, above: &BString, found: &mut Vec<FolderFile>) -> Result<(), Error> {
    let entries = std::fs::read_dir(folder).map_err(Error::during("read", folder))?;
    for entry in entries {
        let entry = entry.map_err(Error::during("read", folder))?;
        let file = entry.path();
        let kind = entry.file_type().map_err(Error::during("read", &file))?;
        let mut path = above.clone();
        path.extend_from_slice(&Vec::from_os_str_lossy(&entry.file_name()));
        if kind.is_dir() {
            path.push(b'/');
            list_inside(&file, &path, found)?;
        } else {
            found.push(FolderFile { path, file, is_regular: kind.is_file() });
        }
    }
    Ok(())
}

/// Whether there are only folders below; collects all of them, deepest first.
fn has_folders_only(folder: &Path, found: &mut Vec<std::path::PathBuf>) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    let is_empty = entries.into_iter().all(|entry| {
        entry.is_ok_and(|entry| {
            entry.file_type().is_ok_and(|kind| kind.is_dir()) && has_folders_only(&entry.path(), found)
        })
    });
    found.push(folder.to_path_buf());
    is_empty
}

/// Whether disks of this system usually find a file by its name in any case.
pub const IGNORES_CASE: bool = cfg!(any(windows, target_os = "macos"));

/// Whether the file at `path` has exactly that name, and not the same in other case.
pub fn is_named_so(path: &Path) -> bool {
    !IGNORES_CASE || path.canonicalize().is_ok_and(|real| real.file_name() == path.file_name())
}

/// Whether the error means that the path does not exist.
pub fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_of_a_file_is_read_than_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        put(&path, b"123456").unwrap();
        assert_eq!(read_start(&path, 7).unwrap(), b"123456");
        assert_eq!(read_start(&path, 4).unwrap(), b"1234");
        assert!(read_start(&folder.path().join("none"), 4).is_err());
        assert!(read_start(folder.path(), 4).is_err());
    }

    #[test]
    fn folders_without_files_are_removed_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (empty, full) = (folder.path().join("empty"), folder.path().join("full"));
        for path in [empty.join("a/b"), full.join("a/b")] {
            create_folder(&path).unwrap();
        }
        replace(&full.join("x"), b"x", Durability::Later).unwrap();
        remove_empty_folders(&empty);
        remove_empty_folders(&full);
        assert!(!empty.exists());
        assert!(full.join("a/b").is_dir(), "not even the empty ones of a folder with a file");
    }
}
