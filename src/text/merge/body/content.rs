//! Merge one block in three versions.

use super::super::Reason;
use super::super::order::united;
use super::hunks::{by_lines, three};
use super::{Content, Context, definitions, table};
use crate::doc::BlockKind;

/// Merge the versions of one block: base (if there is one), first, second.
pub(super) fn merge(kind: &BlockKind, versions: [Option<&str>; 3], cx: &Context<'_>) -> Content {
    let [base, Some(first), Some(second)] = versions else {
        unreachable!("only blocks of both sides are merged")
    };
    if first == second || base == Some(second) {
        return Content::Settled(first.to_owned());
    }
    if base == Some(first) {
        return Content::Settled(second.to_owned());
    }

    let base = base.unwrap_or_default();
    let is_list = matches!(kind, BlockKind::Item { .. } | BlockKind::Table | BlockKind::Heading { .. });
    if !is_list && let Some(text) = by_lines(base, first, second) {
        return Content::Settled(text);
    }
    if let Some(settled) = rewritten(kind, [base, first, second]) {
        return settled;
    }
    match kind {
        BlockKind::Fence { .. } => Content::Conflict(Reason::Fence),
        BlockKind::Heading { .. } => heading([base, first, second]),
        BlockKind::Table => match table::merge([base, first, second], cx) {
            Some(rows) => Content::Rows(Reason::Table, rows),
            None => by_lines(base, first, second).map_or(Content::Conflict(Reason::Table), Content::Settled),
        },
        BlockKind::Definition => match definitions::merge([base, first, second], cx) {
            Some(rows) => Content::Rows(Reason::Prose, rows),
            None => by_lines(base, first, second).map_or(Content::Conflict(Reason::Prose), Content::Settled),
        },
        BlockKind::Item { .. } => super::item::merge([base, first, second], cx),
        _ => match (paths(base, first, second), relations(base, first, second)) {
            (Some(text), _) => Content::Combined(text),
            (None, Some(text)) => Content::Settled(text),
            (None, None) => Content::Conflict(Reason::Prose),
        },
    }
}

/// The way with the greater bytes, of two ways to write the same thing, so that the result is the same whichever side
/// is ours.
fn greater(first: &str, second: &str) -> Content {
    let side = usize::from(second > first);
    Content::Chosen { text: [first, second][side].to_owned(), side }
}

/// If one side only rewrapped the lines, take the other side's words.
fn rewritten(kind: &BlockKind, [base, first, second]: [&str; 3]) -> Option<Content> {
    let same = |a: &str, b: &str| says_the_same(kind, a, b);
    let side = match (same(base, first), same(base, second)) {
        _ if same(first, second) => return Some(greater(first, second)),
        (true, false) => 1,
        (false, true) => 0,
        _ => return None,
    };
    Some(Content::Chosen { text: [first, second][side].to_owned(), side })
}

/// Whether two texts of a block differ only in their line breaks. Line breaks have a meaning in code, tables, hard
/// breaks, and anything nested in an item.
pub(super) fn says_the_same(kind: &BlockKind, a: &str, b: &str) -> bool {
    let is_filled = |text: &str| {
        let hard = text.contains("  \n") || text.contains("\\\n");
        let laid_out = |line: &str| {
            let line = line.trim_start();
            let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
            line.starts_with(['-', '*', '+', '`', '~', '|', '>', '#', '<'])
                || line.is_empty()
                || (number.len() < line.len() && number.starts_with(['.', ')']))
        };
        !hard && !text.lines().skip(1).any(laid_out)
    };
    a == b
        || (matches!(kind, BlockKind::Paragraph | BlockKind::Item { .. })
            && is_filled(a)
            && is_filled(b)
            && a.split_whitespace().eq(b.split_whitespace()))
}

/// Whether each line of a block has its own meaning, so that conflicts are about single lines. In prose, the words
/// belong together.
pub(super) const fn is_laid_out(kind: &BlockKind) -> bool {
    matches!(kind, BlockKind::Fence { .. } | BlockKind::Indented | BlockKind::Html)
}

/// Merge a heading: its marks and its words separately.
fn heading([base, first, second]: [&str; 3]) -> Content {
    let split = |text: &str| -> Option<(String, String)> {
        let marks = text.len() - text.trim_start_matches('#').len();
        (marks > 0 && !text.contains('\n')).then(|| (text[..marks].to_owned(), text[marks..].to_owned()))
    };
    let (Some(base), Some(first), Some(second)) = (split(base), split(first), split(second)) else {
        return Content::Conflict(Reason::Heading);
    };
    match (three(&base.0, &first.0, &second.0), three(&base.1, &first.1, &second.1)) {
        (Some(marks), Some(words)) => Content::Combined(format!("{marks}{words}")),
        _ => Content::Conflict(Reason::Heading),
    }
}

/// `**Files:** a.ts, b.ts`: a set on one line.
fn paths(base: &str, first: &str, second: &str) -> Option<String> {
    fn split(text: &str) -> Option<(&str, Vec<&str>)> {
        let (label, rest) = text.strip_prefix("**")?.split_once("**")?;
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        let is_files = label.trim_end_matches(':').eq_ignore_ascii_case("files");
        let items: Vec<&str> = rest.split(',').map(str::trim).collect();
        let whole = !text.contains('\n') && items.iter().all(|item| !item.is_empty() && !item.contains(' '));
        (is_files && whole).then(|| (&text[..text.len() - rest.trim_start().len()], items))
    }
    let (first, second) = (split(first)?, split(second)?);
    let base = split(base).unwrap_or_else(|| (first.0, Vec::new()));
    let label = three(base.0, first.0, second.0)?;
    Some(format!("{label}{}", united([&base.1, &first.1, &second.1]).join(", ")))
}

/// `@path` lines, as below `## Relations`: a set.
fn relations(base: &str, first: &str, second: &str) -> Option<String> {
    fn lines(text: &str) -> Option<Vec<&str>> {
        let is_relation =
            |line: &str| line.starts_with('@') && !line.trim_end().contains(char::is_whitespace);
        text.lines().all(is_relation).then(|| text.lines().collect())
    }
    let (base, first, second) = (lines(base)?, lines(first)?, lines(second)?);
    Some(united([&base, &first, &second]).join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merge(kind: &BlockKind, versions: [Option<&str>; 3]) -> Content {
        let rules = crate::merge::Rules::default();
        let cx = crate::merge::body::Context { rules: &rules, swapped: false, depth: 0 };
        super::merge(kind, versions, &cx)
    }

    #[test]
    fn a_set_on_one_line_takes_what_both_added() {
        let merged = merge(
            &BlockKind::Paragraph,
            [
                Some("**Files:** a.rs, b.rs"),
                Some("**Files:** a.rs, b.rs, d.rs"),
                Some("**Files:** c.rs, b.rs"),
            ],
        );
        assert_eq!(merged, Content::Combined("**Files:** c.rs, b.rs, d.rs".into()));
    }

    #[test]
    fn an_edit_is_taken_over_lines_that_were_only_broken_anew() {
        let versions = [Some("one two\nthree"), Some("one two three"), Some("one two\nfour")];
        let merged = merge(&BlockKind::Paragraph, versions);
        assert_eq!(merged, Content::Chosen { text: "one two\nfour".into(), side: 1 });
    }

    #[test]
    fn a_heading_takes_its_level_and_its_words_apart() {
        let kind = BlockKind::Heading { level: 2, title: "a".into() };
        let merged = merge(&kind, [Some("## a"), Some("### a"), Some("## b")]);
        assert_eq!(merged, Content::Combined("### b".into()));
        let both = merge(&kind, [Some("## a"), Some("## b"), Some("## c")]);
        assert_eq!(both, Content::Conflict(Reason::Heading));
    }
}
