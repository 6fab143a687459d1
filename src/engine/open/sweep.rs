//! Remove old cache files of other versions of brv. Their names carry the number of the format, so that several versions can
//! work on one tree, each with its own caches.

use brv_base::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How long a file stays after the last write to it.
const UNTOUCHED: Duration = Duration::from_secs(14 * 24 * 3600);

/// What is removed of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OldCaches {
    Files,
    Folders,
}

/// Remove the files or folders in `folder` whose names belong to another version, as `is_other` tells, and that nobody has
/// written to for 14 days. Locks stay, and so does what cannot be removed. A folder behind a symlink is left alone: it belongs
/// to someone else.
pub fn sweep(folder: &Path, what: OldCaches, is_other: impl Fn(&str) -> bool) {
    if !folder.ancestors().take(DEEPEST).all(is_real_folder) {
        return;
    }
    let names = fs::names(folder).unwrap_or_default();
    for name in names.iter().filter(|name| is_other(name) && !name.ends_with(".lock")) {
        let path = folder.join(name);
        let Ok(found) = std::fs::symlink_metadata(&path) else { continue };
        let _ = match what {
            _ if !found.modified().is_ok_and(is_old) => Ok(()),
            OldCaches::Files if found.is_file() => std::fs::remove_file(&path),
            OldCaches::Folders if found.is_dir() => std::fs::remove_dir_all(&path),
            _ => Ok(()),
        };
    }
}

/// How many folders must be real ones: the folder of a cache, the cache, and `.brv`.
const DEEPEST: usize = 3;

fn is_real_folder(folder: &Path) -> bool {
    std::fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir())
}

/// Whether a name is one of `words`, either alone, as in early versions, or followed by a number, and is not one of `ours`.
pub fn is_other(name: &str, words: &[&str], ours: &[&str]) -> bool {
    let is_named =
        |word: &&str| name.strip_prefix(*word).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    words.iter().any(is_named) && !ours.iter().any(|own| begins(name, own))
}

/// Whether a name is `own`, or `own` followed by `-` or `.`.
fn begins(name: &str, own: &str) -> bool {
    name.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']))
}

#[expect(clippy::disallowed_methods, reason = "the times of files are those of the wall clock")]
fn is_old(modified: SystemTime) -> bool {
    SystemTime::now().duration_since(modified).is_ok_and(|age| age > UNTOUCHED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_base::fs::Durability;

    #[test]
    fn what_another_version_left_is_removed_after_two_weeks_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let names = [
            "ledger",
            "ledger-3.1",
            "ledger-3.2",
            "ledger-3.20",
            "ledger-9.2",
            "ledgers",
            "notes",
            "shards-1.1-0",
            "shards-1.1.lock",
            "shards-2.2-0",
        ];
        for name in names {
            let file = root.path().join(name);
            fs::replace(&file, b"x", Durability::Later).unwrap();
            if name != "ledger-9.2" {
                let open = std::fs::OpenOptions::new().write(true).open(&file).unwrap();
                open.set_modified(SystemTime::UNIX_EPOCH).unwrap();
            }
        }
        let is_other = |name: &str| is_other(name, &["ledger", "shards"], &["ledger-3.2", "shards-2.2"]);
        let behind = root.path().join("link");
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.path(), &behind).unwrap();
        sweep(&behind, OldCaches::Files, is_other);
        assert!(root.path().join("ledger-3.1").exists(), "behind a symlink");
        let _ = std::fs::remove_file(behind);
        sweep(root.path(), OldCaches::Folders, is_other);
        sweep(root.path(), OldCaches::Files, is_other);
        let left = fs::names(root.path()).unwrap();
        let mut left: Vec<&str> = left.iter().map(String::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["ledger-3.2", "ledger-9.2", "ledgers", "notes", "shards-1.1.lock", "shards-2.2-0"]);
    }
}
