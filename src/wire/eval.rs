//! JSON of `brv eval`: measures of the search.

use crate::ops::eval::Outcome;
use crate::ops::json;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// `brv.eval/1`; all measures from 0 to 1, `null` where no question is of their kind.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Eval {
    /// How many questions.
    pub questions: usize,
    /// The mean share of the expected entries among the first results.
    pub recall: Recall,
    /// The mean reciprocal rank of the first expected entry.
    pub mrr: Option<f64>,
    /// Whether it is noticed that a question is not covered.
    pub not_covered: NotCovered,
    /// How many questions each tier answers, by relevance alone.
    pub tiers: BTreeMap<String, usize>,
    /// Expected entries that the tree does not have.
    pub absent: Vec<String>,
}

/// Recall at several ranks.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Recall {
    /// Among the first.
    pub at_1: Option<f64>,
    /// Among the first 5.
    pub at_5: Option<f64>,
    /// Among the first 10.
    pub at_10: Option<f64>,
}

/// Questions that are not covered.
#[derive(Debug, JsonSchema, Serialize)]
pub struct NotCovered {
    /// Of the questions without expected entries, the share that was told to be not covered.
    pub found: Option<f64>,
    /// Of the other questions, the share that was told to be not covered.
    pub false_alarms: Option<f64>,
}

impl From<&Outcome> for Eval {
    fn from(outcome: &Outcome) -> Self {
        let recall = |at: usize| outcome.recall.map(|recall| json::to(recall[at], 4));
        Self {
            questions: outcome.questions,
            recall: Recall { at_1: recall(0), at_5: recall(1), at_10: recall(2) },
            mrr: outcome.mrr.map(|value| json::to(value, 4)),
            not_covered: NotCovered {
                found: outcome.found.map(|value| json::to(value, 4)),
                false_alarms: outcome.false_alarms.map(|value| json::to(value, 4)),
            },
            tiers: outcome.tiers.iter().map(|(tier, count)| (tier.to_string(), *count)).collect(),
            absent: outcome.absent.clone(),
        }
    }
}
