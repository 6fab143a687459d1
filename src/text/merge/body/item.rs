//! Merge one list item in three versions: its marker, its check box, and its text with everything nested in it. A
//! paragraph that became an item counts as one without a marker.

use super::super::Reason;
use super::facts::Verdicts;
use super::hunks::{by_lines, three};
use super::part::VersionBody;
use super::{Content, Context, merge_parts};
use crate::doc::{self, Outline};
use std::collections::{HashMap, HashSet};

/// Items nested deeper than this are merged by line.
const MAX_DEPTH: usize = 8;

/// How many more blanks than its item's text a nested list may have: with four it would be code.
const MAX_EXTRA: usize = 3;

pub(super) fn merge(versions: [&str; 3], cx: &Context<'_>) -> Content {
    let [base, first, second] = versions;
    let items = versions.map(Item::of);
    let nests = |text: &str| nests_as_on_a_side(text, [first, second]);
    if let [Some(base), Some(one), Some(other)] = &items
        && cx.depth < MAX_DEPTH
        && let Some(merged) = inside([base, one, other], cx)
        && let Content::Settled(text) | Content::Combined(text) = &merged
        && nests(text)
    {
        return merged;
    }
    let merged = by_lines(base, first, second).filter(|text| nests(text));
    merged.map_or(Content::Conflict(Reason::Prose), Content::Settled)
}

/// Whether every item in the result is as deep as on one of the sides: with differently indented lists, an item could
/// end up nested in the one before it.
fn nests_as_on_a_side(text: &str, sides: [&str; 2]) -> bool {
    let mut known: HashMap<&str, HashSet<usize>> = HashMap::new();
    for side in sides {
        for item in doc::items(side) {
            known.entry(words(&side[item.head])).or_default().insert(item.depth);
        }
    }
    doc::items(text).iter().all(|item| {
        known.get(words(&text[item.head.clone()])).is_none_or(|depths| depths.contains(&item.depth))
    })
}

/// The first line of an item without its marker.
fn words(head: &str) -> &str {
    let line = head.lines().next().unwrap_or_default().trim();
    line.trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start_matches(['-', '*', '+', '.', ')'])
        .trim_start()
}

/// An item without its marker, its further lines unindented.
struct Item {
    /// `- `, `12. `, with the white space around it; empty for a paragraph.
    marker: String,
    /// `[ ] `, `[x] ` or `[X] `, or nothing.
    check: String,
    /// The indentation of further lines.
    indent: usize,
    text: String,
}

impl Item {
    /// `None` if a further line is indented less than the text.
    fn of(item: &str) -> Option<Item> {
        let lead = item.len() - item.trim_start_matches(' ').len();
        let rest = &item[lead..];
        let bullet = match rest.strip_prefix(['-', '*', '+']) {
            Some(after) => rest.len() - after.len(),
            None => {
                let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                if digits > 0 && rest[digits..].starts_with(['.', ')']) { digits + 1 } else { 0 }
            }
        };
        let blanks = rest[bullet..].len() - rest[bullet..].trim_start_matches(' ').len();
        if bullet == 0 || blanks == 0 {
            let (marker, check) = (String::new(), String::new());
            return Some(Item { marker, check, indent: 0, text: item.to_owned() });
        }
        let marker = &item[..lead + bullet + blanks];
        let body = &item[marker.len()..];
        let check = body.get(..4).filter(|check| matches!(*check, "[ ] " | "[x] " | "[X] ")).unwrap_or("");
        let mut lines = body[check.len()..].split('\n');
        let mut text = lines.next().unwrap_or_default().to_owned();
        let lines: Vec<&str> = lines.collect();
        let indent = indent(&lines, marker.len());
        if indent == 0 {
            return None;
        }
        for line in lines {
            text.push('\n');
            text.push_str(line.get(indent..).unwrap_or_default());
        }
        Some(Item { marker: marker.to_owned(), check: check.to_owned(), indent, text })
    }

    fn write(marker: &str, check: &str, indent: usize, text: &str) -> String {
        let mut item = format!("{marker}{check}");
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                item.push('\n');
                if !line.trim().is_empty() {
                    item.push_str(&" ".repeat(indent));
                }
            }
            item.push_str(line);
        }
        item
    }
}

/// The indentation of an item's further lines if its text begins at column `text`. Nested content may be indented less
/// than the text, as long as it is indented, and a list may be indented more.
fn indent(lines: &[&str], text: usize) -> usize {
    let filled = || lines.iter().filter(|line| !line.trim().is_empty());
    let least = filled().map(|line| line.len() - line.trim_start_matches(' ').len()).min().unwrap_or(text);
    let is_list = filled().next().is_some_and(|line| !doc::items(line.trim_start()).is_empty());
    least.min(if is_list { text + MAX_EXTRA } else { text })
}

fn inside([base, first, second]: [&Item; 3], cx: &Context<'_>) -> Option<Content> {
    let marker = three(&base.marker, &first.marker, &second.marker)
        .or_else(|| numbered(&first.marker, &second.marker))?;
    let check = ticked([&base.check, &first.check, &second.check])?;
    let indent = if base.indent == first.indent { second.indent } else { first.indent };
    let (text, is_whole) = match three(&base.text, &first.text, &second.text) {
        Some(text) => (text.to_owned(), true),
        None => nested([&base.text, &first.text, &second.text], cx)?,
    };
    let text = Item::write(marker, check, indent, &text);
    let heads = [&base, &first, &second].map(|item| (&item.marker, &item.check));
    let same_head = heads.iter().all(|head| *head == heads[0]);
    Some(if is_whole && same_head { Content::Settled(text) } else { Content::Combined(text) })
}

/// The check box if at most one side ticked or cleared it, ignoring the case of its `x`.
fn ticked([base, first, second]: [&str; 3]) -> Option<&str> {
    let same = str::eq_ignore_ascii_case;
    match (same(base, first), same(base, second)) {
        _ if same(first, second) => Some(first.max(second)),
        (true, _) => Some(second),
        (_, true) => Some(first),
        _ => None,
    }
}

/// If both sides renumbered the item, the higher number; it is corrected when the list is written.
fn numbered<'a>(first: &'a str, second: &'a str) -> Option<&'a str> {
    let number = |marker: &str| marker.trim().trim_end_matches(['.', ')']).parse::<u64>().ok();
    Some(if number(first)? > number(second)? { first } else { second })
}

/// The text of an item merged as a body of its own, and whether each of its lines comes from one side.
fn nested(texts: [&str; 3], cx: &Context<'_>) -> Option<(String, bool)> {
    if texts.iter().all(|text| !text.contains('\n')) {
        return None;
    }
    let outlines = texts.map(Outline::of);
    let parts = [0, 1, 2].map(|at| VersionBody::plain(texts[at], &outlines[at]));
    let inner = Context { depth: cx.depth + 1, ..*cx };
    let merged = merge_parts([&parts[0], &parts[1], &parts[2]], &Verdicts::default(), &inner);
    merged.conflicts.is_empty().then_some((merged.text, merged.records.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(versions: [&str; 3]) -> Content {
        let rules = crate::merge::Rules::default();
        merge(versions, &Context { rules: &rules, swapped: false, depth: 0 })
    }

    #[test]
    fn what_is_nested_is_merged_as_a_list_of_its_own() {
        let base = "- a\n  - one\n  - two";
        let found = merged([base, "- a\n  - one\n  - two\n  - x", "- a!\n  - one\n  - two\n  - y"]);
        assert_eq!(found, Content::Settled("- a!\n  - one\n  - two\n  - x\n  - y".into()));
    }

    #[test]
    fn a_check_and_an_edit_are_both_taken() {
        let found = merged(["- [ ] do it", "- [x] do it", "- [ ] do it now"]);
        assert_eq!(found, Content::Combined("- [x] do it now".into()));
        assert_eq!(merged(["- a", "- b", "- c"]), Content::Conflict(Reason::Prose));
    }
}
