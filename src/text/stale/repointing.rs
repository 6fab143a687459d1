//! Which line of an earlier version of an entry a line was made of: one that only cites other paths, or the one most
//! alike. Only a line that is no longer there qualifies: one that remains beside the new line did not change.

use super::citations::{FILE_NAMES, citing_lines, extension};
use super::lines::{likeness, whole};
use crate::doc::Document;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// A version of an entry: its lines, and the files that each cites. Lines are counted from 0.
#[derive(Debug, Default)]
pub struct Cites {
    lines: Vec<String>,
    paths: HashMap<usize, Vec<String>>,
    known: HashSet<String>,
}

/// Whether a line may cite a file, by a short look.
pub fn may_cite(line: &str) -> bool {
    line.contains(['.', '/']) || FILE_NAMES.iter().any(|name| line.contains(name))
}

impl Cites {
    pub fn of(bytes: &[u8]) -> Self {
        let document = Document::parse(bytes);
        let lines: Vec<String> = document.text().lines().map(str::to_owned).collect();
        let paths = citing_lines(&document).into_iter().map(|line| (line.line - 1, file_like(line.paths)));
        let known = lines.iter().cloned().collect();
        Self { paths: paths.collect(), lines, known }
    }

    pub fn line(&self, at: usize) -> &str {
        self.lines.get(at).map_or("", |line| line)
    }

    /// The line of an earlier version that a line differs from only in the files that it cites. Of several it is the one
    /// in the same place among them.
    pub fn repointed(&self, at: usize, earlier: &Self) -> Option<usize> {
        let own =
            self.frame(at).filter(|own| !own.paths.is_empty() && !earlier.known.contains(self.line(at)))?;
        let new =
            self.unlike(earlier).filter(|other| self.frame(*other).is_some_and(|it| it.text == own.text));
        let rank = new.take_while(|other| *other != at).count();
        let mut old = earlier.unlike(self).filter(|other| {
            earlier.frame(*other).is_some_and(|before| before.text == own.text && are_moves(&before, &own))
        });
        old.nth(rank)
    }

    /// The line of an earlier version that is most alike to a line, if it is at least this alike, 0 to 1.
    pub fn most_alike(&self, at: usize, earlier: &Self, least: f64) -> Option<usize> {
        let alike = earlier.unlike(self).map(|other| (likeness(earlier.line(other), self.line(at)), other));
        let nearest =
            alike.filter(|(alike, _)| *alike >= least).max_by(|one, other| one.0.total_cmp(&other.0));
        nearest.map(|(_, other)| other)
    }

    /// The lines that another version does not have.
    fn unlike<'c>(&'c self, other: &'c Self) -> impl Iterator<Item = usize> + 'c {
        (0..self.lines.len()).filter(|at| !other.known.contains(self.line(*at)))
    }

    /// A line without the files that it cites.
    fn frame(&self, at: usize) -> Option<Frame<'_>> {
        let (line, cited) = (self.line(at), self.paths.get(&at)?);
        let mut found: Vec<(usize, &str)> =
            cited.iter().flat_map(|path| whole(line, path).map(move |at| (at, &**path))).collect();
        found.sort_by_key(|(at, path)| (*at, Reverse(path.len())));
        let mut frame = Frame { text: String::new(), paths: Vec::new() };
        let mut from = 0;
        for (at, path) in found {
            if at >= from {
                frame.text.push_str(&line[from..at]);
                frame.text.push('\0');
                frame.paths.push(path);
                from = at + path.len();
            }
        }
        frame.text.push_str(&line[from..]);
        Some(frame)
    }
}

/// What stands around the files that a line cites, and these in their order.
struct Frame<'l> {
    text: String,
    paths: Vec<&'l str>,
}

/// Whether files in the same places of two lines may be the same ones under other names: each has one name, and two that
/// changed places are others.
fn are_moves(before: &Frame<'_>, after: &Frame<'_>) -> bool {
    let pairs = || before.paths.iter().copied().zip(after.paths.iter().copied());
    let is_one = |(old, new): (&str, &str)| pairs().all(|(from, to)| (from == old) == (to == new));
    let is_alike = |(old, new): (&str, &str)| {
        old == new || old.contains('/') || new.contains('/') || extension(old) == extension(new)
    };
    let old: HashSet<&str> = before.paths.iter().copied().collect();
    after.paths.iter().any(|path| !old.contains(path)) && pairs().all(|pair| is_one(pair) && is_alike(pair))
}

/// The paths of a line that name files: they have an ending with a letter, or a folder that is not a number.
fn file_like(mut paths: Vec<String>) -> Vec<String> {
    let has_letters = |path: &str| path.split('/').all(|part| part.contains(char::is_alphabetic));
    paths.retain(|path| match path.split_once(' ') {
        // the text after a path is a remark
        Some((first, _)) => extension(path).is_some() && extension(first).is_none(),
        None if path.contains('/') => extension(path).is_some() || has_letters(path),
        None => extension(path).is_some() || FILE_NAMES.contains(&&**path),
    });
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of the earlier version that the lines of the later one were made of.
    fn sources(before: &str, after: &str) -> Vec<(usize, usize)> {
        let (before, after) = (Cites::of(before.as_bytes()), Cites::of(after.as_bytes()));
        (0..after.lines.len()).filter_map(|at| Some((at, after.repointed(at, &before)?))).collect()
    }

    fn is_source(before: &str, after: &str) -> bool {
        !sources(before, after).is_empty()
    }

    #[test]
    fn only_other_files_make_a_line_the_same() {
        let line = "- **MAX**: 5 in `src/a.rs`, see (docs/x.md:12).";
        assert!(is_source(line, "- **MAX**: 5 in `lib/b.rs`, see (docs/x.md:12)."));
        for other in [
            line,
            "- **MAX**: 6 in `lib/b.rs`, see (docs/x.md:12).",
            "- **MAX**: 5 in `lib/b.rs` see (docs/x.md:12).",
            "- **MAX**: 5 in `lib/b.rs`, see (docs/x.md:13).",
            "- **MAX**: 5 in `src/a.rs`, see (doc/y.md:12).",
            "- **MAX**: 5 in b, see (docs/x.md:12).",
        ] {
            assert!(!is_source(line, other), "{other}");
        }
    }

    #[test]
    fn what_only_looks_like_a_path_is_a_word() {
        for (before, after) in [
            ("- waits 1.5 seconds in `src/a.rs`", "- waits 2.5 seconds in `src/a.rs`"),
            ("- at most `5/min`", "- at most `6/min`"),
            ("- at most 5/min", "- at most 6/min"),
            ("- reads `cfg.a`", "- reads `cfg.b`"),
            ("- reads cfg.a", "- reads cfg.b"),
            ("- since `v1.2.3`", "- since `v1.2.4`"),
            ("- `src/a.rs` calls `src/b.rs`", "- `src/b.rs` calls `src/a.rs`"),
            ("- `src/a.rs` calls `src/b.rs`", "- `src/c.rs` calls `src/c.rs`"),
        ] {
            assert!(!is_source(before, after), "{after}");
        }
        assert!(is_source("- `src/a.rs` calls `src/b.rs`", "- `src/b.rs` calls `src/c.rs`"));
        assert!(is_source("- built by `Makefile`", "- built by `build/Makefile`"));
        assert!(is_source("- all of `a.rs`", "- all of `b.rs`"));
    }

    #[test]
    fn blanks_and_other_letters_are_parts_of_a_path() {
        let files = |path: &str| format!("## Raw Concept\n**Files:**\n- {path}\n");
        assert_eq!(sources(&files("src/Maß zwei.rs"), &files("src/Maß drei vier.rs")), [(2, 2)]);
        assert_eq!(sources("in `src/Maß zwei.rs`", "in `lib/größer.rs`"), [(0, 0)]);
        assert_eq!(sources(&files("src/a.rs the loop"), &files("src/b.rs the loop")), [(2, 2)]);
        assert_eq!(sources(&files("src/a.rs the loop"), &files("src/a.rs no loop")), []);
    }

    #[test]
    fn only_a_line_that_vanished_is_a_source() {
        let before = "- see `src/a.rs`\n";
        assert_eq!(sources(before, "- see `src/a.rs`\n- see `src/b.rs`\n"), []);
        assert_eq!(sources(before, "- see `src/b.rs`\n- see `src/c.rs`\n"), [(0, 0)]);
        let both = "- see `src/a.rs`\n- see `src/b.rs`\n";
        assert_eq!(sources(both, "- see `lib/a.rs`\n- see `lib/b.rs`\n"), [(0, 0), (1, 1)]);
        let alike = |before: &str, after: &str| {
            Cites::of(after.as_bytes()).most_alike(1, &Cites::of(before.as_bytes()), 0.5)
        };
        assert_eq!(alike("retry twice here\n", "retry twice here\nretry twice there\n"), None);
        assert_eq!(alike("x\nretry twice here\n", "x\nretry twice there\n"), Some(1));
    }
}
