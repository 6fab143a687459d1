//! Read frontmatter in the plain form that nearly every entry has, without a YAML parser.
//!
//! Knows lines of `key: value` whose value is a plain or quoted scalar on the same line, a list of such in brackets, or
//! a list below with an item on each line; of the escapes those of a quote and of a backslash. Whatever might mean
//! anything else in YAML is left to the parser, which gives the same for all that is read here, as a law shows.

use super::Value;
use super::yaml::{MAX_BYTES, MAX_DEPTH, Reading};

/// The longest key; YAML allows 1,024 characters.
const LONGEST_KEY: usize = 64;

/// The fields of frontmatter in this form; `None` if it has another.
pub(super) fn read(text: &str) -> Option<Reading> {
    fields(text).map(|fields| Reading { fields, error: None })
}

fn fields(text: &str) -> Option<Vec<(Value, Value)>> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let mut fields: Vec<(Value, Value)> = Vec::with_capacity(8);
    let mut lines = text.split_terminator('\n').peekable();
    while let Some(line) = lines.next() {
        let (key, rest) = line.split_once(':')?;
        if !is_key(key) || fields.iter().any(|(known, _)| known.as_str() == Some(key)) {
            return None;
        }
        let value = match rest.strip_prefix(' ').map(|rest| rest.trim_matches(' ')) {
            Some(value) if !value.is_empty() => on_the_line(value)?,
            _ if !rest.bytes().all(|byte| byte == b' ') => return None,
            _ => {
                let mut items = Vec::new();
                let indent = lines.peek().map_or(0, |line| line.len() - line.trim_start_matches(' ').len());
                while let Some(item) = lines.peek().and_then(|line| line.get(indent..)?.strip_prefix("- ")) {
                    let bare = lines.next()?.len() - item.len() == indent + 2;
                    items.push(scalar(item.trim_matches(' '), PlainScalarContext::Block).filter(|_| bare)?);
                }
                if items.is_empty() { Value::Null } else { Value::List(items) }
            }
        };
        fields.push((Value::Scalar(key.to_owned()), value));
    }
    Some(fields)
}

fn is_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        && key.len() <= LONGEST_KEY
        && !is_null(key)
}

fn is_null(word: &str) -> bool {
    word.eq_ignore_ascii_case("null")
}

fn on_the_line(value: &str) -> Option<Value> {
    let Some(list) = value.strip_prefix('[') else { return scalar(value, PlainScalarContext::Block) };
    let list = list.strip_suffix(']')?.trim_matches(' ');
    if list.is_empty() {
        return Some(Value::List(Vec::new()));
    }
    // a comma in quotes leaves an item without its closing quote
    list.split(',')
        .map(|item| scalar(item.trim_matches(' '), PlainScalarContext::Brackets))
        .collect::<Option<_>>()
        .map(Value::List)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PlainScalarContext {
    Block,
    Brackets,
}

fn scalar(text: &str, place: PlainScalarContext) -> Option<Value> {
    let quote = text.bytes().next().filter(|byte| matches!(byte, b'"' | b'\''));
    let inner = match quote {
        Some(quote) => text.get(1..)?.strip_suffix(char::from(quote))?,
        None => text,
    };
    if quote == Some(b'"') && inner.contains('\\') {
        return unescaped(inner, place).map(Value::Scalar);
    }
    let is_safe = |c: char| match c {
        // brackets count towards the depth wherever they are
        '[' | ']' | '{' | '}' => false,
        '"' | '\'' => quote.is_some_and(|quote| char::from(quote) != c),
        '\\' => quote == Some(b'\''),
        '#' => quote.is_some(),
        ',' | ':' | '?' => place == PlainScalarContext::Block || quote.is_some() && c != ',',
        ' '..='~' => true,
        _ => is_printable(c),
    };
    if !inner.chars().all(is_safe) {
        return None;
    }
    let starts = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '(');
    // after a colon a plain scalar would be a key
    let is_plain =
        || inner.starts_with(starts) && !is_null(inner) && !inner.contains(": ") && !inner.ends_with(':');
    (quote.is_some() || is_plain()).then(|| Value::Scalar(inner.to_owned()))
}

/// The text between double quotes whose escapes are `\"` and `\\`.
fn unescaped(inner: &str, place: PlainScalarContext) -> Option<String> {
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        let c = match c {
            '\\' => chars.next().filter(|c| matches!(c, '"' | '\\'))?,
            '"' | '[' | ']' | '{' | '}' => return None,
            ',' if place == PlainScalarContext::Brackets => return None,
            ' '..='~' => c,
            _ => Some(c).filter(|c| is_printable(*c))?,
        };
        text.push(c);
    }
    Some(text)
}

/// Whether a character beyond ASCII stands for itself.
fn is_printable(c: char) -> bool {
    c >= '\u{a0}' && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

const _: () = assert!(MAX_DEPTH > 2, "a list in brackets is not too deep");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::yaml;
    use proptest::prelude::*;

    #[test]
    fn the_fields_of_an_entry_are_read_here() {
        let text = concat!(
            "title: Retry with backoff (v2)\nsummary: \"How: \\\"and\\\" why, it's a \\\\1.0\"\ntags: [a, 'b c', 1.10]\n",
            "keywords: []\nrelated:\n  - a/b.md\n  - 'c/d.md'\ncreatedAt: '2025-03-18T10:00:00.000Z'\npinned: true\nnone:\n",
        );
        let text = text.replace("it's", "its");
        let fields = fields(&text).expect("it is plain");
        assert_eq!(fields.len(), 8);
        assert_eq!(fields, yaml::read(&text).fields);
        assert_eq!(fields[7].1, Value::Null);
    }

    #[test]
    fn what_may_mean_more_is_left_to_the_parser() {
        for text in [
            "a: b: c\n",
            "a: |\n  b\n",
            "a: &x b\n",
            "a: *x\n",
            "a: !t b\n",
            "a: b # c\n",
            "a: 'it''s'\n",
            "a: ~\n",
            "a: null\n",
            "a: b\n  c\n",
            "a: {b: c}\n",
            "a: [b, [c]]\n",
            "a: \"b\\n\"\n",
            "? a\n",
            "a: 1\na: 2\n",
            "a: 'b\nc'\n",
            "a: [b, ]\n",
            "a:\n  - b\n c: d\n",
            "a: b\r\n",
            "- a\n",
            "a:b\n",
            "a: @b\n",
            "a: %b\n",
            "a: `b\n",
            "a:\tb\n",
            "a: b:\n",
            "# c\n",
            "\n",
            "a: [\"b, c\"]\n",
        ] {
            assert_eq!(fields(text), None, "{text:?}");
        }
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(4_000))]
        #[test]
        fn what_is_read_here_the_parser_reads_alike(
            lines in proptest::collection::vec(
                prop_oneof![
                    "(title|b|c-d|E_1|null|no|true): ?[ a-cX:#\"'\\[\\]{},0-9.~/_(é–-]{0,12}",
                    "[a-e]: [\"']?[a-c :,#?'-]{0,8}[\"']? {0,2}",
                    "[a-e]: \"[a-c :,#\\\\\"]{0,8}\" ?",
                    "[f-k]: ?\\[[\"a,\\\\ ]{0,8}\\]",
                    "[f-k]: ?\\[[ a-c1.,:'\"?é-]{0,14}\\]",
                    "[l-p]:",
                    "( {0,3}- ?)[ a-c:'\"0-9.-]{0,8}",
                    "[q-v]: (null|Null|yes|0x1F|1e5|\\.5|-1|\\+3|2025-01-01|1:30|\\?|---|\\.\\.\\.)",
                ],
                0..6,
            ),
            end in prop_oneof![Just("\n"), Just("")],
        ) {
            let text = lines.join("\n") + end;
            if let Some(fields) = fields(&text) {
                prop_assert_eq!(yaml::Reading { fields, error: None }, yaml::read(&text), "{:?}", text);
            }
        }
    }
}
