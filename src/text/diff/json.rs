//! Changed lines as JSON: ranges count from 1, lines have no line feed, and words stand in their lines.
//!
//! Whoever wrote JSON that is read back is not trusted: words are found again.

use super::{DiffLine, Hunk, LineKind, Word, mark};
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::Range;

/// A hunk; its description is that of [`Hunk`].
#[derive(JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Hunk")]
pub(super) struct PlacedLines {
    before: LineRange,
    after: LineRange,
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<String>,
    lines: Vec<WordedLine>,
}

/// A range of lines on one side; `start` counts from 1.
#[derive(JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Range")]
pub(super) struct LineRange {
    start: usize,
    lines: usize,
}

/// A line, without its line feed.
#[derive(JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Line")]
pub(super) struct WordedLine {
    kind: LineKind,
    text: String,
    /// Present, and false, if the last line has no line feed.
    #[serde(skip_serializing_if = "Option::is_none")]
    newline: Option<bool>,
    /// Present, and true, if unchanged lines above it are left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    gap: bool,
    /// The line in pieces, if it is a version of a line on the other side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    words: Vec<LineWord>,
}

/// A piece of a line.
#[derive(JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Word")]
struct LineWord {
    text: String,
    changed: bool,
}

impl From<&Range<usize>> for LineRange {
    fn from(range: &Range<usize>) -> Self {
        Self { start: range.start + 1, lines: range.len() }
    }
}

impl TryFrom<LineRange> for Range<usize> {
    type Error = &'static str;

    fn try_from(range: LineRange) -> Result<Self, Self::Error> {
        let start = range.start.checked_sub(1);
        let lines = start.and_then(|start| Some(start..start.checked_add(range.lines)?));
        lines.ok_or("line numbers that do not exist")
    }
}

impl From<Hunk> for PlacedLines {
    fn from(hunk: Hunk) -> Self {
        Self {
            before: LineRange::from(&hunk.before),
            after: LineRange::from(&hunk.after),
            heading: hunk.heading.as_ref().map(|heading| heading.to_str_lossy().into_owned()),
            lines: worded(&hunk),
        }
    }
}

impl TryFrom<PlacedLines> for Hunk {
    type Error = &'static str;

    fn try_from(placed: PlacedLines) -> Result<Self, Self::Error> {
        let (before, after) = (placed.before.try_into()?, placed.after.try_into()?);
        Ok(Self { before, after, heading: placed.heading.map(Into::into), ..hunk_of(&placed.lines) })
    }
}

/// The lines of a hunk, each with its words.
fn worded(hunk: &Hunk) -> Vec<WordedLine> {
    let line = |line: &DiffLine| {
        let text = line.text.strip_suffix(b"\n");
        WordedLine {
            kind: line.kind,
            newline: text.is_none().then_some(false),
            text: text.unwrap_or(&line.text).to_str_lossy().into_owned(),
            gap: false,
            words: Vec::new(),
        }
    };
    let mut lines: Vec<WordedLine> = hunk.lines.iter().map(line).collect();
    for pair in &hunk.pairs {
        lines[pair.before].words = words(&pair.words, LineKind::Added);
        lines[pair.after].words = words(&pair.words, LineKind::Removed);
    }
    lines
}

/// The words of one side: all but those of the `other`; the final line feed belongs to no word.
fn words(words: &[Word], other: LineKind) -> Vec<LineWord> {
    let own = words.iter().filter(|word| word.kind != other);
    let word = |word: &Word| LineWord {
        text: word.text.to_str_lossy().into_owned(),
        changed: word.kind != LineKind::Context,
    };
    let mut pieces: Vec<LineWord> = own.map(word).collect();
    if let Some(last) = pieces.last_mut()
        && last.text.ends_with('\n')
    {
        last.text.pop();
    }
    pieces.retain(|word| !word.text.is_empty());
    pieces
}

fn hunk_of(lines: &[WordedLine]) -> Hunk {
    let line = |line: &WordedLine| {
        let ending = if line.newline == Some(false) { "" } else { "\n" };
        DiffLine { kind: line.kind, text: format!("{}{ending}", line.text).into() }
    };
    let lines = lines.iter().map(line).collect();
    let mut hunk = Hunk { before: 0..0, after: 0..0, heading: None, lines, pairs: Vec::new() };
    mark(std::slice::from_mut(&mut hunk));
    hunk
}

/// The lines of several hunks as one list, without their places.
pub(super) mod listed {
    use super::{Deserialize, Deserializer, Hunk, Serialize, Serializer, WordedLine, hunk_of, worded};

    pub(in crate::diff) fn serialize<S: Serializer>(
        hunks: &[Hunk],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut all = Vec::new();
        for hunk in hunks {
            let mut lines = worded(hunk);
            if let Some(first) = lines.first_mut() {
                first.gap = !all.is_empty();
            }
            all.append(&mut lines);
        }
        all.serialize(serializer)
    }

    pub(in crate::diff) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Hunk>, D::Error> {
        let lines = Vec::<WordedLine>::deserialize(deserializer)?;
        Ok(lines.chunk_by(|_, next| !next.gap).map(hunk_of).collect())
    }
}

/// A range of lines, if that side has one.
pub(super) mod lines {
    use super::{Deserialize, Deserializer, LineRange, Range, Serialize, Serializer};
    use serde::de::Error as _;

    pub(in crate::diff) fn serialize<S: Serializer>(
        range: &Option<Range<usize>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        range.as_ref().map(LineRange::from).serialize(serializer)
    }

    pub(in crate::diff) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Range<usize>>, D::Error> {
        let lines = Option::<LineRange>::deserialize(deserializer)?;
        lines.map(Range::try_from).transpose().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FileDiff, compare};
    use super::*;
    use serde_json::json;

    fn marked(before: &str, after: &str, context: usize) -> Vec<Hunk> {
        let FileDiff::Text(mut hunks) = compare(before.as_bytes(), after.as_bytes(), context) else {
            panic!("text")
        };
        mark(&mut hunks);
        hunks
    }

    #[test]
    fn lines_carry_their_words_and_a_missing_newline() {
        let json = serde_json::to_value(&marked("ttl 24 h\n", "ttl 12 h", 3)[0]).unwrap();
        assert_eq!(json["before"], json!({"start": 1, "lines": 1}));
        assert_eq!(
            json["lines"][1],
            json!({"kind": "added", "text": "ttl 12 h", "newline": false, "words": [
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
        let marked = marked(&before, &after, 1);
        let json = serde_json::to_value(&marked).unwrap();
        assert_eq!(serde_json::from_value::<Vec<Hunk>>(json).unwrap(), marked);
        let list = listed::serialize(&marked, serde_json::value::Serializer).unwrap();
        let read = listed::deserialize(list).unwrap();
        assert_eq!(read.len(), marked.len());
        let same = |(one, other): (&Hunk, &Hunk)| (&one.lines, &one.pairs) == (&other.lines, &other.pairs);
        assert!(read.iter().zip(&marked).all(same));
        for (start, lines) in [(0, 1), (2, usize::MAX)] {
            assert!(Range::try_from(LineRange { start, lines }).is_err());
        }
    }
}
