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
mod counts;
mod entries;
mod entry_json;
mod facts;
mod fields;
mod kinship;
#[cfg(test)]
mod laws;
mod like;
mod nested;
mod normal;
mod order;
#[cfg(test)]
mod reading;
mod sections;
mod side;

pub use compare::{MAX_BLOCKS, MAX_BYTES, compare};
pub use counts::{Count, Counts};
pub use entries::{Gone, Version, entry, is_document, keep_held, trace};
pub use kinship::{EntryKinship, KinCandidate, Print, Sampling, is_named, kinship, named, runs};
pub(crate) use normal::forms;
pub(crate) use sections::{Headed, Visit, pair_headed};

use super::bytes;
use super::json::{self, WordedLine};
use super::{Hunk, LineKind, Word};
pub use crate::doc::Category;
use crate::doc::{VERIFIED, Verified};
use bstr::{BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A changed entry or other file.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(into = "entry_json::PrintedEntry", try_from = "entry_json::PrintedEntry")]
pub struct Entry {
    pub what: What,
    /// The path of the entry that now has at least half of its text, if it was merged.
    pub merged_into: Option<BString>,
    /// Its place before; `None` if it is new.
    pub before: Option<DiffPlace>,
    /// Its place after; `None` if it is gone.
    pub after: Option<DiffPlace>,
    /// Entries whose text is now (also) in this one, in order of their paths.
    pub sources: Vec<MoveSource>,
    pub content: Content,
}

/// What happened to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "EntryChange")]
pub enum What {
    Added,
    Deleted,
    /// The entry is in the archive now.
    Archived,
    /// The entry was deleted, and most of its text is in another one.
    Merged,
    Modified,
    Renamed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffPlace {
    pub path: BString,
    /// The title field, else the first heading; `None` if it has neither or is not a document.
    pub title: Option<String>,
}

impl DiffPlace {
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

/// An entry whose text moved into another one.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Source")]
pub struct MoveSource {
    #[serde(serialize_with = "bytes::text", deserialize_with = "bytes::bytes")]
    #[schemars(with = "String")]
    pub path: BString,
    /// How much of its text moved, in percent.
    pub percent: u8,
    /// Whether it was deleted, so that it was merged; else a part was split off.
    pub gone: bool,
}

/// The differences inside a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A document on both sides.
    Knowledge(Box<Knowledge>),
    Lines(ByLine),
}

/// Why a file is compared by line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Knowledge {
    /// Changed frontmatter fields, by key.
    // in the order of the side after
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldChange>,
    /// Changed facts, by subject.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<FactChange>,
    /// Changes in the rest of the body, by section.
    // in the order of the side after
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<SectionChange>,
    /// Disputed subjects that the change affects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disputes: Vec<DisputeChange>,
    /// Link targets that the same change deletes.
    // paths of entries, sorted
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dangling: Vec<String>,
    /// Differences in form only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<Fold>,
    /// The estimated tokens of the whole document; in JSON beside the differences.
    #[serde(skip)]
    pub tokens: TokenCounts,
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

/// Estimated number of tokens.
// characters divided by four, rounded up
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Tokens")]
pub struct TokenCounts {
    pub before: u64,
    pub after: u64,
}

impl TokenCounts {
    pub fn delta(self) -> i64 {
        self.after.cast_signed() - self.before.cast_signed()
    }
}

/// Line ranges in the two documents.
// counted from 0; `None` on a side that does not have the element
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Spot {
    #[serde(default, skip_serializing_if = "Option::is_none", with = "json::lines")]
    #[schemars(with = "Option<json::LineRange>")]
    pub before: Option<Range<usize>>,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "json::lines")]
    #[schemars(with = "Option<json::LineRange>")]
    pub after: Option<Range<usize>>,
}

/// How an element changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    Kept,
    Added,
    Removed,
    Changed,
    Moved,
    Renamed,
}

impl How {
    /// The side of an element that only one side has; else both.
    pub const fn side(self) -> LineKind {
        match self {
            Self::Added => LineKind::Added,
            Self::Removed => LineKind::Removed,
            Self::Kept | Self::Changed | Self::Moved | Self::Renamed => LineKind::Context,
        }
    }
}

/// A changed frontmatter field.
// A value that only one side has stands on that side. A list has its items instead: those that are only on one side.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Field")]
pub struct FieldChange {
    /// Its name; empty for a comment on its own line, and for unreadable frontmatter.
    pub key: String,
    /// `time`, `list`, `other`, `comment` or `unreadable`.
    #[schemars(with = "String")]
    pub kind: FieldKind,
    pub change: How,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// New items of a list.
    // in the order of the side after
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// Removed items of a list.
    // in the order of the side before
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// The changed lines of unreadable frontmatter.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "json::listed")]
    #[schemars(with = "Vec<WordedLine>")]
    pub lines: Vec<Hunk>,
    /// Both values, word by word, if both sides have one.
    #[serde(skip)]
    pub words: Vec<Word>,
    #[serde(rename = "at")]
    pub spot: Spot,
}

impl FieldChange {
    /// Whether it is the field by which an entry is confirmed.
    pub fn is_confirmation(&self) -> bool {
        self.key == VERIFIED
    }

    /// The commit of the code that the entry is now confirmed against, if it is.
    pub fn confirmed(&self) -> Option<String> {
        let value = self.after.as_ref().filter(|_| self.is_confirmation())?;
        Some(Verified::parse(value)?.commit)
    }

    /// The side of a value that only one side has.
    pub const fn side(&self) -> LineKind {
        match (&self.before, &self.after) {
            (None, Some(_)) => LineKind::Added,
            (Some(_), None) => LineKind::Removed,
            _ => LineKind::Context,
        }
    }

    /// Whether a field without a value was added or removed; `is_blank`: whether a text is not a value.
    pub fn is_vacant(&self, is_blank: impl Fn(&str) -> bool) -> bool {
        match (&self.before, &self.after) {
            (Some(_), Some(_)) => false,
            (Some(value), None) | (None, Some(value)) => is_blank(value),
            (None, None) => {
                self.kind != FieldKind::Unreadable && self.added.is_empty() && self.removed.is_empty()
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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

/// The content of a fact.
#[derive(Debug, Clone, PartialEq, Eq, Hash, JsonSchema, Serialize, Deserialize)]
pub struct Claim {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    // with single spaces
    pub statement: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub category: Option<Category>,
}

/// A changed fact.
// A moved fact is the same on both sides.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Fact")]
pub struct FactChange {
    pub change: How,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Claim>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Claim>,
    /// Both statements in pieces, if they differ.
    // of a changed fact: all context if only subject or category changed
    #[serde(default, skip_serializing_if = "entry_json::are_context")]
    pub words: Vec<Word>,
    /// The headings above it before, if it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Vec<String>>,
    /// The headings above it after, if it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Vec<String>>,
    /// The entry it moved from or to.
    // if the change set removed it there, or added it there
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "bytes::optional_text", deserialize_with = "bytes::optional_bytes")]
    #[schemars(with = "Option<String>")]
    pub elsewhere: Option<BString>,
    #[serde(rename = "at")]
    pub spot: Spot,
}

impl FactChange {
    /// The fact after, or before if it was removed.
    pub fn claim(&self) -> Option<&Claim> {
        self.after.as_ref().or(self.before.as_ref())
    }

    /// The subject after, or before if the fact was removed.
    pub fn subject(&self) -> Option<&str> {
        self.claim()?.subject.as_deref()
    }

    /// The entry a removed fact moved to.
    pub fn moved_to(&self) -> Option<&BString> {
        self.elsewhere.as_ref().filter(|_| self.change == How::Removed)
    }
}

/// A section with changes.
// `kept`: only its blocks changed. `removed`: blocks of it that were not removed are elsewhere. `moved`: with everything
// nested in it. The spot has the lines of the heading; of a moved section all its lines.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Section")]
pub struct SectionChange {
    /// The headings down to it.
    // after, or before if it is gone; empty for the text before the first heading
    pub path: Vec<String>,
    pub change: How,
    /// The old heading, if it was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// The old headings down to it, itself included, if it moved.
    // the same if only the order changed
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Vec<String>>,
    // in order; removed ones are at their old place
    pub blocks: Vec<BlockChange>,
    #[serde(rename = "at")]
    pub spot: Spot,
}

/// A changed block.
// Its kind is that after, or before if it was removed. Texts are as written, with `\n` between lines and none at the end.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Block")]
pub struct BlockChange {
    /// `paragraph`, `item`, `code`, `table`, `quote`, `html` or `other`.
    #[schemars(with = "String")]
    pub kind: BlockKind,
    pub change: How,
    /// The text of an added, removed or moved block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Both texts in pieces, for changed prose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<Word>,
    /// The changed lines, for anything but prose.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "json::listed")]
    #[schemars(with = "Vec<WordedLine>")]
    pub lines: Vec<Hunk>,
    /// Added and removed columns of a table; `lines` leaves them out.
    // from left to right
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<TableColumn>,
    /// The headings above it before, followed by the items it was nested in, if it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Vec<String>>,
    /// The headings above it after, followed by the items it is nested in, if it moved.
    // the same if only the order changed
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Vec<String>>,
    /// The entry it moved from or to.
    // if the change set removed it there, or added it there
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "bytes::optional_text", deserialize_with = "bytes::optional_bytes")]
    #[schemars(with = "Option<String>")]
    pub elsewhere: Option<BString>,
    #[serde(rename = "at")]
    pub spot: Spot,
}

impl BlockChange {
    /// A block without differences inside and without another place.
    pub(super) fn new(kind: BlockKind, change: How, text: Option<String>, spot: Spot) -> Self {
        let (words, lines, columns) = Default::default();
        Self { kind, change, text, words, lines, columns, from: None, to: None, elsewhere: None, spot }
    }

    /// The entry a removed block moved to.
    pub fn moved_to(&self) -> Option<&BString> {
        self.elsewhere.as_ref().filter(|_| self.change == How::Removed)
    }

    /// Whether anything inside it differs.
    pub const fn is_edited(&self) -> bool {
        !(self.words.is_empty() && self.lines.is_empty() && self.columns.is_empty())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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

/// An added or removed column of a table.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Column")]
pub struct TableColumn {
    pub change: How,
    /// Its cell in the header.
    pub name: String,
    /// Its other cells, from the top.
    pub cells: Vec<String>,
}

/// A subject with more than one statement.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Dispute")]
pub struct DisputeChange {
    // as written after (or before, if the dispute is settled)
    pub subject: String,
    /// `opened`, `open`, `settled` or `unlisted`.
    #[schemars(with = "String")]
    pub state: DisputeState,
    pub statements: Vec<String>,
}

/// How a change affects a dispute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Folded")]
pub struct Fold {
    /// `frontmatter`, `fence`, `heading`, `block`, `facts`, `line_endings` or `space`.
    #[schemars(with = "String")]
    pub what: FoldKind,
    #[serde(rename = "at")]
    pub spot: Spot,
}

/// The kinds of differences in form only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
