//! Paths as people name them on the command line: a file, a folder, `.`, or a pattern with `*`, `?` or `[`.

use bstr::{BStr, BString, ByteSlice};
use gix::glob::wildmatch::Mode;

/// One path or pattern, relative to the tree, `/`-separated; empty means everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pathspec {
    pattern: BString,
    has_wildcard: bool,
}

impl Pathspec {
    /// From a path relative to the tree without `.` and `..` parts.
    #[must_use]
    pub fn new(path: &str) -> Self {
        let pattern = BString::from(path.trim_end_matches('/'));
        Self { has_wildcard: pattern.find_byteset(b"*?[").is_some(), pattern }
    }

    /// Whether it names the file itself, a folder above it, or matches it as a pattern.
    #[must_use]
    pub fn matches(&self, path: &BStr) -> bool {
        if self.pattern.is_empty() || self.is_at_or_above(path) {
            return true;
        }
        self.has_wildcard && gix::glob::wildmatch(self.pattern.as_bstr(), path, Mode::empty())
    }

    fn is_at_or_above(&self, path: &BStr) -> bool {
        path.strip_prefix(self.pattern.as_slice()).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    }

    /// Whether it names exactly this file.
    #[must_use]
    pub fn is_exactly(&self, path: &BStr) -> bool {
        self.pattern == path
    }

    /// Whether it is meant as a pattern, so that matching nothing is the shell's way and no mistake of one name.
    #[must_use]
    pub const fn has_wildcard(&self) -> bool {
        self.has_wildcard
    }

    /// The path or pattern.
    #[must_use]
    pub fn as_bstr(&self) -> &BStr {
        self.pattern.as_bstr()
    }
}

/// Whether any of them matches; an empty list matches everything.
#[must_use]
pub fn any_matches(specs: &[Pathspec], path: &BStr) -> bool {
    specs.is_empty() || specs.iter().any(|spec| spec.matches(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_folders_patterns_and_everything() {
        let is = |spec: &str, path: &str| Pathspec::new(spec).matches(path.into());
        assert!(is("", "a/b.md"));
        assert!(is("a", "a/b.md"));
        assert!(is("a/", "a/b.md"));
        assert!(is("a/b.md", "a/b.md"));
        assert!(is("*.md", "a/b.md"));
        assert!(is("a/*", "a/b/c.md"));
        assert!(!is("a", "ab/c.md"));
        assert!(!is("b.md", "a/b.md"));
    }
}
