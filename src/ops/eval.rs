//! `brv eval`: how well the search answers questions whose answers are known.

use super::context::Context;
use super::steps::searching::{self, Freshness, HITS, Refusal, SearchSession, Unaskable, Wanted};
use super::{Stop, json};
use crate::search::Found;
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// Whether it is noticed that a question is not covered.
    pub not_covered: NotCovered,
    /// How many questions each tier answers, by relevance alone.
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
    /// Of the questions without expected entries, the share that was told to be not covered.
    pub found: Option<f64>,
    /// Of the other questions, the share that was told to be not covered.
    pub false_alarms: Option<f64>,
}

pub const MAX_INPUT_BYTES: usize = 10 << 20;

#[derive(Debug, Deserialize)]
struct Question {
    question: String,
    /// Paths of entries; empty: nothing covers it.
    expected: Vec<String>,
}

struct Asked {
    is_covered: bool,
    tier: u8,
    /// For each expected entry its rank, from 1.
    ranks: Vec<Option<usize>>,
}

/// Ask the questions, and measure. The thresholds that were not reached, as told, are beside the outcome.
///
/// # Errors
/// What is not a question, or none; the disk or git.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<(Outcome, Vec<String>), Stop> {
    let questions = read(&options.questions)?;
    let opened = cx.open()?;
    let mut sought = SearchSession::open(&opened, Freshness::Look, cx.progress)?;
    let known = sought.paths();
    let mut absent: Vec<String> = Vec::new();
    let mut asked = Vec::with_capacity(questions.len());
    for question in &questions {
        let expected: Vec<String> = question.expected.iter().map(|path| file_of(path)).collect();
        let is_absent = |path: &&String| known.binary_search_by(|own| own.as_str().cmp(path)).is_err();
        absent.extend(expected.iter().filter(is_absent).cloned());
        asked.push(ask(&mut sought, &question.question, &expected, cx.clock.seconds())?);
    }
    absent.sort_unstable();
    absent.dedup();
    let measured = measured(&asked);
    let missed = missed(&measured, options);
    Ok((Outcome { absent, ..measured.rounded() }, missed))
}

fn read(bytes: &[u8]) -> Result<Vec<Question>, Stop> {
    if bytes.len() > MAX_INPUT_BYTES {
        return Err(Stop::usage(format!("more than {} MB of questions", MAX_INPUT_BYTES >> 20)));
    }
    let mut questions = Vec::new();
    for (at, line) in bytes.lines().enumerate() {
        let invalid = |reason: String| Stop::usage(format!("line {} is not a question: {reason}", at + 1));
        if line.trim_ascii().is_empty() {
            continue;
        }
        let question: Question = serde_json::from_slice(line).map_err(|error| invalid(error.to_string()))?;
        searching::checked(&question.question).map_err(|error: Unaskable| invalid(error.to_string()))?;
        questions.push(question);
    }
    if questions.is_empty() { Err(Stop::usage("there are no questions")) } else { Ok(questions) }
}

/// An expected path, with or without its ending.
fn file_of(path: &str) -> String {
    let path = path.trim_start_matches('/');
    if path.ends_with(".md") { path.to_owned() } else { format!("{path}.md") }
}

fn ask(sought: &mut SearchSession<'_>, text: &str, expected: &[String], now: i64) -> Result<Asked, Refusal> {
    let scoped = searching::scoped(sought, text, None)?;
    let wanted = Wanted { text, limit: HITS, scope: None, folders: false, now };
    let found = searching::ask(sought, scoped, &wanted, Found::is_covered)?;
    let hits = &found.hits.found;
    let rank = |path: &String| hits.hits.iter().position(|hit| hit.path.as_str() == path).map(|at| at + 1);
    let is_covered = hits.is_covered();
    let tier = if is_covered && found.direct().is_none() { 3 } else { 2 };
    Ok(Asked { is_covered, tier, ranks: expected.iter().map(rank).collect() })
}

fn measured(asked: &[Asked]) -> Outcome {
    let (covered, outside): (Vec<&Asked>, Vec<&Asked>) = asked.iter().partition(|one| !one.ranks.is_empty());
    let recall_at = |most: usize| {
        mean(&covered, |one| {
            let found = one.ranks.iter().flatten().filter(|rank| **rank <= most).count();
            found as f64 / one.ranks.len() as f64
        })
    };
    let first = |one: &Asked| one.ranks.iter().flatten().min().map_or(0.0, |rank| 1.0 / *rank as f64);
    let told_not = |one: &Asked| if one.is_covered { 0.0 } else { 1.0 };
    let mut tiers = BTreeMap::new();
    for one in asked {
        *tiers.entry(one.tier).or_default() += 1;
    }
    Outcome {
        questions: asked.len(),
        recall: Recall { at_1: recall_at(1), at_5: recall_at(5), at_10: recall_at(HITS) },
        mrr: mean(&covered, first),
        not_covered: NotCovered { found: mean(&outside, told_not), false_alarms: mean(&covered, told_not) },
        tiers,
        absent: Vec::new(),
    }
}

impl Outcome {
    /// The measures with four digits behind the point.
    fn rounded(self) -> Self {
        let rounded = |value: Option<f64>| value.map(|value| json::to(value, 4));
        let Recall { at_1, at_5, at_10 } = self.recall;
        let NotCovered { found, false_alarms } = self.not_covered;
        Self {
            recall: Recall { at_1: rounded(at_1), at_5: rounded(at_5), at_10: rounded(at_10) },
            mrr: rounded(self.mrr),
            not_covered: NotCovered { found: rounded(found), false_alarms: rounded(false_alarms) },
            ..self
        }
    }
}

fn mean(asked: &[&Asked], value: impl Fn(&Asked) -> f64) -> Option<f64> {
    let sum: f64 = asked.iter().map(|one| value(one)).sum();
    (!asked.is_empty()).then(|| sum / asked.len() as f64)
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
    use super::*;

    fn asked(is_covered: bool, ranks: &[Option<usize>]) -> Asked {
        Asked { is_covered, tier: if is_covered { 3 } else { 2 }, ranks: ranks.to_vec() }
    }

    #[test]
    fn the_measures_are_those_of_the_textbooks() {
        let found = measured(&[
            asked(true, &[Some(1), Some(7)]),
            asked(true, &[Some(2)]),
            asked(false, &[None]),
            asked(false, &[]),
            asked(true, &[]),
        ]);
        let recall = Recall { at_1: Some(0.5 / 3.0), at_5: Some(1.5 / 3.0), at_10: Some(2.0 / 3.0) };
        assert_eq!(found.recall, recall);
        assert_eq!(found.mrr, Some(1.5 / 3.0));
        let not_covered = NotCovered { found: Some(0.5), false_alarms: Some(1.0 / 3.0) };
        assert_eq!(found.not_covered, not_covered);
        assert_eq!(found.tiers, [(2, 2), (3, 3)].into());
    }

    #[test]
    fn a_threshold_without_questions_is_not_reached() {
        let only_covered = measured(&[asked(true, &[Some(1)])]);
        let options = |min_recall, min_ood| Options { questions: Vec::new(), min_recall, min_ood };
        assert!(missed(&only_covered, &options(Some(1.0), None)).is_empty());
        assert_eq!(missed(&only_covered, &options(Some(0.9), Some(0.1))).len(), 1);
    }
}
