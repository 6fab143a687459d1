//! A reply to a question, as it is given and as the cache keeps it.

use crate::search::Found;
use serde::{Deserialize, Serialize};

/// The words for a question that the stored knowledge does not cover.
pub const NOT_COVERED: &str = "this query appears outside the scope of stored knowledge";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// One fact, with every claim if it is disputed.
    Fact,
    Entry,
    Passages,
    None,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// From 0 to 3.
    pub tier: u8,
    /// What it was made by; of a cached one: at first.
    pub by: By,
    /// Whether the question is inside what is stored.
    pub covered: bool,
    pub answer: Option<String>,
    /// The relevance of the best source, 0 to 1.
    pub score: f64,
    /// Where it comes from, the most relevant first.
    pub sources: Vec<Source>,
    /// The passages, the most relevant first.
    pub passages: Vec<Passage>,
    /// The folder that the search was restricted to.
    pub scope: Option<String>,
    /// The scope was given by the question itself and had nothing, so that everything was searched.
    pub widened: Option<String>,
    /// No entry has a phrase of the question: its words were searched for.
    pub without_phrases: bool,
    /// How the decision was made.
    pub explained: Explained,
}

/// Whether the best match may be the answer by its relevance: nothing of the question is missing then, either.
pub fn is_direct(found: &Found) -> bool {
    found.is_direct() && has_all(found)
}

/// Whether something has each significant word and a phrase of the question.
pub fn has_all(found: &Found) -> bool {
    found.unmatched.is_empty() && !found.without_phrases
}

/// An entry that an answer comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Source {
    pub path: String,
    pub id: String,
    pub title: String,
    pub score: f64,
    /// Its relevance, 0 to 1.
    pub relevance: f64,
    /// The line of the passage that matches best, counted from 1.
    pub line: usize,
    pub excerpt: String,
    /// Whether facts of the entry are disputed.
    pub disputed: bool,
    /// The last change of the entry, or of the fact that is the answer.
    pub change: Option<Change>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub commit: String,
    /// Its author, as `Name <address>`.
    pub author: String,
    /// The agent that acted for the author.
    pub actor: Option<String>,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    pub path: String,
    /// Its line, counted from 1.
    pub line: usize,
    pub text: String,
    pub change: Option<Change>,
}

/// How the decision was made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Explained {
    /// The relevance of the best match, 0 to 1.
    pub relevance: f64,
    /// By how much the second best is less relevant.
    pub gap: f64,
    /// The share of the question that the best match has, 0 to 1.
    pub coverage: f64,
    /// Words of the question that nothing has.
    pub unmatched: Vec<String>,
}
