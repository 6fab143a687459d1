//! Paths and patterns on the command line: a file, a folder, `.`, or a pattern with `*`, `?` or `[`.

use bstr::{BStr, BString, ByteSlice};
use gix::glob::wildmatch::Mode;
use std::collections::HashSet;

/// One path or pattern, relative to the tree, `/`-separated; empty means everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pathspec {
    pattern: BString,
    has_wildcard: bool,
}

impl Pathspec {
    /// From a path relative to the tree without `.` and `..` parts.
    pub fn new(path: &str) -> Self {
        let pattern = BString::from(path.trim_end_matches('/'));
        Self { has_wildcard: pattern.find_byteset(b"*?[").is_some(), pattern }
    }

    /// Exactly this path of the tree, or what is below it: no character of it is a wildcard.
    pub fn literal(path: &BStr) -> Self {
        Self { pattern: path.to_owned(), has_wildcard: false }
    }

    /// Whether it names the file itself, a folder above it, or matches it as a pattern.
    pub fn matches(&self, path: &BStr) -> bool {
        if self.pattern.is_empty() || self.is_at_or_above(path) {
            return true;
        }
        self.has_wildcard && gix::glob::wildmatch(self.pattern.as_bstr(), path, Mode::empty())
    }

    fn is_at_or_above(&self, path: &BStr) -> bool {
        path.strip_prefix(self.pattern.as_slice()).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    }

    /// Whether it matches a whole name as a pattern, without regard to folders.
    pub fn matches_whole(&self, name: &BStr) -> bool {
        gix::glob::wildmatch(self.pattern.as_bstr(), name, Mode::empty())
    }

    /// Whether it is a pattern, which may match nothing.
    pub const fn has_wildcard(&self) -> bool {
        self.has_wildcard
    }

    pub fn as_bstr(&self) -> &BStr {
        self.pattern.as_bstr()
    }
}

/// Many pathspecs: matching costs as much as the path is deep, and only patterns are tried one by one.
#[derive(Debug, Clone, Default)]
pub struct Pathspecs<'a> {
    literal: HashSet<&'a BStr>,
    patterns: Vec<&'a Pathspec>,
}

impl<'a> Pathspecs<'a> {
    pub fn of(specs: &'a [Pathspec]) -> Self {
        Self {
            literal: specs.iter().map(Pathspec::as_bstr).collect(),
            patterns: specs.iter().filter(|spec| spec.has_wildcard).collect(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.literal.is_empty()
    }

    /// Whether one of them [matches](Pathspec::matches).
    pub fn matches(&self, path: &BStr) -> bool {
        let ends = path.find_iter("/").chain([path.len()]);
        self.literal.contains(BStr::new(""))
            || ends.into_iter().any(|end| self.literal.contains(path[..end].as_bstr()))
            || self.patterns.iter().any(|spec| spec.matches(path))
    }

    /// Whether one of them names exactly this file.
    pub fn is_exactly(&self, path: &BStr) -> bool {
        self.literal.contains(path)
    }
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

    proptest::proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn many_take_what_one_of_them_takes(
            specs in proptest::collection::vec("[ab/*?]{0,4}", 0..4),
            path in "[ab]{1,2}(/[ab]{1,2}){0,3}",
        ) {
            let specs: Vec<Pathspec> = specs.iter().map(|spec| Pathspec::new(spec)).collect();
            let one = specs.iter().any(|spec| spec.matches(path.as_str().into()));
            proptest::prop_assert_eq!(Pathspecs::of(&specs).matches(path.as_str().into()), one);
        }
    }
}
