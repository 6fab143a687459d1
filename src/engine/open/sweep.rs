//! Remove what other versions of brv keep in a cache, once they have not touched it for a while. The names have the number of the
//! format, so that several versions can work on one tree, each with its own.

use brv_base::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// So long nothing is removed.
const UNTOUCHED: Duration = Duration::from_secs(14 * 24 * 3600);

/// Remove the files and folders of `folder` of which `is_other` says by the name that another version keeps the same in them, and
/// which nobody changed for 14 days. What cannot be removed stays.
pub fn sweep(folder: &Path, is_other: impl Fn(&str) -> bool) {
    for name in fs::names(folder).unwrap_or_default().iter().filter(|name| is_other(name)) {
        let path = folder.join(name);
        let Ok(found) = std::fs::symlink_metadata(&path) else { continue };
        if found.modified().is_ok_and(is_old) {
            // neither call follows a symlink
            let _ = if found.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
        }
    }
}

/// Whether a name is one of `words`, alone as early versions had it or before a number, and does not begin as one of `ours`.
pub fn is_other(name: &str, words: &[&str], ours: &[&str]) -> bool {
    let is_named =
        |word: &&str| name.strip_prefix(*word).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    words.iter().any(|word| is_named(word)) && !ours.iter().any(|own| name.starts_with(own))
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
        let names = ["ledger", "ledger-3.1", "ledger-3.2", "ledger-9.2", "ledgers", "notes", "shards-1.1-0"];
        for name in names {
            let file = root.path().join(name);
            fs::replace(&file, b"x", Durability::Later).unwrap();
            if name != "ledger-9.2" {
                let open = std::fs::OpenOptions::new().write(true).open(&file).unwrap();
                open.set_modified(SystemTime::UNIX_EPOCH).unwrap();
            }
        }
        sweep(root.path(), |name| is_other(name, &["ledger", "shards"], &["ledger-3.2", "shards-2."]));
        let left = fs::names(root.path()).unwrap();
        let mut left: Vec<&str> = left.iter().map(String::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["ledger-3.2", "ledger-9.2", "ledgers", "notes"]);
    }
}
