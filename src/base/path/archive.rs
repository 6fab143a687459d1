//! The paths of archived entries: `a/b.md` has its stub at `_archived/a/b.stub.md` and its full copy at
//! `_archived/a/b.full.md`.

use super::{Derived, PathKind, TreePath};

pub const ARCHIVE: &str = "_archived";

const STUB: &str = ".stub.md";
const FULL: &str = ".full.md";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivePaths {
    pub stub: TreePath,
    pub full: TreePath,
}

impl ArchivePaths {
    /// The files of the entry that was at `original`; `None` if their paths are not portable.
    pub fn of(original: &str) -> Option<Self> {
        let stem = original.strip_suffix(".md")?;
        let at = |ending: &str| TreePath::parse(format!("{ARCHIVE}/{stem}{ending}").as_bytes()).ok();
        Some(Self { stub: at(STUB)?, full: at(FULL)? })
    }
}

/// The path that the entry of a stub or a full copy had; `None` for any other path.
pub fn archived_original(path: &str) -> Option<String> {
    let rest = path.strip_prefix(ARCHIVE)?.strip_prefix('/')?;
    let stem = rest.strip_suffix(STUB).or_else(|| rest.strip_suffix(FULL))?;
    (!stem.is_empty() && !stem.ends_with('/')).then(|| format!("{stem}.md"))
}

/// Whether it is the path of a stub or of a full copy.
pub fn is_archive_file(path: &TreePath) -> bool {
    matches!(path.kind(), PathKind::Derived(Derived::Stub | Derived::FullArchive))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_files_lead_back_to_the_entry() {
        for original in ["a.md", "a/b/an old one.md", "a/b.stub.md", "観測/計画.md"] {
            let paths = ArchivePaths::of(original).unwrap();
            assert!(is_archive_file(&paths.stub) && is_archive_file(&paths.full));
            for path in [&paths.stub, &paths.full] {
                assert_eq!(archived_original(path.as_str()).as_deref(), Some(original));
            }
        }
    }

    #[test]
    fn other_paths_have_none() {
        assert_eq!(ArchivePaths::of(&format!("{}.md", "a/".repeat(90) + "long_enough")), None);
        assert_eq!(ArchivePaths::of("a.txt"), None);
        for path in [
            "a.stub.md",
            "_archived/a.md",
            "_archived/.stub.md",
            "_archived/a/.full.md",
            "_archivedx/a.full.md",
        ] {
            assert_eq!(archived_original(path), None, "{path}");
        }
    }
}
