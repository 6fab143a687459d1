//! Changed entries as JSON, and what a change that is read back must have.
//!
//! Whoever wrote the JSON is not trusted: what no run prints is an error. Words that JSON leaves out are found again.

use super::{
    BlockChange, ByLine, Content, DiffPlace, Entry, FactChange, FieldChange, FieldKind, How, Knowledge,
    MAX_BYTES, MoveSource, SectionChange, TokenCounts, What,
};
use crate::diff::{LineKind, Word, words};
use bstr::{BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// More tokens than this no document has.
const MOST_TOKENS: u64 = 1 << 32;

/// An entry; its description is that of [`Entry`].
#[derive(JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Entry")]
pub(super) struct PrintedEntry {
    /// What happened to it.
    change: What,
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
    sources: Vec<MoveSource>,
    /// Why it is compared only by line: `not_a_document`, `not_utf8`, `too_large` or `in_conflict`. All fields below are
    /// then absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    by_line: Option<ByLine>,
    #[serde(flatten)]
    knowledge: Box<Knowledge>,
    /// Estimated tokens of the whole document.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<TokenCounts>,
}

impl From<Entry> for PrintedEntry {
    fn from(entry: Entry) -> Self {
        let text = |path: &BString| path.to_str_lossy().into_owned();
        let (by_line, knowledge) = match entry.content {
            Content::Lines(why) => (Some(why), Box::default()),
            Content::Knowledge(knowledge) => (None, knowledge),
        };
        let old = entry.before.as_ref().filter(|_| entry.what == What::Renamed);
        let old_title = match (&entry.before, &entry.after) {
            (Some(before), Some(after)) if before.title != after.title => before.title.clone(),
            _ => None,
        };
        let place = entry.after.as_ref().or(entry.before.as_ref());
        Self {
            change: entry.what,
            path: place.map(|place| text(&place.path)).unwrap_or_default(),
            title: place.and_then(|place| place.title.clone()),
            old_title,
            renamed_from: old.map(|place| text(&place.path)),
            merged_into: entry.merged_into.as_ref().map(text),
            sources: entry.sources,
            tokens: by_line.is_none().then_some(knowledge.tokens),
            by_line,
            knowledge,
        }
    }
}

impl TryFrom<PrintedEntry> for Entry {
    type Error = String;

    fn try_from(printed: PrintedEntry) -> Result<Self, String> {
        let path = printed.path.clone();
        printed.read().map_err(|why| format!("the entry `{path}` has {why}"))
    }
}

impl PrintedEntry {
    fn read(self) -> Result<Entry, &'static str> {
        let what = self.change;
        if self.merged_into.is_some() != (what == What::Merged) {
            return Err("another entry it was merged into and was not deleted, or the other way round");
        }
        if self.renamed_from.is_some() != (what == What::Renamed) {
            return Err("an old path and was not renamed, or the other way round");
        }
        let place = |path: String, title| DiffPlace { path: path.into(), title };
        let is_gone = matches!(what, What::Deleted | What::Archived | What::Merged);
        let old_path = self.renamed_from.unwrap_or_else(|| self.path.clone());
        let before = place(old_path, self.old_title.or_else(|| self.title.clone()));
        let content = match self.by_line {
            Some(why) => Content::Lines(why),
            None => Content::Knowledge(Box::new(self.knowledge.read(self.tokens)?)),
        };
        Ok(Entry {
            before: (what != What::Added).then_some(before),
            after: (!is_gone).then(|| place(self.path, self.title)),
            what,
            merged_into: self.merged_into.map(Into::into),
            sources: self.sources,
            content,
        })
    }
}

impl Knowledge {
    fn read(mut self, tokens: Option<TokenCounts>) -> Result<Self, &'static str> {
        let tokens = tokens.filter(|tokens| tokens.before.max(tokens.after) < MOST_TOKENS);
        self.tokens = tokens.ok_or("no number of tokens that a document can have")?;
        self.fields.iter_mut().try_for_each(FieldChange::read)?;
        self.facts.iter_mut().try_for_each(FactChange::read)?;
        self.sections.iter().try_for_each(SectionChange::check)?;
        Ok(self)
    }
}

impl FieldChange {
    fn read(&mut self) -> Result<(), &'static str> {
        let is_unreadable = self.kind == FieldKind::Unreadable;
        if is_unreadable == self.lines.is_empty() {
            return Err("lines of frontmatter that can be read, or none of one that cannot");
        }
        if let (Some(before), Some(after)) = (&self.before, &self.after) {
            if before.len().max(after.len()) > MAX_BYTES {
                return Err("a field that no document has room for");
            }
            self.words = words(before.as_bytes(), after.as_bytes());
        }
        Ok(())
    }
}

impl FactChange {
    fn read(&mut self) -> Result<(), &'static str> {
        let is_moved = self.from.is_some() && self.to.is_some();
        match (self.change, &self.before, &self.after) {
            (How::Added, None, Some(_)) | (How::Removed, Some(_), None) => {}
            (How::Moved, Some(_), Some(_)) if is_moved => {}
            (How::Changed, Some(before), Some(after)) => {
                if self.words.is_empty() != (before.statement == after.statement) {
                    return Err("a changed fact whose words do not fit it");
                }
                if self.words.is_empty() {
                    self.words =
                        vec![Word { kind: LineKind::Context, text: after.statement.as_str().into() }];
                }
            }
            _ => return Err("a fact without what its kind of change has"),
        }
        Ok(())
    }
}

impl SectionChange {
    fn check(&self) -> Result<(), &'static str> {
        let fits = match self.change {
            How::Kept | How::Added | How::Removed => true,
            How::Renamed => self.was.is_some(),
            How::Moved => self.from.is_some(),
            How::Changed => false,
        };
        if !fits {
            return Err("a section without what its kind of change has");
        }
        self.blocks.iter().try_for_each(BlockChange::check)
    }
}

impl BlockChange {
    fn check(&self) -> Result<(), &'static str> {
        let fits = match self.change {
            How::Added | How::Removed => self.text.is_some(),
            How::Moved => self.text.is_some() && self.from.is_some() && self.to.is_some(),
            How::Changed => true,
            How::Kept | How::Renamed => false,
        };
        if !fits {
            return Err("a block without what its kind of change has");
        }
        let is_one_sided = self.columns.iter().all(|column| column.change.side() != LineKind::Context);
        is_one_sided.then_some(()).ok_or("a column that is neither new nor gone")
    }
}

/// Whether no word differs.
pub(super) fn are_context(words: &[Word]) -> bool {
    words.iter().all(|word| word.kind == LineKind::Context)
}
