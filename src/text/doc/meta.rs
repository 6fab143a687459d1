//! Read the known frontmatter fields, typed and leniently.
//!
//! Does not keep unknown fields (the document does) and checks neither paths nor times.

use super::{Document, Value, Verified, yaml};
use schemars::JsonSchema;
use serde::Deserialize;

/// The known fields of a document. A field that is missing, null or of a wrong type is `None` or empty; of two equal
/// keys the first counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Meta {
    /// `title`.
    pub title: Option<String>,
    /// `summary`.
    pub summary: Option<String>,
    /// `tags`.
    pub tags: Vec<String>,
    /// `keywords`.
    pub keywords: Vec<String>,
    /// `related`: paths as written.
    pub related: Vec<String>,
    /// `createdAt`: the text as written, ISO 8601 by convention.
    pub created_at: Option<String>,
    /// `updatedAt`: the text as written, ISO 8601 by convention.
    pub updated_at: Option<String>,
    /// `status`, if it is one of the known words.
    pub status: Option<Status>,
    /// `pinned: true`.
    pub pinned: bool,
    /// `disputed`: subjects of facts with more than one statement.
    pub disputed: Vec<String>,
    /// `confidence` of a synthesis, 0 to 1.
    pub confidence: Option<f64>,
    /// `sources` of a synthesis: paths as written.
    pub sources: Vec<String>,
    /// `synthesized_at`: the text as written.
    pub synthesized_at: Option<String>,
    /// `type`, such as `synthesis`, `summary` or `archive_stub`.
    pub kind: Option<String>,
    /// `consolidated_at`: the text as written.
    pub consolidated_at: Option<String>,
    /// `consolidated_from`: paths as written.
    pub consolidated_from: Vec<String>,
    /// `archived` of a node overview: one line per archived entry.
    pub archived: Vec<String>,
    /// `verified`: the commit of the code that somebody confirmed the entry against.
    pub verified: Option<Verified>,
}

/// The status of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "StatusWord")]
pub enum Status {
    Open,
    Done,
    // replaced by another entry
    Superseded,
    // no longer to be used
    Deprecated,
}

impl Status {
    /// The word used in the frontmatter.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Open => "open",
            Status::Done => "done",
            Status::Superseded => "superseded",
            Status::Deprecated => "deprecated",
        }
    }

    /// The status of a word, in any case.
    pub fn from_word(word: &str) -> Option<Status> {
        let all = [Status::Open, Status::Done, Status::Superseded, Status::Deprecated];
        all.into_iter().find(|status| word.trim().eq_ignore_ascii_case(status.as_str()))
    }
}

pub(super) fn read(document: &Document) -> Meta {
    read_where(document, |_| true)
}

/// The same, of one field only.
pub(super) fn read_only(document: &Document, field: &str) -> Meta {
    read_where(document, |key| key == field)
}

fn read_where(document: &Document, is_asked: impl Fn(&str) -> bool) -> Meta {
    let Some(fenced) = &document.envelope.frontmatter else { return Meta::default() };
    let reading = document.reading();
    let mut meta = Meta::default();
    // backwards, so that the first of two equal keys is assigned last and wins
    if reading.error.is_none() {
        for (key, value) in reading.fields.iter().rev() {
            if let Some(key) = key.as_str().filter(|key| is_asked(key)) {
                meta.assign(key, value);
            }
        }
    } else {
        let fields = by_line(&document.text()[fenced.text.clone()]);
        for (key, value) in fields.iter().rev().filter(|(key, _)| is_asked(key)) {
            meta.assign(key, value);
        }
    }
    meta
}

impl Meta {
    /// The time of the last change that the document tells, in seconds since 1970: `updatedAt`, else `createdAt`.
    pub fn changed(&self) -> Option<i64> {
        let time =
            |text: &Option<String>| text.as_deref().and_then(super::instant).map(|(seconds, _)| seconds);
        time(&self.updated_at).or_else(|| time(&self.created_at))
    }

    fn assign(&mut self, key: &str, value: &Value) {
        match key {
            "title" => self.title = text(value),
            "summary" => self.summary = text(value),
            "tags" => self.tags = words(value),
            "keywords" => self.keywords = words(value),
            "related" => self.related = words(value),
            "createdAt" => self.created_at = text(value),
            "updatedAt" => self.updated_at = text(value),
            "status" => self.status = value.as_str().and_then(Status::from_word),
            "pinned" => self.pinned = value.as_str().is_some_and(|word| word.eq_ignore_ascii_case("true")),
            "disputed" => self.disputed = value.to_list(),
            "confidence" => self.confidence = value.as_str().and_then(|number| number.parse().ok()),
            "sources" => self.sources = words(value),
            "synthesized_at" => self.synthesized_at = text(value),
            "type" => self.kind = text(value),
            "consolidated_at" => self.consolidated_at = text(value),
            "consolidated_from" => self.consolidated_from = words(value),
            "archived" => self.archived = value.to_list(),
            "verified" => self.verified = value.as_str().and_then(Verified::parse),
            _ => {}
        }
    }
}

/// A text that is not blank, without white space around it.
fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The items of a list; a lone text is split at commas.
fn words(value: &Value) -> Vec<String> {
    match value {
        Value::Scalar(text) => {
            text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
        }
        _ => value.to_list(),
    }
}

/// The fields of frontmatter that is not valid YAML: every line `key: value` on its own, and `- item` lines below a
/// key.
fn by_line(text: &str) -> Vec<(String, Value)> {
    let mut fields: Vec<(String, Value)> = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(item) = trimmed.strip_prefix("- ") {
            if let Some((_, value @ (Value::Null | Value::List(_)))) = fields.last_mut() {
                let mut items = value.to_list().into_iter().map(Value::Scalar).collect::<Vec<_>>();
                items.push(Value::Scalar(unquoted(item)));
                *value = Value::List(items);
            }
        } else if let Some((key, rest)) = trimmed.split_once(':')
            && line.starts_with(|first: char| first.is_ascii_alphabetic())
            && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
        {
            fields.push((key.to_owned(), lone_value(rest.trim())));
        }
    }
    fields
}

fn lone_value(text: &str) -> Value {
    match yaml::read_value(text) {
        _ if text.is_empty() => Value::Null,
        Some(value @ (Value::Null | Value::Scalar(_) | Value::List(_))) => value,
        Some(Value::Map(_)) | None => Value::Scalar(unquoted(text)),
    }
}

fn unquoted(text: &str) -> String {
    text.trim().trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meta(frontmatter: &str) -> Meta {
        Document::parse(format!("---\n{frontmatter}---\n")).meta()
    }

    #[test]
    fn every_known_field_is_read() {
        let read = meta(concat!(
            "confidence: 0.8\nsources: [a/b.md]\nsynthesized_at: 2026-01-01T00:00:00Z\ntype: synthesis\n",
            "title: \"A: b\"\nsummary: s\ntags: [a, \"b c\"]\nkeywords:\n  - k\nrelated:\n- d/t\n",
            "createdAt: '2025-03-18T10:00:00Z'\nupdatedAt: 2025-04-02\nstatus: Superseded\npinned: true\n",
            "disputed: [x]\nconsolidated_at: y\nconsolidated_from: [z.md]\narchived: [w]\nimportance: 82\n",
            "verified: 3f2a91c05d7e8b6a4c1f2e3d4b5a69788796a5b4 2026-01-02T03:04:05Z\n",
        ));
        assert_eq!(read.title.as_deref(), Some("A: b"));
        assert_eq!(read.tags, ["a", "b c"]);
        assert_eq!((read.keywords, read.related), (vec!["k".to_owned()], vec!["d/t".to_owned()]));
        assert_eq!(read.created_at.as_deref(), Some("2025-03-18T10:00:00Z"));
        assert_eq!(read.updated_at.as_deref(), Some("2025-04-02"));
        assert_eq!((read.status, read.pinned, read.confidence), (Some(Status::Superseded), true, Some(0.8)));
        assert_eq!((read.kind.as_deref(), read.sources), (Some("synthesis"), vec!["a/b.md".to_owned()]));
        assert_eq!((read.disputed, read.archived), (vec!["x".to_owned()], vec!["w".to_owned()]));
        assert_eq!((read.consolidated_at.as_deref(), read.consolidated_from.len()), (Some("y"), 1));
        assert_eq!(read.verified.and_then(|verified| verified.seconds), Some(1_767_323_045));
    }

    #[test]
    fn numbers_in_titles_and_tags_keep_their_digits() {
        let read = meta("title: 1.10\ntags: [1.0, true, 0012]\nsummary: null\n");
        assert_eq!(read.title.as_deref(), Some("1.10"));
        assert_eq!(read.tags, ["1.0", "true", "0012"]);
        assert_eq!(read.summary, None);
    }

    #[test]
    fn a_frontmatter_that_is_not_yaml_still_gives_its_lines() {
        let read = meta("title: Retry: how and why\ntags: [a, b]\nsummary: \"s\"\nrelated:\n  - x/y\n");
        assert_eq!(read.title.as_deref(), Some("Retry: how and why"));
        assert_eq!((read.tags.len(), read.summary.as_deref()), (2, Some("s")));
        assert_eq!(read.related, ["x/y"]);
    }

    #[test]
    fn the_first_of_two_equal_keys_counts() {
        assert_eq!(meta("title: a\ntitle: b\n").title.as_deref(), Some("a"));
    }

    #[test]
    fn a_field_that_is_read_alone_is_as_among_the_others() {
        for (text, expected) in [
            ("title: t\ndisputed: [x]\n", true),
            ("disputed: [x]\ndisputed: [y]\ntitle: t\ntitle: u\n", true),
            ("title: Retry: how\ndisputed: [x]\n", true),
            (r#""d\x69sputed": [x]"#, true),
            ("title: disputed\n", false),
            ("summary: s\n", false),
        ] {
            let document = Document::parse(format!("---\n{text}\n---\n"));
            let whole = document.meta();
            assert_eq!(document.disputed(), whole.disputed, "{text}");
            assert_eq!(document.title(), whole.title, "{text}");
            assert_eq!(whole.disputed.len(), usize::from(expected), "{text}");
        }
    }

    #[test]
    fn a_lone_text_is_a_list_split_at_commas() {
        assert_eq!(meta("tags: a, b\n").tags, ["a", "b"]);
    }
}
