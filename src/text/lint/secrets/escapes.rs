//! A text without the backslashes that markdown puts before punctuation, and the places in the text as it was.
//!
//! CommonMark 2.4: a backslash before ASCII punctuation stands for that character. An editor writes `ghp\_…` for `ghp_…`,
//! and roff `\-` for a minus.

use std::ops::Range;

pub(super) struct Unescaped {
    pub(super) text: String,
    /// Where the part begins that it was made of.
    start: usize,
    /// Where a backslash was left out, as places in `text`, in order.
    gaps: Vec<usize>,
}

/// How many lines around an escape are read with it: a name may stand above its value.
const LINES: usize = 2;

/// The parts of a text in which an escape may hide a secret.
pub(super) fn parts(text: &str) -> Vec<Unescaped> {
    let mut parts = Vec::new();
    let (mut from, mut known) = (0, 0);
    while let Some(at) = next_escape(&text[from..]).map(|at| from + at) {
        let line = start_of_line(text, at, 0);
        let mut end = end_of_line(text, at);
        let is_part = (0..=LINES).any(|_| {
            let is_long = has_long_word(&text[start_of_line(text, end, 0)..end]);
            end = if is_long { end } else { end_of_line(text, end + 1) };
            is_long
        });
        from = end_of_line(text, at);
        if is_part {
            // the lines of a key
            while end < text.len() && has_long_word(&text[end + 1..end_of_line(text, end + 1)]) {
                end = end_of_line(text, end + 1);
            }
            let end = (0..LINES).fold(end, |end, _| end_of_line(text, end + 1));
            parts.push(Unescaped::of(text, start_of_line(text, line, LINES).max(known)..end));
            (from, known) = (end, end);
        }
    }
    parts
}

/// The place of a backslash before a character that is part of a secret.
fn next_escape(text: &str) -> Option<usize> {
    let matters = |at: &usize| {
        let next = text.as_bytes().get(at + 1);
        next.is_some_and(|byte| matches!(byte, b'_' | b'-' | b'.' | b':' | b'/' | b'@' | b'=' | b'+' | b'~'))
    };
    text.match_indices('\\').map(|(at, _)| at).find(matters)
}

fn start_of_line(text: &str, at: usize, above: usize) -> usize {
    let mut breaks = text[..at.min(text.len())].bytes().rev().enumerate().filter(|(_, byte)| *byte == b'\n');
    breaks.nth(above).map_or(0, |(before, _)| at.min(text.len()) - before)
}

fn end_of_line(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    text.as_bytes()[at..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |length| at + length)
}

/// Whether there is a word that is long enough for a secret: with a digit, or an escape behind a `=`.
fn has_long_word(line: &str) -> bool {
    const LONG: usize = 16;
    let mut words = line.as_bytes().split(u8::is_ascii_whitespace).filter(|word| word.len() >= LONG);
    words.any(|word| {
        let is_assigned = || word.contains(&b'=') && word.contains(&b'\\');
        word.iter().any(u8::is_ascii_digit) || is_assigned()
    })
}

impl Unescaped {
    fn of(text: &str, part: Range<usize>) -> Self {
        let (start, mut rest) = (part.start, &text[part]);
        let mut unescaped = Self { text: String::with_capacity(rest.len()), start, gaps: Vec::new() };
        while let Some(at) = rest.find('\\') {
            unescaped.text.push_str(&rest[..at]);
            rest = &rest[at..];
            let is_escape = rest.as_bytes().get(1).is_some_and(u8::is_ascii_punctuation);
            if is_escape {
                unescaped.gaps.push(unescaped.text.len());
            }
            // the character behind an escape is none itself
            let length = if is_escape { 2 } else { 1 };
            unescaped.text.push_str(&rest[usize::from(is_escape)..length]);
            rest = &rest[length..];
        }
        unescaped.text.push_str(rest);
        unescaped
    }

    /// The place in the text as it was.
    pub(super) fn original(&self, range: Range<usize>) -> Range<usize> {
        let at = |place: usize| self.start + place + self.gaps.partition_point(|gap| *gap <= place);
        at(range.start)..at(range.end - 1) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_is_its_character_and_places_lead_back() {
        let text = "a\né\\\\x \\_a\\-b\\c\\é \\*d\\";
        let unescaped = Unescaped::of(text, 2..text.len());
        assert_eq!(unescaped.text, "é\\x _a-b\\c\\é *d\\");
        for (part, shown) in [("a-b", "a\\-b"), ("_a", "_a"), ("x", "x"), ("é *d", "é \\*d"), ("*d", "*d")]
        {
            let at = unescaped.text.find(part).unwrap();
            assert_eq!(&text[unescaped.original(at..at + part.len())], shown);
        }
    }

    #[test]
    fn only_lines_around_an_escape_with_a_long_word_are_read() {
        let texts = |text: &str| parts(text).into_iter().map(|part| part.text).collect::<Vec<_>>();
        assert_eq!(texts("a\\nb\\\\c\\\"d 0123456789abcdef"), [""; 0]);
        assert_eq!(texts("a\\_b\nc\nd\ne\nf"), [""; 0]);
        assert_eq!(
            texts("0\n1\n2\na\\_b\nc\n0123456789abcdef\ng\nh\ni"),
            ["1\n2\na_b\nc\n0123456789abcdef\ng\nh"]
        );
        assert_eq!(texts("a\\_0123456789abcdef"), ["a_0123456789abcdef"]);
    }
}
