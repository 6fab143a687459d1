//! Detects a running `git gc`, announces our own in `gc.pid`, and decides whether a garbage collection is due.

use super::Error;
use crate::Scope;
use crate::error::During;
use brv_base::environment::Environment;
use brv_base::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A `gc.pid` older than this is from a process that died, as git assumes too.
const NOTE_AGE: i64 = 12 * 60 * 60;

/// How long git may hold its locks: `gc.pid.lock` for a moment, `maintenance.lock` as long as git takes to see, with
/// every commit, that nothing is due.
const PATIENCE: Duration = Duration::from_secs(2);

/// From this number of loose objects on, lookups get slow.
const LOOSE: usize = 5000;

/// Objects are spread evenly over 256 folders, so one folder is enough for an estimate, as in git.
const FOLDERS: usize = 256;

/// Whether there are enough loose objects for a garbage collection. Lists one folder only.
pub fn is_due(scope: &Scope) -> bool {
    if !scope.prefix().is_empty() {
        // the objects belong to the repository around the tree, whose user collects garbage there
        return false;
    }
    let folder = scope.repo.objects.store_ref().path().join("17");
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    let objects = entries.flatten().filter(|entry| entry.file_name().len() == 38);
    objects.take(LOOSE / FOLDERS + 1).count() * FOLDERS >= LOOSE
}

/// `gc.pid`, which names our process while it runs, so that `git gc` refuses to run.
pub(super) struct GcPidFile {
    path: PathBuf,
    text: String,
}

impl Drop for GcPidFile {
    fn drop(&mut self) {
        // a file that cannot be removed names a process that no longer exists
        if fs::read_if_there(&self.path).is_ok_and(|text| text.as_deref() == Some(self.text.as_bytes())) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// git reads two words; this third one shows that brv's guard protects the file.
const OURS: &str = "brv";

/// [`refuse`], or write `gc.pid`. It takes no lock, which a killed process would leave behind: the file appears
/// complete, and only if there is none.
pub(super) fn hold(scope: &Scope, now: i64) -> Result<GcPidFile, Error> {
    let act = "write `gc.pid`";
    let path = scope.common_dir().join("gc.pid");
    wait_for(path.with_extension("pid.lock"))?;
    refuse(scope, now)?;
    let text = format!("{} {} {OURS}", std::process::id(), host(scope.environment()));
    let draft = scope.git_dir().join("brv").join("gc.pid");
    fs::replace(&draft, text.as_bytes(), fs::Durability::Later).during(act)?;
    // a file that still exists names a process that no longer exists
    fs::remove_file(&path).during(act)?;
    let linked = std::fs::hard_link(&draft, &path);
    fs::remove_file(&draft).during(act)?;
    match linked {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => return Err(Error::Locked(path)),
        // a file system without hard links
        Err(_) => fs::replace(&path, text.as_bytes(), fs::Durability::Later).during(act)?,
        Ok(()) => {}
    }
    Ok(GcPidFile { path, text })
}

/// Waits until git releases a lock.
fn wait_for(lock: PathBuf) -> Result<(), Error> {
    let since = Instant::now();
    while fs::stat(&lock).during("check for a running `git gc`")?.is_some() {
        if since.elapsed() >= PATIENCE {
            return Err(Error::Locked(lock));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// Refuses while the process in `gc.pid` is alive or on another machine, and while `git maintenance` is running.
pub(super) fn refuse(scope: &Scope, now: i64) -> Result<(), Error> {
    let act = "check for a running `git gc`";
    wait_for(scope.repo.objects.store_ref().path().join("maintenance.lock"))?;
    let path = scope.common_dir().join("gc.pid");
    let (Some(stat), Some(note)) = (fs::stat(&path).during(act)?, fs::read_if_there(&path).during(act)?)
    else {
        return Ok(());
    };
    let note = String::from_utf8_lossy(&note);
    let mut words = note.split_whitespace();
    let process = words.next().and_then(|word| word.parse::<u32>().ok());
    let (Some(process), Some(its_host)) = (process, words.next()) else { return Ok(()) };
    let is_ours = words.next() == Some(OURS);
    let runs = its_host != host(scope.environment()) || is_alive(process, is_ours);
    if stat.modified.0 > now - NOTE_AGE && runs { Err(Error::Running(process)) } else { Ok(()) }
}

#[cfg(unix)]
fn host(_environment: &Environment) -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    if name.is_empty() { UNNAMED.into() } else { name }
}

#[cfg(not(unix))]
fn host(environment: &Environment) -> String {
    environment.get("COMPUTERNAME").unwrap_or(UNNAMED).into()
}

const UNNAMED: &str = "unknown";

#[cfg(unix)]
fn is_alive(process: u32, _is_ours: bool) -> bool {
    brv_base::process::is_alive(process)
}

#[cfg(not(unix))]
fn is_alive(_process: u32, is_ours: bool) -> bool {
    // we hold the guard now, so whoever wrote it is dead
    !is_ours
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gc::{Expiry, GcMode, Options, collect};
    use crate::init;
    use crate::objects::store::write_blobs;
    use brv_base::progress::{Progress, Silent, Stage};
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;

    fn scope() -> (tempfile::TempDir, Scope, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let scope = init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        let note = scope.common_dir().join("gc.pid");
        (folder, scope, note)
    }

    fn now() -> i64 {
        brv_base::clock::Clock::Wall.seconds()
    }

    fn write(path: &std::path::Path, text: &str) {
        fs::replace(path, text.as_bytes(), fs::Durability::Later).unwrap();
    }

    #[test]
    fn the_note_names_us_until_it_is_dropped_and_whoever_lives_is_not_disturbed() {
        let (_folder, scope, note) = scope();
        let held = hold(&scope, now()).unwrap();
        let text = std::fs::read_to_string(&note).unwrap();
        assert!(text.starts_with(&format!("{} {}", std::process::id(), host(scope.environment()))), "{text}");
        #[cfg(unix)]
        assert!(matches!(hold(&scope, now()), Err(Error::Running(process)) if process == std::process::id()));
        drop(held);
        assert!(!note.exists());
        // a process that is gone, one on another machine, and one that must be gone, too
        write(&note, &format!("4194303 {} brv", host(scope.environment())));
        drop(hold(&scope, now()).unwrap());
        write(&note, "4194303 another.example.com");
        assert!(matches!(hold(&scope, now()), Err(Error::Running(4_194_303))));
        drop(hold(&scope, now() + NOTE_AGE + 60).unwrap());
        // somebody else's note is not ours to remove
        let held = hold(&scope, now()).unwrap();
        write(&note, "4194303 another.example.com");
        drop(held);
        assert!(note.exists());
    }

    /// Keeps the content of `gc.pid` while packs are written.
    struct PidFileReader(PathBuf, Mutex<Option<String>>);

    impl Progress for PidFileReader {
        fn update(&self, _stage: Stage, _done: u64, _total: Option<u64>) {
            *self.1.lock().unwrap() = std::fs::read_to_string(&self.0).ok();
        }
        fn remote_message(&self, _line: &str) {}
    }

    #[test]
    fn the_note_stands_while_objects_are_packed_and_no_longer() {
        let (folder, scope, note) = scope();
        let guard = fs::WriteGuard::acquire(&folder.path().join("guard"), Duration::ZERO).unwrap();
        write_blobs(&scope, &[b"one".to_vec(), b"two".to_vec()]).unwrap();
        let mut options =
            Options { expiry: Expiry::Never, extent: GcMode::CountOnly, now: now(), mentions: None };
        let reader = PidFileReader(note.clone(), Mutex::default());
        collect(&scope, &guard, &options, &Silent, &AtomicBool::new(false)).unwrap();
        options.extent = GcMode::Everything;
        let interrupted = collect(&scope, &guard, &options, &reader, &AtomicBool::new(true));
        assert!(matches!(interrupted, Err(Error::Interrupted)) && !note.exists());
        let done = collect(&scope, &guard, &options, &reader, &AtomicBool::new(false)).unwrap();
        assert_eq!(done.loose_removed, 2);
        let said = reader.1.into_inner().unwrap().unwrap();
        assert!(said.starts_with(&format!("{} ", std::process::id())), "{said}");
        assert!(!note.exists());
    }

    #[test]
    fn locks_of_git_are_named() {
        let (_folder, scope, note) = scope();
        for lock in
            [scope.repo.objects.store_ref().path().join("maintenance.lock"), note.with_extension("pid.lock")]
        {
            write(&lock, "");
            let error = hold(&scope, now()).map(|_| ()).unwrap_err();
            assert!(matches!(&error, Error::Locked(path) if *path == lock), "{error:?}");
            std::fs::remove_file(&lock).unwrap();
            assert!(!note.exists());
        }
    }
}
