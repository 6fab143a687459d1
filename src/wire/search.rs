//! JSON of `brv search`: ranked results.

use super::Maturity;
use crate::clock::format_utc;
use crate::lifecycle;
use crate::ops::search::{Features, Found, HitKind, Outcome};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.search/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Search {
    /// The text, as asked.
    pub query: String,
    /// The folder that was searched, if not the whole tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The results: by score, then those that are only related.
    pub results: Vec<SearchResult>,
    /// How many files match, and the folders among the results.
    pub total: usize,
    /// Whether the text is inside what is stored.
    pub covered: bool,
    /// The index.
    pub index: SearchIndex,
    /// With `--explain`: what the relevance of the best match is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<SearchExplained>,
}

/// A file or folder that was found.
#[derive(Debug, JsonSchema, Serialize)]
pub struct SearchResult {
    /// Its path.
    pub path: String,
    /// Its title.
    pub title: String,
    /// What it is.
    pub kind: ResultKind,
    /// The compound score: (0.6 relevance + 0.25 importance/100 + 0.15 recency) × 1.0, 1.08 or 1.15 by maturity.
    pub score: f64,
    /// How well its text matches, 0 to 1; 0 for one that is only related.
    pub relevance: f64,
    /// Of an entry, 0 to 100.
    pub importance: Option<f64>,
    /// Of an entry: from 1 at its last change towards 0.
    pub recency: Option<f64>,
    /// Of an entry.
    pub maturity: Option<Maturity>,
    /// The passage that matches best, on one line.
    pub excerpt: String,
    /// The first line of that passage, counted from 1.
    pub line: usize,
    /// How many other files link to it.
    pub backlinks: usize,
    /// Whether facts of it are disputed.
    pub disputed: bool,
    /// Its last change, as it says itself.
    pub updated_at: Option<String>,
    /// Of a stub: the full copy of the archived entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points_to: Option<String>,
    /// The result that it is related to, if it does not match itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
}

/// The kind of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
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
    /// The word for it.
    #[must_use]
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
}

/// The search index.
#[derive(Debug, JsonSchema, Serialize)]
pub struct SearchIndex {
    /// How many files can be found.
    pub entries: usize,
    /// When it was last written; `null` if it is not kept on disk.
    pub updated: Option<String>,
}

/// What the relevance of the best match is made of; `brv help searching` has the formula.
#[derive(Debug, JsonSchema, Serialize)]
pub struct SearchExplained {
    /// Its score as a share of the best possible one.
    pub ratio: f64,
    /// The share of the text's weight that it has, 0 to 1.
    pub coverage: f64,
    /// The share of the names in the text that it has, 0 to 1.
    pub names: f64,
    /// The logarithm of the number of informative words in the text.
    pub length: f64,
    /// Its lead over the second best match.
    pub lead: f64,
    /// Above 0: the tree covers the text.
    pub covered: f64,
    /// Above 0: the best match is the right one.
    pub right: f64,
    /// Words of the text that nothing has.
    pub unmatched: Vec<String>,
}

impl Search {
    /// From what a search of `query` found.
    #[must_use]
    pub fn new(query: &str, outcome: &Outcome, explain: bool) -> Self {
        Self {
            query: query.to_owned(),
            scope: outcome.scope.clone(),
            results: outcome.results.iter().map(SearchResult::from).collect(),
            total: outcome.total,
            covered: outcome.covered,
            index: SearchIndex { entries: outcome.entries, updated: outcome.updated.map(format_utc) },
            explain: explain.then(|| SearchExplained::new(&outcome.features, &outcome.unmatched)),
        }
    }
}

impl SearchExplained {
    fn new(features: &Features, unmatched: &[String]) -> Self {
        Self {
            ratio: rounded(features.ratio),
            coverage: rounded(features.coverage),
            names: rounded(features.names),
            length: rounded(features.length),
            lead: rounded(features.lead),
            covered: rounded(features.covered),
            right: rounded(features.right),
            unmatched: unmatched.to_vec(),
        }
    }
}

impl From<&Found> for SearchResult {
    fn from(found: &Found) -> Self {
        let standing = found.standing;
        Self {
            path: found.path.to_string(),
            title: found.shown.title.clone(),
            kind: match found.kind {
                HitKind::Domain => ResultKind::Domain,
                HitKind::Topic => ResultKind::Topic,
                HitKind::Subtopic => ResultKind::Subtopic,
                HitKind::Entry => ResultKind::Entry,
                HitKind::Overview => ResultKind::Overview,
                HitKind::Stub => ResultKind::Stub,
            },
            score: rounded(found.score),
            relevance: rounded(found.relevance),
            importance: standing.map(|standing| (standing.importance * 100.0).round() / 100.0),
            recency: standing.map(|standing| rounded(standing.recency)),
            maturity: standing.map(|standing| lifecycle::Maturity::of_boost(standing.boost).into()),
            excerpt: found.shown.excerpt.clone(),
            line: found.shown.line,
            backlinks: found.backlinks,
            disputed: found.shown.is_disputed,
            updated_at: found.shown.updated_at.map(format_utc),
            points_to: found.shown.points_to.clone(),
            via: found.via.as_ref().map(ToString::to_string),
        }
    }
}

/// With four decimals.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}
