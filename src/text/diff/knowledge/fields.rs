//! Compare the frontmatter of two documents by key.
//!
//! Rows are matched as text first, so that unchanged ones are not listed; the rest is listed by key and value. Knows
//! values and comments; of single keys, it only knows which are times.

use super::{FieldChange, FieldKind, Fold, FoldKind, How, Spot};
use crate::diff::{FileDiff, compare, edits, mark, words};
use crate::doc::{Document, Frontmatter, Opaque, Value};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// The fields that every edit changes.
const TIMES: [&str; 4] = ["createdAt", "updatedAt", "synthesized_at", "consolidated_at"];

/// A field, a comment or a fence with its lines.
struct FieldRow {
    what: What,
    text: String,
    lines: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum What {
    /// The n-th field of this name, as an index into the fields.
    Field(String, usize),
    Comment,
    Fence,
}

/// The differences between the frontmatters of two documents.
pub(super) fn compare_fields(
    before: &Document,
    after: &Document,
    folded: &mut Vec<Fold>,
) -> Vec<FieldChange> {
    let (old, new) = (head(before), head(after));
    if old == new {
        return Vec::new();
    }
    match (rows(before, old), rows(after, new)) {
        (Some(left), Some(right)) => FieldComparison { before, after, left, right }.tell(folded),
        _ => as_lines(old, new),
    }
}

/// The frontmatter with its fences, without byte order mark.
fn head(document: &Document) -> &str {
    let text = &document.text()[..document.body_start()];
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn as_lines(old: &str, new: &str) -> Vec<FieldChange> {
    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    let FileDiff::Text(mut hunks) = compare(old.as_bytes(), new.as_bytes(), 1) else { return Vec::new() };
    if hunks.is_empty() {
        return Vec::new();
    }
    mark(&mut hunks);
    let lines = |text: &str| (!text.is_empty()).then(|| 0..split(text).len());
    let spot = Spot { before: lines(&old), after: lines(&new) };
    vec![FieldChange { lines: hunks, ..change("", FieldKind::Unreadable, spot) }]
}

/// Split into lines, which end with `\n`, `\r\n` or `\r`.
fn split(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest
            .find(['\n', '\r'])
            .map_or(rest.len(), |at| at + if rest[at..].starts_with("\r\n") { 2 } else { 1 });
        lines.push(&rest[..end]);
        rest = &rest[end..];
    }
    lines
}

/// The frontmatter split into rows; `None` if it is unclear which lines belong to which field.
fn rows(document: &Document, head: &str) -> Option<Vec<FieldRow>> {
    match document.frontmatter() {
        Frontmatter::Absent => return Some(Vec::new()),
        Frontmatter::Fields(_) => {}
        Frontmatter::Opaque { why: Opaque::DuplicateKey | Opaque::Unreadable | Opaque::Indirect, .. } => {}
        Frontmatter::Opaque { .. } => return None,
    }
    let fields = document.fields();
    let lines = split(head);
    let mut rows: Vec<FieldRow> = Vec::new();
    let mut field = 0;
    for (number, line) in lines.iter().enumerate() {
        let text = line.trim_end();
        let is_fence = number == 0 || number + 1 == lines.len();
        let is_in_field = matches!(rows.last(), Some(FieldRow { what: What::Field(..), .. }));
        if is_fence {
            rows.push(FieldRow { what: What::Fence, text: text.into(), lines: number..number + 1 });
        } else if text.is_empty() {
        } else if let Some(name) =
            fields.get(field).and_then(|(key, _)| key.as_str()).filter(|key| opens(text, key))
        {
            rows.push(FieldRow {
                what: What::Field(name.into(), field),
                text: text.into(),
                lines: number..number + 1,
            });
            field += 1;
        } else if text.starts_with('#') {
            rows.push(FieldRow { what: What::Comment, text: text.into(), lines: number..number + 1 });
        } else if is_in_field && text.starts_with([' ', '\t', '-', ']', '}']) {
            let row = rows.last_mut()?;
            row.text.push('\n');
            row.text.push_str(text);
            row.lines.end = number + 1;
        } else {
            return None;
        }
    }
    (field == fields.len()).then_some(rows)
}

/// Whether a line starts the field of this name.
fn opens(line: &str, key: &str) -> bool {
    let rest = match line.chars().next() {
        Some(quote @ ('"' | '\'')) => line[1..].strip_prefix(key).and_then(|rest| rest.strip_prefix(quote)),
        _ => line.strip_prefix(key),
    };
    rest.is_some_and(|rest| {
        let rest = rest.trim_start();
        rest.strip_prefix(':').is_some_and(|value| value.is_empty() || value.starts_with([' ', '\t']))
    })
}

struct FieldComparison<'a> {
    before: &'a Document,
    after: &'a Document,
    left: Vec<FieldRow>,
    right: Vec<FieldRow>,
}

impl FieldComparison<'_> {
    fn tell(&self, folded: &mut Vec<Fold>) -> Vec<FieldChange> {
        let (gone, come) = self.unequal();
        let mut changes = Vec::new();
        let mut waiting: HashMap<(What, String), VecDeque<usize>> = HashMap::new();
        let mut seen = HashMap::new();
        for place in &gone {
            waiting.entry(key(&self.left[*place], &mut seen)).or_default().push_back(*place);
        }
        seen.clear();
        let mut partners = vec![None; self.left.len()];
        for place in &come {
            let row = &self.right[*place];
            let partner = waiting.get_mut(&key(row, &mut seen)).and_then(|places| places.pop_front());
            if let Some(partner) = partner {
                partners[partner] = Some(*place);
                self.both(partner, *place, &mut changes, folded);
            } else {
                self.one(None, Some(row), &mut changes, folded);
            }
        }
        for place in gone.into_iter().filter(|place| partners[*place].is_none()) {
            self.one(Some(&self.left[place]), None, &mut changes, folded);
        }
        changes
    }

    /// The rows of both sides that are not the same text in the same order.
    fn unequal(&self) -> (Vec<usize>, Vec<usize>) {
        let text = |rows: &[FieldRow]| -> Vec<String> { rows.iter().map(|row| row.text.clone()).collect() };
        let (left, right) = (text(&self.left), text(&self.right));
        // the same rows whichever side is which: between equally good ways, the text decides
        let is_turned = left > right;
        let (first, second) = if is_turned { (&right, &left) } else { (&left, &right) };
        let (mut gone, mut come) = (Vec::new(), Vec::new());
        for change in edits::changes(first, second) {
            gone.extend(change.before);
            come.extend(change.after);
        }
        if is_turned { (come, gone) } else { (gone, come) }
    }

    fn value(document: &Document, row: &FieldRow) -> Value {
        match row.what {
            What::Field(_, place) => document.fields()[place].1.clone(),
            What::Comment | What::Fence => Value::Null,
        }
    }

    fn both(&self, left: usize, right: usize, changes: &mut Vec<FieldChange>, folded: &mut Vec<Fold>) {
        let (left, right) = (&self.left[left], &self.right[right]);
        let spot = Spot { before: Some(left.lines.clone()), after: Some(right.lines.clone()) };
        let What::Field(name, _) = &right.what else {
            return folded.push(Fold { what: FoldKind::Frontmatter, spot });
        };
        let (old, new) = (Self::value(self.before, left), Self::value(self.after, right));
        if let Some(change) = edited(name, &old, &new, &spot) {
            return changes.push(change);
        }
        let (was, is) = (comments(&left.text), comments(&right.text));
        if was == is {
            return folded.push(Fold { what: FoldKind::Frontmatter, spot });
        }
        let told = |text: String| (!text.is_empty()).then_some(text);
        changes.push(valued(change(name, FieldKind::Comment, spot), told(was), told(is)));
    }

    /// The change for a row of one side only.
    fn one(
        &self,
        left: Option<&FieldRow>,
        right: Option<&FieldRow>,
        changes: &mut Vec<FieldChange>,
        folded: &mut Vec<Fold>,
    ) {
        let spot =
            Spot { before: left.map(|row| row.lines.clone()), after: right.map(|row| row.lines.clone()) };
        let Some(row) = left.or(right) else { return };
        let (name, kind, value) = match &row.what {
            What::Fence => return folded.push(Fold { what: FoldKind::Fence, spot }),
            What::Comment => {
                let text = row.text.trim_start_matches('#').trim().to_owned();
                ("", FieldKind::Comment, Value::Scalar(text))
            }
            What::Field(name, _) => {
                let document = if right.is_some() { self.after } else { self.before };
                let value = Self::value(document, row);
                (name.as_str(), kind(name, &value), value)
            }
        };
        let change = change(name, kind, spot);
        changes.push(match (kind, right.is_some()) {
            (FieldKind::List, true) => FieldChange { added: value.to_list(), ..change },
            (FieldKind::List, false) => FieldChange { removed: value.to_list(), ..change },
            (_, true) => valued(change, None, Some(shown(&value))),
            (_, false) => valued(change, Some(shown(&value)), None),
        });
    }
}

/// The key by which two rows are versions of each other: the name and its occurrence, or the text of a comment.
fn key(row: &FieldRow, seen: &mut HashMap<String, usize>) -> (What, String) {
    match &row.what {
        What::Field(name, _) => {
            let turn = seen.entry(name.clone()).or_default();
            *turn += 1;
            (What::Field(name.clone(), *turn), String::new())
        }
        What::Comment => (What::Comment, row.text.clone()),
        What::Fence => (What::Fence, String::new()),
    }
}

fn kind(name: &str, value: &Value) -> FieldKind {
    match value {
        _ if TIMES.contains(&name) => FieldKind::Time,
        Value::List(items) if items.iter().all(|item| item.as_str().is_some()) => FieldKind::List,
        _ => FieldKind::Other,
    }
}

/// A change without values. A list that only one side has is added or removed; a value says so itself.
fn change(key: &str, kind: FieldKind, spot: Spot) -> FieldChange {
    let change = match (&spot.before, &spot.after) {
        _ if kind == FieldKind::Unreadable => How::Changed,
        (None, _) => How::Added,
        (_, None) => How::Removed,
        _ => How::Changed,
    };
    let (added, removed, lines, words) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let key = key.to_owned();
    FieldChange { key, kind, change, before: None, after: None, added, removed, lines, words, spot }
}

/// The change with the values of the sides that have one.
fn valued(change: FieldChange, before: Option<String>, after: Option<String>) -> FieldChange {
    let (how, words) = match (&before, &after) {
        (Some(before), Some(after)) => (How::Changed, words(before.as_bytes(), after.as_bytes())),
        (None, _) => (How::Added, Vec::new()),
        (_, None) => (How::Removed, Vec::new()),
    };
    FieldChange { change: how, before, after, words, ..change }
}

/// The difference between two values of a field; `None` if they have the same items.
fn edited(name: &str, old: &Value, new: &Value, spot: &Spot) -> Option<FieldChange> {
    if old == new {
        return None;
    }
    let change = |kind| change(name, kind, spot.clone());
    let kinds = (kind(name, old), kind(name, new));
    let is_list = |value: &Value| matches!(value, Value::List(_));
    if kinds == (FieldKind::List, FieldKind::List)
        || (kinds.0 == FieldKind::List && *new == Value::Null)
        || (kinds.1 == FieldKind::List && *old == Value::Null)
    {
        let (old, new) = (old.to_list(), new.to_list());
        let (added, removed) = (without(&new, &old), without(&old, &new));
        let same = added.is_empty() && removed.is_empty();
        return (!same).then(|| FieldChange { added, removed, ..change(FieldKind::List) });
    }
    let kind = if is_list(new) { FieldKind::Other } else { kinds.1 };
    Some(valued(change(kind), Some(shown(old)), Some(shown(new))))
}

/// The items that `other` does not have, or has less often.
fn without(items: &[String], other: &[String]) -> Vec<String> {
    let mut there: HashMap<&str, usize> = HashMap::new();
    other.iter().for_each(|item| *there.entry(item).or_default() += 1);
    let is_new = |item: &&String| match there.get_mut(item.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    items.iter().filter(is_new).cloned().collect()
}

/// A value on one line: scalars as they are, lists and mappings as YAML flow style.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Scalar(text) => text.clone(),
        Value::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Value::Map(fields) => {
            let field = |(key, value): &(Value, Value)| format!("{}: {}", shown(key), shown(value));
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The comments at the ends of lines: the text after a ` #` outside quotes.
fn comments(text: &str) -> String {
    text.lines().filter_map(comment).collect::<Vec<_>>().join("; ")
}

fn comment(line: &str) -> Option<&str> {
    let mut quote = None;
    let mut previous = ' ';
    for (at, char) in line.char_indices() {
        match (quote, char) {
            (None, '#') if previous.is_whitespace() => return Some(line[at + 1..].trim()),
            // an apostrophe inside a word opens nothing
            (None, '"' | '\'') if !previous.is_alphanumeric() => quote = Some(char),
            (Some(open), _) if char == open => quote = None,
            _ => {}
        }
        previous = char;
    }
    None
}
