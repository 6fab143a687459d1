//! Diff two versions of the tree by meaning: entries, fields, facts and sections instead of lines.
//!
//! [`compare`] finds the differences inside one document; [`entry`], [`kinship`] and [`trace`] relate the documents of
//! a change set: entries that were renamed, merged or split, text that moved between entries, relations that are now
//! broken. Differences in form only (rewrapped text, another list marker, other quotes, reordered keys) are not listed
//! but counted as [`Fold`]s.
//!
//! The law: lines of either side that no element of the model covers are the same on both sides and in the same order,
//! apart from blank lines and carriage returns.
//!
//! Knows no repository and no screen. The model owns its texts; line numbers count from 0 in the whole document.

mod blocks;
mod body;
mod columns;
mod compare;
mod entries;
mod facts;
mod fields;
mod kinship;
#[cfg(test)]
mod laws;
mod like;
mod nested;
mod normal;
mod order;
mod sections;
mod side;

pub use compare::{MAX_BLOCKS, MAX_BYTES, compare};
pub use entries::{Count, Counts, Gone, Version, entry, is_document, keep_held, trace};
pub use kinship::{Candidate, Kinship, Print, Sampling, is_named, kinship, named, runs};
pub(crate) use normal::forms;
pub(crate) use sections::{Headed, Visit, pair_headed};

use super::{Hunk, LineKind, Word};
use crate::doc::{VERIFIED, Verified};
use bstr::{BString, ByteSlice as _};
use std::ops::Range;

/// The change of one entry, or of another file of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub what: What,
    /// Its place before; `None` if it is new.
    pub before: Option<Place>,
    /// Its place after; `None` if it is gone.
    pub after: Option<Place>,
    /// Entries whose text is now (also) in this one, in order of their paths.
    pub sources: Vec<Source>,
    pub content: Content,
    /// Paths of entries that this one links to and that the same change set removes, sorted.
    pub dangling: Vec<String>,
}

/// The change of an entry as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    Added,
    Deleted,
    /// The entry is gone, and its folder has a record of its content in the archive.
    Archived,
    /// The entry is gone, and at least half of its text is in the entry at this path.
    MergedInto(BString),
    /// The entry differs inside.
    Modified,
    /// The entry has another path, perhaps with edits.
    Renamed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub path: BString,
    /// The title field, else the first heading; `None` if it has neither or is not a document.
    pub title: Option<String>,
}

impl Place {
    /// The folders of the path, `auth/jwt` of `auth/jwt/tokens.md`: domain, topic and subtopic.
    pub fn folder(&self) -> &[u8] {
        self.path.rfind_byte(b'/').map_or(b"", |end| &self.path[..end])
    }

    /// The title, else the name of the file.
    pub fn name(&self) -> BString {
        match &self.title {
            Some(title) => title.as_str().into(),
            None => self.path[self.path.rfind_byte(b'/').map_or(0, |end| end + 1)..].into(),
        }
    }
}

/// An entry whose text was moved into another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub path: BString,
    /// How much of its text is there now, in percent.
    pub percent: u8,
    /// Whether it still exists.
    pub fate: Fate,
}

/// What happened to an entry whose text was moved into another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It was merged into the other and is gone.
    Gone,
    /// It stays: a part of it was split off.
    Stays,
}

/// The differences inside a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A document on both sides.
    Knowledge(Box<Knowledge>),
    Lines(ByLine),
}

/// Why a file is compared by line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByLine {
    NotADocument,
    /// A side has bytes that are not UTF-8.
    NotUtf8,
    /// A side is too large to be compared by meaning.
    TooLarge,
    /// A side has conflict markers, which have no meaning as knowledge.
    InConflict,
}

/// The differences between two versions of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Knowledge {
    /// The changed fields of the frontmatter, by key, in the order of the side after.
    pub fields: Vec<FieldChange>,
    /// The changed facts, by subject.
    pub facts: Vec<FactChange>,
    /// The changed sections of the body, without facts, in the order of the side after.
    pub sections: Vec<SectionChange>,
    /// Subjects with more than one statement that this change affects.
    pub disputes: Vec<Dispute>,
    /// Differences in form only.
    pub folded: Vec<Fold>,
    /// The estimated tokens of the whole document before and after.
    pub tokens: Tokens,
}

impl Knowledge {
    /// Whether the sides have the same bytes.
    pub fn is_empty(&self) -> bool {
        self.says_the_same() && self.folded.is_empty()
    }

    /// Whether the sides differ in form only, or not at all.
    pub fn says_the_same(&self) -> bool {
        self.fields.is_empty() && self.facts.is_empty() && self.sections.is_empty()
    }

    /// The fields other than times.
    pub fn telling_fields(&self) -> impl Iterator<Item = &FieldChange> {
        self.fields.iter().filter(|field| field.kind != FieldKind::Time)
    }

    /// The fields that are times: they change with every edit.
    pub fn times(&self) -> impl Iterator<Item = &FieldChange> {
        self.fields.iter().filter(|field| field.kind == FieldKind::Time)
    }
}

/// Characters divided by four, rounded up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    pub before: u64,
    pub after: u64,
}

impl Tokens {
    pub fn delta(self) -> i64 {
        self.after.cast_signed() - self.before.cast_signed()
    }
}

/// The lines of an element in the whole document, counted from 0. `None` on a side that does not have it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spot {
    /// Lines of the side before.
    pub before: Option<Range<usize>>,
    /// Lines of the side after.
    pub after: Option<Range<usize>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    /// Its name; empty for [`FieldEdit::Lines`] and for comments.
    pub key: String,
    pub kind: FieldKind,
    pub edit: FieldEdit,
    pub spot: Spot,
}

impl FieldChange {
    /// Whether it is the field by which an entry is confirmed.
    pub fn is_confirmation(&self) -> bool {
        self.key == VERIFIED
    }

    /// The commit of the code that the entry is now confirmed against, if it is.
    pub fn confirmed(&self) -> Option<String> {
        match &self.edit {
            FieldEdit::Added(value) | FieldEdit::Changed { after: value, .. } if self.is_confirmation() => {
                Some(Verified::parse(value)?.commit)
            }
            _ => None,
        }
    }

    /// Whether a field without a value was added or removed.
    pub fn is_vacant(&self) -> bool {
        match &self.edit {
            FieldEdit::Added(value) | FieldEdit::Removed(value) => value.is_empty(),
            FieldEdit::Items { added, removed } => added.is_empty() && removed.is_empty(),
            FieldEdit::Changed { .. } | FieldEdit::Lines(_) => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// A time that every edit changes: `createdAt`, `updatedAt`, `synthesized_at`, `consolidated_at`.
    Time,
    List,
    Other,
    /// A comment between or after the fields.
    Comment,
    /// The whole frontmatter, because it cannot be parsed into fields.
    Unreadable,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldEdit {
    /// Added, with this value.
    Added(String),
    /// Removed; this was its value.
    Removed(String),
    Changed {
        before: String,
        after: String,
        /// Both values, word by word.
        words: Vec<Word>,
    },
    /// Items of a list were added or removed; unchanged ones are not listed. An added or removed list has all its items
    /// here.
    Items {
        /// The added items, in the order of the side after.
        added: Vec<String>,
        /// The removed items, in the order of the side before.
        removed: Vec<String>,
    },
    Lines(Vec<Hunk>),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Claim {
    /// The subject, if there is one.
    pub subject: Option<String>,
    /// The statement, with single spaces.
    pub statement: String,
    /// The category, one of the known words.
    pub category: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactChange {
    pub edit: FactEdit,
    pub spot: Spot,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FactEdit {
    Added {
        claim: Claim,
        /// The entry it came from, if the change set removed it there.
        from: Option<BString>,
    },
    Removed {
        claim: Claim,
        /// The entry it was moved to, if the change set added it there.
        to: Option<BString>,
    },
    /// Its statement, subject or category changed.
    Changed {
        before: Claim,
        after: Claim,
        /// Both statements, word by word; all context if only subject or category changed.
        words: Vec<Word>,
    },
    /// Unchanged, but in another section.
    Moved { claim: Claim, from: Vec<String>, to: Vec<String> },
}

impl FactEdit {
    pub fn to(&self) -> Option<&BString> {
        match self {
            Self::Removed { to, .. } => to.as_ref(),
            Self::Added { .. } | Self::Changed { .. } | Self::Moved { .. } => None,
        }
    }

    /// The subject after, or before if the fact was removed.
    pub fn subject(&self) -> Option<&str> {
        match self {
            Self::Added { claim, .. }
            | Self::Removed { claim, .. }
            | Self::Moved { claim, .. }
            | Self::Changed { after: claim, .. } => claim.subject.as_deref(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionChange {
    /// The path of headings to it, on the side after, or before if it is gone. Empty for the text before the first
    /// heading.
    pub path: Vec<String>,
    pub heading: HeadingEdit,
    /// The lines of the heading; of a moved section all its lines.
    pub spot: Spot,
    /// The changed blocks, in order; removed ones are at their old place.
    pub blocks: Vec<BlockChange>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeadingEdit {
    Kept,
    Added,
    /// Removed. Blocks of the section that were not removed are elsewhere.
    Removed,
    Renamed {
        before: String,
    },
    /// The section was moved, with everything nested in it.
    Moved {
        /// The path of headings before, including its own; the same path if only the order changed.
        from: Vec<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockChange {
    /// The kind after, or before if the block was removed.
    pub kind: BlockKind,
    pub edit: BlockEdit,
    pub spot: Spot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockKind {
    Paragraph,
    /// One list item, with everything nested in it.
    Item,
    Code,
    Table,
    Quote,
    Html,
    /// A thematic break, or link definitions.
    Other,
}

/// The change of a block. Texts are as written, with `\n` between lines and none at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockEdit {
    Added {
        text: String,
        /// The entry it came from, if the change set removed it there.
        from: Option<BString>,
    },
    Removed {
        text: String,
        /// The entry it was moved to, if the change set added it there.
        to: Option<BString>,
    },
    Edited(Inside),
    /// Moved within the document, to the section it is listed under.
    Moved {
        /// The headings it was under, then the items it was nested in.
        from: Vec<String>,
        /// The headings it is under, then the items it is nested in; the same if only the order changed.
        to: Vec<String>,
        text: String,
        /// The differences inside, if it was also edited.
        inside: Option<Inside>,
    },
}

impl BlockEdit {
    pub fn to(&self) -> Option<&BString> {
        match self {
            Self::Removed { to, .. } => to.as_ref(),
            Self::Added { .. } | Self::Edited(_) | Self::Moved { .. } => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inside {
    /// Both texts, word by word: for prose.
    Words(Vec<Word>),
    /// The changed lines: for code, tables, HTML and huge blocks.
    Lines(Vec<Hunk>),
    /// For a table: columns that were added or removed.
    Columns(Columns),
}

/// The differences in a table in which columns were added, or columns were removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// The columns, from left to right.
    pub columns: Vec<Column>,
    /// The lines that differ without those columns.
    pub rest: Vec<Hunk>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Whether it was added or removed.
    pub kind: LineKind,
    pub name: String,
    /// Its other cells, from top to bottom.
    pub cells: Vec<String>,
}

/// A subject with more than one statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispute {
    /// The subject as written after (or before, if the dispute is settled).
    pub subject: String,
    pub statements: Vec<String>,
    /// How this change affects it.
    pub state: DisputeState,
}

/// How a change affects a dispute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisputeState {
    /// The frontmatter lists it only after the change.
    Opened,
    /// The frontmatter lists it before and after, and its facts changed.
    Open,
    /// The frontmatter no longer lists it.
    Settled,
    /// The frontmatter does not list it, but this change added a statement about the subject.
    Unlisted,
}

/// A difference in form only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    pub what: FoldKind,
    pub spot: Spot,
}

/// The kinds of differences in form only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FoldKind {
    /// A field in another style, or fields in another order.
    Frontmatter,
    /// The `---` lines, added or removed with the fields.
    Fence,
    Heading,
    /// A block that renders the same: rewrapped, other markers, other padding.
    Block,
    /// Facts in another order, or in another style.
    Facts,
    /// Carriage returns before the line feeds.
    LineEndings,
    /// Blank lines, spaces at the end of lines, the final newline, the byte order mark.
    Space,
}
