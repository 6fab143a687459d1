//! Make room for the cache: remove symlinks and folders that block the paths of its files, so that they stop no
//! command.
//!
//! Only names that brv itself writes below `.brv/cache` are checked, and symlinks are not followed: a symlink is
//! removed, its target stays. A file or symlink at the path of the cache folder itself is not brv's to remove, and is
//! moved aside.

use brv_base::fs::{self, Busy, WriteGuard};
use std::fs::FileType;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often to retry while another process removes the cache.
const ATTEMPTS: usize = 5;

/// Take the lock for writing derived files, and make room for the lock and the files.
pub(super) fn lock(cache: &Path, patience: Duration) -> Result<WriteGuard, Busy> {
    let lock = cache.join("derive.lock");
    for _ in 1..ATTEMPTS {
        make(cache);
        match WriteGuard::acquire(&lock, patience) {
            Err(Busy::File(_)) => {}
            other => return other,
        }
    }
    WriteGuard::acquire(&lock, patience)
}

/// Run a step that writes into the cache, and retry it if the cache is removed meanwhile.
///
/// # Errors
/// The errors of the step.
pub(super) fn with<T>(cache: &Path, step: impl Fn() -> Result<T, fs::Error>) -> Result<T, fs::Error> {
    for _ in 1..ATTEMPTS {
        if let Ok(done) = step() {
            return Ok(done);
        }
        make(cache);
    }
    step()
}

/// Remove whatever blocks the paths of the cache. What cannot be removed causes an error when it is written to.
fn make(cache: &Path) {
    if std::fs::symlink_metadata(cache).is_ok() && !cache.is_dir() {
        let _ = std::fs::rename(cache, beside(cache));
    }
    // a folder behind a symlink belongs to someone else
    if !is_folder(cache) {
        return;
    }
    let derived = cache.join("derived");
    if std::fs::symlink_metadata(&derived).is_ok_and(|found| !found.is_dir()) {
        let _ = fs::remove_file(&derived);
    }
    clear(cache, &|name| matches!(name, "derive.lock" | "disputed"));
    let is_ours = |name: &str| {
        name == "unfinished" || ["ledger-", "folders-", "shards-"].iter().any(|begin| name.starts_with(begin))
    };
    clear(&derived, &is_ours);
}

/// Remove items with such a name that are not regular files.
fn clear(folder: &Path, is_ours: &dyn Fn(&str) -> bool) {
    let Ok(found) = std::fs::read_dir(folder) else { return };
    for entry in found.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_ours)) {
        let path = entry.path();
        // neither call follows a symlink
        let _ = match entry.file_type() {
            Ok(kind) if kind.is_dir() => std::fs::remove_dir_all(&path),
            Ok(kind) if !kind.is_file() => std::fs::remove_file(&path),
            _ => Ok(()),
        };
    }
}

fn is_folder(path: &Path) -> bool {
    std::fs::symlink_metadata(path).map(|found| found.file_type()).as_ref().is_ok_and(FileType::is_dir)
}

fn beside(cache: &Path) -> PathBuf {
    let name = |number: usize| cache.with_extension(format!("aside-{number}"));
    let is_free = |path: &PathBuf| std::fs::symlink_metadata(path).is_err();
    (1..).map(name).find(is_free).expect("there are more numbers than files")
}
