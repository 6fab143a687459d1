//! Short phrases for changes of entries, shared by the output formats.
//!
//! Knows no screen and no markup; texts from entries are not escaped here, but by the code that prints them.

use crate::say::words::many;
use brv_text::diff::knowledge::{
    Count, DiffPlace, DisputeChange, DisputeState, Entry, FieldChange, Fold, FoldKind, Knowledge, What,
};
use bstr::ByteSlice as _;
use std::collections::BTreeMap;

/// Name of the text above the first heading, or in an entry without headings.
pub const TOP: &str = "text";

/// The sign for what happened to an entry: `~`, `+`, `-` or `>`.
pub const fn sign(what: What) -> char {
    match what {
        What::Added => '+',
        What::Deleted | What::Archived | What::Merged => '-',
        What::Modified => '~',
        What::Renamed => '>',
    }
}

/// The place of the entry after the change, or before it if it was deleted.
pub fn place(entry: &Entry) -> Option<&DiffPlace> {
    entry.after.as_ref().or(entry.before.as_ref())
}

/// The headings down to a section, without the title of the entry: `Narrative > Rules`.
pub fn heading_path(entry: &Entry, path: &[String]) -> String {
    let path = match path {
        [first, rest @ ..] if !rest.is_empty() && is_title(entry, first) => rest,
        path => path,
    };
    if path.is_empty() { TOP.into() } else { path.join(" > ") }
}

/// `  (was in Rules)`, `  (was under Fruit, now under Vegetables)`: where a moved fact or block was, and where it is
/// now, unless that is the section in which it is listed.
pub fn moved(entry: &Entry, told_in: Option<&[String]>, from: &[String], to: &[String]) -> String {
    if from == to {
        return "  (reordered)".to_owned();
    }
    let place = |path: &[String]| {
        let path: Vec<String> = path.iter().map(|name| elided(name, NAME, Ends::Last)).collect();
        match told_in.and_then(|section| path.strip_prefix(section)) {
            Some(under) if !under.is_empty() => format!("under {}", under.join(" > ")),
            _ => format!("in {}", heading_path(entry, &path)),
        }
    };
    match told_in == Some(to) {
        true => format!("  (was {})", place(from)),
        false => format!("  (was {}, now {})", place(from), place(to)),
    }
}

/// Number of characters of a heading shown in a path.
const NAME: usize = 60;

/// Whether the heading is the title of the entry, before or after.
pub fn is_title(entry: &Entry, heading: &str) -> bool {
    let places = [&entry.before, &entry.after].into_iter().flatten();
    places.filter_map(|place| place.title.as_deref()).any(|title| title == heading)
}

/// Whether only one side has the entry.
pub fn is_one_sided(entry: &Entry) -> bool {
    entry.before.is_none() || entry.after.is_none()
}

/// `2 added`, `1 changed`: the parts of a count that are not zero.
pub fn parts(count: Count) -> Vec<String> {
    let words = [
        (count.changed, "changed"),
        (count.added, "added"),
        (count.removed, "removed"),
        (count.moved, "moved"),
    ];
    words.into_iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect()
}

/// `2 changed, 1 new`: counts by what happened.
pub fn kinds(kinds: &[(usize, &str)]) -> String {
    let there = kinds.iter().filter(|(count, _)| *count > 0);
    there.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

/// `3 facts changed, 1 added`; `None` if there are none.
pub fn counted(count: Count, one: &str, more: &str) -> Option<String> {
    let mut parts = parts(count);
    let first = parts.first_mut()?;
    let (number, word) = first.split_once(' ').unwrap_or((first, ""));
    *first = format!("{number} {} {word}", if number == "1" { one } else { more });
    Some(parts.join(", "))
}

/// `is disputed now: 2 statements`: the words after the subject of a dispute.
pub fn dispute(dispute: &DisputeChange) -> String {
    let count = dispute.statements.len();
    match dispute.state {
        // a heading has no statements
        DisputeState::Opened if count == 0 => "now has both versions of a merge below it".into(),
        DisputeState::Opened => format!("is now disputed: {}", many(count, "statement", "statements")),
        DisputeState::Open => format!("is still disputed: {}", many(count, "statement", "statements")),
        DisputeState::Settled => "is no longer disputed".into(),
        DisputeState::Unlisted => format!("now has {}", many(count, "statement", "statements")),
    }
}

/// `2 blocks`, `line endings`: words for differences in form only.
pub fn folds(folded: &[Fold]) -> Vec<String> {
    let mut counts: BTreeMap<FoldKind, usize> = BTreeMap::new();
    let counted = folded.iter().map(|fold| fold.what).filter(|what| *what != FoldKind::Fence);
    counted.for_each(|what| *counts.entry(what).or_default() += 1);
    counts.into_iter().map(|(kind, count)| fold(kind, count)).collect()
}

/// `2 blocks`, `line endings`: words for one kind of difference in form only.
pub fn fold(kind: FoldKind, count: usize) -> String {
    match kind {
        FoldKind::Frontmatter | FoldKind::Fence => "style or order of fields".to_owned(),
        FoldKind::Heading => many(count, "heading", "headings"),
        FoldKind::Block => many(count, "block", "blocks"),
        FoldKind::Facts => "order or style of facts".to_owned(),
        FoldKind::LineEndings => "line endings".to_owned(),
        FoldKind::Space => "blank space".to_owned(),
    }
}

/// `updatedAt` or `createdAt, updatedAt`
pub fn names<'a>(fields: impl Iterator<Item = &'a FieldChange>) -> String {
    fields.map(|field| field.key.as_str()).collect::<Vec<_>>().join(", ")
}

/// `+35 tokens`; `None` if there are as many as before.
pub fn tokens(delta: i64) -> Option<String> {
    let number = delta.unsigned_abs();
    let sign = if delta < 0 { '-' } else { '+' };
    (delta != 0).then(|| format!("{sign}{number} {}", if number == 1 { "token" } else { "tokens" }))
}

/// The notes below an entry: times and form, unless it is new or deleted, and tokens.
pub fn notes(entry: &Entry, knowledge: &Knowledge) -> Vec<String> {
    let mut notes = Vec::new();
    let times = names(knowledge.times());
    if !times.is_empty() && !is_one_sided(entry) {
        notes.push(times);
    }
    let folds = folds(&knowledge.folded);
    if !folds.is_empty() && !is_one_sided(entry) {
        notes.push(format!("in form only: {}", folds.join(", ")));
    }
    notes.extend(tokens(knowledge.tokens.delta()));
    notes
}

/// The path of an entry without `.md`.
pub fn short(path: &[u8]) -> &[u8] {
    path.strip_suffix(b".md").unwrap_or(path)
}

/// Shorten a long text to its ends with `...` between, cut at word boundaries.
pub fn elided(text: &str, room: usize, ends: Ends) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let head = || {
        let end = text.char_indices().nth(room / 2).map_or(text.len(), |(at, _)| at);
        text[..end].rfind(char::is_whitespace).map_or(&text[..end], |at| &text[..at])
    };
    let tail = || {
        let start = text.char_indices().rev().nth(room / 2).map_or(0, |(at, _)| at);
        text[start..].find(char::is_whitespace).map_or(&text[start..], |at| text[start + at..].trim_start())
    };
    match ends {
        Ends::First => format!("... {}", tail()),
        Ends::Last => format!("{} ...", head()),
        Ends::Both => format!("{} ... {}", head(), tail()),
    }
}

/// Position of unchanged text in a changed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// At the beginning: its end is shown.
    First,
    /// At the end: its beginning is shown.
    Last,
    /// Between two changes: both are shown.
    Both,
}

/// A path as text; invalid UTF-8 is replaced.
pub fn lossy(path: &[u8]) -> String {
    path.to_str_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_as_words() {
        let count = Count { added: 1, changed: 2, ..Count::default() };
        assert_eq!(counted(count, "fact", "facts").as_deref(), Some("2 facts changed, 1 added"));
        assert_eq!(
            counted(Count { removed: 1, ..Count::default() }, "fact", "facts").as_deref(),
            Some("1 fact removed")
        );
        assert_eq!(counted(Count::default(), "fact", "facts"), None);
        assert_eq!(tokens(-1).as_deref(), Some("-1 token"));
    }

    #[test]
    fn long_unchanged_text_is_cut_where_words_end() {
        let text = "one two three four five six seven";
        assert_eq!(elided(text, 40, Ends::Both), text);
        assert_eq!(elided(text, 20, Ends::Last), "one two ...");
        assert_eq!(elided(text, 20, Ends::First), "... six seven");
        assert_eq!(elided(text, 20, Ends::Both), "one two ... six seven");
        assert_eq!(elided(&"令".repeat(30), 10, Ends::Last), format!("{} ...", "令".repeat(5)));
    }
}
