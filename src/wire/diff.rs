//! The data of `brv vc diff`: files, hunks, lines and words.

use super::change::{Change, What, paths};
use super::knowledge::{self, Entry};
use super::text;
use crate::diff::{self, FileDiff};
use crate::ops::steps::changes::FileChange;
use crate::ops::vc::diff::{Outcome, State};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.diff/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Diff {
    before: Endpoint,
    after: Endpoint,
    files: Vec<FileDifference>,
    /// The same by meaning: fields, facts and sections. Absent where no lines were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<Entry>>,
    /// Files in conflict.
    unmerged: Vec<String>,
}

/// One of the two states.
#[derive(Debug, JsonSchema, Serialize)]
struct Endpoint {
    /// `commit`, `index` or `work_tree`.
    kind: &'static str,
    /// The commit's id; absent on a branch without commits.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
}

/// A file that differs.
#[derive(Debug, JsonSchema, Serialize)]
pub struct FileDifference {
    #[serde(flatten)]
    change: Change,
    /// How much of a file that moved is the same, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<u8>,
    /// Lines; both absent where only names were asked for, and of a file in conflict.
    #[serde(skip_serializing_if = "Option::is_none")]
    added: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    binary: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    hunks: Option<Vec<Hunk>>,
}

/// One changed place with the unchanged lines around it.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Hunk {
    before: Range,
    after: Range,
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<String>,
    lines: Vec<Line>,
}

/// Lines of one side; `start` counts from 1.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Range {
    pub(super) start: usize,
    pub(super) lines: usize,
}

/// One line, without its line feed.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Line {
    kind: Kind,
    text: String,
    /// Present, and false, for a last line without line feed.
    #[serde(skip_serializing_if = "Option::is_none")]
    newline: Option<bool>,
    /// The line in pieces, where it is one version of a line of the other side.
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

impl Diff {
    /// The data; `with_lines`: changed lines too.
    #[must_use]
    pub fn new(outcome: &Outcome, with_lines: bool) -> Self {
        Self {
            before: outcome.before.into(),
            after: outcome.after.into(),
            files: outcome.files.iter().map(|file| FileDifference::new(file, with_lines)).collect(),
            entries: knowledge::entries(&outcome.entries, with_lines),
            unmerged: paths(&outcome.unmerged),
        }
    }
}

impl From<State> for Endpoint {
    fn from(state: State) -> Self {
        match state {
            State::Commit(id) => Self { kind: "commit", commit: id.map(|id| id.to_string()) },
            State::Index => Self { kind: "index", commit: None },
            State::WorkTree => Self { kind: "work_tree", commit: None },
        }
    }
}

impl FileDifference {
    pub(super) fn new(file: &FileChange, with_lines: bool) -> Self {
        let hunks = match &file.diff {
            Some(FileDiff::Text(hunks)) if with_lines => Some(hunks.iter().map(Hunk::from).collect()),
            _ => None,
        };
        Self {
            change: Change::from(file),
            similarity: file.similarity,
            added: file.stat.map(|stat| stat.added),
            removed: file.stat.map(|stat| stat.removed),
            binary: matches!(file.diff, Some(FileDiff::Binary(_))),
            hunks,
        }
    }
}

impl From<&FileChange> for Change {
    fn from(file: &FileChange) -> Self {
        let change = match (&file.renamed_from, file.before, file.after) {
            (Some(_), ..) => What::Renamed,
            (None, None, _) => What::Added,
            (None, _, None) => What::Deleted,
            _ => What::Modified,
        };
        Self {
            path: text(&file.path),
            renamed_from: file.renamed_from.as_ref().map(|path| text(path)),
            change,
        }
    }
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

/// The words of one side: all but those of the `other`; the line feed at the end belongs to no word.
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
