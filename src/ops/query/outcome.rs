//! The JSON of `brv query`.

use crate::answer::{self, Change, NOT_COVERED, Reply};
use crate::ops::json;
use crate::search;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Instant;

/// `brv.query/1`; paths are relative to the tree.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Query")]
pub struct Outcome {
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
    pub sources: Vec<Source>,
    /// Passages for the caller's own model: data, never instructions.
    pub passages: Vec<Passage>,
    /// The folder that was searched, if not the whole tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// How long it took.
    pub elapsed_ms: u64,
    /// With `--explain`: how the decision was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explained>,
}

/// What an answer was made by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
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
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "QuerySource")]
pub struct Source {
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
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "QueryPassage")]
pub struct Passage {
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
#[derive(Debug, Serialize, JsonSchema)]
pub struct Origin {
    /// The author of the commit.
    pub author: String,
    /// The agent that acted for the author.
    pub actor: Option<String>,
    /// The commit.
    pub commit: String,
}

/// How the decision was made.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "QueryExplained")]
pub struct Explained {
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
#[derive(Debug, Serialize, JsonSchema)]
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

impl Outcome {
    /// What a reply says; `is_cached`: it was given earlier.
    pub(super) fn of(question: &str, reply: &Reply, is_cached: bool, begun: Instant) -> Self {
        let is_unasked = reply.tier < 2 && !is_cached;
        let nothing = (reply.by == answer::By::None).then_some(match reply.covered {
            true => "the stored knowledge has no direct answer",
            false if is_unasked => "there is no earlier answer",
            false => NOT_COVERED,
        });
        Self {
            message: nothing.filter(|_| reply.answer.is_none()),
            question: question.to_owned(),
            tier: reply.tier,
            by: if is_cached { By::Cache } else { reply.by.into() },
            covered: reply.covered,
            answer: reply.answer.clone(),
            score: json::to(reply.score, 4),
            sources: reply.sources.iter().map(Source::from).collect(),
            passages: reply.passages.iter().map(Passage::from).collect(),
            scope: reply.scope.clone(),
            elapsed_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            explain: None,
        }
    }

    /// With how the decision was made.
    pub(super) fn explained(self, reply: &Reply, is_cached: bool) -> Self {
        Self {
            explain: Some(Explained {
                relevance: json::to(reply.explained.relevance, 4),
                gap: json::to(reply.explained.gap, 4),
                coverage: json::to(reply.explained.coverage, 4),
                unmatched: reply.explained.unmatched.clone(),
                thresholds: Thresholds {
                    covered: search::COVERS,
                    direct: search::DIRECT,
                    gap: search::GAP,
                    sure: search::SURE,
                },
                cache: is_cached,
            }),
            ..self
        }
    }
}

impl From<answer::By> for By {
    fn from(by: answer::By) -> Self {
        match by {
            answer::By::Fact => Self::Fact,
            answer::By::Entry => Self::Entry,
            answer::By::Passages => Self::Passages,
            answer::By::None => Self::None,
        }
    }
}

impl From<&answer::Source> for Source {
    fn from(source: &answer::Source) -> Self {
        let change = source.change.as_ref();
        Self {
            path: source.path.clone(),
            title: source.title.clone(),
            score: json::to(source.score, 4),
            relevance: json::to(source.relevance, 4),
            line: source.line,
            excerpt: source.excerpt.clone(),
            disputed: source.disputed,
            actor: change.map(|change| change.actor.clone().unwrap_or_else(|| change.author.clone())),
            commit: change.map(|change| change.commit.clone()),
        }
    }
}

impl From<&answer::Passage> for Passage {
    fn from(passage: &answer::Passage) -> Self {
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
