//! What a hit is shown with: its title, the lines that match, what is disputed.

use crate::query::{MOST_OF_ENTRY, item};
use brv_search::{Hit, HitKind, Searched};
use brv_text::doc::{self, Document, Frontmatter};
use schemars::JsonSchema;
use serde::Serialize;

/// The longest excerpt, in characters.
const EXCERPT: usize = 240;

/// How much of an excerpt stands before the first word that matches, in characters.
const BEFORE: usize = 60;

/// The kind of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ResultKind")]
pub enum ResultKind {
    /// A folder at the top.
    Domain,
    /// A folder in a domain.
    Topic,
    /// A folder in a topic, or deeper.
    Subtopic,
    /// An entry.
    Entry,
    /// The `context.md` of a folder.
    Overview,
    /// The stub of an archived entry.
    Stub,
}

impl ResultKind {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Domain => "domain",
            Self::Topic => "topic",
            Self::Subtopic => "subtopic",
            Self::Entry => "entry",
            Self::Overview => "overview",
            Self::Stub => "archived",
        }
    }

    pub fn of(hit: &Hit) -> Self {
        match hit.kind {
            HitKind::File(Searched::Entry) => Self::Entry,
            HitKind::File(Searched::Overview) => Self::Overview,
            HitKind::File(Searched::Stub) => Self::Stub,
            HitKind::Folder => match hit.path.as_str().matches('/').count() {
                0 => Self::Domain,
                1 => Self::Topic,
                _ => Self::Subtopic,
            },
        }
    }
}

/// What is shown of a hit beside its scores.
#[derive(Debug, Clone, PartialEq)]
pub struct HitDisplay {
    /// Its title, else its name; of an item of Highlights or Rules its own.
    pub title: String,
    /// The month when an item of Highlights or Rules was made, as in `2026-07`.
    pub date: Option<String>,
    /// The first line of the passage that matches best, counted from 1.
    pub line: usize,
    /// The passage, on one line, cut around the words that match.
    pub excerpt: String,
    /// Whether facts of the entry are disputed.
    pub is_disputed: bool,
    /// The time of its last change, as it says itself, in seconds since 1970.
    pub updated_at: Option<i64>,
    /// The full copy of the archived entry, if this is a stub.
    pub points_to: Option<String>,
}

/// What is shown of a hit with these bytes; a folder has none.
pub fn shown(hit: &Hit, bytes: &[u8]) -> HitDisplay {
    let name = || {
        let name = hit.path.file_name();
        name.strip_suffix(".md").unwrap_or(name).to_owned()
    };
    let document = Document::parse(bytes);
    let item = item_of(hit, &document);
    let (line, text) = match &hit.passage {
        Some(passage) => (passage.line, passage_text(&document, passage.line, passage.lines)),
        None => (1, String::new()),
    };
    let points_to = match ResultKind::of(hit) {
        ResultKind::Stub => points_to(&document),
        _ => None,
    };
    HitDisplay {
        title: match &item {
            Some(item) => item.title.clone(),
            None => document.title().unwrap_or_else(name),
        },
        date: item.as_ref().and_then(|item| item.month.clone()),
        line,
        excerpt: match &item {
            Some(item) => crate::query::cut_to(&item.statement(), MOST_OF_ENTRY),
            None => excerpt(&text, &hit.words),
        },
        is_disputed: doc::may_dispute(bytes) && !doc::disputes(&document).is_empty(),
        updated_at: document.meta().changed(),
        points_to,
    }
}

/// The item of Highlights or Rules that a hit is.
pub fn item_of(hit: &Hit, document: &Document) -> Option<doc::Item> {
    let passage = hit.passage.filter(|passage| passage.is_highlight)?;
    item(document, passage.line)
}

fn points_to(stub: &Document) -> Option<String> {
    let Frontmatter::Fields(fields) = stub.frontmatter() else { return None };
    let (_, value) = fields.iter().find(|(key, _)| key.as_str() == Some("points_to"))?;
    value.as_str().map(str::to_owned)
}

pub fn passage_text(document: &Document, line: usize, lines: usize) -> String {
    let text: Vec<&str> = document.text().lines().skip(line.saturating_sub(1)).take(lines).collect();
    text.join("\n").trim().to_owned()
}

/// A text on one line, from shortly before the first of these words (in lower case), cut at blanks.
pub fn excerpt(text: &str, words: &[String]) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if flat.chars().count() <= EXCERPT {
        return flat;
    }
    let lower = flat.to_lowercase();
    let at = words.iter().filter_map(|word| lower.find(word.as_str())).min().unwrap_or(0);
    let start = lower[..at].chars().count().saturating_sub(BEFORE);
    let tail: String = flat.chars().skip(start).collect();
    let tail = match start {
        0 => tail,
        _ => format!("…{}", tail.split_once(' ').map_or(tail.as_str(), |(_, rest)| rest)),
    };
    crate::query::cut_to(&tail, EXCERPT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_one_line_around_the_first_word_that_matches() {
        assert_eq!(excerpt("- **a**:\n  one", &[]), "- **a**: one");
        let text = format!("{} needle {}", "hay ".repeat(100), "straw ".repeat(100));
        let found = excerpt(&text, &["needle".into()]);
        assert!(found.starts_with('…') && found.contains("needle") && found.ends_with('…'), "{found}");
        assert!(found.chars().count() <= EXCERPT);
    }
}
