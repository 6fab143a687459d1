//! Parse and edit one markdown document without losing a byte.
//!
//! Knows the byte envelope (byte order mark, frontmatter fences, body), the fields, the headings and blocks, facts,
//! relations and conflict markers, and makes edits that change only the field they name. Rendering returns exactly the
//! bytes that were parsed, for every byte string. Does not know files, folders, git, other documents, or which paths a
//! tree may have.

mod archived;
mod beside;
mod blocks;
#[cfg(test)]
mod cases;
mod code;
mod concept;
mod content;
mod disputes;
pub mod edit;
mod envelope;
mod facts;
mod frontmatter;
mod instant;
pub mod item;
mod items;
mod labels;
#[cfg(test)]
mod laws;
mod layout;
mod links;
mod markers;
mod meta;
mod overview;
mod plain;
mod pointers;
mod problem;
pub mod render;
mod revise;
pub mod saying;
mod scalar;
mod sections;
mod verified;
mod yaml;

use std::ops::Range;
use std::sync::OnceLock;

pub use archived::{
    ArchiveRecord, ArchiveRecords, FIELD as ARCHIVED, add_archive_records, archive_records, archived_blobs,
    may_archive, remove_archive_records, without_archive_records,
};
pub use beside::Middle;
pub use blocks::{Block, BlockKind};
pub use concept::{Concept, timestamp};
pub use content::{EntryBody, Narrative, Statement, Unwritable};
pub use disputes::{Claim, Dispute, SettleError, Settlement, disputes, is_same_subject, may_dispute, settle};
pub(crate) use edit::ORDER as FIELD_ORDER;
pub use envelope::{Attributes, LineEnding};
pub use facts::{
    Category, Fact, fact, is_same_normal, is_single_spaced, normal, single_spaced, split_category,
};
pub use frontmatter::{Frontmatter, Opaque};
pub use instant::{Instant, instant};
pub use item::Item;
pub use items::{ListItem, items};
pub use labels::{Definition, definitions};
pub use links::{
    Link, LinkKind, link_key, link_keys, link_target, may_link, may_show, percent_decoded, relation,
};
pub use markers::Conflict;
pub use meta::{Meta, Status};
pub use overview::{FolderLevel, overview};
pub use pointers::{NotTurned, Pointer};
pub use problem::{Problem, ProblemKind};
pub use revise::{ItemChange, TakenConcept, Unrevised};
pub use sections::{Outline, Section, bare_title};
pub use verified::{FIELD as VERIFIED, Verified, verified_line};
pub use yaml::Value;

use envelope::DocumentEnvelope;

/// The fields of every entry, in the order in which they are written.
pub const CANONICAL_FIELDS: [&str; 7] =
    ["title", "summary", "tags", "keywords", "related", "createdAt", "updatedAt"];

/// A markdown document: its bytes, with everything else parsed lazily.
///
/// Parsing never fails: [`Document::problems`] lists what is wrong with the bytes, and no byte is lost. Spans into the
/// body ([`Outline`], [`Fact`]) are byte offsets into [`Document::body`].
#[derive(Clone)]
pub struct Document {
    source: DocumentBytes,
    envelope: DocumentEnvelope,
    outline: OnceLock<Outline>,
    reading: OnceLock<yaml::Reading>,
    layout: OnceLock<Result<layout::Layout, Opaque>>,
    problems: OnceLock<Vec<Problem>>,
}

/// The bytes, and a text of the same length to parse.
#[derive(Clone)]
enum DocumentBytes {
    Text(String),
    /// Not UTF-8: `shadow` has one `?` for each byte that is not part of a character, so offsets agree.
    Bytes {
        bytes: Vec<u8>,
        shadow: String,
    },
}

impl DocumentBytes {
    fn new(bytes: Vec<u8>) -> DocumentBytes {
        match String::from_utf8(bytes) {
            Ok(text) => DocumentBytes::Text(text),
            Err(error) => {
                let bytes = error.into_bytes();
                let shadow = envelope::shadow(&bytes);
                DocumentBytes::Bytes { bytes, shadow }
            }
        }
    }

    fn text(&self) -> &str {
        match self {
            DocumentBytes::Text(text) => text,
            DocumentBytes::Bytes { shadow, .. } => shadow,
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            DocumentBytes::Text(text) => text.as_bytes(),
            DocumentBytes::Bytes { bytes, .. } => bytes,
        }
    }
}

impl Document {
    /// Parse a document. Finds the envelope at once; everything else is parsed on demand.
    pub fn parse(bytes: impl Into<Vec<u8>>) -> Document {
        Document::from_source(DocumentBytes::new(bytes.into()))
    }

    fn from_source(source: DocumentBytes) -> Document {
        let envelope = envelope::scan(source.text());
        Document {
            source,
            envelope,
            outline: OnceLock::new(),
            reading: OnceLock::new(),
            layout: OnceLock::new(),
            problems: OnceLock::new(),
        }
    }

    /// The whole document: exactly the bytes that were parsed, or parsed and then edited.
    pub fn as_bytes(&self) -> &[u8] {
        self.source.bytes()
    }

    /// The whole document, consuming it.
    pub fn into_bytes(self) -> Vec<u8> {
        match self.source {
            DocumentBytes::Text(text) => text.into_bytes(),
            DocumentBytes::Bytes { bytes, .. } => bytes,
        }
    }

    /// The whole document as text of the same length in bytes: bytes that are not UTF-8 are replaced with one `?` each.
    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// True if every byte is part of a UTF-8 character.
    pub fn is_utf8(&self) -> bool {
        matches!(self.source, DocumentBytes::Text(_))
    }

    /// The text after the frontmatter, or after the byte order mark if there is none. Of the same length as the bytes:
    /// bytes that are not UTF-8 are replaced with one `?` each.
    pub fn body(&self) -> &str {
        &self.source.text()[self.envelope.body_start..]
    }

    pub fn body_bytes(&self) -> &[u8] {
        &self.source.bytes()[self.envelope.body_start..]
    }

    /// Where the body starts, in bytes from the start of the document.
    pub fn body_start(&self) -> usize {
        self.envelope.body_start
    }

    /// The 1-based line in the document of a byte offset into the body.
    pub fn line_of_body(&self, offset: usize) -> usize {
        problem::line(self.text(), self.envelope.body_start + offset)
    }

    /// Line ending, byte order mark and final newline.
    pub fn attributes(&self) -> Attributes {
        envelope::attributes(self.source.text())
    }

    /// The problems with the bytes, by position. Empty if the document is well-formed.
    pub fn problems(&self) -> &[Problem] {
        self.problems.get_or_init(|| problem::find(self))
    }

    /// The frontmatter: absent, readable fields, or opaque bytes with the reason.
    pub fn frontmatter(&self) -> Frontmatter<'_> {
        frontmatter::read(self)
    }

    /// The typed fields, read leniently: also from frontmatter that is not valid YAML, as far as single lines can be
    /// parsed.
    pub fn meta(&self) -> Meta {
        meta::read(self)
    }

    /// The field `disputed`, as [`Document::meta`] reads it.
    pub fn disputed(&self) -> Vec<String> {
        let frontmatter = &self.text()[..self.body_start()];
        // a key in quotes may be written with escapes
        if !frontmatter.contains("disputed") && !frontmatter.contains('\\') {
            return Vec::new();
        }
        meta::read_only(self, "disputed").disputed
    }

    /// The title field, else the text of the first heading.
    pub fn title(&self) -> Option<String> {
        meta::read_only(self, "title").title.or_else(|| self.first_heading().map(str::to_owned))
    }

    /// The text of the first heading that is not empty.
    pub fn first_heading(&self) -> Option<&str> {
        self.outline().sections().iter().skip(1).map(|section| section.title.as_str()).find(|t| !t.is_empty())
    }

    /// Headings and blocks of the body.
    pub fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| sections::outline(self.body()))
    }

    /// The part of this body and of another one, `known`, that may differ; `None` if nothing is known to be shared. What
    /// is shared is parsed once.
    pub fn middle(&self, known: &Document) -> Option<Middle> {
        let (outline, middle) = beside::read(known.body(), known.outline(), self.body())?;
        self.outline.get_or_init(|| outline);
        Some(middle)
    }

    /// Sections of the body, the text before the first heading first (level 0, always there).
    pub fn sections(&self) -> &[Section] {
        self.outline().sections()
    }

    /// Blocks of the body; their spans tile it.
    pub fn blocks(&self) -> &[Block] {
        self.outline().blocks()
    }

    /// The code of the body, in order, as byte offsets into it: spans, indented blocks, and fences that are closed.
    pub fn code(&self) -> Vec<Range<usize>> {
        code::read(self.body())
    }

    /// The facts under `## Facts`, in document order.
    pub fn facts(&self) -> Vec<Fact> {
        facts::read(self.body(), self.outline())
    }

    /// The blocks that are facts unless they are empty: list items under `## Facts`, as indexes, in order.
    pub fn fact_blocks(&self) -> Vec<usize> {
        facts::places(self.outline())
    }

    /// The facts and the items, in document order, each as before it was marked.
    pub fn sayings(&self) -> Vec<saying::Saying> {
        saying::read(self)
    }

    /// The list items with a bold lead under Narrative › Highlights and Rules, in document order.
    pub fn items(&self) -> Vec<Item> {
        item::read(self)
    }

    /// The parts of `## Raw Concept`.
    pub fn concept(&self) -> Concept {
        concept::read(self)
    }

    /// The links of the document, from frontmatter and body.
    pub fn links(&self) -> Vec<Link> {
        links::read(self)
    }

    /// The places where links name their targets, in the order of [`Document::links`].
    pub fn pointers(&self) -> Vec<Pointer> {
        pointers::read(self)
    }

    /// Change the pointer at this position to another target (not encoded), in the style in which it is written.
    ///
    /// # Errors
    /// [`NotTurned`]; the document is unchanged.
    pub fn turn(&mut self, position: usize, target: &str) -> Result<(), NotTurned> {
        pointers::turn(self, position, target)
    }

    /// Complete conflict-marker triples outside code fences, in the whole document.
    pub fn conflicts(&self) -> Vec<Conflict> {
        markers::read(self)
    }

    /// The document without conflict markers, with our side of each conflict; `None` if it has no conflict.
    pub fn our_side(&self) -> Option<Self> {
        let conflicts = self.conflicts();
        let last = conflicts.last()?.span.end;
        let (mut text, mut at) = (String::new(), 0);
        for conflict in &conflicts {
            text.push_str(&self.text()[at..conflict.span.start]);
            text.push_str(&self.text()[conflict.ours.clone()]);
            at = conflict.span.end;
        }
        text.push_str(&self.text()[last..]);
        Some(Self::parse(text))
    }

    /// All fields in order if the frontmatter is valid YAML, even if it is opaque for another reason (then a key may
    /// occur twice). Empty if it is absent or invalid.
    pub fn fields(&self) -> &[(Value, Value)] {
        &self.reading().fields
    }

    /// The first field of this name, under the same conditions as [`Document::fields`].
    pub fn field(&self, key: &str) -> Option<&Value> {
        self.fields().iter().find(|(name, _)| name.as_str() == Some(key)).map(|(_, value)| value)
    }

    fn reading(&self) -> &yaml::Reading {
        self.reading.get_or_init(|| match &self.envelope.frontmatter {
            Some(found) => {
                let text = &self.source.text()[found.text.clone()];
                plain::read(text).unwrap_or_else(|| yaml::read(text))
            }
            None => yaml::Reading::default(),
        })
    }
}

impl PartialEq for Document {
    fn eq(&self, other: &Document) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Document {}

impl std::fmt::Debug for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Document").field("text", &self.text()).field("envelope", &self.envelope).finish()
    }
}
