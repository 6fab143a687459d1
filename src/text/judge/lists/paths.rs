//! What a file is, from its path in lower or upper case.

use super::super::scanner::Scanner;
use super::{anchored, is_whole};
use std::sync::OnceLock;

/// Whether a file only goes along with others: change logs, lock files, manifests, readmes, `.github/`, snapshots.
pub fn is_side(path: &str) -> bool {
    static NAMES: OnceLock<Scanner> = OnceLock::new();
    let names = NAMES.get_or_init(|| anchored(include_str!("side_files.txt")));
    let (folders, name) = split(path);
    is_whole(names, name) || folders.split('/').any(|folder| folder.eq_ignore_ascii_case(".github"))
}

/// Whether a file is one of tests, by a folder or a part of its name.
pub fn is_tests(path: &str) -> bool {
    static FOLDERS: OnceLock<Scanner> = OnceLock::new();
    const IN_NAMES: [&str; 4] = ["_test", "test_", ".test", ".spec"];
    let folders = FOLDERS.get_or_init(|| anchored(include_str!("test_folders.txt")));
    let name = split(path).1.to_ascii_lowercase();
    path.split('/').any(|part| is_whole(folders, part)) || IN_NAMES.iter().any(|part| name.contains(part))
}

/// Whether a file is prose, by a folder or its ending.
pub fn is_prose(path: &str) -> bool {
    static FOLDERS: OnceLock<Scanner> = OnceLock::new();
    const ENDINGS: [&str; 4] = [".md", ".rst", ".adoc", ".txt"];
    let folders = FOLDERS.get_or_init(|| anchored(include_str!("prose_folders.txt")));
    let name = split(path).1.to_ascii_lowercase();
    path.split('/').any(|part| is_whole(folders, part)) || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// The folders of a path, and its name.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_what_their_paths_tell() {
        for path in
            ["CHANGELOG.md", "a/Cargo.lock", "x/yarn.lock", ".github/a/b.yml", "README", "a/b.snap", "go.sum"]
        {
            assert!(is_side(path), "{path}");
        }
        for path in
            ["src/a.rs", "my-changelog.md", "cargo.rs", "a.github/x", "readme/a.rs", ".github", "lock"]
        {
            assert!(!is_side(path), "{path}");
        }
        for path in ["tests/a.rs", "a/Test/b", "x_test.go", "a/test_x.py", "a.spec.ts", "example", "bench/x"]
        {
            assert!(is_tests(path), "{path}");
        }
        for path in ["src/testable.rs", "contest/a", "a.test/b", "latest.rs"] {
            assert!(!is_tests(path), "{path}");
        }
        for path in ["docs/a.rs", "a/b.MD", "man/x", "notes.txt"] {
            assert!(is_prose(path), "{path}");
        }
        assert!(!is_prose("a/document.rs") && !is_prose("md") && !is_prose("a.md/b.rs"));
    }
}
