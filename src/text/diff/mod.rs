//! Diff two byte strings: the lines that differ, and the words inside them.
//!
//! Knows nothing of paths, revisions or repositories, nor of colours: only what changed, not how it is displayed.

mod bag;
mod bytes;
mod edits;
mod heading;
mod json;
pub mod knowledge;
mod lines;
mod stat;
mod unified;
mod words;

pub(crate) use bag::Bag;
pub use edits::{DiffRange, changes};
pub use lines::{CONTEXT, compare};
pub use stat::{LineCounts, Stat, count, stat};
pub use words::{LinePair, Word, mark, words};

use bstr::BString;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The differences between two versions of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileDiff {
    /// Both sides are text: the hunks in order, none if the sides are equal.
    Text(Vec<Hunk>),
    /// A side contains a NUL byte: the sides are only compared as a whole.
    Binary(Equality),
}

/// Whether two files have the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Equality {
    Same,
    /// At least one byte differs.
    Different,
}

/// A group of changed lines with the unchanged lines around them.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(into = "json::PlacedLines", try_from = "json::PlacedLines")]
pub struct Hunk {
    /// Its lines before, counted from 0.
    pub before: Range<usize>,
    /// Its lines after, counted from 0.
    pub after: Range<usize>,
    /// The nearest markdown heading above the hunk on the `before` side, without its line ending.
    pub heading: Option<BString>,
    /// The lines in the order of a patch: in each run of changes the removed ones come first.
    pub lines: Vec<DiffLine>,
    /// Lines that are versions of each other, in order; filled in by [`mark`].
    pub pairs: Vec<LinePair>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    pub kind: LineKind,
    /// Its bytes with the line ending, which only the last line of a file may lack.
    pub text: BString,
}

// The side of a line or a word. Its JSON has no description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Kind")]
pub enum LineKind {
    Context,
    Removed,
    Added,
}

impl LineKind {
    /// The prefix of the line in a patch.
    pub const fn sign(self) -> char {
        match self {
            Self::Context => ' ',
            Self::Removed => '-',
            Self::Added => '+',
        }
    }
}

impl FileDiff {
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(hunks) => hunks.is_empty(),
            Self::Binary(equality) => *equality == Equality::Same,
        }
    }

    /// The hunks; none for binary files.
    pub fn hunks(&self) -> &[Hunk] {
        match self {
            Self::Text(hunks) => hunks,
            Self::Binary(_) => &[],
        }
    }
}

impl Hunk {
    /// The pair of the line at index `number`.
    pub fn pair_of(&self, number: usize) -> Option<&LinePair> {
        let place = match self.lines.get(number)?.kind {
            LineKind::Context => return None,
            LineKind::Removed => self.pairs.binary_search_by_key(&number, |pair| pair.before),
            LineKind::Added => self.pairs.binary_search_by_key(&number, |pair| pair.after),
        };
        place.ok().map(|place| &self.pairs[place])
    }
}
