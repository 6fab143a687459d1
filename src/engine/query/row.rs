//! A row of a search: what programs get of a file or folder that was found, and of why.

use super::reply::Origin;
use super::search::{HitDisplay, HitKind};
use crate::outcome::json;
use brv_base::path::TreePath;
use brv_search::{EntryStanding, Features, SearchResults};
use brv_text::lifecycle::Maturity;
use schemars::JsonSchema;
use serde::Serialize;

/// The largest number of results.
pub const MOST_RESULTS: usize = 50;

/// A file or folder that was found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SearchResult")]
pub struct SearchResult {
    /// Its path.
    pub path: TreePath,
    /// Its title, or that of the item of it that matches: each item of Highlights and Rules is a result of its own.
    pub title: String,
    /// The month when an item of Highlights or Rules was made, as in `2026-07`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// What it is.
    pub kind: HitKind,
    /// The compound score: (0.6 relevance + 0.25 importance/100 + 0.15 recency) × 1.0, 1.08 or 1.15 by maturity.
    pub score: f64,
    /// How well its text matches, 0 to 1; 0 for one that is only related.
    pub relevance: f64,
    /// The importance of an entry, 0 to 100; `null` for a folder.
    pub importance: Option<f64>,
    /// The recency of an entry, from 1 at its last change towards 0; `null` for a folder.
    pub recency: Option<f64>,
    /// The maturity of an entry; `null` for a folder.
    pub maturity: Option<Maturity>,
    /// The passage that matches best, on one line.
    pub excerpt: String,
    /// The first line of that passage, counted from 1.
    pub line: usize,
    /// How many other files link to it.
    pub backlinks: usize,
    /// Whether facts of it are disputed.
    pub disputed: bool,
    /// Whether it is in conflict; only our side is then given.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub conflict: bool,
    /// Why a change of it waits for review.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<String>,
    /// The branch that its commit of the code was made on, if that commit is on no branch and in no tag now; `null` if
    /// that branch is not known. Such a statement comes last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub unmerged: Option<Option<String>>,
    /// What in it may steer an agent and came from elsewhere: `instructions`, `hidden`. Agents do not get it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flagged: Vec<String>,
    /// Whether the code that it cites is still as it was; `null` if it cites nothing.
    pub freshness: Option<brv_text::stale::Freshness>,
    /// For an agent: who changed it last, if that was quickly found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_change: Option<Origin>,
    /// Its last change, as it says itself.
    #[serde(serialize_with = "json::optional_time")]
    #[schemars(with = "Option<String>")]
    pub updated_at: Option<i64>,
    /// The full copy of the archived entry, if this is a stub.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points_to: Option<String>,
    /// The result that it is related to, if it does not match itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<TreePath>,
}

impl SearchResult {
    /// What the display of a hit and its standing say; scores, and what is known of it beside, are for the caller to set.
    pub fn of(path: TreePath, shown: HitDisplay, standing: Option<EntryStanding>, backlinks: usize) -> Self {
        Self {
            path,
            title: shown.title,
            date: shown.date,
            kind: HitKind::Entry,
            score: 0.0,
            relevance: 0.0,
            importance: standing.map(|standing| json::to(standing.importance, 2)),
            recency: standing.map(|standing| json::to(standing.recency, 4)),
            maturity: standing.map(|standing| Maturity::of_boost(standing.boost)),
            excerpt: shown.excerpt,
            line: shown.line,
            backlinks,
            disputed: shown.is_disputed,
            conflict: false,
            pending: Vec::new(),
            unmerged: None,
            flagged: Vec::new(),
            freshness: None,
            last_change: None,
            updated_at: shown.updated_at,
            points_to: shown.points_to,
            via: None,
        }
    }
}

/// What the relevance of the best match is made of; `brv help searching` has the formula.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SearchExplained")]
pub struct SearchExplanation {
    #[serde(flatten)]
    pub features: Features,
    /// Words of the text that occur nowhere in the tree.
    pub unmatched: Vec<String>,
    /// What the text quotes and a result has exactly: with it, the text is covered.
    pub anchors: Vec<String>,
}

impl SearchExplanation {
    /// Of the best match of a search.
    pub fn of(found: &SearchResults) -> Self {
        let Features { passage, coverage, names, missing, unknown, speaker, length, lead, covered, right } =
            found.features;
        let [passage, coverage, names, missing, unknown, speaker, length, lead, covered, right] =
            [passage, coverage, names, missing, unknown, speaker, length, lead, covered, right]
                .map(|value| json::to(value, 4));
        let features =
            Features { passage, coverage, names, missing, unknown, speaker, length, lead, covered, right };
        Self { features, unmatched: found.unmatched.clone(), anchors: found.anchors.clone() }
    }
}
