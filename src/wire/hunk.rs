//! JSON for changed lines: hunks, lines and words.

use brv_engine::outcome::bytes::text;
use brv_text::diff;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A group of changed lines with the unchanged lines around them.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
pub struct Hunk {
    before: Range,
    after: Range,
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<String>,
    lines: Vec<Line>,
}

/// A range of lines on one side; `start` counts from 1.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
pub(super) struct Range {
    pub(super) start: usize,
    pub(super) lines: usize,
}

/// A line, without its line feed.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
pub struct Line {
    kind: Kind,
    text: String,
    /// Present, and false, if the last line has no line feed.
    #[serde(skip_serializing_if = "Option::is_none")]
    newline: Option<bool>,
    /// Present, and true, if unchanged lines above it are left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    gap: bool,
    /// The line in pieces, if it is a version of a line on the other side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    words: Vec<Word>,
}

/// A piece of a line.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
pub struct Word {
    text: String,
    changed: bool,
}

#[derive(Debug, Clone, Copy, JsonSchema, Serialize, Deserialize)]
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

impl From<Kind> for diff::LineKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Context => Self::Context,
            Kind::Removed => Self::Removed,
            Kind::Added => Self::Added,
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
        Self { kind: line.kind.into(), text: text(bytes), newline, gap: false, words: Vec::new() }
    }
}

/// The lines of several hunks in one list.
pub(super) fn lines(hunks: &[diff::Hunk]) -> Vec<Line> {
    let mut all = Vec::new();
    for hunk in hunks {
        let mut lines = hunk_lines(hunk);
        if let Some(first) = lines.first_mut() {
            first.gap = !all.is_empty();
        }
        all.append(&mut lines);
    }
    all
}

impl Range {
    /// The lines, counted from 0; `None` if they count from 0 here or end beyond all numbers.
    pub(super) fn lines(&self) -> Option<std::ops::Range<usize>> {
        let start = self.start.checked_sub(1)?;
        Some(start..start.checked_add(self.lines)?)
    }
}

impl Hunk {
    /// The hunk of which this is the JSON; `None` if it has lines that count from 0.
    pub(super) fn read(&self) -> Option<diff::Hunk> {
        let heading = self.heading.as_deref().map(Into::into);
        let (before, after) = (self.before.lines()?, self.after.lines()?);
        Some(diff::Hunk { before, after, heading, ..hunk_of(&self.lines) })
    }
}

/// The hunks of which [`lines`] made this list, without their places.
pub(super) fn hunks(lines: &[Line]) -> Vec<diff::Hunk> {
    lines.chunk_by(|_, next| !next.gap).map(hunk_of).collect()
}

fn hunk_of(lines: &[Line]) -> diff::Hunk {
    let line = |line: &Line| {
        let ending = if line.newline == Some(false) { "" } else { "\n" };
        diff::Line { kind: line.kind.into(), text: format!("{}{ending}", line.text).into() }
    };
    let lines = lines.iter().map(line).collect();
    let mut hunk = diff::Hunk { before: 0..0, after: 0..0, heading: None, lines, pairs: Vec::new() };
    diff::mark(std::slice::from_mut(&mut hunk));
    hunk
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

    #[test]
    fn hunks_are_read_back_as_they_were() {
        let before: String = (0..40).map(|line| format!("line {line}\n")).collect();
        let after =
            before.replace("line 3\n", "row 3\n").replace("line 30\n", "line thirty").replace("39\n", "39");
        let diff::FileDiff::Text(mut marked) = diff::compare(before.as_bytes(), after.as_bytes(), 1) else {
            panic!("text")
        };
        diff::mark(&mut marked);
        let json: Vec<Hunk> = marked.iter().map(Hunk::from).collect();
        let read: Option<Vec<diff::Hunk>> = json.iter().map(Hunk::read).collect();
        assert_eq!(read.as_deref(), Some(&marked[..]));
        let listed = hunks(&lines(&marked));
        assert_eq!(listed.len(), marked.len());
        assert!(
            listed
                .iter()
                .zip(&marked)
                .all(|(one, other)| (&one.lines, &one.pairs) == (&other.lines, &other.pairs))
        );
        assert!(
            Range { start: 0, lines: 1 }.lines().or(Range { start: 2, lines: usize::MAX }.lines()).is_none()
        );
    }
}
