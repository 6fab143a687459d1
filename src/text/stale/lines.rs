//! How two lines of an entry differ.

use super::citations::citing_lines;
use crate::diff::Bag;
use crate::doc::Document;

/// How alike two lines are by their words, 0 to 1.
pub fn likeness(one: &str, other: &str) -> f64 {
    Bag::of_text(one).likeness(&Bag::of_text(other))
}

/// Whether two lines differ, and only in paths that they cite: one says where a file went.
pub fn is_but_for_paths(before: &str, after: &str) -> bool {
    let mut pairs = 0;
    let (mut before, mut after) = (before.split_whitespace(), after.split_whitespace());
    loop {
        match (before.next(), after.next()) {
            (None, None) => return pairs > 0,
            (Some(one), Some(other)) if one == other => {}
            (Some(one), Some(other)) if is_other_path(one, other) => pairs += 1,
            _ => return false,
        }
    }
}

/// Whether two words are different paths in the same signs: `(src/a.rs:12),` and `(src/b.rs:12),`.
fn is_other_path(one: &str, other: &str) -> bool {
    let ((start, one, end), (other_start, other, other_end)) = (parts(one), parts(other));
    let is_path =
        |word: &str| word.contains('/') || word.rsplit_once('.').is_some_and(|(name, _)| !name.is_empty());
    start == other_start && end == other_end && is_path(one) && is_path(other)
}

/// The signs before a path, the path, and what stands behind it.
fn parts(word: &str) -> (&str, &str, &str) {
    let is_sign = |char: char| !(char.is_alphanumeric() || matches!(char, '.' | '_' | '/' | '-' | '@' | '+'));
    let first = word.find(|char: char| !is_sign(char)).unwrap_or(word.len());
    let length = word[first..].find(is_sign).unwrap_or(word.len() - first);
    let bare = word[first..first + length].trim_end_matches('.').len();
    let (path, end) = word[first..].split_at(bare);
    (&word[..first], path, end)
}

/// The text of an entry with another path wherever it cites one; only in lines that cite it.
pub fn recited(document: &Document, (old, new): (&str, &str)) -> String {
    let lines = citing_lines(document);
    let cites: Vec<usize> =
        lines.iter().filter(|line| line.paths.iter().any(|path| path == old)).map(|line| line.line).collect();
    let text = document.text().split_inclusive('\n').enumerate();
    let line = |(at, line): (usize, &str)| match cites.contains(&(at + 1)) {
        true => with_path(line, old, new),
        false => line.to_owned(),
    };
    text.map(line).collect()
}

/// A line with another path; a longer path that has it as a part stays.
fn with_path(line: &str, old: &str, new: &str) -> String {
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '/' | '-' | '@' | '+');
    let (mut written, mut from) = (String::with_capacity(line.len()), 0);
    for (at, _) in line.match_indices(old) {
        let (before, after) = (&line[..at], &line[at + old.len()..]);
        let begins = before.ends_with("./") || !before.ends_with(|char| is_part(char) || char == '.');
        let ends = !after.starts_with(is_part)
            && !after.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
        if begins && ends && at >= from {
            written.push_str(&line[from..at]);
            written.push_str(new);
            from = at + old.len();
        }
    }
    written.push_str(&line[from..]);
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_anew_only_where_it_is_cited_as_a_whole() {
        let text = "# T\n\n## Raw Concept\n**Files:**\n- ./src/a.rs (the loop)\n\n`src/a.rs:12`, `old/src/a.rs` and `src/a.rs.in`.\n\nsrc/a.rs in prose\n";
        let new = "# T\n\n## Raw Concept\n**Files:**\n- ./lib/b.rs (the loop)\n\n`lib/b.rs:12`, `old/src/a.rs` and `src/a.rs.in`.\n\nsrc/a.rs in prose\n";
        assert_eq!(recited(&Document::parse(text), ("src/a.rs", "lib/b.rs")), new);
        assert_eq!(recited(&Document::parse(text), ("src/c.rs", "lib/b.rs")), text);
    }

    #[test]
    fn only_other_paths_make_a_line_the_same() {
        let line = "- **MAX**: 5 in `src/a.rs`, see (docs/x.md:12).";
        assert!(is_but_for_paths(line, "- **MAX**: 5 in `lib/b.rs`, see (docs/x.md:12)."));
        assert!(is_but_for_paths(line, "- **MAX**: 5 in `src/a.rs`, see (doc/y.md:12)."));
        for other in [
            line,
            "- **MAX**: 6 in `lib/b.rs`, see (docs/x.md:12).",
            "- **MAX**: 5 in `lib/b.rs` see (docs/x.md:12).",
            "- **MAX**: 5 in `lib/b.rs`, see (docs/x.md:13).",
            "- **MAX**: 5 in b, see (docs/x.md:12).",
        ] {
            assert!(!is_but_for_paths(line, other), "{other}");
        }
        assert!(likeness("retry twice, then stop", "retry twice and stop") > 0.7);
    }
}
