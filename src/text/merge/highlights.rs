//! Merge the items of Highlights and Rules by their titles before all else, so that the lists are alike in all versions.
//!
//! Where both sides have only items with distinct titles in such a section: items of both stay, the same one once, the newest
//! first. An item that one side marked (`reverted DATE: `) and the other has without a mark is marked. One that both
//! changed otherwise, or one side changed and the other removed, is left to each version for the merge of blocks.

use crate::doc::item::{Mark, MarkFate};
use crate::doc::{Item, Outline, normal};
use std::collections::BTreeMap;
use std::ops::Range;

/// The sections, below Narrative.
const SECTIONS: [&str; 2] = ["Highlights", "Rules"];

/// A list of more items is merged as any other.
const MOST: usize = 2_000;

/// The bodies of base, first and second with these lists merged; `None` if there is nothing to merge.
pub(super) fn unified(bodies: [&str; 3]) -> Option<[String; 3]> {
    let mut merged: Option<[String; 3]> = None;
    for title in SECTIONS.into_iter().filter(|title| bodies[1..].iter().all(|body| may_have(body, title))) {
        let bodies = merged.as_ref().map_or(bodies, |merged| merged.each_ref().map(String::as_str));
        let lists = bodies.map(|body| List::of(body, title));
        if let Some(texts) = merge(&lists) {
            merged = Some([0, 1, 2].map(|at| match (&lists[at], &texts[at]) {
                (Some(list), Some(text)) => {
                    [&bodies[at][..list.span.start], text, &bodies[at][list.span.end..]].concat()
                }
                _ => bodies[at].to_owned(),
            }));
        }
    }
    merged
}

/// Whether a heading with this title may be in a body: structure is read only then.
fn may_have(body: &str, title: &str) -> bool {
    let title = title.to_lowercase();
    body.lines().any(|line| line.trim_start().starts_with('#') && line.to_lowercase().contains(&title))
}

/// A section that has nothing but items with distinct titles.
struct List<'a> {
    /// From its first item to the end of its last, in bytes of the body.
    span: Range<usize>,
    items: Vec<Own<'a>>,
    newline: &'static str,
}

/// An item as it is written.
#[derive(Clone, Copy)]
struct Own<'a> {
    text: &'a str,
}

impl Own<'_> {
    fn read(&self) -> Option<Item> {
        Item::read(self.text)
    }

    /// By which items are the same.
    fn key(&self) -> String {
        self.read().map(|item| normal(&item.title)).unwrap_or_default()
    }

    fn month(&self) -> Option<String> {
        self.read().and_then(|item| item.month)
    }

    /// What it says without its mark, and the mark.
    fn unmarked(&self) -> (String, Option<Mark>) {
        self.read().map_or((String::new(), None), |item| {
            let mark = item.mark.clone();
            (normal(&Item { mark: None, ..item }.line()), mark)
        })
    }
}

impl<'a> List<'a> {
    fn of(body: &'a str, title: &str) -> Option<Self> {
        let outline = Outline::of(body);
        let section = outline.find(&["Narrative", title])?;
        if outline.with_nested(section).len() > 1 {
            return None;
        }
        let blocks = &outline.blocks()[outline.sections()[section].blocks.clone()];
        if blocks.len() > MOST {
            return None;
        }
        let (first, last) = (blocks.first()?, blocks.last()?);
        let span = first.content.start..last.content.end;
        let items: Vec<Own<'a>> =
            blocks.iter().map(|block| Own { text: &body[block.content.clone()] }).collect();
        let mut keys: Vec<String> = items.iter().map(Own::key).collect();
        let is_flat = |own: &Own<'_>| own.text.starts_with(['-', '*', '+']) && own.read().is_some();
        if !items.iter().all(is_flat) {
            return None;
        }
        keys.sort_unstable();
        let newline = if body[span.clone()].contains("\r\n") { "\r\n" } else { "\n" };
        keys.windows(2).all(|pair| pair[0] != pair[1]).then_some(Self { span, items, newline })
    }

    fn by_key(&self) -> BTreeMap<String, Own<'a>> {
        self.items.iter().map(|own| (own.key(), *own)).collect()
    }

    /// Whether its items stand in the order of their months, the newest first.
    fn is_newest_first(&self) -> bool {
        let months: Vec<Option<String>> = self.items.iter().map(Own::month).collect();
        months.windows(2).all(|pair| pair[0] >= pair[1])
    }
}

/// The merged list in each version that has one; `None` if the sides have not both one, or are as alike as they can be.
fn merge(lists: &[Option<List<'_>>; 3]) -> Option<[Option<String>; 3]> {
    let [base, Some(first), Some(second)] = lists else { return None };
    let known = base.as_ref().map(List::by_key).unwrap_or_default();
    let sides = [first.by_key(), second.by_key()];
    let order = order([first, second]);
    let mut texts = [const { Vec::new() }; 3];
    for key in &order {
        let versions = [known.get(key), sides[0].get(key), sides[1].get(key)];
        match settled(versions) {
            Some(kept) => texts.iter_mut().for_each(|list: &mut Vec<&Own<'_>>| list.extend(kept)),
            None => texts.iter_mut().zip(versions).for_each(|(list, own)| list.extend(own)),
        }
    }
    let mut items = texts.map(|list| list.into_iter().copied().collect::<Vec<_>>());
    if lists.iter().flatten().all(List::is_newest_first) {
        items.iter_mut().for_each(|list| list.sort_by_key(|own| std::cmp::Reverse(own.month())));
    }
    let written = |at: usize| {
        let list = lists[at].as_ref().filter(|_| !items[at].is_empty())?;
        let lines: Vec<&str> = items[at].iter().map(|own| own.text).collect();
        Some(lines.join(list.newline))
    };
    Some([0, 1, 2].map(written))
}

/// What becomes of one item in its versions: the outer `None` if that is not settled, the inner one if it is gone.
fn settled<'a, 'o>([base, first, second]: [Option<&'o Own<'a>>; 3]) -> Option<Option<&'o Own<'a>>> {
    let said = |own: Option<&Own<'a>>| own.map(|own| own.text);
    if said(first) == said(second) || said(base) == said(second) {
        return Some(first);
    }
    if said(base) == said(first) {
        return Some(second);
    }
    let (Some(first), Some(second)) = (first, second) else { return None };
    let ((one, first_mark), (other, second_mark)) = (first.unmarked(), second.unmarked());
    if one != other {
        return None;
    }
    // of two marks that of the revert, then the earlier one
    let rank = |mark: &Option<Mark>| {
        mark.as_ref().map_or((2, String::new()), |mark| {
            (usize::from(mark.fate != MarkFate::Reverted), mark.day.clone())
        })
    };
    let is_second = (rank(&second_mark), second.text) < (rank(&first_mark), first.text);
    Some(Some(if is_second { second } else { first }))
}

/// The titles of both sides: those of the first, and those of the second before the next that both have.
fn order([first, second]: [&List<'_>; 2]) -> Vec<String> {
    let mut order: Vec<String> = first.items.iter().map(Own::key).collect();
    let mut waiting: Vec<String> = Vec::new();
    for key in second.items.iter().map(Own::key) {
        match order.iter().position(|known| *known == key) {
            Some(at) => drop(order.splice(at..at, waiting.drain(..))),
            None => waiting.push(key),
        }
    }
    order.extend(waiting);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(items: &str) -> String {
        format!("## Narrative\n### Highlights\n{items}\n### Rules\n- **r**: s\n")
    }

    fn merged(versions: [&str; 3]) -> [String; 3] {
        let bodies = versions.map(body);
        let bodies = bodies.each_ref().map(String::as_str);
        unified(bodies).unwrap_or_else(|| bodies.map(str::to_owned))
    }

    fn all(versions: [&str; 3]) -> String {
        let [base, first, second] = merged(versions);
        assert_eq!((&base, &first), (&second, &second));
        let text =
            first.strip_prefix("## Narrative\n### Highlights\n").and_then(|rest| rest.split_once("\n###"));
        text.map(|(items, _)| items.to_owned()).unwrap_or_default()
    }

    const OLD: &str = "- **old**: x (2026-01)";

    #[test]
    fn items_of_both_sides_stay_newest_first_and_the_same_one_once() {
        let first = format!("- **b**: y (2026-03)\n- **same**: z (2026-02)\n{OLD}");
        let second = format!("- **a**: w (2026-04)\n- **same**: z (2026-02)\n- **c**: v (2026-02)\n{OLD}");
        let expected = format!(
            "- **a**: w (2026-04)\n- **b**: y (2026-03)\n- **same**: z (2026-02)\n- **c**: v (2026-02)\n{OLD}"
        );
        assert_eq!(all([OLD, &first, &second]), expected);
        assert_eq!(all([OLD, "- **n**: m (2026-02)", OLD]), "- **n**: m (2026-02)", "one side removed it");
    }

    #[test]
    fn a_mark_wins_over_none_and_the_earlier_over_the_later() {
        let marked = "- **old**: reverted 2026-02-04: x (2026-01)";
        assert_eq!(all([OLD, marked, OLD]), marked);
        let later = "- **old**: reverted 2026-03-01: x (2026-01)";
        assert_eq!(all([OLD, later, marked]), marked);
        assert_eq!(all(["- **z**: z (2026-01)", marked, OLD]), marked);
    }

    #[test]
    fn an_item_that_both_changed_is_left_to_each_version() {
        let [base, first, second] = merged([OLD, "- **old**: y (2026-01)", "- **old**: z (2026-01)"]);
        assert!(base.contains("x (") && first.contains("y (") && second.contains("z ("));
        let [_, first, second] =
            merged([OLD, "- **n**: n (2026-02)", "- **n**: n (2026-02)\n- **old**: y (2026-01)"]);
        assert!(!first.contains("old") && second.contains("old"));
    }

    #[test]
    fn other_blocks_and_equal_titles_leave_a_section_as_it_is() {
        for other in ["text\n\n- **a**: b", "- **a**: b\n- **A**: c", "- plain"] {
            let [base, first, second] = merged([OLD, other, "- **a**: b (2026-02)"]);
            assert_eq!([base, first, second], [OLD, other, "- **a**: b (2026-02)"].map(body), "{other}");
        }
    }
}
