//! Find the fields of a mapping in braces, or the items of a list in brackets.
//!
//! Knows quotes and brackets, but not keys or values: the caller checks that the parser sees the same parts.

use std::ops::Range;

const BLANKS: [char; 3] = [' ', '\r', '\n'];

/// The position after the opening `sign`, if a value that begins with it follows the first colon.
pub(super) fn opening(lines: &str, sign: char) -> Option<usize> {
    let value = lines.find(": ").map(|colon| colon + 1)?;
    let start = value + lines[value..].find(|c| c != ' ')?;
    lines[start..].starts_with(sign).then(|| start + sign.len_utf8())
}

/// The ranges between the commas after an opening sign, and the position of the closing one, which is `close`. A comma
/// after the last item of a list leaves an empty range.
pub(super) fn fields(line: &str, open: usize, close: u8) -> Option<(Vec<Range<usize>>, usize)> {
    let bytes = line.as_bytes();
    let mut spans = Vec::new();
    let mut closing = Vec::new();
    let mut start = open;
    let mut at = open;
    let span = |start: usize, at: usize| {
        let text = &line[start..at];
        let lead = text.len() - text.trim_start_matches(BLANKS).len();
        start + lead..(start + text.trim_end_matches(BLANKS).len()).max(start + lead)
    };
    let is_blank = |byte: u8| BLANKS.contains(&char::from(byte));
    loop {
        let byte = *bytes.get(at)?;
        let before = bytes[..at].iter().rev().find(|byte| !is_blank(**byte));
        let opens = before.is_some_and(|before| b",[{:".contains(before));
        match byte {
            b'"' | b'\'' if opens => at = quoted_end(bytes, at)?,
            b'{' => closing.push(b'}'),
            b'[' => closing.push(b']'),
            _ if byte == close && closing.is_empty() => break,
            b'}' | b']' => (closing.pop() == Some(byte)).then_some(())?,
            b',' if closing.is_empty() => {
                spans.push(span(start, at));
                start = at + 1;
            }
            b'#' if is_blank(bytes[at - 1]) => return None,
            _ => {}
        }
        at += 1;
    }
    let last = span(start, at);
    if !(last.is_empty() && spans.is_empty()) {
        spans.push(last);
    }
    let may_be_empty = usize::from(close == b']');
    spans.iter().rev().skip(may_be_empty).all(|span| !span.is_empty()).then_some((spans, at))
}

/// The position of the quote that closes the one at `at`.
fn quoted_end(bytes: &[u8], at: usize) -> Option<usize> {
    let quote = bytes[at];
    let mut end = at + 1;
    loop {
        match *bytes.get(end)? {
            b'\\' if quote == b'"' => end += 1,
            b'\'' if quote == b'\'' && bytes.get(end + 1) == Some(&quote) => end += 1,
            byte if byte == quote => return Some(end),
            _ => {}
        }
        end += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Option<Vec<&str>> {
        let (spans, end) = fields(line, 1, b'}')?;
        assert_eq!(&line[end..=end], "}");
        Some(spans.into_iter().map(|span| &line[span]).collect())
    }

    #[test]
    fn commas_in_quotes_and_brackets_part_nothing() {
        assert_eq!(
            found("{a: 1, b: \"x, \\\"}\" , c: 'it''s, }', d: [1, {e: 2, f: 3}], g: it's}").unwrap(),
            ["a: 1", "b: \"x, \\\"}\"", "c: 'it''s, }'", "d: [1, {e: 2, f: 3}]", "g: it's"]
        );
        assert_eq!(found("{ }").unwrap(), [""; 0]);
    }

    #[test]
    fn what_is_not_closed_or_has_an_empty_field_is_none() {
        for line in ["{a: 1", "{a: [1}", "{a: 1, }", "{a: \"1}", "{a: 1, # c"] {
            assert_eq!(found(line), None, "{line}");
        }
    }
}
