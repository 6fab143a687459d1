//! Split frontmatter into its fields: whole lines, in order, each with the comments before it.
//!
//! Knows lines and keys. The values come from [`plain`] if all fields are written plainly, else from the YAML parser,
//! which must see the same keys: if it does not, the frontmatter is unreadable. Does not know what fields mean.

use std::borrow::Cow;
use std::collections::HashSet;

use super::braces;
use super::plain::{self, Plain};
use crate::doc::{Document, Frontmatter, Value};

/// The bytes before the body, without a byte order mark.
#[derive(Debug)]
pub(super) enum Front<'a> {
    Absent,
    Fields(Fields<'a>),
    /// Bytes that cannot be split, with as many fields as can be recognised.
    Unreadable(Vec<Chunk<'a>>),
}

#[derive(Debug, Default)]
pub(super) struct Fields<'a> {
    pub open: &'a str,
    pub chunks: Vec<Chunk<'a>>,
    /// Comments and blank lines after the last field.
    pub tail: &'a str,
    pub close: &'a str,
}

#[derive(Debug, Clone)]
pub(super) struct Chunk<'a> {
    pub key: Cow<'a, str>,
    /// The comments and blank lines before it.
    pub lead: &'a str,
    pub lines: &'a str,
    pub value: Node<'a>,
}

#[derive(Debug, Clone)]
pub(super) enum Node<'a> {
    /// Read without a parser.
    Plain(Plain<'a>),
    /// Read by the parser.
    Parsed(&'a Value),
    /// Not readable: a field of unreadable frontmatter.
    Unknown,
}

/// A stretch of lines with a key.
struct Raw<'a> {
    lead: &'a str,
    lines: &'a str,
    /// The key as written, and the length of the lines up to and including its colon.
    key: &'a str,
    colon: usize,
}

/// The bytes before the body, without a byte order mark.
pub(super) fn front(document: &Document) -> &[u8] {
    let head = &document.as_bytes()[..document.body_start()];
    head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head)
}

pub(super) fn read(document: &Document) -> Front<'_> {
    let front = front(document);
    if front.is_empty() {
        return Front::Absent;
    }
    let Ok(text) = std::str::from_utf8(front) else { return Front::Unreadable(Vec::new()) };
    let open = text.find('\n').map_or(text.len(), |at| at + 1);
    let close = text.trim_end_matches(['\r', '\n']).rfind('\n').map_or(0, |at| at + 1);
    if close < open || !text[close..].starts_with("---") || !text[close + 3..].trim_ascii().is_empty() {
        return Front::Unreadable(unread(&text[open..]));
    }
    let inside = &text[open..close];
    match chunks(document, inside) {
        Some((chunks, tail)) => {
            Front::Fields(Fields { open: &text[..open], chunks, tail, close: &text[close..] })
        }
        None => Front::Unreadable(unread(inside)),
    }
}

fn chunks<'a>(document: &'a Document, text: &'a str) -> Option<(Vec<Chunk<'a>>, &'a str)> {
    let (raw, tail) = split(text, 0)?;
    let plain: Option<Vec<_>> = raw.iter().map(plain_chunk).collect();
    let chunks = match plain.filter(|_| plain::is_lead(tail)) {
        Some(chunks) => chunks,
        None => {
            let suspicious = text.bytes().any(|byte| matches!(byte, b'&' | b'*' | b'!'));
            if suspicious && matches!(document.frontmatter(), Frontmatter::Opaque { .. }) {
                return None;
            }
            with_values(raw, document.fields())?
        }
    };
    let mut keys = HashSet::with_capacity(chunks.len());
    chunks.iter().all(|chunk| keys.insert(&chunk.key)).then_some(())?;
    drop(keys);
    Some((chunks, tail))
}

/// The fields of a block mapping that is itself a value.
pub(super) fn nested<'a>(text: &'a str, value: &'a [(Value, Value)]) -> Option<(Vec<Chunk<'a>>, &'a str)> {
    let first =
        text.lines().find(|line| !line.trim_ascii().is_empty() && !line.trim_ascii().starts_with('#'))?;
    let (raw, tail) = split(text, first.len() - first.trim_start_matches(' ').len())?;
    Some((with_values(raw, value)?, tail))
}

/// A mapping in braces on one line.
pub(super) struct Inline<'a> {
    /// The text up to the first field.
    pub open: &'a str,
    /// The fields, without the text between them.
    pub chunks: Vec<Chunk<'a>>,
    /// The text between the first two fields.
    pub gap: Option<&'a str>,
    /// The text after the last field.
    pub close: &'a str,
}

/// The fields of a mapping in braces that is itself a value, alone on its line.
pub(super) fn inline<'a>(line: &'a str, value: &'a [(Value, Value)]) -> Option<Inline<'a>> {
    let colon = key_end(line)? + 1;
    let open = colon + line[colon..].find(|c| c != ' ').filter(|at| line[colon + at..].starts_with('{'))? + 1;
    let (spans, end) = braces::fields(line, open, b'}')?;
    let behind = line[end + 1..].trim_end_matches(['\n', '\r']);
    if !(behind.trim_ascii().is_empty()
        || behind.trim_ascii_start().starts_with('#') && behind.starts_with(' '))
    {
        return None;
    }
    let raw = spans.iter().map(|span| {
        let lines = &line[span.clone()];
        let end = key_end(lines)?;
        Some(Raw { lead: "", lines, key: &lines[..end], colon: end + 1 })
    });
    let chunks = with_values(raw.collect::<Option<Vec<_>>>()?, value)?;
    let (first, last) = match (spans.first(), spans.last()) {
        (Some(first), Some(last)) => (first.start, last.end),
        _ => (end, end),
    };
    let gap = spans.windows(2).next().map(|two| &line[two[0].end..two[1].start]);
    Some(Inline { open: &line[..first], chunks, gap, close: &line[last..] })
}

fn plain_chunk<'a>(raw: &Raw<'a>) -> Option<Chunk<'a>> {
    let value = plain::read(raw.lines, raw.colon)?;
    let plain = plain::is_key(raw.key) && plain::is_lead(raw.lead);
    plain.then_some(Chunk {
        key: Cow::Borrowed(raw.key),
        lead: raw.lead,
        lines: raw.lines,
        value: Node::Plain(value),
    })
}

fn with_values<'a>(raw: Vec<Raw<'a>>, fields: &'a [(Value, Value)]) -> Option<Vec<Chunk<'a>>> {
    if raw.len() != fields.len() || fields.iter().any(|(_, value)| has_duplicates(value)) {
        return None;
    }
    let chunk = |(raw, (key, value)): (Raw<'a>, &'a (Value, Value))| {
        let key = key.as_str().filter(|key| *key == unquoted(raw.key))?;
        let value = match plain::read(raw.lines, raw.colon) {
            Some(plain) if plain_is(&plain, value) => Node::Plain(plain),
            _ => Node::Parsed(value),
        };
        Some(Chunk { key: Cow::Borrowed(key), lead: raw.lead, lines: raw.lines, value })
    };
    raw.into_iter().zip(fields).map(chunk).collect()
}

/// The fields of an unreadable text, as far as its lines show them.
fn unread<'a>(text: &'a str) -> Vec<Chunk<'a>> {
    let (raw, _) = split(text, 0).unwrap_or_default();
    let mut keys = HashSet::new();
    let first = raw.into_iter().filter(|raw| keys.insert(raw.key));
    let chunk = |raw: Raw<'a>| {
        let value = plain_chunk(&raw).map_or(Node::Unknown, |chunk| chunk.value);
        Chunk { key: unquoted(raw.key), lead: raw.lead, lines: raw.lines, value }
    };
    first.map(chunk).collect()
}

fn unquoted(key: &str) -> Cow<'_, str> {
    let inside = |quote| key.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    Cow::Borrowed(inside('"').or_else(|| inside('\'')).unwrap_or(key))
}

fn plain_is(plain: &Plain<'_>, value: &Value) -> bool {
    match (plain, value) {
        (Plain::Null, Value::Null) => true,
        (Plain::Scalar(text), Value::Scalar(parsed)) => text == parsed,
        (Plain::List(list), Value::List(parsed)) => {
            list.items.len() == parsed.len()
                && list.items.iter().zip(parsed).all(|(item, parsed)| parsed.as_str() == Some(&item.value))
        }
        _ => false,
    }
}

fn has_duplicates(value: &Value) -> bool {
    match value {
        Value::Map(fields) => {
            let mut keys = HashSet::with_capacity(fields.len());
            fields.iter().any(|(key, value)| !keys.insert(key) || has_duplicates(value))
        }
        Value::List(items) => items.iter().any(has_duplicates),
        Value::Null | Value::Scalar(_) => false,
    }
}

/// Split lines by the keys at `indent`, and return the text after the last field. `None` if a line at that indent is
/// neither a key nor a continuation.
fn split(text: &str, indent: usize) -> Option<(Vec<Raw<'_>>, &str)> {
    let mut found: Vec<Raw<'_>> = Vec::with_capacity(8);
    // the start of comments and blank lines that may belong to the next field
    let mut pending = 0;
    let mut at = 0;
    let mut started = 0;
    while at < text.len() {
        let end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
        let line = text[at..end].trim_end_matches(['\n', '\r']);
        match kind(line, indent) {
            Line::Lead => {}
            Line::Continues if found.is_empty() => return None,
            Line::Continues => pending = end,
            Line::Key { key, colon } => {
                close(&mut found, text, started, &mut pending);
                let lead = &text[pending..at];
                found.push(Raw { lead, lines: "", key, colon });
                (started, pending) = (at, end);
            }
            Line::Other => return None,
        }
        at = end;
    }
    close(&mut found, text, started, &mut pending);
    Some((found, &text[pending..]))
}

/// Set the lines of the last field, up to `pending`.
fn close<'a>(found: &mut [Raw<'a>], text: &'a str, started: usize, pending: &mut usize) {
    let Some(last) = found.last_mut() else { return };
    if keeps_blank_lines(&text[started..*pending]) {
        *pending += blank_lines(&text[*pending..]);
    }
    last.lines = &text[started..*pending];
}

/// True if blank lines after these lines may be text, as after `|+`.
pub(super) fn keeps_blank_lines(lines: &str) -> bool {
    let header = |line: &str| {
        let line = line.split(" #").next().unwrap_or_default().trim_ascii_end();
        let last = line.rsplit(' ').next().unwrap_or_default();
        last.starts_with(['|', '>']) && last.contains('+')
    };
    lines.contains('+') && lines.lines().any(header)
}

/// The length of the blank lines at the start of `text`.
pub(super) fn blank_lines(text: &str) -> usize {
    text.split_inclusive('\n').take_while(|line| line.trim_ascii().is_empty()).map(str::len).sum()
}

enum Line<'a> {
    Lead,
    /// A continuation of the field before it.
    Continues,
    Key {
        key: &'a str,
        colon: usize,
    },
    Other,
}

fn kind(line: &str, indent: usize) -> Line<'_> {
    let own = line.len() - line.trim_start_matches(' ').len();
    let rest = &line[own..];
    let dash = rest == "-" || rest.starts_with("- ");
    match rest.bytes().next() {
        None => Line::Lead,
        Some(b'\t') if line.trim_ascii().is_empty() => Line::Lead,
        Some(b'#') if own <= indent => Line::Lead,
        Some(_) if own > indent => Line::Continues,
        Some(_) if own < indent => Line::Other,
        Some(b']' | b'}') => Line::Continues,
        Some(_) if dash => Line::Continues,
        Some(_) => {
            key_end(rest).map_or(Line::Other, |end| Line::Key { key: &rest[..end], colon: own + end + 1 })
        }
    }
}

/// The position of the colon after the key.
fn key_end(rest: &str) -> Option<usize> {
    let quote = rest.bytes().next().filter(|first| matches!(first, b'"' | b'\''));
    let end = match quote {
        Some(quote) => rest[1..].find(char::from(quote))? + 2,
        None if rest.starts_with(['[', '{', '&', '*', '!', '|', '>', '%', '@', '`', '?']) => return None,
        None => {
            rest.find(": ").or_else(|| rest.find(":\t")).or_else(|| rest.strip_suffix(':').map(str::len))?
        }
    };
    let after = rest[end..].strip_prefix(':')?;
    let plain = !rest[..end].contains(" #") && !rest[..end].ends_with(' ');
    (plain && (after.is_empty() || after.starts_with([' ', '\t']))).then_some(end)
}

impl<'a> Node<'a> {
    /// The value as the parser reads it.
    pub(super) fn to_value(&self) -> Value {
        match self {
            Node::Plain(Plain::Null) | Node::Unknown => Value::Null,
            Node::Plain(Plain::Scalar(text)) => Value::Scalar(text.clone().into_owned()),
            Node::Plain(Plain::List(list)) => Value::List(
                list.items.iter().map(|item| Value::Scalar(item.value.clone().into_owned())).collect(),
            ),
            Node::Parsed(value) => (*value).clone(),
        }
    }

    pub(super) fn scalar(&self) -> Option<&str> {
        match self {
            Node::Plain(Plain::Scalar(text)) => Some(text),
            Node::Parsed(value) => value.as_str(),
            Node::Plain(_) | Node::Unknown => None,
        }
    }

    /// The scalars of a list; an empty value is an empty list.
    pub(super) fn list(&self) -> Option<Vec<&str>> {
        match self {
            Node::Plain(Plain::Null) | Node::Parsed(Value::Null) => Some(Vec::new()),
            Node::Plain(Plain::List(list)) => Some(list.items.iter().map(|item| &*item.value).collect()),
            Node::Parsed(Value::List(items)) => items.iter().map(Value::as_str).collect(),
            Node::Plain(Plain::Scalar(_))
            | Node::Parsed(Value::Scalar(_) | Value::Map(_))
            | Node::Unknown => None,
        }
    }

    /// The entries of a mapping read by the parser.
    pub(super) fn map(&self) -> Option<&'a [(Value, Value)]> {
        match self {
            Node::Parsed(Value::Map(entries)) => Some(entries),
            Node::Parsed(_) | Node::Plain(_) | Node::Unknown => None,
        }
    }

    /// True if nothing follows the key.
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Node::Plain(Plain::Null) | Node::Parsed(Value::Null))
    }

    /// True if both are readable and equal.
    pub(super) fn same(&self, other: &Node<'_>) -> bool {
        match (self, other) {
            (Node::Unknown, _) | (_, Node::Unknown) => false,
            (Node::Plain(Plain::Scalar(a)), Node::Plain(Plain::Scalar(b))) => a == b,
            _ => self.to_value() == other.to_value(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Option<(Vec<(String, String)>, String)> {
        let document = Document::parse(format!("---\n{text}---\n"));
        let Front::Fields(fields) = read(&document) else { return None };
        let chunks = fields.chunks.iter().map(|chunk| (chunk.lead.to_owned(), chunk.lines.to_owned()));
        Some((chunks.collect(), fields.tail.to_owned()))
    }

    #[test]
    fn comments_belong_to_the_field_below_them_and_text_to_the_one_above() {
        let (chunks, tail) =
            parts("# top\n\na: 1\nb: |+\n  x\n\n  y\n\n# c\nl:\n- p\n# in\n- q\nm:\n  n: 1\n\n# end\n")
                .unwrap();
        let lines: Vec<_> = chunks.iter().map(|(lead, lines)| (lead.as_str(), lines.as_str())).collect();
        assert_eq!(
            lines,
            [
                ("# top\n\n", "a: 1\n"),
                ("", "b: |+\n  x\n\n  y\n\n"),
                ("# c\n", "l:\n- p\n# in\n- q\n"),
                ("", "m:\n  n: 1\n")
            ]
        );
        assert_eq!(tail, "\n# end\n");
    }

    #[test]
    fn what_the_parser_sees_otherwise_is_unreadable() {
        for text in [
            "a: 1\na: 2\n",
            "a: b: c\n",
            "a: 'x\nb: y'\n",
            "a: &x 1\nb: *x\n",
            "? a\n: b\n",
            "m:\n  a: 1\n  a: 2\n",
        ] {
            assert_eq!(parts(text), None, "{text:?}");
        }
        assert!(matches!(read(&Document::parse("---\na: 1\n")), Front::Unreadable(_)));
        assert!(matches!(read(&Document::parse(b"---\na: \xff\n---\n".to_vec())), Front::Unreadable(_)));
    }
}
