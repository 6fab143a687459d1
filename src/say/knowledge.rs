//! Changes of entries in few words: shared by the forms.
//!
//! Knows no screen and no marks; the texts are as they stand in the entries, to be escaped by whoever shows them.

use crate::diff::knowledge::{
    Count, Dispute, DisputeState, Entry, FieldChange, Fold, FoldKind, Knowledge, Place, What,
};
use crate::say::words::many;
use bstr::ByteSlice as _;
use std::collections::BTreeMap;

/// What stands above the first heading, or in an entry without any.
pub const TOP: &str = "text";

/// `~`, `+`, `-`, `>`: what happened to an entry.
#[must_use]
pub const fn sign(what: &What) -> char {
    match what {
        What::Added => '+',
        What::Deleted | What::MergedInto(_) => '-',
        What::Modified => '~',
        What::Renamed => '>',
    }
}

/// The side that is there, the later one if both are.
pub fn place(entry: &Entry) -> Option<&Place> {
    entry.after.as_ref().or(entry.before.as_ref())
}

/// The headings down to a section, without the title of the entry: `Narrative > Rules`.
#[must_use]
pub fn heading_path(entry: &Entry, path: &[String]) -> String {
    let path = match path {
        [first, rest @ ..] if !rest.is_empty() && is_title(entry, first) => rest,
        path => path,
    };
    if path.is_empty() { TOP.into() } else { path.join(" > ") }
}

/// `  (was in Rules)`, `  (was under Fruit, now under Vegetables)`: where a fact or block was that stands elsewhere, and
/// where it is unless that is the section under which it is told.
#[must_use]
pub fn moved(entry: &Entry, told_in: Option<&[String]>, from: &[String], to: &[String]) -> String {
    if from == to {
        return "  (in another order)".to_owned();
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

/// How much of a name is shown in a path, in characters.
const NAME: usize = 60;

/// Whether the entry is or was called so.
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

/// `2 changed, 1 new`: what became of how many.
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

/// `is disputed now: 2 statements`: what a change has to do with a dispute, behind its subject.
#[must_use]
pub fn dispute(dispute: &Dispute) -> String {
    let count = dispute.statements.len();
    match dispute.state {
        // a heading is no subject of facts
        DisputeState::Opened if count == 0 => "has both versions of a merge below it now".into(),
        DisputeState::Opened => format!("is disputed now: {}", many(count, "statement", "statements")),
        DisputeState::Open => format!("is still disputed: {}", many(count, "statement", "statements")),
        DisputeState::Settled => "is no longer disputed".into(),
        DisputeState::Unlisted => format!("has {} now", many(count, "statement", "statements")),
    }
}

/// `2 blocks`, `line endings`: what is folded away, in words.
pub fn folds(folded: &[Fold]) -> Vec<String> {
    let mut counts: BTreeMap<FoldKind, usize> = BTreeMap::new();
    let counted = folded.iter().map(|fold| fold.what).filter(|what| *what != FoldKind::Fence);
    counted.for_each(|what| *counts.entry(what).or_default() += 1);
    counts.into_iter().map(|(kind, count)| fold(kind, count)).collect()
}

/// `2 blocks`, `line endings`: one kind of what is folded away.
#[must_use]
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

/// What is said of an entry below everything else: times and form, unless it is new or gone, and tokens.
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

/// The path of an entry without the ending that all have.
pub fn short(path: &[u8]) -> &[u8] {
    path.strip_suffix(b".md").unwrap_or(path)
}

/// Both ends of a long text with `...` between, cut where words end.
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

/// Where a piece of unchanged text stands in a changed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// At its beginning: its end is shown.
    First,
    /// At its end: its beginning is shown.
    Last,
    /// Between two changes: both are shown.
    Both,
}

/// The text of a path, for matching only.
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
