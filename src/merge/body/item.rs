//! One list item in three versions: its marker, its check box and what it says, with what is nested in it.

use super::super::Reason;
use super::content::{Content, by_lines, three};
use super::part::Part;
use super::{Context, merge_parts};
use crate::doc::Outline;
use crate::merge::facts::Verdicts;

/// Items nested deeper than this are merged by line.
const MAX_DEPTH: usize = 8;

/// The merged item.
pub(super) fn merge(versions: [&str; 3], cx: &Context<'_>) -> Content {
    let [base, first, second] = versions;
    let items = versions.map(Item::of);
    if let [Some(base), Some(first), Some(second)] = &items
        && cx.depth < MAX_DEPTH
        && let Some(merged) = inside([base, first, second], cx)
    {
        return merged;
    }
    by_lines(base, first, second).map_or(Content::Conflict(Reason::Prose), Content::Settled)
}

/// An item without its marker, its further lines moved to the left.
struct Item {
    /// `- `, `12. `, with the white space around it.
    marker: String,
    /// `[ ] ` or `[x] `, or nothing.
    check: String,
    /// How far further lines are indented.
    indent: usize,
    text: String,
}

impl Item {
    /// `None` where a further line is indented less than the text.
    fn of(item: &str) -> Option<Item> {
        let lead = item.len() - item.trim_start_matches(' ').len();
        let rest = &item[lead..];
        let bullet = match rest.strip_prefix(['-', '*', '+']) {
            Some(after) => rest.len() - after.len(),
            None => {
                let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                digits + usize::from(rest[digits..].starts_with(['.', ')']))
            }
        };
        let blanks = rest[bullet..].len() - rest[bullet..].trim_start_matches(' ').len();
        if bullet == 0 || blanks == 0 {
            return None;
        }
        let marker = &item[..lead + bullet + blanks];
        let body = &item[marker.len()..];
        let check = body.get(..4).filter(|check| matches!(*check, "[ ] " | "[x] " | "[X] ")).unwrap_or("");
        let mut lines = body[check.len()..].split('\n');
        let mut text = lines.next().unwrap_or_default().to_owned();
        // what is nested may be indented less than the text, as long as it is indented
        let lines: Vec<&str> = lines.collect();
        let indent = lines
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(|line| line.len() - line.trim_start_matches(' ').len())
            .min()
            .unwrap_or(marker.len())
            .min(marker.len());
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

fn inside([base, first, second]: [&Item; 3], cx: &Context<'_>) -> Option<Content> {
    let marker = three(&base.marker, &first.marker, &second.marker)
        .or_else(|| numbered(&first.marker, &second.marker))?;
    let check = three(&base.check, &first.check, &second.check)?;
    let indent = if base.indent == first.indent { second.indent } else { first.indent };
    let (text, is_whole) = match three(&base.text, &first.text, &second.text) {
        Some(text) => (text.to_owned(), false),
        None => nested([&base.text, &first.text, &second.text], cx)?,
    };
    let text = Item::write(marker, check, indent, &text);
    let heads = [&base, &first, &second].map(|item| (&item.marker, &item.check));
    let same_head = heads.iter().all(|head| *head == heads[0]);
    Some(if is_whole && same_head { Content::Settled(text) } else { Content::Combined(text) })
}

/// Both sides counted anew: the higher number, which is set right when the list is written.
fn numbered<'a>(first: &'a str, second: &'a str) -> Option<&'a str> {
    let number = |marker: &str| marker.trim().trim_end_matches(['.', ')']).parse::<u64>().ok();
    Some(if number(first)? > number(second)? { first } else { second })
}

/// What an item says, as a body of its own, and whether all its lines are a side's.
fn nested(texts: [&str; 3], cx: &Context<'_>) -> Option<(String, bool)> {
    if texts.iter().all(|text| !text.contains('\n')) {
        return None;
    }
    let outlines = texts.map(Outline::of);
    let parts = [0, 1, 2].map(|at| Part::plain(texts[at], &outlines[at]));
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
