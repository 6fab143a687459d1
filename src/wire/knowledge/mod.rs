//! JSON for changed entries by meaning: part of the data of `brv vc diff` and `brv vc show`.

mod read;
#[cfg(test)]
mod tests;

use super::hunk::{Kind, Line, Range, lines};
use brv_engine::outcome::bytes::text;
use brv_text::diff;
use brv_text::diff::knowledge as model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One of a few words.
type Word = Cow<'static, str>;

/// A changed entry or other file.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
pub struct Entry {
    /// What happened to it.
    change: EntryChange,
    /// Its path; the last one if it was deleted or archived.
    path: String,
    /// Its title; the last one if it was deleted or archived.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The old title, if it had another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    old_title: Option<String>,
    /// The old path, if it was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    renamed_from: Option<String>,
    /// The entry that now has at least half of its text, if it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    merged_into: Option<String>,
    /// Entries whose text is now in this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sources: Vec<Source>,
    /// Why it is compared only by line: `not_a_document`, `not_utf8`, `too_large` or `in_conflict`. All fields below are
    /// then absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_line: Option<Word>,
    /// Changed frontmatter fields, by key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    fields: Vec<Field>,
    /// Changed facts, by subject.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    facts: Vec<Fact>,
    /// Changes in the rest of the body, by section.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sections: Vec<Section>,
    /// Disputed subjects that the change affects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    disputes: Vec<Dispute>,
    /// Link targets that the same change deletes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    dangling: Vec<String>,
    /// Differences in form only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    folded: Vec<Folded>,
    /// Estimated tokens of the whole document.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<Tokens>,
}

/// What happened to an entry.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EntryChange {
    Added,
    Deleted,
    /// The entry is in the archive now.
    Archived,
    /// The entry was deleted, and most of its text is in another one.
    Merged,
    Modified,
    Renamed,
}

/// An entry whose text moved into another one.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
struct Source {
    path: String,
    /// How much of its text moved, in percent.
    percent: u8,
    /// Whether it was deleted, so that it was merged; else a part was split off.
    gone: bool,
}

/// Estimated number of tokens.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
struct Tokens {
    before: u64,
    after: u64,
}

/// Line ranges in the two documents.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
struct Spot {
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Range>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Range>,
}

/// A piece of a changed text.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
struct Piece {
    kind: Kind,
    text: String,
}

/// How an element changed.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum How {
    Kept,
    Added,
    Removed,
    Changed,
    Moved,
    Renamed,
}

/// A changed frontmatter field.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
struct Field {
    /// Its name; empty for a comment on its own line, and for unreadable frontmatter.
    key: String,
    /// `time`, `list`, `other`, `comment` or `unreadable`.
    kind: Word,
    change: How,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    /// New items of a list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    added: Vec<String>,
    /// Removed items of a list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    removed: Vec<String>,
    /// The changed lines of unreadable frontmatter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lines: Vec<Line>,
    at: Spot,
}

/// The content of a fact.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
struct Claim {
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    statement: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<Word>,
}

/// A changed fact.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
struct Fact {
    change: How,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Claim>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Claim>,
    /// Both statements in pieces, if they differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    words: Vec<Piece>,
    /// The headings above it before, if it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Vec<String>>,
    /// The headings above it after, if it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<Vec<String>>,
    /// The entry it moved from or to.
    #[serde(skip_serializing_if = "Option::is_none")]
    elsewhere: Option<String>,
    at: Spot,
}

/// A section with changes.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
struct Section {
    /// The headings down to it.
    path: Vec<String>,
    change: How,
    /// The old heading, if it was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    was: Option<String>,
    /// The old headings down to it, itself included, if it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Vec<String>>,
    blocks: Vec<Block>,
    at: Spot,
}

/// A changed block.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
struct Block {
    /// `paragraph`, `item`, `code`, `table`, `quote`, `html` or `other`.
    kind: Word,
    change: How,
    /// The text of an added, removed or moved block.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Both texts in pieces, for changed prose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    words: Vec<Piece>,
    /// The changed lines, for anything but prose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lines: Vec<Line>,
    /// Added and removed columns of a table; `lines` leaves them out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    columns: Vec<Column>,
    /// The headings above it before, followed by the items it was nested in, if it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Vec<String>>,
    /// The headings above it after, followed by the items it is nested in, if it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<Vec<String>>,
    /// The entry it moved from or to.
    #[serde(skip_serializing_if = "Option::is_none")]
    elsewhere: Option<String>,
    at: Spot,
}

/// An added or removed column of a table.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
struct Column {
    change: How,
    /// Its cell in the header.
    name: String,
    /// Its other cells, from the top.
    cells: Vec<String>,
}

/// A subject with more than one statement.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
struct Dispute {
    subject: String,
    /// `opened`, `open`, `settled` or `unlisted`.
    state: Word,
    statements: Vec<String>,
}

/// A difference in form only.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
struct Folded {
    /// `frontmatter`, `fence`, `heading`, `block`, `facts`, `line_endings` or `space`.
    what: Word,
    at: Spot,
}

const BY_LINE: [(&str, model::ByLine); 4] = [
    ("not_a_document", model::ByLine::NotADocument),
    ("not_utf8", model::ByLine::NotUtf8),
    ("too_large", model::ByLine::TooLarge),
    ("in_conflict", model::ByLine::InConflict),
];

const FIELDS: [(&str, model::FieldKind); 5] = [
    ("time", model::FieldKind::Time),
    ("list", model::FieldKind::List),
    ("other", model::FieldKind::Other),
    ("comment", model::FieldKind::Comment),
    ("unreadable", model::FieldKind::Unreadable),
];

const BLOCKS: [(&str, model::BlockKind); 7] = [
    ("paragraph", model::BlockKind::Paragraph),
    ("item", model::BlockKind::Item),
    ("code", model::BlockKind::Code),
    ("table", model::BlockKind::Table),
    ("quote", model::BlockKind::Quote),
    ("html", model::BlockKind::Html),
    ("other", model::BlockKind::Other),
];

const DISPUTES: [(&str, model::DisputeState); 4] = [
    ("opened", model::DisputeState::Opened),
    ("open", model::DisputeState::Open),
    ("settled", model::DisputeState::Settled),
    ("unlisted", model::DisputeState::Unlisted),
];

const FOLDS: [(&str, model::FoldKind); 7] = [
    ("frontmatter", model::FoldKind::Frontmatter),
    ("fence", model::FoldKind::Fence),
    ("heading", model::FoldKind::Heading),
    ("block", model::FoldKind::Block),
    ("facts", model::FoldKind::Facts),
    ("line_endings", model::FoldKind::LineEndings),
    ("space", model::FoldKind::Space),
];

/// The word for a value. Each table has all values.
fn word<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> Word {
    let found = table.iter().find(|(_, one)| one == value);
    Word::Borrowed(found.map_or("", |(word, _)| word))
}

impl From<&model::Entry> for Entry {
    fn from(entry: &model::Entry) -> Self {
        let place = entry.after.as_ref().or(entry.before.as_ref());
        let path = |place: &model::Place| text(&place.path);
        let mut made = Self {
            change: change(&entry.what),
            path: place.map(path).unwrap_or_default(),
            title: place.and_then(|place| place.title.clone()),
            old_title: old_title(entry),
            renamed_from: entry.before.as_ref().filter(|_| entry.what == model::What::Renamed).map(path),
            merged_into: match &entry.what {
                model::What::MergedInto(path) => Some(text(path)),
                _ => None,
            },
            sources: entry.sources.iter().map(source).collect(),
            by_line: None,
            fields: Vec::new(),
            facts: Vec::new(),
            sections: Vec::new(),
            disputes: Vec::new(),
            dangling: entry.dangling.clone(),
            folded: Vec::new(),
            tokens: None,
        };
        match &entry.content {
            model::Content::Lines(why) => made.by_line = Some(word(&BY_LINE, why)),
            model::Content::Knowledge(knowledge) => made.fill(knowledge),
        }
        made
    }
}

impl Entry {
    fn fill(&mut self, knowledge: &model::Knowledge) {
        self.fields = knowledge.fields.iter().map(field).collect();
        self.facts = knowledge.facts.iter().map(fact).collect();
        self.sections = knowledge.sections.iter().map(section).collect();
        self.disputes = knowledge.disputes.iter().map(dispute).collect();
        self.folded = knowledge.folded.iter().map(folded).collect();
        self.tokens = Some(Tokens { before: knowledge.tokens.before, after: knowledge.tokens.after });
    }
}

const fn change(what: &model::What) -> EntryChange {
    match what {
        model::What::Added => EntryChange::Added,
        model::What::Deleted => EntryChange::Deleted,
        model::What::Archived => EntryChange::Archived,
        model::What::MergedInto(_) => EntryChange::Merged,
        model::What::Modified => EntryChange::Modified,
        model::What::Renamed => EntryChange::Renamed,
    }
}

/// The title before, if there was one and it is another one now.
fn old_title(entry: &model::Entry) -> Option<String> {
    let (before, after) = (entry.before.as_ref()?, entry.after.as_ref()?);
    before.title.clone().filter(|_| before.title != after.title)
}

fn source(source: &model::Source) -> Source {
    let gone = source.fate == model::Fate::Gone;
    Source { path: text(&source.path), percent: source.percent, gone }
}

fn spot(spot: &model::Spot) -> Spot {
    let range = |range: &std::ops::Range<usize>| Range { start: range.start + 1, lines: range.len() };
    Spot { before: spot.before.as_ref().map(range), after: spot.after.as_ref().map(range) }
}

fn pieces(words: &[diff::Word]) -> Vec<Piece> {
    let piece = |word: &diff::Word| Piece { kind: word.kind.into(), text: text(&word.text) };
    words.iter().map(piece).collect()
}

fn field(field: &model::FieldChange) -> Field {
    let mut made = Field {
        key: field.key.clone(),
        kind: word(&FIELDS, &field.kind),
        change: How::Changed,
        before: None,
        after: None,
        added: Vec::new(),
        removed: Vec::new(),
        lines: Vec::new(),
        at: spot(&field.spot),
    };
    match &field.edit {
        model::FieldEdit::Added(value) => {
            (made.change, made.after) = (How::Added, Some(value.clone()));
        }
        model::FieldEdit::Removed(value) => {
            (made.change, made.before) = (How::Removed, Some(value.clone()));
        }
        model::FieldEdit::Changed { before, after, .. } => {
            (made.before, made.after) = (Some(before.clone()), Some(after.clone()));
        }
        model::FieldEdit::Items { added, removed } => {
            (made.added, made.removed) = (added.clone(), removed.clone());
            made.change = match (&field.spot.before, &field.spot.after) {
                (None, _) => How::Added,
                (_, None) => How::Removed,
                _ => How::Changed,
            };
        }
        model::FieldEdit::Lines(hunks) => made.lines = lines(hunks),
    }
    made
}

fn claim(claim: &model::Claim) -> Claim {
    Claim {
        subject: claim.subject.clone(),
        statement: claim.statement.clone(),
        category: claim.category.map(Word::Borrowed),
    }
}

fn fact(change: &model::FactChange) -> Fact {
    let path = |path: &Option<bstr::BString>| path.as_ref().map(|path| text(path));
    let made = Fact {
        change: How::Changed,
        before: None,
        after: None,
        words: Vec::new(),
        from: None,
        to: None,
        elsewhere: None,
        at: spot(&change.spot),
    };
    match &change.edit {
        model::FactEdit::Added { claim: added, from } => {
            Fact { change: How::Added, after: Some(claim(added)), elsewhere: path(from), ..made }
        }
        model::FactEdit::Removed { claim: removed, to } => {
            Fact { change: How::Removed, before: Some(claim(removed)), elsewhere: path(to), ..made }
        }
        model::FactEdit::Changed { before, after, words } => Fact {
            before: Some(claim(before)),
            after: Some(claim(after)),
            words: if before.statement == after.statement { Vec::new() } else { pieces(words) },
            ..made
        },
        model::FactEdit::Moved { claim: moved, from, to } => Fact {
            change: How::Moved,
            before: Some(claim(moved)),
            after: Some(claim(moved)),
            from: Some(from.clone()),
            to: Some(to.clone()),
            ..made
        },
    }
}

fn section(section: &model::SectionChange) -> Section {
    let (change, was, from) = match &section.heading {
        model::HeadingEdit::Kept => (How::Kept, None, None),
        model::HeadingEdit::Added => (How::Added, None, None),
        model::HeadingEdit::Removed => (How::Removed, None, None),
        model::HeadingEdit::Renamed { before } => (How::Renamed, Some(before.clone()), None),
        model::HeadingEdit::Moved { from } => (How::Moved, None, Some(from.clone())),
    };
    Section {
        path: section.path.clone(),
        change,
        was,
        from,
        blocks: section.blocks.iter().map(block).collect(),
        at: spot(&section.spot),
    }
}

fn block(block: &model::BlockChange) -> Block {
    let mut made = Block {
        kind: word(&BLOCKS, &block.kind),
        change: How::Changed,
        text: None,
        words: Vec::new(),
        lines: Vec::new(),
        columns: Vec::new(),
        from: None,
        to: None,
        elsewhere: None,
        at: spot(&block.spot),
    };
    let inside = match &block.edit {
        model::BlockEdit::Added { text: added, from } => {
            (made.change, made.text) = (How::Added, Some(added.clone()));
            made.elsewhere = from.as_ref().map(|path| text(path));
            None
        }
        model::BlockEdit::Removed { text: removed, to } => {
            (made.change, made.text) = (How::Removed, Some(removed.clone()));
            made.elsewhere = to.as_ref().map(|path| text(path));
            None
        }
        model::BlockEdit::Edited(inside) => Some(inside),
        model::BlockEdit::Moved { from, to, text, inside } => {
            (made.change, made.text) = (How::Moved, Some(text.clone()));
            (made.from, made.to) = (Some(from.clone()), Some(to.clone()));
            inside.as_ref()
        }
    };
    match inside {
        Some(model::Inside::Words(words)) => made.words = pieces(words),
        Some(model::Inside::Lines(hunks)) => made.lines = lines(hunks),
        Some(model::Inside::Columns(found)) => {
            made.columns = found.columns.iter().map(column).collect();
            made.lines = lines(&found.rest);
        }
        None => {}
    }
    made
}

fn column(column: &model::Column) -> Column {
    let change = if column.kind == diff::LineKind::Removed { How::Removed } else { How::Added };
    Column { change, name: column.name.clone(), cells: column.cells.clone() }
}

fn dispute(dispute: &model::Dispute) -> Dispute {
    let state = word(&DISPUTES, &dispute.state);
    Dispute { subject: dispute.subject.clone(), state, statements: dispute.statements.clone() }
}

fn folded(fold: &model::Fold) -> Folded {
    Folded { what: word(&FOLDS, &fold.what), at: spot(&fold.spot) }
}

/// The entries; `None` if they were not requested.
pub(super) fn entries(found: &[model::Entry], with_lines: bool) -> Option<Vec<Entry>> {
    with_lines.then(|| found.iter().map(Entry::from).collect())
}
