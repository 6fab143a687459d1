//! An ordered walk that compares a list of expected files with the disk, in as many threads as there are cores.
//!
//! Knows nothing of git: what is expected comes in, what differs or is not expected goes out. The list is sorted by
//! path bytes, so that one pass groups it by folder; each folder is opened once and its files are looked at relative
//! to it.

use super::Error;
use bstr::{BStr, BString, ByteSlice};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the operating system tells of a file without opening it. Times as seconds and nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are those of stat(2)")]
pub struct FileStat {
    pub kind: FileKind,
    pub size: u64,
    pub modified: (i64, u32),
    pub changed: (i64, u32),
    pub device: u64,
    pub inode: u64,
    pub user: u32,
    pub group: u32,
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    Regular,
    /// A folder.
    Folder,
    /// A symbolic link, not followed.
    Symlink,
    /// A device, a socket, a pipe.
    Special,
}

/// A path on disk that was not expected.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unexpected {
    /// Relative to the root, with `/`.
    pub path: BString,
    /// A regular file, or `false` for anything else (also a folder that is a repository of its own).
    pub is_regular: bool,
}

/// The outcome of a walk, both lists sorted.
#[derive(Debug)]
pub struct Walk<T> {
    /// What the visitor had to say of expected files, with their positions in the list.
    pub noted: Vec<(usize, T)>,
    /// Files that are there and were not expected.
    pub unexpected: Vec<Unexpected>,
    /// Files on their way, by their prefix.
    pub temporary: Vec<BString>,
}

impl<T> Default for Walk<T> {
    fn default() -> Self {
        Self { noted: Vec::new(), unexpected: Vec::new(), temporary: Vec::new() }
    }
}

/// Look at every file of `expected` (sorted, unique, relative to `root`) and find what else is there.
///
/// `visit(position, stat)` is called for each expected file, `None` when it is not there; what it returns is kept.
/// Folders called `.git` are passed over, and files with the prefix of temporary files are told apart.
///
/// # Errors
/// A folder that cannot be listed.
pub fn walk<T: Send>(
    root: &Path,
    expected: &[&BStr],
    visit: impl Fn(usize, Option<FileStat>) -> Option<T> + Sync,
) -> Result<Walk<T>, Error> {
    let folders = Folders::of(expected);
    let next = AtomicUsize::new(0);
    let result = Mutex::new(Ok(Walk::default()));
    let work = || {
        let mut own = Walk::default();
        let outcome = take_folders(root, expected, &folders, &next, &visit, &mut own);
        merge(&result, own, outcome);
    };
    let threads = if expected.len() < PARALLEL_FROM { 1 } else { threads() };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let mut walk = result.into_inner().expect("no worker panics while it holds the lock")?;
    walk.noted.sort_unstable_by_key(|(position, _)| *position);
    walk.unexpected.sort_unstable();
    walk.temporary.sort_unstable();
    Ok(walk)
}

/// Below this a second thread costs more than it saves.
const PARALLEL_FROM: usize = 600;
/// Folders taken at a time by one thread.
const CHUNK: usize = 16;

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get().min(8))
}

fn merge<T>(all: &Mutex<Result<Walk<T>, Error>>, own: Walk<T>, outcome: Result<(), Error>) {
    let mut all = all.lock().expect("no worker panics while it holds the lock");
    match (&mut *all, outcome) {
        (Ok(walk), Ok(())) => {
            walk.noted.extend(own.noted);
            walk.unexpected.extend(own.unexpected);
            walk.temporary.extend(own.temporary);
        }
        (all @ Ok(_), Err(error)) => *all = Err(error),
        (Err(_), _) => {}
    }
}

/// The folders of the expected files, with the positions of the files that stand directly in each.
struct Folders<'a> {
    order: Vec<(&'a BStr, Vec<usize>)>,
    known: HashMap<&'a BStr, usize>,
}

impl<'a> Folders<'a> {
    fn of(expected: &[&'a BStr]) -> Self {
        let mut folders = Self { order: Vec::new(), known: HashMap::new() };
        folders.slot(BStr::new(b""));
        let mut last = (BStr::new(b""), 0);
        for (position, path) in expected.iter().enumerate() {
            let folder = parent(path);
            if folder != last.0 {
                folders.ancestors(folder);
                last = (folder, folders.slot(folder));
            }
            folders.order[last.1].1.push(position);
        }
        folders
    }

    fn slot(&mut self, folder: &'a BStr) -> usize {
        *self.known.entry(folder).or_insert_with(|| {
            self.order.push((folder, Vec::new()));
            self.order.len() - 1
        })
    }

    fn ancestors(&mut self, folder: &'a BStr) {
        let mut above = parent(folder);
        while !above.is_empty() && !self.known.contains_key(above) {
            self.slot(above);
            above = parent(above);
        }
    }
}

fn parent(path: &BStr) -> &BStr {
    path.rfind_byte(b'/').map_or(BStr::new(b""), |at| path[..at].as_bstr())
}

fn take_folders<T>(
    root: &Path,
    expected: &[&BStr],
    folders: &Folders<'_>,
    next: &AtomicUsize,
    visit: &impl Fn(usize, Option<FileStat>) -> Option<T>,
    own: &mut Walk<T>,
) -> Result<(), Error> {
    let opener = platform::Root::open(root)?;
    loop {
        let start = next.fetch_add(CHUNK, Ordering::Relaxed);
        if start >= folders.order.len() {
            return Ok(());
        }
        for (folder, files) in &folders.order[start..(start + CHUNK).min(folders.order.len())] {
            let open = opener.folder(folder)?;
            for position in files {
                let name = expected[*position];
                let name = name[if folder.is_empty() { 0 } else { folder.len() + 1 }..].as_bstr();
                let stat = open.as_ref().and_then(|open| open.stat(name));
                own.noted.extend(visit(*position, stat).map(|note| (*position, note)));
            }
            let Some(open) = open else { continue };
            let is_expected = |path: &BStr, is_folder: bool| {
                if is_folder {
                    folders.known.contains_key(path)
                } else {
                    expected.binary_search(&path).is_ok()
                }
            };
            list(&opener, &open, folder, &is_expected, own)?;
        }
    }
}

fn list<T>(
    root: &platform::Root,
    open: &platform::Folder,
    folder: &BStr,
    is_expected: &dyn Fn(&BStr, bool) -> bool,
    out: &mut Walk<T>,
) -> Result<(), Error> {
    let mut unknown_folders = Vec::new();
    let mut path = BString::from(folder.to_vec());
    if !path.is_empty() {
        path.push(b'/');
    }
    let base = path.len();
    open.each(|name, kind| {
        if name == ".git" {
            return;
        }
        path.truncate(base);
        path.extend_from_slice(name);
        if name.starts_with(super::TEMPORARY_PREFIX.as_bytes()) {
            out.temporary.push(path.clone());
            return;
        }
        let is_folder = kind == FileKind::Folder;
        if is_expected(path.as_bstr(), is_folder) {
            return;
        }
        if is_folder {
            unknown_folders.push(path.clone());
        } else {
            out.unexpected.push(Unexpected { path: path.clone(), is_regular: kind == FileKind::Regular });
        }
    })?;
    for path in unknown_folders {
        let Some(open) = root.folder(path.as_bstr())? else { continue };
        if open.stat(BStr::new(b".git")).is_some() {
            out.unexpected.push(Unexpected { path, is_regular: false });
        } else {
            list(root, &open, path.as_bstr(), is_expected, out)?;
        }
    }
    Ok(())
}

/// The stat of one path, not following a link; `None` when nothing stands there.
///
/// # Errors
/// Anything but absence.
pub fn stat(path: &Path) -> Result<Option<FileStat>, Error> {
    match path.symlink_metadata() {
        Ok(metadata) => Ok(Some(from_metadata(&metadata))),
        Err(error) if super::is_absence(&error) => Ok(None),
        Err(error) => Err(Error::during("read", path)(error)),
    }
}

fn from_metadata(metadata: &std::fs::Metadata) -> FileStat {
    let file_type = metadata.file_type();
    let kind = if file_type.is_file() {
        FileKind::Regular
    } else if file_type.is_dir() {
        FileKind::Folder
    } else if file_type.is_symlink() {
        FileKind::Symlink
    } else {
        FileKind::Special
    };
    platform::details(metadata, kind)
}

#[cfg(unix)]
mod platform {
    //! Relative to open folders, so that no path is resolved twice and no link is followed on the way.

    use super::{BStr, ByteSlice, Error, FileKind, FileStat, Path, PathBuf};
    use rustix::fs::{AtFlags, Mode, OFlags};
    use std::os::fd::OwnedFd;

    pub struct Root {
        fd: OwnedFd,
        path: PathBuf,
    }

    pub struct Folder {
        fd: OwnedFd,
        path: PathBuf,
    }

    const FLAGS: OFlags = OFlags::DIRECTORY.union(OFlags::RDONLY).union(OFlags::CLOEXEC);

    impl Root {
        pub fn open(path: &Path) -> Result<Self, Error> {
            let fd = rustix::fs::open(path, FLAGS, Mode::empty())
                .map_err(|error| Error::during("list", path)(error.into()))?;
            Ok(Self { fd, path: path.to_path_buf() })
        }

        /// `None` when there is no folder of this name (a link to one does not count).
        pub fn folder(&self, folder: &BStr) -> Result<Option<Folder>, Error> {
            use std::os::unix::ffi::OsStrExt as _;
            let name: &[u8] = if folder.is_empty() { b"." } else { folder.as_bytes() };
            let path = self.path.join(std::ffi::OsStr::from_bytes(folder));
            match rustix::fs::openat(&self.fd, name, FLAGS | OFlags::NOFOLLOW, Mode::empty()) {
                Ok(fd) => Ok(Some(Folder { fd, path })),
                Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR | rustix::io::Errno::LOOP) => {
                    Ok(None)
                }
                Err(error) => Err(Error::during("list", path)(error.into())),
            }
        }
    }

    impl Folder {
        pub fn stat(&self, name: &BStr) -> Option<FileStat> {
            let stat = rustix::fs::statat(&self.fd, name.as_bytes(), AtFlags::SYMLINK_NOFOLLOW).ok()?;
            Some(from_stat(&stat))
        }

        pub fn each(&self, mut visit: impl FnMut(&BStr, FileKind)) -> Result<(), Error> {
            let fail = |error: rustix::io::Errno| Error::during("list", &self.path)(error.into());
            for entry in rustix::fs::Dir::read_from(&self.fd).map_err(fail)? {
                let entry = entry.map_err(fail)?;
                let name = entry.file_name().to_bytes().as_bstr();
                if name == "." || name == ".." {
                    continue;
                }
                let kind = match entry.file_type() {
                    rustix::fs::FileType::Unknown => {
                        self.stat(name).map_or(FileKind::Special, |stat| stat.kind)
                    }
                    known => kind_of(known),
                };
                visit(name, kind);
            }
            Ok(())
        }
    }

    fn kind_of(kind: rustix::fs::FileType) -> FileKind {
        match kind {
            rustix::fs::FileType::RegularFile => FileKind::Regular,
            rustix::fs::FileType::Directory => FileKind::Folder,
            rustix::fs::FileType::Symlink => FileKind::Symlink,
            _ => FileKind::Special,
        }
    }

    #[allow(
        clippy::cast_sign_loss,
        clippy::cast_possible_truncation,
        clippy::unnecessary_cast,
        clippy::useless_conversion,
        reason = "the widths of stat's fields differ between platforms"
    )]
    fn from_stat(stat: &rustix::fs::Stat) -> FileStat {
        FileStat {
            kind: kind_of(rustix::fs::FileType::from_raw_mode(stat.st_mode)),
            size: stat.st_size as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as u32),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as u32),
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            user: stat.st_uid,
            group: stat.st_gid,
        }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "nanoseconds are below 2^30")]
    pub fn details(metadata: &std::fs::Metadata, kind: FileKind) -> FileStat {
        use std::os::unix::fs::MetadataExt as _;
        FileStat {
            kind,
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec() as u32),
            changed: (metadata.ctime(), metadata.ctime_nsec() as u32),
            device: metadata.dev(),
            inode: metadata.ino(),
            user: metadata.uid(),
            group: metadata.gid(),
        }
    }
}

#[cfg(not(unix))]
mod platform {
    //! By full path, with what the standard library tells everywhere.

    use super::{BStr, ByteSlice, Error, FileKind, FileStat, Path, PathBuf, from_metadata};

    pub struct Root(PathBuf);
    pub struct Folder(PathBuf);

    impl Root {
        pub fn open(path: &Path) -> Result<Self, Error> {
            Ok(Self(path.to_path_buf()))
        }

        pub fn folder(&self, folder: &BStr) -> Result<Option<Folder>, Error> {
            let mut path = self.0.clone();
            path.extend(folder.to_str_lossy().split('/').filter(|part| !part.is_empty()));
            match path.symlink_metadata() {
                Ok(metadata) if metadata.is_dir() => Ok(Some(Folder(path))),
                Ok(_) => Ok(None),
                Err(error) if crate::fs::is_absence(&error) => Ok(None),
                Err(error) => Err(Error::during("list", path)(error)),
            }
        }
    }

    impl Folder {
        pub fn stat(&self, name: &BStr) -> Option<FileStat> {
            let path = self.0.join(name.to_str().ok()?);
            path.symlink_metadata().ok().map(|metadata| from_metadata(&metadata))
        }

        pub fn each(&self, mut visit: impl FnMut(&BStr, FileKind)) -> Result<(), Error> {
            for entry in std::fs::read_dir(&self.0).map_err(Error::during("list", &self.0))? {
                let entry = entry.map_err(Error::during("list", &self.0))?;
                let kind = match entry.file_type() {
                    Ok(kind) if kind.is_file() => FileKind::Regular,
                    Ok(kind) if kind.is_dir() => FileKind::Folder,
                    Ok(kind) if kind.is_symlink() => FileKind::Symlink,
                    _ => FileKind::Special,
                };
                visit(entry.file_name().to_string_lossy().as_bytes().as_bstr(), kind);
            }
            Ok(())
        }
    }

    pub fn details(metadata: &std::fs::Metadata, kind: FileKind) -> FileStat {
        let since = |time: std::io::Result<std::time::SystemTime>| {
            time.ok()
                .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
                .map_or((0, 0), |time| (i64::try_from(time.as_secs()).unwrap_or(0), time.subsec_nanos()))
        };
        FileStat {
            kind,
            size: metadata.len(),
            modified: since(metadata.modified()),
            changed: since(metadata.created()),
            device: 0,
            inode: 0,
            user: 0,
            group: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_and_what_is_new_is_found_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for file in
            ["a/one.md", "a/new.md", "z.md", "new/deep/x.md", ".git/config", "a/.brv-tmp-1", "sub/.git/HEAD"]
        {
            super::super::replace(&root.join(file), b"x", super::super::Durability::Later).unwrap();
        }
        let expected: Vec<&BStr> = ["a/gone.md", "a/one.md", "z.md"].iter().map(BStr::new).collect();
        let walk = walk(root, &expected, |_, stat| Some(stat.map(|stat| stat.size))).unwrap();
        assert_eq!(walk.noted, [(0, None), (1, Some(1)), (2, Some(1))]);
        let names: Vec<_> =
            walk.unexpected.iter().map(|file| (file.path.to_string(), file.is_regular)).collect();
        assert_eq!(
            names,
            [("a/new.md".to_owned(), true), ("new/deep/x.md".to_owned(), true), ("sub".to_owned(), false)]
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_folder_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("real")).unwrap();
        super::super::replace(&folder.path().join("real/a.md"), b"x", super::super::Durability::Later)
            .unwrap();
        std::os::unix::fs::symlink("real", folder.path().join("link")).unwrap();
        let expected = [BStr::new("link/a.md"), BStr::new("real/a.md")];
        let walk = walk(folder.path(), &expected, |_, stat| Some(stat.is_some())).unwrap();
        assert_eq!(walk.noted, [(0, false), (1, true)]);
        assert_eq!(walk.unexpected, [Unexpected { path: "link".into(), is_regular: false }]);
    }
}
