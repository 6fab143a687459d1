//! Read frontmatter fields that are written so plainly that no YAML parser is needed.
//!
//! Knows one field's lines: a scalar on one line, `[a, b]` on one line, `- a` lines, or nothing. Far stricter than
//! YAML: what it accepts reads the same in every YAML parser; what it rejects may still be valid. Does not know what
//! fields mean.

use std::borrow::Cow;
use std::ops::Range;

/// The value of a plainly written field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Plain<'a> {
    /// Nothing follows the colon.
    Null,
    Scalar(Cow<'a, str>),
    List(PlainList<'a>),
}

/// A list and the places of its items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlainList<'a> {
    pub style: ListStyle,
    pub items: Vec<Item<'a>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ListStyle {
    /// `[a, b]`: the range between the brackets.
    Flow(Range<usize>),
    /// `- a` lines.
    Block,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item<'a> {
    pub value: Cow<'a, str>,
    /// Its range in the field's lines, including quotes.
    pub written: Range<usize>,
}

/// Where a scalar is: a comma has a meaning between brackets only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CommaContext {
    Block,
    Flow,
}

/// True for a key that reads as itself.
pub(super) fn is_key(key: &str) -> bool {
    key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
        && !key.eq_ignore_ascii_case("null")
}

/// True for blank lines and comments that no YAML parser reads as anything else.
pub(super) fn is_lead(lead: &str) -> bool {
    lead.is_empty()
        || lead
            .lines()
            .all(|line| line.bytes().all(|b| b == b' ') || (line.starts_with('#') && is_printable(line)))
}

/// Read a field's lines; the key and its colon end at `colon`.
pub(super) fn read(lines: &str, colon: usize) -> Option<Plain<'_>> {
    let end = lines[colon..].find('\n').map_or(lines.len(), |at| colon + at);
    let first = unended(&lines[..end]);
    let more = &lines[(end + 1).min(lines.len())..];
    let start = colon + blanks(&first[colon..]);
    let rest = &first[start..];
    if rest.is_empty() || (rest.starts_with('#') && start > colon && is_printable(rest)) {
        return if more.is_empty() { Some(Plain::Null) } else { block(lines, end + 1).map(Plain::List) };
    }
    if !more.is_empty() || start == colon {
        return None;
    }
    if rest.starts_with('[') {
        return flow(first, start).map(Plain::List);
    }
    let (value, end) = scalar(first, start, CommaContext::Block)?;
    ends(&first[end..]).then_some(Plain::Scalar(value))
}

/// True if the scalar as written means the same between brackets.
pub(super) fn fits_flow(written: &str) -> bool {
    scalar(written, 0, CommaContext::Flow).is_some_and(|(_, end)| end == written.len())
}

fn unended(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

fn blanks(text: &str) -> usize {
    text.bytes().take_while(|&byte| byte == b' ').count()
}

/// True for what may follow a value on its line: nothing, or a comment.
fn ends(rest: &str) -> bool {
    let blanks = blanks(rest);
    rest.len() == blanks || (blanks > 0 && rest[blanks..].starts_with('#') && is_printable(rest))
}

fn flow(line: &str, open: usize) -> Option<PlainList<'_>> {
    let mut items = Vec::new();
    let mut at = open + 1;
    loop {
        at += blanks(&line[at..]);
        match line.as_bytes().get(at)? {
            b']' if items.is_empty() => break,
            _ => {
                let (value, end) = scalar(line, at, CommaContext::Flow)?;
                items.push(Item { value, written: at..end });
                at = end + blanks(&line[end..]);
            }
        }
        match line.as_bytes().get(at)? {
            b',' => at += 1,
            b']' => break,
            _ => return None,
        }
    }
    ends(&line[at + 1..]).then_some(PlainList { style: ListStyle::Flow(open + 1..at), items })
}

fn block(lines: &str, mut at: usize) -> Option<PlainList<'_>> {
    let mut items = Vec::new();
    let indent = blanks(&lines[at..]);
    while at < lines.len() {
        let next = lines[at..].find('\n').map_or(lines.len(), |end| at + end + 1);
        let line = unended(&lines[..next]);
        let dash = at + indent;
        if line.len() < dash + 3 || blanks(&line[at..]) != indent || &line.as_bytes()[dash..dash + 2] != b"- "
        {
            return None;
        }
        let start = dash + 2 + blanks(&line[dash + 2..]);
        let (value, end) = scalar(line, start, CommaContext::Block)?;
        if !ends(&line[end..]) {
            return None;
        }
        items.push(Item { value, written: start..end });
        at = next;
    }
    Some(PlainList { style: ListStyle::Block, items })
}

/// The scalar at `start` and where it ends.
fn scalar(line: &str, start: usize, context: CommaContext) -> Option<(Cow<'_, str>, usize)> {
    let text = &line[start..];
    match text.bytes().next()? {
        b'"' => {
            let inside = &text[1..1 + text[1..].find('"')?];
            let plain = !inside.contains('\\') && is_printable(inside);
            plain.then(|| (Cow::Borrowed(inside), start + inside.len() + 2))
        }
        b'\'' => single(text).map(|(value, length)| (value, start + length)),
        _ => {
            let length = unquoted(text, context)?;
            Some((Cow::Borrowed(&text[..length]), start + length))
        }
    }
}

fn single(text: &str) -> Option<(Cow<'_, str>, usize)> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        at += bytes.get(at..)?.iter().position(|&byte| byte == b'\'')?;
        if bytes.get(at + 1) != Some(&b'\'') {
            break;
        }
        at += 2;
    }
    let inside = &text[1..at];
    let value =
        if inside.contains('\'') { Cow::Owned(inside.replace("''", "'")) } else { Cow::Borrowed(inside) };
    is_printable(inside).then_some((value, at + 1))
}

/// The length of the unquoted scalar at the start of `text`.
fn unquoted(text: &str, context: CommaContext) -> Option<usize> {
    let first = text.chars().next()?;
    if !(first.is_alphanumeric() || matches!(first, '_' | '/' | '.' | '+' | '(' | '$') || first > '\u{a0}') {
        return None;
    }
    let bytes = text.as_bytes();
    let mut end = bytes.len();
    for (at, &byte) in bytes.iter().enumerate() {
        let next = bytes.get(at + 1);
        match byte {
            b'#' if bytes[at - 1] == b' ' => {
                end = at;
                break;
            }
            b':' if context == CommaContext::Flow => {
                next.filter(|next| next.is_ascii_alphanumeric() || **next == b'/').map(|_| ())?
            }
            b':' => next.filter(|next| **next != b' ').map(|_| ())?,
            b',' | b']' if context == CommaContext::Flow => {
                end = at;
                break;
            }
            b'[' | b'{' | b'}' if context == CommaContext::Flow => return None,
            _ => {}
        }
    }
    let found = text[..end].trim_end_matches(' ');
    (is_printable(found) && !found.eq_ignore_ascii_case("null")).then_some(found.len())
}

/// True for characters that YAML allows on one line, except tabs.
fn is_printable(text: &str) -> bool {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return true;
    }
    text.chars().all(|c| match c {
        ' '..='~' => true,
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => false,
        c => c >= '\u{a0}',
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::doc::{Document, Value};

    fn value(plain: &Plain<'_>) -> Value {
        let text = |text: &Cow<'_, str>| Value::Scalar(text.clone().into_owned());
        match plain {
            Plain::Null => Value::Null,
            Plain::Scalar(value) => text(value),
            Plain::List(list) => Value::List(list.items.iter().map(|item| text(&item.value)).collect()),
        }
    }

    #[test]
    fn the_usual_fields_are_taken() {
        for lines in [
            "k: title of it\n",
            "k: \"a: b #c\" # d\r\n",
            "k: 'it''s'\n",
            "k: [a, \"b, c\", 'd', e/f.md, 1.10]\n",
            "k: [🔁, .net, $x, (a)]\n",
            "k: []\n",
            "k:\n",
            "k: # nothing\n",
            "k:\n  - a\n  - 'b' # c\n",
            "k:\n- a\n",
            "k: 2025-04-02T10:00:00Z\n",
            "k: http://a.b/c\n",
        ] {
            let read = read(lines, 2).unwrap_or_else(|| panic!("{lines:?}"));
            let document = Document::parse(format!("---\n{lines}---\n"));
            assert_eq!(Some(&value(&read)), document.field("k"), "{lines:?}");
        }
    }

    #[test]
    fn what_needs_a_parser_is_left_to_it() {
        for lines in [
            "k: a: b\n",
            "k: |\n  a\n",
            "k: &x a\n",
            "k: \"a\\n\"\n",
            "k: [a,\n  b]\n",
            "k: {a: b}\n",
            "k: a\n  b\n",
            "k: null\n",
            "k: ~\n",
            "k:\n  a: b\n",
            "k: [a: b]\n",
            "k: [[a]]\n",
            "k:\n  - - a\n",
            "k:\n  - a: b\n",
            "k:a\n",
            "k: a\tb\n",
            "k: -\n",
            "k: [a, ]\n",
            "k: \"a\" b\n",
            "k: a:\n",
        ] {
            assert_eq!(read(lines, 2), None, "{lines:?}");
        }
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(1_000))]
        #[test]
        fn what_is_taken_reads_as_the_parser_reads_it(
            text in "[ \\[]{0,2}[-a-c0-9:#,\\[\\]{}'\"|>&*!?%@~._/\\\\ \u{e9}\u{85}\u{1f501}$+()\t\n]{0,14}|[ ]{0,3}\\[(['\"]?[a-z0-9 :.#/-]{0,4}['\"]?,? ?){0,3}\\]?|\n?( {0,2}- ?['\"]?[a-z0:# ]{0,4}['\"]?\r?\n?){0,3}| (null|Null|true|NO|~|0x1f|1e3|\\.5|1_0|0o7|=|<<|1:2)",
        ) {
            let lines = format!("k:{}\n", text.trim_end_matches('\n'));
            if let Some(read) = read(&lines, 2) {
                let document = Document::parse(format!("---\n{lines}z: 1\n---\n"));
                let keys: Vec<_> = document.fields().iter().filter_map(|(key, _)| key.as_str()).collect();
                prop_assert_eq!(keys, ["k", "z"]);
                prop_assert_eq!(Some(&value(&read)), document.field("k"), "{:?}", lines);
            }
        }
    }
}
