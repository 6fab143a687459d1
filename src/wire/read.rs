//! JSON of `brv read`: entries and folders, in full or in short.

use super::vc::status::Dispute;
use crate::doc::{self, Document, Frontmatter, Value as Yaml};
use crate::ops::read::{self, Absence, InConflict, Level, Outcome, Provenance, Subject};
use crate::ops::steps::refresh::Origin;
use crate::wire::bytes::{Bytes, utf8};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// `brv.read/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Read {
    /// With `--at`: the commit that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The entries and folders that were found, in the order of the arguments.
    pub pieces: Vec<Piece>,
    /// Names that were not found.
    pub missing: Vec<MissingName>,
}

/// One entry or folder.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Piece {
    /// Its path; empty for the root of the tree.
    pub path: String,
    kind: PieceKind,
    /// The length of `text`.
    pub level: Length,
    /// The requested length, and why it is not available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Fallback>,
    origin: From,
    title: Option<String>,
    /// Estimated tokens of `text`: characters divided by four.
    tokens: u64,
    /// For an archived entry: the command that restores it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore: Option<String>,
    /// The file that this is, or that it was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// The parsed file, for the full length.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    parts: Option<Parts>,
    /// The text; `null` if it is not UTF-8.
    #[serde(serialize_with = "utf8")]
    #[schemars(with = "Option<String>")]
    pub text: Bytes,
}

#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
enum PieceKind {
    Entry,
    /// The `context.md` of a folder.
    NodeOverview,
    Folder,
    /// A tracked file that is not an entry.
    Other,
    /// An archived entry; `text` is its stub.
    Archived,
}

/// How much of an entry is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Length {
    /// The abstract: one line.
    L0,
    /// The overview: key points; for a folder, its index.
    L1,
    /// The full text.
    Full,
}

/// Why another length is given than requested.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Fallback {
    /// The requested length.
    pub asked: Length,
    /// Why it is not available.
    pub reason: String,
    /// Whether it is expected and needs no warning: a folder gives its index.
    #[serde(skip)]
    pub is_usual: bool,
}

#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
enum From {
    /// The file itself.
    File,
    /// A derived file on disk that is up to date.
    Derived,
    /// Derived in memory, because the file on disk is missing or out of date.
    Memory,
}

/// The file that a piece is, or that it was made from.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Source {
    /// The git blob id of its bytes.
    id: String,
    /// Estimated tokens of the whole file.
    tokens: u64,
    /// Whether it is in conflict; only our side is then given.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_conflict: bool,
    /// The kind of conflict.
    #[serde(skip)]
    pub conflict: Option<InConflict>,
    /// Disputed subjects: do not rely on any of their claims until settled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disputed: Vec<Dispute>,
}

/// The parts of an entry.
#[derive(Debug, JsonSchema, Serialize)]
struct Parts {
    /// All fields, with their values as written; `null` if there are none or they cannot be read.
    frontmatter: Option<Map<String, Value>>,
    facts: Vec<Fact>,
    sections: Vec<Section>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Fact {
    subject: Option<String>,
    statement: String,
    category: Option<&'static str>,
    /// Its line, from 1.
    line: usize,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Section {
    /// Level of the heading, 1 to 6.
    level: u8,
    title: String,
    /// Line of its heading, from 1.
    line: usize,
    /// Estimated tokens, nested sections included.
    tokens: u64,
}

/// A name that was not found.
#[derive(Debug, JsonSchema, Serialize)]
pub struct MissingName {
    /// The name as typed.
    pub name: String,
    /// Why it was not found.
    pub reason: &'static str,
    /// The same, for code.
    #[serde(skip)]
    pub why: Absence,
    /// Suggested names, best first.
    pub nearest: Vec<String>,
}

impl std::convert::From<&Outcome> for Read {
    fn from(outcome: &Outcome) -> Self {
        Self {
            commit: outcome.commit.map(|id| id.to_string()),
            pieces: outcome.pieces.iter().map(Piece::from).collect(),
            missing: outcome.missing.iter().map(MissingName::from).collect(),
        }
    }
}

impl std::convert::From<&read::Missing> for MissingName {
    fn from(missing: &read::Missing) -> Self {
        Self {
            name: missing.name.clone(),
            reason: match missing.why {
                Absence::NotThere => "not in the context tree",
                Absence::NotKnowledge => "not managed by brv",
                Absence::Empty => "a folder without entries",
                Absence::Elsewhere => "archived, and its content is not in this clone",
            },
            why: missing.why,
            nearest: missing.nearest.clone(),
        }
    }
}

impl std::convert::From<Level> for Length {
    fn from(level: Level) -> Self {
        match level {
            Level::Abstract => Self::L0,
            Level::Overview => Self::L1,
            Level::Full => Self::Full,
        }
    }
}

impl std::convert::From<&read::Piece> for Piece {
    fn from(piece: &read::Piece) -> Self {
        let is_whole = piece.given == Level::Full;
        let document = piece.source.as_ref().map(|source| &source.document);
        Self {
            path: piece.path.clone(),
            kind: match piece.subject {
                Subject::Entry => PieceKind::Entry,
                Subject::NodeOverview => PieceKind::NodeOverview,
                Subject::Folder => PieceKind::Folder,
                Subject::Other => PieceKind::Other,
                Subject::Archived => PieceKind::Archived,
            },
            level: piece.given.into(),
            fallback: piece.fallback.map(|why| Fallback {
                asked: piece.asked.into(),
                reason: why.to_string(),
                is_usual: matches!(why, read::Fallback::IsAFolder | read::Fallback::IsArchived),
            }),
            origin: match piece.origin {
                Provenance::File => From::File,
                Provenance::Derived(Origin::Disk) => From::Derived,
                Provenance::Derived(Origin::Memory) => From::Memory,
            },
            title: document.and_then(Document::title),
            tokens: piece.tokens(),
            restore: piece.restorable.then(|| format!("brv archive restore {}", shell_word(&piece.path))),
            source: piece.source.as_ref().map(|source| Source {
                id: source.id.to_string(),
                tokens: source.tokens(),
                in_conflict: source.conflict.is_some(),
                conflict: source.conflict,
                disputed: source.disputes.iter().map(Dispute::from).collect(),
            }),
            parts: document.filter(|_| is_whole && piece.subject != Subject::Other).map(parts),
            text: piece.bytes.clone().into(),
        }
    }
}

impl Piece {
    /// Whether it is the stub of an archived entry.
    pub const fn is_archived(&self) -> bool {
        matches!(self.kind, PieceKind::Archived)
    }
}

/// A path as an argument of a command.
fn shell_word(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-');
    match path.bytes().all(is_plain) {
        true => path.to_owned(),
        false => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

fn parts(document: &Document) -> Parts {
    let fact = |fact: doc::Fact| Fact {
        line: document.line_of_body(fact.span.start),
        subject: fact.subject,
        statement: fact.statement,
        category: fact.category.map(doc::Category::as_str),
    };
    let outline = document.outline();
    let sections = outline.sections().iter().enumerate().skip(1).map(|(at, section)| Section {
        level: section.level,
        title: section.title.clone(),
        line: document.line_of_body(heading_start(document.body(), section)),
        tokens: crate::derive::tokens_of(&document.body()[outline.span(at)]),
    });
    Parts {
        frontmatter: match document.frontmatter() {
            Frontmatter::Fields(_) => Some(fields(document.fields())),
            Frontmatter::Absent | Frontmatter::Opaque { .. } => None,
        },
        facts: document.facts().into_iter().map(fact).collect(),
        sections: sections.collect(),
    }
}

/// Where the heading itself begins: blank lines before the first heading belong to its section.
fn heading_start(body: &str, section: &doc::Section) -> usize {
    let heading = &body[section.heading.clone()];
    section.heading.start + heading.len() - heading.trim_start().len()
}

fn fields(fields: &[(Yaml, Yaml)]) -> Map<String, Value> {
    let key = |key: &Yaml| key.as_str().map(str::to_owned);
    fields.iter().filter_map(|(name, found)| Some((key(name)?, value(found)))).collect()
}

/// Convert a value. Scalars stay text, as written: only the reader knows what `1.10` means.
fn value(yaml: &Yaml) -> Value {
    match yaml {
        Yaml::Null => Value::Null,
        Yaml::Scalar(text) => text.clone().into(),
        Yaml::List(items) => items.iter().map(value).collect(),
        Yaml::Map(inner) => fields(inner).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_taken_apart_with_its_lines() {
        let text = "---\ntitle: T\ntags: [a, 1.10]\nx: {y: null}\n---\n# T\n\n## Facts\n- **ttl**: one day [project]\n- more\n";
        let parts = serde_json::to_value(parts(&Document::parse(text))).unwrap();
        assert_eq!(
            parts,
            serde_json::json!({
                "frontmatter": {"title": "T", "tags": ["a", "1.10"], "x": {"y": null}},
                "facts": [
                    {"subject": "ttl", "statement": "one day", "category": "project", "line": 9},
                    {"subject": null, "statement": "more", "category": null, "line": 10},
                ],
                "sections": [
                    {"level": 1, "title": "T", "line": 6, "tokens": 13},
                    {"level": 2, "title": "Facts", "line": 8, "tokens": 12},
                ],
            })
        );
    }
}
