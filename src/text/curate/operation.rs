//! An operation that was checked on its own: everything that can be said without looking at the tree.

use serde::Deserialize as _;
use serde_json::Value;

use super::{Code, Refused};
use crate::curate::input::{CurateKind, OperationInput, Remove};
use crate::curate::invalid;
use crate::doc::{Concept, Document, EntryBody, Frontmatter, ItemChange, Narrative, Status, single_spaced};
use brv_base::content::ContentId;

/// The most characters of content in one operation.
pub const MAX_CONTENT: usize = 40_000;

/// One element of the input.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// Its `type` as written, if that is a text.
    pub kind: Option<String>,
    /// Its `path` as written, if that is a text.
    pub path: Option<String>,
    /// The operation, or why it is none.
    pub operation: Result<Operation, Refused>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Operation {
    pub kind: CurateKind,
    /// The folder or file, as written.
    pub path: String,
    /// The title, on one line.
    pub title: Option<String>,
    /// The reason, on one line.
    pub reason: String,
    /// `summary`, on one line.
    pub summary: Option<String>,
    /// `tags`
    pub tags: Option<Vec<String>>,
    /// `keywords`
    pub keywords: Option<Vec<String>>,
    /// `related`, as written.
    pub related: Option<Vec<String>>,
    /// `status`
    pub status: Option<Status>,
    /// `pinned`
    pub pinned: Option<bool>,
    /// The body, in the order in which it is applied; empty if none is given.
    pub parts: Vec<Parts>,
    /// What a MERGE brings in, as written.
    pub source: Option<String>,
    /// The id that the entry must have.
    pub expect: Option<ContentId>,
    /// The id of the version that the caller read.
    pub base: Option<ContentId>,
    /// Whether the whole body is replaced.
    pub replace: bool,
    pub remove: Remove,
    /// Whether a DELETE may remove a folder.
    pub recursive: bool,
    /// The id of the commit of the code that it comes from.
    pub source_commit: Option<String>,
    /// Subjects on which the given facts disagree with each other: all are kept, and the subject is marked as disputed.
    pub disputed: Vec<String>,
    /// What the intake of a commit does beside facts.
    pub filing: Option<Box<IntakeFiling>>,
}

/// What the intake of a commit does to an entry beside its facts. The entry gets no overview of its folder, and what was
/// filed by rules and is filed anew is not a loss that a person has to look at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IntakeFiling {
    /// The items of Narrative › Highlights.
    pub items: ItemChange,
    /// Replaces Files of Raw Concept.
    pub files: Option<Vec<String>>,
    /// Words to find the entry by, added while it has fewer than [`MOST_KEYWORDS`].
    pub keywords: Vec<String>,
    /// When what is filed was written, in seconds since 1970: the entry becomes as old as that, or as new.
    pub written: Option<i64>,
}

/// The fewest digits by which a commit may be named.
const FEWEST_DIGITS: usize = 7;

/// The most keywords that the intake gives an entry.
pub const MOST_KEYWORDS: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parts {
    Markdown(String),
    Content(Box<EntryBody>),
}

/// Read one element of the input.
pub(super) fn read(value: Value) -> Read {
    let word = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let (kind, path) = (word("type"), word("path"));
    let written = OperationInput::deserialize_from(value);
    Read { kind, path, operation: written.and_then(Operation::of) }
}

impl OperationInput {
    fn deserialize_from(value: Value) -> Result<Self, Refused> {
        Self::deserialize(&value).map_err(|error| Refused::invalid(invalid::words(&value, &error)))
    }
}

impl Operation {
    /// Check what is written.
    ///
    /// # Errors
    /// [`Code::Invalid`], or [`Code::OverLimit`] for too much content.
    pub fn of(written: OperationInput) -> Result<Self, Refused> {
        if field_texts(&written).chain(body_texts(&written)).any(|text| text.contains('\0')) {
            return Err(Refused::invalid("a text has a NUL character"));
        }
        let reason = single_spaced(&written.reason);
        if reason.is_empty() {
            return Err(Refused::invalid("the reason is missing: say why, it is kept in the history"));
        }
        within_limit("content", body_texts(&written))?;
        within_limit("fields", field_texts(&written))?;
        let operation = Self {
            kind: written.kind,
            title: written.title.as_deref().map(single_spaced).filter(|title| !title.is_empty()),
            reason,
            summary: written.summary.as_deref().map(single_spaced),
            tags: written.tags.map(|items| distinct_lines(&items)),
            keywords: written.keywords.map(|items| distinct_lines(&items)),
            related: written.related.map(|items| distinct_lines(&items)),
            status: written.status,
            pinned: written.pinned,
            parts: parts(written.markdown, written.content)?,
            source: written.source.filter(|source| !source.trim().is_empty()),
            expect: written.expect.as_deref().map(|id| blob("expect", id)).transpose()?,
            base: written.base.as_deref().map(|id| blob("base", id)).transpose()?,
            replace: written.replace,
            remove: written.remove,
            recursive: written.recursive,
            disputed: Vec::new(),
            filing: None,
            source_commit: written.source_commit.as_deref().map(commit).transpose()?,
            path: written.path,
        };
        operation.agrees().map(|()| operation)
    }

    /// Check that its fields belong to its type.
    fn agrees(&self) -> Result<(), Refused> {
        let removes = !self.remove.facts.is_empty() || !self.remove.sections.is_empty();
        let has_fields = self.summary.is_some()
            || self.tags.is_some()
            || self.keywords.is_some()
            || self.related.is_some()
            || self.status.is_some()
            || self.pinned.is_some();
        let wrong = match self.kind {
            CurateKind::Merge if self.source.is_none() => {
                return Err(Refused::invalid("MERGE needs a `source`"));
            }
            CurateKind::Add | CurateKind::Update | CurateKind::Upsert | CurateKind::Delete
                if self.source.is_some() =>
            {
                "source"
            }
            CurateKind::Add | CurateKind::Update | CurateKind::Upsert | CurateKind::Merge
                if self.recursive =>
            {
                "recursive"
            }
            CurateKind::Add if self.expect.is_some() => "expect",
            CurateKind::Add | CurateKind::Merge if self.base.is_some() => "base",
            CurateKind::Add | CurateKind::Delete if removes => "remove",
            CurateKind::Merge | CurateKind::Delete if self.replace => "replace",
            CurateKind::Delete if !self.parts.is_empty() => "content",
            CurateKind::Delete if has_fields => "summary, tags and the like",
            _ if self.replace && self.parts.is_empty() => {
                return Err(Refused::invalid("`replace` needs `markdown` or `content`"));
            }
            _ => return Ok(()),
        };
        Err(Refused::invalid(format!("{} takes no {wrong}", self.kind.as_str())))
    }

    /// Everything that the operation would write into an entry or a commit.
    pub(super) fn written_texts(&self) -> String {
        let names = self.source.iter().chain([&self.path]);
        names.flat_map(|text| [text, "\n"]).chain([self.own_texts().as_str()]).collect()
    }

    /// The same without the names of entries, which may be there already.
    pub(super) fn own_texts(&self) -> String {
        let lists = [&self.tags, &self.keywords, &self.related].into_iter().flatten().flatten();
        let lines = [&self.title, &self.summary].into_iter().flatten().chain(lists);
        let mut all: String = lines.chain([&self.reason]).flat_map(|text| [text, "\n"]).collect();
        if let Some(filing) = &self.filing {
            let turned = filing.items.turn.iter().map(|(_, new)| new);
            let items = filing.items.add.iter().chain(turned).map(|item| item.line());
            let rest = filing.files.iter().flatten().chain(&filing.keywords).cloned();
            items.chain(rest).for_each(|line| all.extend([line.as_str(), "\n"]));
        }
        for part in &self.parts {
            match part {
                Parts::Markdown(text) => all.push_str(text),
                Parts::Content(content) => content_texts(content).for_each(|text| {
                    all.push_str(text);
                    all.push('\n');
                }),
            }
        }
        all
    }
}

fn content_texts(content: &EntryBody) -> impl Iterator<Item = &str> {
    let Concept { task, changes, files, flow, timestamp, author, patterns } = &content.concept;
    let lines = [task, flow, timestamp, author].into_iter().flatten();
    let lists = [changes, files, patterns, &content.snippets].into_iter().flatten();
    let facts = content.facts.iter().flat_map(|fact| fact.subject.iter().chain([&fact.statement]));
    let narrative = content.narrative.parts().into_iter().flatten();
    lines.chain(lists).chain(facts).map(String::as_str).chain(narrative)
}

/// The limit holds for the content and, apart from it, for all other texts.
fn within_limit<'t>(name: &str, texts: impl Iterator<Item = &'t str>) -> Result<(), Refused> {
    let size: usize = texts.map(|text| text.chars().count()).sum();
    if size <= MAX_CONTENT {
        return Ok(());
    }
    let message = format!("{size} characters of {name}, and an operation has at most {MAX_CONTENT}");
    Err(Refused::new(Code::OverLimit, message))
}

fn body_texts(written: &OperationInput) -> impl Iterator<Item = &str> {
    written.markdown.iter().map(String::as_str).chain(written.content.iter().flat_map(content_texts))
}

fn field_texts(written: &OperationInput) -> impl Iterator<Item = &str> {
    let lists = [&written.tags, &written.keywords, &written.related].into_iter().flatten().flatten();
    let own = [&written.title, &written.summary, &written.source].into_iter().flatten();
    let removed = written.remove.facts.iter().chain(&written.remove.sections);
    own.chain(lists).chain(removed).chain([&written.path, &written.reason]).map(String::as_str)
}

/// The body that is given; an empty one is none. Beside markdown only facts may be given by their parts.
fn parts(markdown: Option<String>, content: Option<EntryBody>) -> Result<Vec<Parts>, Refused> {
    let both = "`markdown` goes with nothing of `content` but facts: give the body in one form";
    let has_markdown = markdown.is_some();
    let markdown = markdown.map(|text| plain(&text)).transpose()?.flatten();
    let content = content.map(content_of).map(Box::new);
    let mut parts: Vec<Parts> = markdown.map(Parts::Markdown).into_iter().collect();
    let Some(content) = content else { return Ok(parts) };
    let normal = content.normal().map_err(|error| Refused::invalid(error.to_string()))?;
    if has_markdown && (EntryBody { facts: Vec::new(), ..normal.clone() } != EntryBody::default()) {
        return Err(Refused::invalid(both));
    }
    parts.extend((!normal.is_empty()).then_some(Parts::Content(content)));
    Ok(parts)
}

/// Markdown as it is written into a body; `None` if it is blank.
fn plain(text: &str) -> Result<Option<String>, Refused> {
    if !matches!(Document::parse(text).frontmatter(), Frontmatter::Absent) {
        let message = "`markdown` has frontmatter: give title, tags and the like as fields";
        return Err(Refused::invalid(message));
    }
    let text = unix(text.strip_prefix('\u{feff}').unwrap_or(text));
    Ok((!text.trim().is_empty()).then_some(text))
}

/// The content with `\n` as the only line ending of what is markdown.
fn content_of(given: EntryBody) -> EntryBody {
    EntryBody {
        narrative: Narrative::of_parts(given.narrative.parts().map(|part| part.map(unix))),
        snippets: given.snippets.iter().map(|text| unix(text)).collect(),
        ..given
    }
}

/// The text with `\n` as its only line ending.
fn unix(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn blob(field: &str, id: &str) -> Result<ContentId, Refused> {
    let id = ContentId::from_hex(id.trim());
    id.ok_or_else(|| Refused::invalid(format!("`{field}` is not a blob id of 40 hexadecimal digits")))
}

/// The full id of a commit, which has the form of a blob's.
/// The id of a commit, or its first digits, as offers and `git log --oneline` show it.
fn commit(id: &str) -> Result<String, Refused> {
    let id = id.trim().to_lowercase();
    let is_id = (FEWEST_DIGITS..=40).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let refused = || Refused::invalid("`source_commit` is not a commit id of 7 to 40 hexadecimal digits");
    if is_id { Ok(id) } else { Err(refused()) }
}

/// Items on one line, without empty ones and repetitions.
pub(crate) fn distinct_lines(items: &[String]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for item in items.iter().map(|item| single_spaced(item)).filter(|item| !item.is_empty()) {
        if !words.contains(&item) {
            words.push(item);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn with(more: Value) -> Result<Operation, Refused> {
        let mut all = json!({"type": "UPSERT", "path": "a/b", "title": "T", "reason": "why"});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        read(all).operation
    }

    fn code(more: Value) -> Code {
        with(more).unwrap_err().code
    }

    #[test]
    fn an_unknown_type_or_field_and_a_missing_reason_are_invalid() {
        for more in [
            json!({"type": "PATCH"}),
            json!({"reason": " \n"}),
            json!({"facts": []}),
            json!({"content": {"narrative": {"rule": "x"}}}),
            json!({"content": {"facts": [{"statement": "x", "category": "secret"}]}}),
            json!({"tags": "a"}),
            json!({"markdown": "a", "content": {"snippets": ["x"]}}),
            json!({"markdown": "---\ntitle: x\n---\n"}),
            json!({"expect": "abc"}),
            json!({"summary": "a\u{0}b"}),
        ] {
            assert_eq!(code(more.clone()), Code::Invalid, "{more}");
        }
        let none = read(json!({"type": "ADD", "path": "a/b"}));
        assert_eq!((none.kind.as_deref(), none.path.as_deref()), (Some("ADD"), Some("a/b")));
        assert!(none.operation.unwrap_err().message.contains("reason"));
        assert_eq!(read(json!(3)).operation.unwrap_err().code, Code::Invalid);
    }

    #[test]
    fn fields_that_have_no_meaning_for_a_type_are_invalid() {
        let id = "0".repeat(40);
        for more in [
            json!({"type": "ADD", "expect": id}),
            json!({"type": "ADD", "remove": {"facts": ["a"]}}),
            json!({"type": "DELETE", "markdown": "x"}),
            json!({"type": "DELETE", "tags": []}),
            json!({"type": "MERGE"}),
            json!({"replace": true}),
            json!({"source": "a/b/c"}),
            json!({"recursive": true}),
        ] {
            assert_eq!(code(more.clone()), Code::Invalid, "{more}");
        }
        assert!(with(json!({"type": "DELETE", "recursive": true, "expect": id})).is_ok());
    }

    #[test]
    fn more_than_the_limit_is_rejected_as_such() {
        assert!(with(json!({"markdown": "a", "content": {"facts": [{"statement": "b"}]}})).is_ok());
        assert!(with(json!({"markdown": "\u{e4}".repeat(MAX_CONTENT)})).is_ok());
        assert_eq!(code(json!({"summary": "x".repeat(MAX_CONTENT + 1)})), Code::OverLimit);
        assert_eq!(code(json!({"markdown": "x".repeat(MAX_CONTENT + 1)})), Code::OverLimit);
        let facts = json!([{"subject": "s", "statement": "x".repeat(MAX_CONTENT)}]);
        assert_eq!(code(json!({"content": {"facts": facts}})), Code::OverLimit);
    }

    #[test]
    fn texts_are_brought_to_one_line_and_empty_content_is_none() {
        let read = with(json!({"reason": "a\n b", "tags": [" x ", "", "x"], "content": {}, "summary": null}))
            .unwrap();
        assert_eq!((read.reason.as_str(), read.parts.len(), read.summary), ("a b", 0, None));
        assert_eq!(read.tags, Some(vec!["x".to_owned()]));
    }
}
