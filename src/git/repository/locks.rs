//! Takes git's locks (`config.lock`, `refs/heads/main.lock`, …) so that those of a killed brv can be recognized: a
//! notice lists the locks before they are taken, and the next process removes the locks of a dead one.
//!
//! A notice is alive while its process holds the operating system's lock on it. The index's lock, which is held for
//! long, has a better note in [`crate::index`]. Knows nothing of what the locks are for.

use crate::error::{ActionText, During, Error, ErrorClass, HeldLock};
use brv_base::fs::{self, FileStat};
use bstr::{BStr, BString, ByteSlice as _};
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The prefix of notices. A notice being written has another name, so that none is read incomplete.
const PREFIX: &str = "locks-";
const UNFINISHED: &str = "new-locks-";

/// How many seconds after its notice a lock of the same process is taken, or written to, at most. A lock of another
/// time belongs to another process. Coarse file times are allowed for.
const AFTER: i64 = 60;
const BEFORE: i64 = 2;

/// How many nanoseconds older than the check a lock must be, so that it cannot have been taken since.
const SETTLED: i128 = 20_000_000;

/// The interval at which an awaited lock is checked.
const STEP: Duration = Duration::from_millis(5);

/// The notice of the locks that this process is about to take; removed on drop, which must come after the locks.
pub(crate) struct Notice {
    path: PathBuf,
    _file: File,
    taken: Vec<(PathBuf, FileStat)>,
}

impl Notice {
    /// The lock of this file is ours now, and is no longer written to.
    pub(crate) fn note_taken(&mut self, file: &Path) {
        let lock = with_lock(file);
        if let Ok(Some(stat)) = fs::stat(&lock) {
            self.taken.push((lock, stat));
        }
    }
}

impl Drop for Notice {
    fn drop(&mut self) {
        let is_ours = |(lock, taken): &(PathBuf, FileStat)| {
            fs::stat(lock).is_ok_and(|now| now.is_some_and(|now| is_same(&now, taken)))
        };
        // tries again to remove a lock that could not be removed; if it stays, so does the notice, for the next command
        let is_left =
            self.taken.iter().filter(|one| is_ours(one)).any(|(lock, _)| fs::remove_file(lock).is_err());
        if !is_left {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Whether a file is the one seen before, and was not written to since.
pub(crate) fn is_same(now: &FileStat, then: &FileStat) -> bool {
    (now.device, now.inode, now.size) == (then.device, then.inode, then.size)
        && (now.modified, now.changed) == (then.modified, then.changed)
}

/// Announces the locks of these files, all in the repository. First removes those that a dead process left.
pub(crate) fn announce<'a>(
    common_dir: &Path,
    files: impl IntoIterator<Item = &'a Path>,
) -> Result<Notice, Error> {
    let act = "announce locks";
    let folder = common_dir.join("brv");
    drop_those_of_the_dead(common_dir);
    let mut text = BString::default();
    for file in files {
        let Ok(relative) = file.strip_prefix(common_dir) else { continue };
        let Ok(relative) = gix::path::into_bstr(relative) else { continue };
        text.extend_from_slice(relative.as_ref());
        text.push(b'\n');
    }
    let new = || tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&folder);
    let mut file = match new() {
        Err(error) if fs::is_absence(&error) => {
            fs::create_folder(&folder).during(act)?;
            new()
        }
        other => other,
    }
    .during(act)?;
    file.as_file().try_lock().during(act)?;
    file.write_all(&text).during(act)?;
    let name = file.path().file_name().unwrap_or_default().to_string_lossy().replacen(UNFINISHED, PREFIX, 1);
    let path = folder.join(name);
    let file = file.persist(&path).during(act)?;
    Ok(Notice { path, _file: file, taken: Vec::new() })
}

/// Takes the lock of a file in the repository, to replace it. The notice must outlive the lock.
pub(crate) fn take(
    common_dir: &Path,
    path: &Path,
    patience: Duration,
    act: &'static str,
) -> Result<(Notice, gix::lock::File), Error> {
    // a process killed while waiting leaves no lock
    wait_until_free(common_dir, path, patience, act)?;
    let mut notice = announce(common_dir, [path])?;
    let lock = acquire(common_dir, path, patience, act)?;
    notice.note_taken(path);
    Ok((notice, lock))
}

/// As [`take`], for a lock that is announced already.
pub(crate) fn acquire(
    common_dir: &Path,
    path: &Path,
    patience: Duration,
    act: &'static str,
) -> Result<gix::lock::File, Error> {
    let once = gix::lock::acquire::Fail::Immediately;
    let is_held = |error: &Error| error.class() == ErrorClass::Transient;
    let mut taken = None;
    wait(common_dir, patience, || {
        let tried = gix::lock::File::acquire_to_update_resource(path, once, None, 0).during(act);
        !taken.insert(tried).as_ref().is_err_and(is_held)
    });
    taken.expect("it is tried once at least").map_err(|error| match is_held(&error) {
        true => Error::new(act, HeldLock(with_lock(path))),
        false => error,
    })
}

/// Waits until no other process holds the lock of the file. Fails before the work begins, which could not be finished
/// otherwise.
pub(crate) fn wait_until_free(
    common_dir: &Path,
    file: &Path,
    patience: Duration,
    act: impl ActionText,
) -> Result<(), Error> {
    let lock = with_lock(file);
    match wait(common_dir, patience, || !lock.exists()) {
        true => Ok(()),
        false => Err(Error::new(act.words(), HeldLock(lock))),
    }
}

/// Tries again and again, removing the locks of dead processes in between, some of which are too young at first.
/// Returns whether it succeeded.
fn wait(common_dir: &Path, patience: Duration, mut is_done: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + patience;
    while !is_done() {
        drop_those_of_the_dead(common_dir);
        if Instant::now() >= end {
            return is_done();
        }
        std::thread::sleep(STEP);
    }
    true
}

/// Replaces a file with the content of its lock, durably. The lock is gone with the rename, before a sync of the folder
/// could make it outlive its notice.
pub(crate) fn replace(mut lock: gix::lock::File, path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let act = || format!("write `{}`", path.display());
    // as in git: settings may hold a password, and be unreadable for others
    let permissions = path.metadata().ok().map(|known| known.permissions());
    lock.with_mut(|file| {
        permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))?;
        file.write_all(bytes)?;
        file.sync_all()
    })
    .during(act())?;
    lock.commit().during(act())?;
    fs::sync_folder(path.parent().unwrap_or(Path::new("."))).during(act())
}

/// Removes the locks of processes that died. A lock that cannot be removed is reported by the command that needs it.
pub(crate) fn drop_those_of_the_dead(common_dir: &Path) {
    let Ok(entries) = std::fs::read_dir(common_dir.join("brv")) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(PREFIX) || name.starts_with(UNFINISHED) {
            let _ = drop_those_of(common_dir, &entry.path(), name.starts_with(UNFINISHED));
        }
    }
}

fn drop_those_of(common_dir: &Path, notice: &Path, is_unfinished: bool) -> Result<(), fs::Error> {
    let read = fs::Error::during("read", notice);
    let file = match File::open(notice) {
        Ok(file) => file,
        Err(error) => return Err(read(error)),
    };
    let Some(written) = fs::stat(notice)? else { return Ok(()) };
    if is_unfinished && brv_base::clock::Clock::Wall.now().timestamp() - written.modified.0 <= AFTER {
        // its process may not have locked it yet; it has taken no lock so far
        return Ok(());
    }
    if file.try_lock().is_err() {
        return Ok(());
    }
    let now = brv_base::clock::Clock::Wall.now();
    let now = i128::from(now.timestamp()) * 1_000_000_000 + i128::from(now.timestamp_subsec_nanos());
    let mut is_done = true;
    if !is_unfinished {
        let text = fs::read(notice)?;
        for lock in named(common_dir, &text) {
            let Some(stat) = fs::stat(&lock)?.filter(|stat| is_of_the_time(&written, stat)) else { continue };
            let modified = i128::from(stat.modified.0) * 1_000_000_000 + i128::from(stat.modified.1);
            if modified + SETTLED < now {
                fs::remove_file(&lock)?;
            } else {
                // it may be the lock of a process that came after the dead one and before us
                is_done = false;
            }
        }
    }
    if is_done { fs::remove_file(notice).map(drop) } else { Ok(()) }
}

fn is_of_the_time(written: &FileStat, lock: &FileStat) -> bool {
    (-BEFORE..=AFTER).contains(&(lock.modified.0 - written.modified.0))
}

/// The locks listed in a notice. A notice that lost its content in a power failure lists all.
fn named(common_dir: &Path, text: &[u8]) -> Vec<PathBuf> {
    if has_lost_its_words(text) {
        return all(common_dir);
    }
    let lines = text.lines().filter_map(|line| gix::path::from_bstr(line.as_bstr()).ok());
    let inside = |path: &Path| path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    lines.filter(|path| inside(path)).map(|path| with_lock(&common_dir.join(path))).collect()
}

/// Whether a note is empty or zero: its content never reached the disk before a power failure.
pub(crate) fn has_lost_its_words(note: &[u8]) -> bool {
    note.iter().all(|byte| *byte == 0)
}

/// The lock of this file, if another process holds it.
pub(crate) fn held(file: &Path) -> Option<HeldLock> {
    Some(with_lock(file)).filter(|lock| lock.exists()).map(HeldLock)
}

fn with_lock(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

/// The path of a ref's lock (full name).
pub(crate) fn of_ref(repo: &gix::Repository, name: &BStr) -> Option<PathBuf> {
    let relative = gix::path::from_bstr(name).ok()?;
    let base = if name == "HEAD" { repo.git_dir() } else { repo.common_dir() };
    Some(with_lock(&base.join(relative)))
}

/// Every existing lock of a ref or a setting.
fn all(common_dir: &Path) -> Vec<PathBuf> {
    let linked = std::fs::read_dir(common_dir.join("worktrees")).into_iter().flatten().flatten();
    let work_trees = linked.map(|entry| entry.path()).chain([common_dir.to_owned()]);
    let mut found: Vec<PathBuf> = work_trees
        .flat_map(|git_dir| ["HEAD", "ORIG_HEAD"].map(|name| with_lock(&git_dir.join(name))))
        .chain(["config", "packed-refs", "shallow"].map(|name| with_lock(&common_dir.join(name))))
        .collect();
    let mut folders = vec![common_dir.join("refs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "lock") {
                found.push(path);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        fs::replace(&path, b"x", fs::Durability::Later).unwrap();
        path
    }

    #[test]
    fn locks_of_the_dead_go_and_those_of_the_living_and_of_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let (main, side) = (root.join("refs/heads/main"), root.join("refs/heads/side"));
        let notice = announce(root, [main.as_path()]).unwrap();
        let (ours, theirs) = (lock(root, "refs/heads/main.lock"), lock(root, "refs/heads/other.lock"));
        let second = announce(root, [side.as_path()]).unwrap();
        assert!(ours.exists(), "its process lives");
        // as a killed process leaves it: the file without the operating system's lock
        let words = fs::read(&notice.path).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        let path = notice.path.clone();
        drop(notice);
        fs::replace(&path, &words, fs::Durability::Later).unwrap();
        drop(announce(root, [side.as_path()]).unwrap());
        assert!(!ours.exists() && theirs.exists() && second.path.exists() && !path.exists());
    }

    #[test]
    fn a_notice_without_words_speaks_of_all_locks_of_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        lock(root, "brv/locks-x");
        fs::replace(&root.join("brv/locks-x"), b"\0\0\0", fs::Durability::Later).unwrap();
        let new = ["refs/heads/a/b.lock", "ORIG_HEAD.lock", "worktrees/side/HEAD.lock"];
        let new = new.map(|name| lock(root, name));
        let old = lock(root, "config.lock");
        std::thread::sleep(std::time::Duration::from_millis(50));
        let hour = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(3600);
        File::options().write(true).open(&old).unwrap().set_modified(hour).unwrap();
        drop(announce(root, []).unwrap());
        assert!(new.iter().all(|lock| !lock.exists()) && old.exists());
    }

    #[test]
    fn a_notice_names_nothing_outside_of_its_repository() {
        let names = named(Path::new("/repo"), b"../../etc/x\n/etc/y\nrefs/heads/a\n");
        assert_eq!(names, [PathBuf::from("/repo/refs/heads/a.lock")]);
    }
}
