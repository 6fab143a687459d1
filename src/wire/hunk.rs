//! JSON for changed lines: hunks, lines and words.

use super::text;
use crate::diff;
use schemars::JsonSchema;
use serde::Serialize;

/// A group of changed lines with the unchanged lines around them.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Hunk {
    before: Range,
    after: Range,
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<String>,
    lines: Vec<Line>,
}

/// A range of lines on one side; `start` counts from 1.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Range {
    pub(super) start: usize,
    pub(super) lines: usize,
}

/// A line, without its line feed.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Line {
    kind: Kind,
    text: String,
    /// Present, and false, if the last line has no line feed.
    #[serde(skip_serializing_if = "Option::is_none")]
    newline: Option<bool>,
    /// The line in pieces, if it is a version of a line on the other side.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    words: Vec<Word>,
}

/// A piece of a line.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Word {
    text: String,
    changed: bool,
}

#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Context,
    Removed,
    Added,
}

impl From<diff::LineKind> for Kind {
    fn from(kind: diff::LineKind) -> Self {
        match kind {
            diff::LineKind::Context => Self::Context,
            diff::LineKind::Removed => Self::Removed,
            diff::LineKind::Added => Self::Added,
        }
    }
}

impl From<&diff::Hunk> for Hunk {
    fn from(hunk: &diff::Hunk) -> Self {
        let range = |range: &std::ops::Range<usize>| Range { start: range.start + 1, lines: range.len() };
        let lines = hunk_lines(hunk);
        Self {
            before: range(&hunk.before),
            after: range(&hunk.after),
            heading: hunk.heading.as_ref().map(|heading| text(heading)),
            lines,
        }
    }
}

/// The lines of a hunk, each with its words.
pub(super) fn hunk_lines(hunk: &diff::Hunk) -> Vec<Line> {
    let mut lines: Vec<Line> = hunk.lines.iter().map(Line::from).collect();
    for pair in &hunk.pairs {
        lines[pair.before].words = words(&pair.words, diff::LineKind::Added);
        lines[pair.after].words = words(&pair.words, diff::LineKind::Removed);
    }
    lines
}

impl From<&diff::Line> for Line {
    fn from(line: &diff::Line) -> Self {
        let (bytes, newline) = match line.text.strip_suffix(b"\n") {
            Some(bytes) => (bytes, None),
            None => (line.text.as_slice(), Some(false)),
        };
        Self { kind: line.kind.into(), text: text(bytes), newline, words: Vec::new() }
    }
}

/// The words of one side: all but those of the `other`; the final line feed belongs to no word.
fn words(words: &[diff::Word], other: diff::LineKind) -> Vec<Word> {
    let mut pieces: Vec<Word> = words
        .iter()
        .filter(|word| word.kind != other)
        .map(|word| Word { text: text(&word.text), changed: word.kind != diff::LineKind::Context })
        .collect();
    if let Some(last) = pieces.last_mut()
        && last.text.ends_with('\n')
    {
        last.text.pop();
    }
    pieces.retain(|word| !word.text.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_carry_their_words_and_a_missing_newline() {
        let diff::FileDiff::Text(mut hunks) = diff::compare(b"ttl 24 h\n", b"ttl 12 h", 3) else {
            panic!("text")
        };
        diff::mark(&mut hunks);
        let json = serde_json::to_value(Hunk::from(&hunks[0])).unwrap();
        assert_eq!(json["before"], serde_json::json!({"start": 1, "lines": 1}));
        assert_eq!(
            json["lines"][1],
            serde_json::json!({"kind": "added", "text": "ttl 12 h", "newline": false, "words": [
                {"text": "ttl ", "changed": false}, {"text": "12", "changed": true},
                {"text": " h", "changed": false},
            ]})
        );
    }
}
