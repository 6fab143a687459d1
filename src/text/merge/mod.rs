//! Three-way merge of documents by meaning: `base`, `ours` and `theirs` in, one document out.
//!
//! A cascade: equal sides; one side unchanged; git's clean line merge if it holds what a merge by meaning would; a
//! merge by meaning with conflict markers around the smallest block; and last a line merge of the whole body. Each
//! result is parsed again and dropped if it lost or duplicated anything; then the next way is tried.
//!
//! Knows bytes and documents: no paths, no repository, no clock. Nothing of a side is dropped without a [`Record`] or a
//! [`Conflict`].

mod again;
mod alike;
mod anew;
mod attributes;
mod body;
mod decide;
mod fields;
mod highlights;
mod labels;
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
pub use decide::{Choice, Marked, SettledFile, Unfit, decide, marked};
pub use fields::{decide_field, has_field};
pub use whole::merge;

use schemars::JsonSchema;
use serde::Serialize;
use std::ops::Range;

/// The three versions. Without a base, both sides added the file.
#[derive(Debug, Clone, Copy)]
pub struct Versions<'a> {
    pub base: Option<&'a [u8]>,
    pub ours: &'a [u8],
    pub theirs: &'a [u8],
}

#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// The labels of the conflict markers.
    pub names: Names<'a>,
    /// When ours and theirs were committed, in seconds since 1970: used if a side has no readable `updatedAt`, or left
    /// it unchanged.
    pub committed: [i64; 2],
    pub undecided: Undecided,
    /// Whether two claims about one subject are a conflict.
    pub disputes: Disputes,
    pub additions: Additions,
    pub format: Format,
}

/// The order of blocks that both sides added in one place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Additions {
    /// The same whoever merges: by their bytes.
    #[default]
    Sorted,
    /// Ours first: for an entry that takes another one over.
    OursFirst,
}

#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    /// The label after `|||||||`.
    pub base: &'a str,
    /// The label after `<<<<<<<`.
    pub ours: &'a str,
    /// The label after `>>>>>>>`.
    pub theirs: &'a str,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Undecided {
    /// Write markers around the block and return a [`Conflict`].
    #[default]
    Mark,
    /// Take ours, with a [`Record`].
    Ours,
    /// Take theirs, with a [`Record`].
    Theirs,
    /// Keep both, ours first; the heading is listed in `disputed`.
    Both,
    /// Take the base: used for the virtual base of several merge bases.
    Base,
}

/// Whether two claims about one subject are a conflict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Disputes {
    /// All claims are kept and the subject is listed in `disputed`.
    #[default]
    Keep,
    /// It is a conflict: in undo, reject and revert, an old claim must not silently return. An edit of something that
    /// the other side removed is a conflict, too, since nothing may be kept silently, either.
    Conflict,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// An entry or a node overview.
    #[default]
    Document,
    /// A support file, merged by line as git does.
    Lines,
}

/// A side of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Party")]
pub enum Side {
    /// The side that the merge went into.
    Ours,
    /// The side that was merged in.
    Theirs,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The merged file: well-formed except for the markers of its conflicts.
    pub bytes: Vec<u8>,
    /// The step of the cascade that made it.
    pub method: Method,
    /// Differences that were settled automatically, so that a side's text is not in the result as it was.
    pub records: Vec<Record>,
    /// The conflicts to resolve. Empty if the merge is clean.
    pub conflicts: Vec<Conflict>,
}

/// The step of the cascade that made a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Both sides have the same bytes.
    Equal,
    /// One side is unchanged; the other is taken.
    OneSided(Side),
    /// The changed lines do not overlap, so git's merge is taken.
    Lines,
    /// Merged by section, block, fact and field.
    Meaning,
    /// The lines of the whole body, as a last resort.
    Markers,
}

/// A difference that was settled automatically.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub place: MergePlace,
    pub settled: Settled,
    /// The texts of the three versions, as far as they exist.
    pub texts: Texts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// Both sides changed a value and one was taken; the other survives only in this record.
    Chosen(Side),
    /// Both sides have claims about one subject: all are kept.
    Disputed,
    /// The other side removed what this one changed: the change is kept.
    ChangeKept(Side),
    /// Both sides added something in one place: both are kept.
    BothKept,
    /// Two values were combined into one that neither side has alone.
    Combined,
    /// The base was taken, as [`Undecided::Base`] asks for.
    BaseTaken,
}

/// A conflict in a file.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "Decision")]
pub struct Conflict {
    /// Its place in the file.
    pub place: MergePlace,
    /// Why it could not be settled.
    pub reason: Reason,
    #[serde(flatten)]
    pub texts: Texts,
    /// The markers and everything between them, as bytes of [`Outcome::bytes`]; `None` if the result has no markers for
    /// it (frontmatter, a file that is not text).
    #[serde(skip)]
    pub span: Option<Range<usize>>,
}

/// The reason of a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Why")]
pub enum Reason {
    /// Both sides changed the same block of text.
    Prose,
    /// Both sides changed the same heading.
    Heading,
    /// Both sides changed the same code block.
    Fence,
    /// Both sides changed the same table.
    Table,
    /// Both sides changed the same numbered list.
    NumberedList,
    /// Both sides make claims about one subject.
    Fact,
    /// Both sides changed the same field of the frontmatter; ours is kept.
    Field,
    /// Our frontmatter cannot be read; theirs is kept.
    OurFrontmatter,
    /// Their frontmatter cannot be read; ours is kept.
    TheirFrontmatter,
    /// Neither frontmatter can be read; ours is kept.
    BothFrontmatters,
    /// Both sides changed the same lines of a file that is not an entry.
    Lines,
    /// The file is not text; ours is kept.
    NotText,
    /// Both sides added an entry with this name, with little in common; ours is kept.
    Unrelated,
    /// We deleted what they changed.
    DeletedByUs,
    /// They deleted what we changed.
    DeletedByThem,
    /// One side renamed the file.
    Renamed,
    /// A folder is in the file's place, so the file was renamed.
    FolderInItsPlace,
}

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, JsonSchema, Serialize)]
#[schemars(rename = "Place")]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum MergePlace {
    /// A field of the frontmatter.
    Field {
        /// Its name: `tags`, `a.b`
        field: String,
    },
    /// A fact.
    Fact {
        /// Its subject, or its statement if it has no subject.
        subject: String,
    },
    /// A block of text.
    Block {
        /// The headings above it, from the top down.
        headings: Vec<String>,
        /// The start of its text.
        starts: String,
    },
    /// An attribute of the whole file.
    Attribute {
        /// `line_ending`, `byte_order_mark` or `final_newline`.
        #[schemars(with = "&str")]
        attribute: Attribute,
    },
    /// The whole file.
    #[serde(rename = "file")]
    Whole,
}

/// A byte-level attribute of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Attribute {
    LineEnding,
    ByteOrderMark,
    FinalNewline,
}

/// The texts of a place in the three versions, as far as they exist.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Texts {
    /// The base version of the text.
    pub base: Option<String>,
    /// Our version.
    pub ours: Option<String>,
    /// Their version.
    pub theirs: Option<String>,
}

impl Side {
    pub const fn other(self) -> Self {
        match self {
            Self::Ours => Self::Theirs,
            Self::Theirs => Self::Ours,
        }
    }
}

impl Outcome {
    pub fn is_clean(&self) -> bool {
        self.conflicts.is_empty()
    }
}

impl Attribute {
    pub const fn words(self) -> &'static str {
        match self {
            Self::LineEnding => "line ending",
            Self::ByteOrderMark => "byte order mark",
            Self::FinalNewline => "final newline",
        }
    }
}

impl Texts {
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
            additions: Additions::default(),
            format: Format::default(),
        }
    }
}

/// The merged body with its records and conflicts.
struct MergedBody {
    bytes: Vec<u8>,
    records: Vec<Record>,
    /// Their spans are in `bytes`.
    conflicts: Vec<Conflict>,
    method: Method,
    /// The value of the field `disputed`; `None` if the merge does not decide it.
    disputed: Option<Vec<String>>,
}
