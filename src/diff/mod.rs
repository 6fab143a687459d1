//! Two byte strings: which lines differ, and which words inside them.
//!
//! Knows nothing of paths, revisions or repositories, nor of colours: it says what changed, not how that looks.

mod bag;
mod edits;
mod heading;
pub mod knowledge;
mod lines;
mod stat;
mod unified;
mod words;

pub(crate) use bag::Bag;
pub use edits::{Change, changes};
pub use lines::{CONTEXT, compare};
pub use stat::{Stat, stat};
pub use unified::{ApplyError, apply, patch};
pub use words::{Pair, Word, mark, words};

use bstr::BString;
use std::ops::Range;

/// What differs between two versions of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileDiff {
    /// Both sides are text: the changed places in order, none when the sides are equal.
    Text(Vec<Hunk>),
    /// A side holds a NUL byte: the sides are compared as a whole only.
    Binary(Equality),
}

/// Whether two whole files are the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Equality {
    /// Byte for byte.
    Same,
    /// In at least one byte.
    Different,
}

/// One changed place with the unchanged lines around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The lines it covers before, counted from 0.
    pub before: Range<usize>,
    /// The lines it covers after, counted from 0.
    pub after: Range<usize>,
    /// The nearest markdown heading above the hunk on the `before` side, without its line ending.
    pub heading: Option<BString>,
    /// The lines in the order of a patch: in each block the removed ones stand first.
    pub lines: Vec<Line>,
    /// Lines that are each other's versions, in order; filled by [`mark`].
    pub pairs: Vec<Pair>,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// On which side it stands.
    pub kind: LineKind,
    /// Its bytes with the line ending, which only the last line of a file may lack.
    pub text: BString,
}

/// On which side a line or a word stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// On both sides.
    Context,
    /// Before only.
    Removed,
    /// After only.
    Added,
}

impl LineKind {
    /// The character that a patch puts before the line.
    #[must_use]
    pub const fn sign(self) -> char {
        match self {
            Self::Context => ' ',
            Self::Removed => '-',
            Self::Added => '+',
        }
    }
}

impl FileDiff {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(hunks) => hunks.is_empty(),
            Self::Binary(equality) => *equality == Equality::Same,
        }
    }

    /// The hunks; none for binary files.
    #[must_use]
    pub fn hunks(&self) -> &[Hunk] {
        match self {
            Self::Text(hunks) => hunks,
            Self::Binary(_) => &[],
        }
    }
}

impl Hunk {
    /// The pair that the line at place `number` belongs to.
    #[must_use]
    pub fn pair_of(&self, number: usize) -> Option<&Pair> {
        let place = match self.lines.get(number)?.kind {
            LineKind::Context => return None,
            LineKind::Removed => self.pairs.binary_search_by_key(&number, |pair| pair.before),
            LineKind::Added => self.pairs.binary_search_by_key(&number, |pair| pair.after),
        };
        place.ok().map(|place| &self.pairs[place])
    }
}
