//! Two versions of the tree as knowledge: entries, fields, facts and sections instead of lines.
//!
//! [`compare`] tells what differs inside one document, [`entry`], [`kinship`] and [`trace`] join the documents of a change set: what was renamed,
//! merged into another entry or split, which text went from one entry to another, which relations now point nowhere.
//! What only looks different (wrapped anew, another list marker, other quotes, keys in another order) is not told but
//! counted as [`Fold`]s.
//!
//! The law: lines of either side that no element of the model names are the same on both sides and in the same order, blank
//! lines and carriage returns aside.
//!
//! Knows no repository and no screen. Texts are owned by the model; line numbers count from 0 in the whole document.

mod blocks;
mod body;
mod compare;
mod entries;
mod facts;
mod fields;
mod kinship;
#[cfg(test)]
mod laws;
mod like;
mod normal;
mod order;
mod sections;
mod side;

pub use compare::{MAX_BLOCKS, MAX_BYTES, compare};
pub use entries::{Count, Counts, Gone, Version, entry, is_document, trace};
pub use kinship::{Candidate, Kinship, Print, Sampling, kinship};
pub(crate) use normal::forms;
pub(crate) use sections::{Headed, Visit, pair_headed};

use super::{Hunk, Word};
use bstr::{BString, ByteSlice as _};
use std::ops::Range;

/// What became of one entry, or of another file of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What happened to it.
    pub what: What,
    /// Where it was and what it was called; `None` if it is new.
    pub before: Option<Place>,
    /// Where it is and what it is called; `None` if it is gone.
    pub after: Option<Place>,
    /// Entries whose text is now (also) in this one, in order of their paths.
    pub sources: Vec<Source>,
    /// What differs inside.
    pub content: Content,
    /// Paths of entries that this one points to and that the same change set takes away, sorted.
    pub dangling: Vec<String>,
}

/// What happened to an entry as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// It is gone, and at least half of what it said stands in the entry of this path.
    MergedInto(BString),
    /// It differs inside.
    Modified,
    /// It stands at another path, perhaps with edits.
    Renamed,
}

/// Where an entry stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The path in the tree.
    pub path: BString,
    /// The title field, else the first heading; `None` if it has neither or is no document.
    pub title: Option<String>,
}

impl Place {
    /// The folders of the path, `auth/jwt` of `auth/jwt/tokens.md`: domain, topic and subtopic.
    #[must_use]
    pub fn folder(&self) -> &[u8] {
        self.path.rfind_byte(b'/').map_or(b"", |end| &self.path[..end])
    }

    /// The title, else the name of the file.
    #[must_use]
    pub fn name(&self) -> BString {
        match &self.title {
            Some(title) => title.as_str().into(),
            None => self.path[self.path.rfind_byte(b'/').map_or(0, |end| end + 1)..].into(),
        }
    }
}

/// An entry whose text went into another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Where it was.
    pub path: BString,
    /// How much of what it said is there now, in percent.
    pub percent: u8,
    /// What became of itself.
    pub fate: Fate,
}

/// What became of an entry whose text went into another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is gone: it was merged into the other.
    Gone,
    /// It stays: a part of it was split off.
    Stays,
}

/// What differs inside a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// It is a document on both sides.
    Knowledge(Box<Knowledge>),
    /// It is shown by line.
    Lines(ByLine),
}

/// Why a file is shown by line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByLine {
    /// It is no markdown.
    NotADocument,
    /// A side has bytes that are not UTF-8.
    NotUtf8,
    /// A side is too large to be read by meaning.
    TooLarge,
    /// A side has conflict markers, which are nobody's knowledge.
    InConflict,
}

/// What differs between two versions of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Knowledge {
    /// The frontmatter, by key, in the order of the side after.
    pub fields: Vec<FieldChange>,
    /// The facts, by subject.
    pub facts: Vec<FactChange>,
    /// The body without its facts, by section, in the order of the side after; sections in which nothing differs are left out.
    pub sections: Vec<SectionChange>,
    /// Subjects with more than one statement, where this change has to do with it.
    pub disputes: Vec<Dispute>,
    /// What differs in form only.
    pub folded: Vec<Fold>,
    /// The estimated tokens of the whole document before and after.
    pub tokens: Tokens,
}

impl Knowledge {
    /// Whether the sides are the same, byte for byte.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.says_the_same() && self.folded.is_empty()
    }

    /// Whether the sides differ in form at most.
    #[must_use]
    pub fn says_the_same(&self) -> bool {
        self.fields.is_empty() && self.facts.is_empty() && self.sections.is_empty()
    }

    /// The fields that are not times.
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
    /// Of the side before.
    pub before: u64,
    /// Of the side after.
    pub after: u64,
}

impl Tokens {
    /// How many more there are after.
    #[must_use]
    pub fn delta(self) -> i64 {
        self.after.cast_signed() - self.before.cast_signed()
    }
}

/// The lines an element stands on, in the whole document, counted from 0. A side that does not have it is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spot {
    /// On the side before.
    pub before: Option<Range<usize>>,
    /// On the side after.
    pub after: Option<Range<usize>>,
}

/// A field that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    /// Its name; empty for [`FieldEdit::Lines`] and for comments.
    pub key: String,
    /// What kind of field it is.
    pub kind: FieldKind,
    /// What happened.
    pub edit: FieldEdit,
    /// Where it stands.
    pub spot: Spot,
}

impl FieldChange {
    /// Whether a field without a value came or went.
    #[must_use]
    pub fn is_vacant(&self) -> bool {
        match &self.edit {
            FieldEdit::Added(value) | FieldEdit::Removed(value) => value.is_empty(),
            FieldEdit::Items { added, removed } => added.is_empty() && removed.is_empty(),
            FieldEdit::Changed { .. } | FieldEdit::Lines(_) => false,
        }
    }
}

/// What kind of field it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// A time that every edit changes: `createdAt`, `updatedAt`, `synthesized_at`, `consolidated_at`.
    Time,
    /// A list of words or paths.
    List,
    /// Anything else.
    Other,
    /// A comment between or behind the fields.
    Comment,
    /// The frontmatter as a whole, because it cannot be read as fields.
    Unreadable,
}

/// What happened to a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldEdit {
    /// It is new, with this value.
    Added(String),
    /// It is gone, and had this value.
    Removed(String),
    /// Its value changed.
    Changed {
        /// The value before.
        before: String,
        /// The value after.
        after: String,
        /// Both, word by word.
        words: Vec<Word>,
    },
    /// Items of a list came or went; those that stayed are not named. A list that came or went as a whole has all its items here.
    Items {
        /// In the order after.
        added: Vec<String>,
        /// In the order before.
        removed: Vec<String>,
    },
    /// The lines between the fences.
    Lines(Vec<Hunk>),
}

/// What a fact says.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Claim {
    /// What it is about, if it says so.
    pub subject: Option<String>,
    /// What it states, with single spaces.
    pub statement: String,
    /// Its category, one of the known words.
    pub category: Option<&'static str>,
}

/// A fact that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactChange {
    /// What happened.
    pub edit: FactEdit,
    /// Where it stands.
    pub spot: Spot,
}

/// What happened to a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FactEdit {
    /// It is new.
    Added {
        /// What it says.
        claim: Claim,
        /// The entry it came from, if the change set took it away there.
        from: Option<BString>,
    },
    /// It is gone.
    Removed {
        /// What it said.
        claim: Claim,
        /// The entry it went to, if the change set added it there.
        to: Option<BString>,
    },
    /// It says something else about the subject, or is of another category.
    Changed {
        /// What it said.
        before: Claim,
        /// What it says.
        after: Claim,
        /// Both statements, word by word; all context if only subject or category changed.
        words: Vec<Word>,
    },
}

impl FactEdit {
    /// The entry it went to.
    #[must_use]
    pub fn to(&self) -> Option<&BString> {
        match self {
            Self::Removed { to, .. } => to.as_ref(),
            Self::Added { .. } | Self::Changed { .. } => None,
        }
    }

    /// What the fact is about: after, or before if it is gone.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        match self {
            Self::Added { claim, .. } | Self::Removed { claim, .. } | Self::Changed { after: claim, .. } => {
                claim.subject.as_deref()
            }
        }
    }
}

/// A section in which something differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionChange {
    /// The headings from the top down to it, on the side after, or before if it is gone. Empty for what stands before the
    /// first heading.
    pub path: Vec<String>,
    /// What happened to its heading.
    pub heading: HeadingEdit,
    /// Where the heading stands; of a moved section all its lines.
    pub spot: Spot,
    /// The blocks that differ, in order; removed ones stand where they were.
    pub blocks: Vec<BlockChange>,
}

/// What happened to a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeadingEdit {
    /// Nothing.
    Kept,
    /// It is new.
    Added,
    /// It is gone. Blocks of it that are not removed stand elsewhere.
    Removed,
    /// It is called otherwise.
    Renamed {
        /// What it was called.
        before: String,
    },
    /// The section stands elsewhere, with all that is nested in it.
    Moved {
        /// The headings it was under, itself included; the same path if only the order changed.
        from: Vec<String>,
    },
}

/// A block that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockChange {
    /// What it is: after, or before if it is gone.
    pub kind: BlockKind,
    /// What happened.
    pub edit: BlockEdit,
    /// Where it stands.
    pub spot: Spot,
}

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// Plain text.
    Paragraph,
    /// One item of a list, with all that is nested in it.
    Item,
    /// Code.
    Code,
    /// A table.
    Table,
    /// A quote.
    Quote,
    /// HTML.
    Html,
    /// A thematic break, or link definitions.
    Other,
}

/// What happened to a block. Texts are as written, with `\n` between lines and none at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockEdit {
    /// It is new.
    Added {
        /// Its text.
        text: String,
        /// The entry it came from, if the change set took it away there.
        from: Option<BString>,
    },
    /// It is gone.
    Removed {
        /// Its text.
        text: String,
        /// The entry it went to, if the change set added it there.
        to: Option<BString>,
    },
    /// It says something else.
    Edited(Inside),
    /// It stands elsewhere in the document: in the section it is listed under.
    Moved {
        /// The headings it was under; those of its section now if only the order changed.
        from: Vec<String>,
        /// Its text after.
        text: String,
        /// What differs inside, if it was edited, too.
        inside: Option<Inside>,
    },
}

impl BlockEdit {
    /// The entry it went to.
    #[must_use]
    pub fn to(&self) -> Option<&BString> {
        match self {
            Self::Removed { to, .. } => to.as_ref(),
            Self::Added { .. } | Self::Edited(_) | Self::Moved { .. } => None,
        }
    }
}

/// What differs inside a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inside {
    /// The text of both sides, word by word: for prose.
    Words(Vec<Word>),
    /// The changed lines: for code, tables, HTML and huge blocks.
    Lines(Vec<Hunk>),
}

/// A subject with more than one statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispute {
    /// The subject, as it is written after (or before, if it is settled).
    pub subject: String,
    /// Its statements after.
    pub statements: Vec<String>,
    /// What this change has to do with it.
    pub state: DisputeState,
}

/// What a change has to do with a dispute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisputeState {
    /// The frontmatter lists it since.
    Opened,
    /// The frontmatter lists it before and after, and its facts changed.
    Open,
    /// The frontmatter lists it no longer.
    Settled,
    /// The frontmatter does not list it, but this change gave the subject a further statement.
    Unlisted,
}

/// A difference in form only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// What it is.
    pub what: FoldKind,
    /// Where it stands.
    pub spot: Spot,
}

/// What differs in form only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FoldKind {
    /// A field is written in another style, or the fields stand in another order.
    Frontmatter,
    /// The `---` lines around the fields come or go with them.
    Fence,
    /// A heading is written in another style.
    Heading,
    /// A block renders the same: wrapped anew, other markers, other padding.
    Block,
    /// Facts stand in another order, or are written in another style.
    Facts,
    /// Carriage returns before the line feeds.
    LineEndings,
    /// Blank lines, spaces at the end of lines, the final newline, the byte order mark.
    Space,
}
