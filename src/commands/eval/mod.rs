//! `brv eval`: how well the search and the replies serve questions whose answers are known.

mod measures;
mod questions;

use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::query;
use brv_engine::query::search::encoder::Encoding;
use brv_engine::query::search::{self, OriginNaming, ScanFreshness, SearchSession};
use brv_engine::read::history::learned::unmerged::Unmerged;
use brv_search::SearchResults;
use measures::{Asked, Given, measured};
use questions::EvalQuestion;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

pub use questions::MAX_INPUT_BYTES;

#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The questions: a JSON object on each line.
    pub questions: Vec<u8>,
    /// The least recall at 5, 0 to 1.
    pub min_recall: Option<f64>,
    /// The least share found of the questions that are not covered, 0 to 1.
    pub min_ood: Option<f64>,
}

/// `brv.eval/1`; all measures from 0 to 1, `null` where no question is of their kind.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Eval")]
pub struct Outcome {
    /// How many questions.
    pub questions: usize,
    /// The mean share of the expected entries among the first results.
    pub recall: Recall,
    /// The mean reciprocal rank of the first expected entry.
    pub mrr: Option<f64>,
    /// The probability that a covered question has more relevance than a near one.
    pub auroc: Option<f64>,
    /// Whether it is noticed that a question is not covered.
    pub not_covered: NotCovered,
    /// Direct answers to covered questions.
    pub direct: DirectMeasure,
    /// Questions of the tree's subject that nothing in it answers.
    pub near: Outside,
    /// Questions of another subject.
    pub far: Outside,
    /// Passages for covered questions.
    pub passages: Passages,
    /// How many questions each tier answers.
    #[schemars(with = "BTreeMap<String, usize>")]
    pub tiers: BTreeMap<u8, usize>,
    /// Expected entries that the tree does not have.
    pub absent: Vec<String>,
}

/// Recall at several ranks.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Recall {
    /// Among the first.
    pub at_1: Option<f64>,
    /// Among the first 5.
    pub at_5: Option<f64>,
    /// Among the first 10.
    pub at_10: Option<f64>,
}

/// Questions that are not covered.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NotCovered {
    /// The share of the questions without expected entries that brv declined as not covered, or for which it named
    /// what no entry has.
    pub found: Option<f64>,
    /// The share of the other questions that brv declined as not covered.
    pub false_alarms: Option<f64>,
}

/// Direct answers to covered questions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Direct")]
pub struct DirectMeasure {
    /// The share of the questions that get one.
    pub share: Option<f64>,
    /// The share of direct answers whose first source is an expected entry.
    pub precision: Option<f64>,
    /// The share of direct answers to questions with a phrase that have it; each white space counts as one blank.
    pub phrase: Option<f64>,
}

/// Questions that nothing answers.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Outside {
    /// The share that brv declined as not covered, or for which it named what no entry has.
    pub found: Option<f64>,
    /// The share that got a direct answer.
    pub answered: Option<f64>,
}

/// Passages for covered questions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Passages {
    /// The median of the characters that a question gets.
    pub median_chars: Option<usize>,
    /// The share of the questions with passages where one is of an expected entry.
    pub kept: Option<f64>,
}

/// Ask the questions, and measure. The thresholds that were not reached, as told, are beside the outcome.
///
/// # Errors
/// What is not a question, or none; the disk or git.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<(Outcome, Vec<String>), Stop> {
    let questions = questions::read(&options.questions)?;
    let opened = cx.open()?;
    let mut sought = SearchSession::open(&opened, ScanFreshness::Look, cx.progress)?;
    let unmerged = Unmerged::known(&opened, &cx.cwd, cx.clock.seconds());
    let known = sought.paths();
    let is_absent = |path: &&String| known.binary_search_by(|own| own.as_str().cmp(path)).is_err();
    let expected = questions.iter().flat_map(|question| &question.expected);
    let mut absent: Vec<String> = expected.filter(is_absent).cloned().collect();
    absent.sort_unstable();
    absent.dedup();
    let mut asked = Vec::with_capacity(questions.len());
    for question in &questions {
        let encoding = Encoding::begin(cx, &opened, &question.text);
        let asked_for = question.asked(cx, (&unmerged, encoding.as_ref()));
        let (found, reply) = search::reply(&opened, &mut sought, &asked_for)?;
        if let Some(encoding) = encoding {
            encoding.keep();
        }
        asked.push(question.judged(&found.hits.found, &reply.outcome));
    }
    let measured = measured(&asked);
    let missed = missed(&measured, options);
    Ok((Outcome { absent, ..measured }, missed))
}

impl EvalQuestion {
    /// As `brv query` asks it. Who wrote the entries is left out: that takes most of the time.
    fn asked<'a>(
        &'a self,
        cx: &Context<'_>,
        (unmerged, encoding): (&'a Unmerged, Option<&'a Encoding>),
    ) -> search::ReplyRequest<'a> {
        let (now, audience) = (cx.clock.seconds(), cx.audience);
        let (text, origins) = (self.text.as_str(), OriginNaming::Unnamed);
        search::ReplyRequest {
            text,
            scope: None,
            most_tier: 4,
            extent: search::EntryTextExtent::Lines,
            now,
            audience,
            origins,
            unmerged,
            encoding,
        }
    }

    /// What was found and replied, beside what is expected.
    fn judged(&self, found: &SearchResults, reply: &query::Outcome) -> Asked {
        let rank =
            |path: &String| found.hits.iter().position(|hit| hit.path.as_str() == path).map(|at| at + 1);
        let is_expected = |path: &String| self.expected.contains(path);
        let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let given = match &reply.answer {
            Some(answer) => Given::Answer {
                is_right: reply.sources.first().is_some_and(|source| is_expected(&source.path)),
                has_phrase: self.phrase.as_ref().map(|phrase| folded(answer).contains(&folded(phrase))),
            },
            None if reply.passages.is_empty() => Given::Nothing,
            None => Given::Passages {
                chars: reply.passages.iter().map(|passage| passage.text.chars().count()).sum(),
                has_expected: reply.passages.iter().any(|passage| is_expected(&passage.path)),
            },
        };
        Asked {
            kind: self.kind,
            ranks: self.expected.iter().map(rank).collect(),
            relevance: found.relevance,
            is_covered: reply.covered,
            is_named: !reply.missing.is_empty(),
            tier: reply.tier,
            given,
        }
    }
}

/// The thresholds that were not reached. One that nothing was measured for is not reached.
fn missed(outcome: &Outcome, options: &Options) -> Vec<String> {
    let mut missed = Vec::new();
    let mut check = |name: &str, found: Option<f64>, least: Option<f64>| {
        let Some(least) = least else { return };
        match found {
            Some(found) if found >= least => {}
            Some(found) => missed.push(format!("{name} is {found:.3}, below {least}")),
            None => missed.push(format!("{name} cannot be measured: there are no such questions")),
        }
    };
    check("recall at 5", outcome.recall.at_5, options.min_recall);
    check("the share found of questions that are not covered", outcome.not_covered.found, options.min_ood);
    missed
}

#[cfg(test)]
mod tests {
    use super::questions::QuestionKind;
    use super::*;

    #[test]
    fn a_threshold_without_questions_is_not_reached() {
        let given = Given::Nothing;
        let asked = Asked {
            kind: QuestionKind::Covered,
            ranks: vec![Some(1)],
            relevance: 0.9,
            is_covered: true,
            is_named: false,
            tier: 3,
            given,
        };
        let only_covered = measured(&[asked]);
        let options = |min_recall, min_ood| Options { questions: Vec::new(), min_recall, min_ood };
        assert!(missed(&only_covered, &options(Some(1.0), None)).is_empty());
        assert_eq!(missed(&only_covered, &options(Some(0.9), Some(0.1))).len(), 1);
    }
}
