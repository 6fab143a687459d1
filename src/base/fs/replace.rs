//! Replace a file atomically: readers see the old bytes or the new ones, never a part.

use super::Error;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::AtomicU64;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};

/// The prefix of temporary files; left-overs of a crash are recognised by it.
pub const TEMPORARY_PREFIX: &str = ".brv-tmp-";

/// When the bytes must be on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Before the call returns, the name included.
    Now,
    /// By a later [`sync_work_tree`], or never, for files that can be regenerated.
    Later,
}

/// Write `bytes` beside `path` and rename them over it, creating folders as needed.
///
/// # Errors
/// [`Error`] with the path; the old file is then unchanged.
pub fn replace(path: &Path, bytes: &[u8], durability: Durability) -> Result<(), Error> {
    replace_with(path, bytes, durability, None)
}

/// As [`replace`], durably, for a file that is run: it keeps the permissions of the old file, and a new one can be run
/// by everybody.
pub fn replace_program(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let old = std::fs::metadata(path).ok().map(|found| found.permissions());
    #[cfg(unix)]
    let old = {
        use std::os::unix::fs::PermissionsExt as _;
        old.or_else(|| Some(std::fs::Permissions::from_mode(0o755)))
    };
    replace_with(path, bytes, Durability::Now, old)
}

/// As [`replace`], for a file of the user's: it keeps its permissions, and a new one has the usual ones.
pub fn replace_text(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let old = std::fs::metadata(path).ok().map(|found| found.permissions());
    replace_with(path, bytes, Durability::Now, old)
}

/// As [`replace`], durably, for a file that only its user reads.
pub fn replace_private(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    #[cfg(unix)]
    let permissions = {
        use std::os::unix::fs::PermissionsExt as _;
        Some(std::fs::Permissions::from_mode(0o600))
    };
    #[cfg(not(unix))]
    let permissions = None;
    replace_with(path, bytes, Durability::Now, permissions)
}

fn replace_with(
    path: &Path,
    bytes: &[u8],
    durability: Durability,
    permissions: Option<std::fs::Permissions>,
) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = match temporary(folder) {
        Err(error) if super::is_absence(&error) => {
            super::create_folder(folder)?;
            temporary(folder)
        }
        other => other,
    }
    .map_err(Error::during("write", path))?;
    file.write_all(bytes).map_err(Error::during("write", path))?;
    if let Some(permissions) = &permissions {
        file.as_file().set_permissions(permissions.clone()).map_err(Error::during("write", path))?;
    }
    if durability == Durability::Now {
        file.as_file().sync_all().map_err(Error::during("write", path))?;
    }
    persist(file, path).map_err(Error::during("write", path))?;
    if let Some(permissions) = permissions.filter(|_| cfg!(windows)) {
        // a temporary file loses them there when it gets its name
        std::fs::set_permissions(path, permissions).map_err(Error::during("write", path))?;
    }
    if durability == Durability::Now {
        sync_folder(folder)?;
    }
    Ok(())
}

fn persist(file: tempfile::NamedTempFile, path: &Path) -> std::io::Result<()> {
    let Err(tempfile::PersistError { error, file }) = file.persist(path) else { return Ok(()) };
    let Some(before) = super::make_writable(path, &error) else { return Err(error) };
    let persisted = file.persist(path).map(drop).map_err(|error| error.error);
    persisted.inspect_err(|_| drop(std::fs::set_permissions(path, before)))
}

/// Append `bytes` to a log in one write, so that lines of two programs do not mix. A log that already has `most` bytes
/// is renamed first: `.old` is added to its name.
pub fn append(path: &Path, bytes: &[u8], most: u64) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        super::create_folder(folder)?;
    }
    if std::fs::metadata(path).is_ok_and(|found| found.len() >= most) {
        let mut old = path.as_os_str().to_owned();
        old.push(".old");
        std::fs::rename(path, old).map_err(Error::during("rename", path))?;
    }
    let mut log = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .map_err(Error::during("open", path))?;
    log.write_all(bytes).map_err(Error::during("write", path))
}

/// Write `bytes` to the user's output path: a file, or the target of a symlink, is replaced; anything else, such as a
/// device or a pipe, is written to.
///
/// # Errors
/// [`Error`] with the path; an old file is then unchanged.
pub fn put(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => {
            let target = path.canonicalize().map_err(Error::during("find", path))?;
            replace(&target, bytes, Durability::Later)
        }
        Ok(_) => std::fs::OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|mut place| place.write_all(bytes))
            .map_err(Error::during("write", path)),
        Err(_) => replace(path, bytes, Durability::Later),
    }
}

/// Remove a temporary file or folder that a killed process left. The caller must know that no process still uses it.
///
/// # Errors
/// [`Error`] with the path; any other name is rejected.
pub fn remove_left_over(path: &Path) -> Result<(), Error> {
    let is_ours = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(TEMPORARY_PREFIX));
    if !is_ours {
        return Err(Error::during("remove", path)(std::io::ErrorKind::InvalidInput.into()));
    }
    let removed = match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => super::remove_folder(path),
        Ok(_) => super::remove_file(path).map(drop),
        Err(error) => Err(Error::during("remove", path)(error)),
    };
    match removed {
        Err(error) if super::is_absence(&error.source) => Ok(()),
        other => other,
    }
}

/// Call [`remove_left_over`] for each one directly in a folder. Those that cannot be removed are found again next time.
pub fn remove_left_overs_in(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY_PREFIX) {
            let _ = remove_left_over(&entry.path());
        }
    }
}

fn temporary(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    builder(TEMPORARY_PREFIX).tempfile_in(folder)
}

/// Makes temporary files with the permissions of ordinary new files: the umask applies.
pub(super) fn builder(prefix: &str) -> tempfile::Builder<'_, '_> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
}

/// Set the modification time of a file, which may be read-only, to now. Returns whether the file exists.
///
/// # Errors
/// [`Error`] with the path, if the file belongs to another user.
pub fn touch(path: &Path) -> Result<bool, Error> {
    let now = crate::clock::Clock::Wall.now();
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt as _;
        // read access is not enough there, and write access to a read-only file is denied
        const FILE_WRITE_ATTRIBUTES: u32 = 0x100;
        options.access_mode(FILE_WRITE_ATTRIBUTES);
    }
    match options.open(path).and_then(|file| file.set_modified(now.into())) {
        Ok(()) => Ok(true),
        Err(error) if super::is_absence(&error) => Ok(false),
        Err(error) => Err(Error::during("touch", path)(error)),
    }
}

/// Make the names in `folder` durable. Does nothing where folders cannot be synced (Windows).
pub fn sync_folder(folder: &Path) -> Result<(), Error> {
    #[cfg(unix)]
    {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        std::fs::File::open(folder)
            .and_then(|file| file.sync_all())
            .map_err(Error::during("write", folder))?;
    }
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Make the bytes of a written and closed file durable. Returns whether the file exists: an absent one is not an error.
/// Windows flushes only files open for writing, so read-only files and folders are skipped there.
pub fn sync_file(path: &Path) -> Result<bool, Error> {
    let is_there = match path.metadata() {
        Ok(metadata) if cfg!(windows) && (metadata.is_dir() || metadata.permissions().readonly()) => Ok(true),
        Ok(_) => {
            let file = std::fs::OpenOptions::new().read(true).write(cfg!(windows)).open(path);
            file.and_then(|file| file.sync_all()).map(|()| true)
        }
        Err(error) => Err(error),
    };
    match is_there {
        Err(error) if super::is_absence(&error) => Ok(false),
        other => other.map_err(Error::during("write", path)),
    }
}

/// Make all writes and removals below `root` durable: one call on Linux, one call per file in `touched` elsewhere.
pub fn sync_work_tree<'a>(root: &Path, touched: impl IntoIterator<Item = &'a Path>) -> Result<(), Error> {
    let mut touched = touched.into_iter().peekable();
    if touched.peek().is_none() {
        return Ok(());
    }
    #[cfg(target_os = "linux")]
    {
        let file = std::fs::File::open(root).map_err(Error::during("write", root))?;
        rustix::fs::syncfs(&file).map_err(|error| Error::during("write", root)(error.into()))
    }
    #[cfg(not(target_os = "linux"))]
    sync_each(root, touched)
}

/// How many new files justify a sync of their own during the writing. Measured with 24,000 files of 2 KB on ext4: one
/// sync after all of them took three times as long as writing them; one after each 3,000 is hidden by the writing.
#[cfg(target_os = "linux")]
const SYNC_BEHIND: u64 = 3_000;

/// Run `work`, which counts the files it writes below `root`, and sync them meanwhile, so that little is left for
/// [`sync_work_tree`]. Where the system has no such call (outside Linux), this just runs `work`.
pub fn sync_behind<T>(root: &Path, written: &AtomicU64, work: impl FnOnce() -> T) -> T {
    #[cfg(target_os = "linux")]
    if let Ok(root) = std::fs::File::open(root) {
        let sync = |over: &AtomicBool| {
            let mut synced = 0;
            while !over.load(Ordering::Acquire) {
                let now = written.load(Ordering::Relaxed);
                if now - synced >= SYNC_BEHIND {
                    synced = now;
                    // a failed write is reported by the sync at the end, too
                    let _ = rustix::fs::syncfs(&root);
                } else {
                    std::thread::park_timeout(std::time::Duration::from_millis(2));
                }
            }
        };
        return crate::parallel::beside(sync, work);
    }
    let _ = (root, written);
    work()
}

#[cfg(any(test, not(target_os = "linux")))]
fn sync_each<'a>(root: &Path, touched: impl IntoIterator<Item = &'a Path>) -> Result<(), Error> {
    let mut folders = std::collections::BTreeSet::new();
    for path in touched {
        let path = root.join(path);
        sync_file(&path)?;
        // the parent folder of a removed file may be gone, too
        let above = path.ancestors().skip(1).find(|folder| folder.is_dir());
        folders.extend(above.map(Path::to_path_buf));
    }
    folders.iter().try_for_each(|folder| sync_folder(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/c.md");
        replace(&path, b"one", Durability::Now).unwrap();
        replace(&path, b"two", Durability::Later).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_program_keeps_its_permissions_and_a_new_one_can_be_run() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/run");
        let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
        replace_program(&path, b"one").unwrap();
        assert_eq!(mode(), 0o755);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o510)).unwrap();
        replace_program(&path, b"two").unwrap();
        assert_eq!((mode(), std::fs::read(&path).unwrap()), (0o510, b"two".to_vec()));
    }

    #[test]
    fn files_that_are_gone_and_folders_are_no_hindrance_to_making_the_rest_durable() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        replace(&root.join("a/b.md"), b"b", Durability::Later).unwrap();
        assert!(sync_file(&root.join("a/b.md")).unwrap());
        assert!(sync_file(root).unwrap());
        for gone in ["a/gone.md", "gone/gone.md", "a/b.md/gone.md"] {
            assert!(!sync_file(&root.join(gone)).unwrap(), "{gone}");
        }
        sync_each(root, ["a/b.md", "a/gone.md", "gone/gone.md", "a", ""].map(Path::new)).unwrap();
        sync_work_tree(root, [Path::new("gone.md")]).unwrap();
    }

    #[test]
    fn a_panic_of_the_work_ends_what_syncs_behind_it() {
        let (sender, ended) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let folder = tempfile::tempdir().unwrap();
            let panic = || std::panic::resume_unwind(Box::new("on purpose"));
            let work = || sync_behind::<()>(folder.path(), &AtomicU64::new(0), panic);
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            sender.send(result.is_err()).unwrap();
        });
        assert_eq!(ended.recv_timeout(std::time::Duration::from_secs(20)), Ok(true));
    }

    #[test]
    fn a_read_only_file_is_touched_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        replace(&path, b"a", Durability::Later).unwrap();
        let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        file.set_modified(old).unwrap();
        let mut permissions = file.metadata().unwrap().permissions();
        permissions.set_readonly(true);
        file.set_permissions(permissions).unwrap();
        drop(file);
        assert!(touch(&path).unwrap());
        assert!(path.metadata().unwrap().modified().unwrap() > old);
        assert!(!touch(&folder.path().join("b")).unwrap());
    }

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::create_dir(&path).unwrap();
        assert!(replace(&path, b"one", Durability::Now).is_err());
        assert!(path.is_dir());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_is_replaced_and_a_link_to_it_stays_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.html");
        put(&file, b"long before").unwrap();
        put(&file, b"after").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"after");
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink("a.html", &link).unwrap();
            put(&link, b"through").unwrap();
            assert!(link.symlink_metadata().unwrap().is_symlink());
            assert_eq!(std::fs::read(&file).unwrap(), b"through");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_device_is_written_to_and_not_replaced() {
        use std::os::unix::fs::FileTypeExt as _;
        put(Path::new("/dev/null"), b"gone").unwrap();
        assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }

    #[test]
    fn a_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(put(folder.path(), b"x").is_err());
    }
}
