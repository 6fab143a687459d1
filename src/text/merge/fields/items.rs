//! Split a list into its items, each with its lines and the comments above it, and write a list from the items of two
//! versions.
//!
//! Knows dashes, brackets and lines. An item may have several lines. Does not decide which items are kept.

use std::collections::HashMap;

use super::braces;
use super::pieces;
use crate::doc::Value;

/// An item of a list: its value, and how many equal ones precede it.
pub(super) type ListItemKey<'a> = (&'a Value, usize);

#[derive(Default)]
pub(super) struct List<'a> {
    /// Everything before the first item: the line of the key, or the text up to the bracket.
    head: &'a str,
    items: Vec<Item<'a>>,
    keys: Vec<ListItemKey<'a>>,
    tail: &'a str,
    form: ListForm<'a>,
}

/// How a list is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ListForm<'a> {
    /// Each item after a dash.
    #[default]
    Block,
    /// In brackets, with this text between the first two items.
    Flow { gap: Option<&'a str> },
}

#[derive(Clone, Copy)]
struct Item<'a> {
    lead: &'a str,
    /// The white space before it, with its dash.
    dash: &'a str,
    /// Everything after its dash.
    text: &'a str,
}

pub(super) fn keys(values: &[Value]) -> Vec<ListItemKey<'_>> {
    let mut counts: HashMap<&Value, usize> = HashMap::with_capacity(values.len());
    let key = |value| {
        let count = counts.entry(value).or_default();
        *count += 1;
        (value, *count)
    };
    values.iter().map(key).collect()
}

impl<'a> List<'a> {
    /// The list with these values in the lines of a field; `None` if the lines show another number of items.
    pub(super) fn of(lines: &'a str, values: &'a [Value]) -> Option<List<'a>> {
        let list = List::flow(lines).or_else(|| List::block(lines))?;
        (list.items.len() == values.len()).then(|| List { keys: keys(values), ..list })
    }

    /// As [`List::of`], if each item has a dash.
    pub(super) fn of_block(lines: &'a str, values: &'a [Value]) -> Option<List<'a>> {
        List::of(lines, values).filter(|list| list.form == ListForm::Block)
    }

    fn block(lines: &'a str) -> Option<List<'a>> {
        let start = lines.find('\n')? + 1;
        let mut items: Vec<Item<'a>> = Vec::new();
        let (mut indent, mut pending, mut at, mut started) = (None, start, start, start);
        for line in lines[start..].split_inclusive('\n') {
            let end = at + line.len();
            let text = line.trim_start_matches(' ');
            let own = line.len() - text.len();
            let rest = text.strip_prefix('-').filter(|rest| rest.starts_with([' ', '\n', '\r']));
            match rest.map(|rest| rest.trim_start_matches(' ')) {
                Some(rest) if indent.is_none_or(|indent| indent == own) => {
                    let (dash, text) = line.split_at(line.len() - rest.len());
                    items.push(Item { lead: &lines[pending..at], dash, text });
                    (indent, pending, started) = (Some(own), end, end - text.len());
                }
                _ if text.trim_ascii().is_empty() => {}
                _ if text.starts_with('#') && indent.is_none_or(|indent| own <= indent) => {}
                // the item goes on
                _ if indent.is_some_and(|indent| own > indent) => {
                    items.last_mut()?.text = &lines[started..end];
                    pending = end;
                }
                _ => return None,
            }
            at = end;
        }
        let (head, tail) = (&lines[..start], &lines[pending..]);
        Some(List { head, items, keys: Vec::new(), tail, form: ListForm::Block })
    }

    fn flow(lines: &'a str) -> Option<List<'a>> {
        let open = braces::opening(lines, '[')?;
        let (mut spans, _) = braces::fields(lines, open, b']')?;
        // a comma may follow the last item
        if spans.last().is_some_and(std::ops::Range::is_empty) {
            spans.pop();
        }
        let (start, end) = match (spans.first(), spans.last()) {
            (Some(first), Some(last)) => (first.start, last.end),
            _ => (open, open),
        };
        let gap = spans.windows(2).next().map(|two| &lines[two[0].end..two[1].start]);
        let items = spans.into_iter().map(|span| Item { lead: "", dash: "", text: &lines[span] }).collect();
        let (head, tail) = (&lines[..start], &lines[end..]);
        Some(List { head, items, keys: Vec::new(), tail, form: ListForm::Flow { gap } })
    }

    /// The lines of a list of `wanted` in the form of `own`, with the comments of both sides. `None` if `other` writes
    /// an item in a way that means something else here.
    pub(super) fn merged([base, own, other]: [&List<'_>; 3], wanted: &[ListItemKey<'_>]) -> Option<String> {
        let is_block = own.form == ListForm::Block;
        if is_block != (other.form == ListForm::Block) && !other.items.is_empty() {
            return None;
        }
        let none = List::default();
        let base = if is_block == (base.form == ListForm::Block) { base } else { &none };
        let dash = own.items.first().map_or("", |item| item.dash);
        let item = |key| one([base, own, other].map(|list| list.item(key)), dash);
        let texts = wanted.iter().map(item).collect::<Option<Vec<_>>>()?;
        match own.form {
            ListForm::Block if texts.is_empty() => None,
            ListForm::Block => {
                let head = three(base.head, own.head, other.head);
                let tail = pieces::lead(base.tail, own.tail, other.tail);
                Some([head, &texts.concat(), &tail].concat())
            }
            ListForm::Flow { gap } => {
                let theirs = if let ListForm::Flow { gap } = other.form { gap } else { None };
                let texts = texts.join(gap.or(theirs).unwrap_or(", "));
                Some([own.head, &texts, own.tail].concat())
            }
        }
    }

    fn item(&self, key: &ListItemKey<'_>) -> Option<Item<'a>> {
        self.keys.iter().position(|own| own == key).and_then(|at| self.items.get(at)).copied()
    }
}

/// The lines of an item in three versions, after this dash: each side's comments and its way to write the value.
fn one([base, own, other]: [Option<Item<'_>>; 3], dash: &str) -> Option<String> {
    const NONE: Item<'static> = Item { lead: "", dash: "", text: "" };
    let is_one_line = |item: &Item<'_>| item.text.trim_ascii_end().lines().count() == 1;
    let fits = |item: &Item<'_>| item.dash == dash || is_one_line(item);
    match (own, other) {
        (Some(own), Some(other)) => {
            let base = base.unwrap_or(NONE);
            let text = if fits(&other) { three(base.text, own.text, other.text) } else { own.text };
            Some([&*pieces::lead(base.lead, own.lead, other.lead), dash, text].concat())
        }
        (Some(item), None) | (None, Some(item)) => fits(&item).then(|| [item.lead, dash, item.text].concat()),
        (None, None) => None,
    }
}

/// The value that at most one side changed, else the greater bytes.
pub(super) fn three<'a>(base: &str, own: &'a str, other: &'a str) -> &'a str {
    match (base == own, base == other) {
        (true, _) => other,
        (_, true) => own,
        _ => own.max(other),
    }
}
