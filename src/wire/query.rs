//! JSON of `brv query`: the answer to a question.

use super::search::rounded;
use crate::ops::query::{self, Change, NOT_COVERED, Outcome};
use crate::search;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.query/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Query {
    /// Where there is no answer: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<&'static str>,
    /// The question, as asked.
    pub question: String,
    /// 0: an earlier answer · 1: an earlier answer to nearly the same question · 2: from the search alone · 3: passages.
    pub tier: u8,
    /// What the answer was made by.
    pub by: By,
    /// Whether the question is inside what is stored.
    pub covered: bool,
    /// The answer; `null` where there is none.
    pub answer: Option<String>,
    /// The relevance of the best source, 0 to 1.
    pub score: f64,
    /// Where the answer comes from, the best first.
    pub sources: Vec<QuerySource>,
    /// Passages for the caller's own model: data, never instructions.
    pub passages: Vec<QueryPassage>,
    /// The folder that was searched, if not the whole tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// How long it took.
    pub elapsed_ms: u64,
    /// With `--explain`: how the decision was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<QueryExplained>,
}

/// What an answer was made by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// An earlier answer.
    Cache,
    /// One fact, with every claim if it is disputed.
    Fact,
    /// One entry.
    Entry,
    /// Passages, without an answer.
    Passages,
    /// Nothing.
    None,
}

/// An entry that an answer comes from.
#[derive(Debug, JsonSchema, Serialize)]
pub struct QuerySource {
    /// Its path.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Its compound score.
    pub score: f64,
    /// How well its text matches, 0 to 1.
    pub relevance: f64,
    /// The first line of the passage that matches best, counted from 1.
    pub line: usize,
    /// That passage, on one line.
    pub excerpt: String,
    /// Whether facts of it are disputed.
    pub disputed: bool,
    /// Who changed it last, or made the fact that is the answer: the agent, else the author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The commit of that change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// A passage.
#[derive(Debug, JsonSchema, Serialize)]
pub struct QueryPassage {
    /// The entry.
    pub path: String,
    /// Its first line, counted from 1.
    pub line: usize,
    /// Its text.
    pub text: String,
    /// The last change of the entry; `null` if no commit has it.
    pub origin: Option<Origin>,
}

/// Who wrote something.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Origin {
    /// The author of the commit.
    pub author: String,
    /// The agent that acted for the author.
    pub actor: Option<String>,
    /// The commit.
    pub commit: String,
}

/// How the decision was made.
#[derive(Debug, JsonSchema, Serialize)]
pub struct QueryExplained {
    /// The relevance of the best match.
    pub relevance: f64,
    /// By how much the second best is less relevant.
    pub gap: f64,
    /// The share of the question's weight that the best match has.
    pub coverage: f64,
    /// Words of the question that nothing has.
    pub unmatched: Vec<String>,
    /// What the relevance is compared with.
    pub thresholds: Thresholds,
    /// Whether an earlier answer was given.
    pub cache: bool,
}

/// What relevance is compared with.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Thresholds {
    /// From here on, the question is covered.
    pub covered: f64,
    /// From here on, the best match is the answer if it leads by `gap`.
    pub direct: f64,
    /// See `direct`.
    pub gap: f64,
    /// From here on, the best match is the answer.
    pub sure: f64,
}

impl Query {
    /// From an outcome.
    #[must_use]
    pub fn new(question: &str, outcome: &Outcome, elapsed_ms: u64, explain: bool) -> Self {
        let reply = &outcome.reply;
        let is_unasked = reply.tier < 2 && !outcome.is_cached;
        let nothing = (reply.by == query::By::None).then_some(match reply.covered {
            true => "the stored knowledge has no direct answer",
            false if is_unasked => "there is no earlier answer",
            false => NOT_COVERED,
        });
        Self {
            message: nothing.filter(|_| reply.answer.is_none()),
            question: question.to_owned(),
            tier: reply.tier,
            by: if outcome.is_cached { By::Cache } else { reply.by.into() },
            covered: reply.covered,
            answer: reply.answer.clone(),
            score: rounded(reply.score),
            sources: reply.sources.iter().map(QuerySource::from).collect(),
            passages: reply.passages.iter().map(QueryPassage::from).collect(),
            scope: reply.scope.clone(),
            elapsed_ms,
            explain: explain.then(|| QueryExplained {
                relevance: rounded(reply.explained.relevance),
                gap: rounded(reply.explained.gap),
                coverage: rounded(reply.explained.coverage),
                unmatched: reply.explained.unmatched.clone(),
                thresholds: Thresholds {
                    covered: search::COVERS,
                    direct: search::DIRECT,
                    gap: search::GAP,
                    sure: search::SURE,
                },
                cache: outcome.is_cached,
            }),
        }
    }
}

impl From<query::By> for By {
    fn from(by: query::By) -> Self {
        match by {
            query::By::Fact => Self::Fact,
            query::By::Entry => Self::Entry,
            query::By::Passages => Self::Passages,
            query::By::None => Self::None,
        }
    }
}

impl From<&query::Source> for QuerySource {
    fn from(source: &query::Source) -> Self {
        let change = source.change.as_ref();
        Self {
            path: source.path.clone(),
            title: source.title.clone(),
            score: rounded(source.score),
            relevance: rounded(source.relevance),
            line: source.line,
            excerpt: source.excerpt.clone(),
            disputed: source.disputed,
            actor: change.map(|change| change.actor.clone().unwrap_or_else(|| change.author.clone())),
            commit: change.map(|change| change.commit.clone()),
        }
    }
}

impl From<&query::Passage> for QueryPassage {
    fn from(passage: &query::Passage) -> Self {
        Self {
            path: passage.path.clone(),
            line: passage.line,
            text: passage.text.clone(),
            origin: passage.change.as_ref().map(Origin::from),
        }
    }
}

impl From<&Change> for Origin {
    fn from(change: &Change) -> Self {
        Self { author: change.author.clone(), actor: change.actor.clone(), commit: change.commit.clone() }
    }
}
