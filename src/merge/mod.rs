//! Three documents, one out: `base`, `ours` and `theirs`, merged by meaning.
//!
//! A cascade: equal sides, one side unchanged, git's clean merge of lines where it holds what a merge by meaning would,
//! a merge by meaning with conflict markers around the smallest block, and last the lines of the whole body. Each result
//! is read again and thrown away if it lost or doubled anything; then the next way is taken.
//!
//! Knows bytes and documents: no paths, no repository, no clock. Nothing of a side is dropped without a [`Record`] or a
//! [`Conflict`].

mod again;
mod alike;
mod attributes;
mod body;
mod decide;
mod fields;
#[cfg(test)]
mod laws;
mod lines;
mod markers;
mod moved;
mod order;
mod unrelated;
mod verify;
mod whole;

pub use again::{again, is_broken};
pub use decide::{Choice, Decided, Marked, Unfit, decide, marked};
pub use whole::merge;

use std::ops::Range;

/// The three versions. Without a base both sides have added the file.
#[derive(Debug, Clone, Copy)]
pub struct Versions<'a> {
    /// What both sides started from.
    pub base: Option<&'a [u8]>,
    /// The side the merge goes into.
    pub ours: &'a [u8],
    /// The side that is merged.
    pub theirs: &'a [u8],
}

/// How a merge is made.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// What stands behind the conflict markers.
    pub names: Names<'a>,
    /// When ours and theirs were committed, in seconds since 1970: counts where a side has no `updatedAt` to read, or
    /// left it unchanged.
    pub committed: [i64; 2],
    /// What is done where a person would have to decide.
    pub undecided: Undecided,
    /// Whether two claims about one subject stop the merge.
    pub disputes: Disputes,
    /// What kind of file it is.
    pub format: Format,
}

/// The names in conflict markers.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    /// Behind `|||||||`.
    pub base: &'a str,
    /// Behind `<<<<<<<`.
    pub ours: &'a str,
    /// Behind `>>>>>>>`.
    pub theirs: &'a str,
}

/// What is done where a person would have to decide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Undecided {
    /// Markers are written around the block, and it is a [`Conflict`].
    #[default]
    Mark,
    /// Ours is taken, and it is on record.
    Ours,
    /// Theirs is taken, and it is on record.
    Theirs,
    /// Both are kept, ours first; the heading is listed in `disputed`.
    Both,
    /// The base is taken: what the virtual base of several merge bases is made with.
    Base,
}

/// Whether two claims about one subject stop the merge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Disputes {
    /// All claims are kept and the subject is listed in `disputed`.
    #[default]
    Keep,
    /// It is a conflict: in undo, reject and revert an old claim must not silently return. So is an edit of what the
    /// other side removed, since nothing may silently stay, either.
    Conflict,
}

/// What kind of file it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// An entry or a node overview.
    #[default]
    Document,
    /// A support file: lines, as git merges them.
    Lines,
}

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The side the merge goes into.
    Ours,
    /// The side that is merged.
    Theirs,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The merged file: well-formed but for the markers of its conflicts.
    pub bytes: Vec<u8>,
    /// The step of the cascade that made it.
    pub method: Method,
    /// What was settled without a person, though a side does not find all of its own in the result as it was.
    pub records: Vec<Record>,
    /// What a person must decide. Empty: the merge is clean.
    pub conflicts: Vec<Conflict>,
}

/// The step of the cascade that made a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Both sides are the same bytes.
    Equal,
    /// One side is unchanged: the other is taken.
    OneSided(Side),
    /// The lines of the changes do not meet, as git merges them.
    Lines,
    /// By section, block, fact and field.
    Meaning,
    /// The lines of the whole body, as a last way out.
    Markers,
}

/// Something that was settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Where.
    pub place: Place,
    /// What was done.
    pub settled: Settled,
    /// The three texts of the place, as far as they are there.
    pub texts: Texts,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// Both sides changed a value, and one was taken: the other is lost but for this record.
    Chosen(Side),
    /// Both sides claim something about one subject: all claims are kept.
    Disputed,
    /// The other side removed what this one changed: the change stays.
    ChangeKept(Side),
    /// Both sides brought something to one place: both are kept.
    BothKept,
    /// Two values became one that is neither side's alone.
    Combined,
    /// The rule for what is undecided took the base.
    BaseTaken,
}

/// What a person must decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Where.
    pub place: Place,
    /// Why it cannot be settled.
    pub reason: Reason,
    /// The three texts, as far as they are there.
    pub texts: Texts,
    /// The bytes of the markers with all that is between them in [`Outcome::bytes`]; `None` where the result carries no
    /// markers (frontmatter, a file that is not text).
    pub span: Option<Range<usize>>,
}

/// Why something cannot be settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Both sides changed one block of prose.
    Prose,
    /// Both sides changed one heading.
    Heading,
    /// Both sides changed the same lines of one fenced block.
    Fence,
    /// Both sides changed one cell of a table, or its columns.
    Table,
    /// Both sides changed a numbered list: its order has a meaning.
    NumberedList,
    /// Both sides claim something about one subject, where that stops the merge.
    Fact,
    /// The frontmatter of one side cannot be read; that of the other stands.
    Frontmatter(Side),
    /// The frontmatter of both sides differs and cannot be read: ours stands.
    BothFrontmatters,
    /// Both sides changed lines of a file that is no entry.
    Lines,
    /// The file is not text: ours stands.
    NotText,
    /// Both sides added an entry, and the two have little in common: ours stands.
    Unrelated,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// A field of the frontmatter; `a.b` for one that is nested.
    Field(String),
    /// A fact, by its subject, or by its statement where it has none.
    Fact(String),
    /// A block below these headings; the first words tell which.
    Block {
        /// From the top down.
        headings: Vec<String>,
        /// At most 60 characters.
        starts: String,
    },
    /// Line ending, byte order mark or final newline.
    Attribute(Attribute),
    /// All of it.
    Whole,
}

/// What a document is like as a byte string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Attribute {
    /// How lines end.
    LineEnding,
    /// A byte order mark at the start.
    ByteOrderMark,
    /// A newline at the end.
    FinalNewline,
}

/// What stood in a place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts {
    /// In the base.
    pub base: Option<String>,
    /// In ours.
    pub ours: Option<String>,
    /// In theirs.
    pub theirs: Option<String>,
}

impl Side {
    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Ours => Self::Theirs,
            Self::Theirs => Self::Ours,
        }
    }
}

impl Outcome {
    /// Whether nobody has to decide anything.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.conflicts.is_empty()
    }
}

impl Texts {
    /// The text of a side.
    #[must_use]
    pub fn of(&self, side: Side) -> Option<&str> {
        match side {
            Side::Ours => self.ours.as_deref(),
            Side::Theirs => self.theirs.as_deref(),
        }
    }
}

impl Default for Rules<'_> {
    fn default() -> Self {
        Self {
            names: Names { base: "base", ours: "ours", theirs: "theirs" },
            committed: [0, 0],
            undecided: Undecided::default(),
            disputes: Disputes::default(),
            format: Format::default(),
        }
    }
}
