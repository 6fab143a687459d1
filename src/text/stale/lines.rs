//! How alike two lines of an entry are, and one with another path.

use super::citations::citing_lines;
use crate::diff::Bag;
use crate::doc::Document;

/// How alike two lines are by their words, 0 to 1.
pub fn likeness(one: &str, other: &str) -> f64 {
    Bag::of_text(one).likeness(&Bag::of_text(other))
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
    let (mut written, mut from) = (String::with_capacity(line.len()), 0);
    for at in whole(line, old) {
        written.push_str(&line[from..at]);
        written.push_str(new);
        from = at + old.len();
    }
    written.push_str(&line[from..]);
    written
}

/// Where a path stands in a line as a whole, in bytes, not as a part of a longer one.
pub(super) fn whole<'l>(line: &'l str, path: &'l str) -> impl Iterator<Item = usize> + 'l {
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '/' | '-' | '@' | '+');
    line.match_indices(path).map(|(at, _)| at).filter(move |at| {
        let (before, after) = (&line[..*at], &line[at + path.len()..]);
        let begins = before.ends_with("./") || !before.ends_with(|char| is_part(char) || char == '.');
        let goes_on = |rest: &str| rest.starts_with(char::is_alphanumeric);
        begins && !after.starts_with(is_part) && !after.strip_prefix('.').is_some_and(goes_on)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_anew_only_where_it_is_cited_as_a_whole() {
        let text = "# T\n\n## Raw Concept\n**Files:**\n- ./src/a.rs (the loop)\n\n## Narrative\n`src/a.rs:12`, `old/src/a.rs` and `src/a.rs.in`.\n\nsrc/a.rs in prose\n";
        let new = "# T\n\n## Raw Concept\n**Files:**\n- ./lib/b.rs (the loop)\n\n## Narrative\n`lib/b.rs:12`, `old/src/a.rs` and `src/a.rs.in`.\n\nsrc/a.rs in prose\n";
        assert_eq!(recited(&Document::parse(text), ("src/a.rs", "lib/b.rs")), new);
        assert_eq!(recited(&Document::parse(text), ("src/c.rs", "lib/b.rs")), text);
    }

    #[test]
    fn a_path_with_blanks_is_written_anew_in_a_list_and_in_a_span() {
        let text = "# T\n\n`src/Maß zwei.rs#L3` is it.\n\n## Raw Concept\n**Files:**\n- src/Maß zwei.rs\n";
        let new = recited(&Document::parse(text), ("src/Maß zwei.rs", "lib/Maß.rs"));
        assert_eq!(new, text.replace("src/Maß zwei.rs", "lib/Maß.rs"));
    }

    #[test]
    fn alike_lines_share_most_words() {
        assert!(likeness("retry twice, then stop", "retry twice and stop") > 0.7);
    }
}
