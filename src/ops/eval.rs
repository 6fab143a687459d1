//! `brv eval`: how well the search answers questions whose answers are known.

use super::FailureKind;
use super::cause::{Cause, caused};
use super::context::Context;
use super::steps::searching::{self, Freshness, HITS, SearchSession, Unaskable};
use crate::ops::Fails;
use bstr::ByteSlice as _;
use serde::Deserialize;
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

/// The measures; each `None` if no question is of its kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub questions: usize,
    /// The mean share of the expected entries among the first 1, 5 and 10.
    pub recall: Option<[f64; 3]>,
    /// The mean of one divided by the rank of the first expected entry (mean reciprocal rank).
    pub mrr: Option<f64>,
    /// Of the questions that nothing covers, the share that was told so.
    pub found: Option<f64>,
    /// Of the questions that are covered, the share that was told not to be.
    pub false_alarms: Option<f64>,
    /// How many questions each tier answered.
    pub tiers: BTreeMap<u8, usize>,
    /// Expected entries that the tree does not have.
    pub absent: Vec<String>,
    /// The thresholds that were not reached, as told.
    pub missed: Vec<String>,
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error("line {line} is not a question: {reason}")]
    Line { line: usize, reason: String },
    #[error("there are no questions")]
    Empty,
    #[error("more than {} MB of questions", MAX_INPUT_BYTES >> 20)]
    Long,
    #[error(transparent)]
    Unaskable(#[from] Unaskable),
    #[error(transparent)]
    Search(#[from] searching::Error),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Line { .. } | Self::Empty | Self::Long | Self::Unaskable(_) => FailureKind::Usage,
            Self::Search(error) => error.kind(),
        }
    }
}

caused!(Error);

pub const MAX_INPUT_BYTES: usize = 10 << 20;

/// The ranks at which recall is measured.
const RANKS: [usize; 3] = [1, 5, HITS];

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

pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
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
    let mut outcome = measured(&asked);
    outcome.absent = absent;
    outcome.missed = missed(&outcome, options);
    Ok(outcome)
}

fn read(bytes: &[u8]) -> Result<Vec<Question>, Error> {
    if bytes.len() > MAX_INPUT_BYTES {
        return Err(Error::Long);
    }
    let mut questions = Vec::new();
    for (at, line) in bytes.lines().enumerate() {
        let invalid = |reason: String| Error::Line { line: at + 1, reason };
        if line.trim_ascii().is_empty() {
            continue;
        }
        let question: Question = serde_json::from_slice(line).map_err(|error| invalid(error.to_string()))?;
        searching::checked(&question.question).map_err(|error: Unaskable| invalid(error.to_string()))?;
        questions.push(question);
    }
    if questions.is_empty() { Err(Error::Empty) } else { Ok(questions) }
}

/// An expected path, with or without its ending.
fn file_of(path: &str) -> String {
    let path = path.trim_start_matches('/');
    if path.ends_with(".md") { path.to_owned() } else { format!("{path}.md") }
}

fn ask(sought: &mut SearchSession<'_>, text: &str, expected: &[String], now: i64) -> Result<Asked, Error> {
    let scoped = searching::scoped(sought, text, None)?;
    let found = searching::ask(sought, text, scoped, now)?;
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
        recall: (!covered.is_empty()).then(|| RANKS.map(|rank| recall_at(rank).unwrap_or_default())),
        mrr: mean(&covered, first),
        found: mean(&outside, told_not),
        false_alarms: mean(&covered, told_not),
        tiers,
        absent: Vec::new(),
        missed: Vec::new(),
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
    check("recall at 5", outcome.recall.map(|recall| recall[1]), options.min_recall);
    check("the share found of questions that are not covered", outcome.found, options.min_ood);
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
        assert_eq!(found.recall, Some([0.5 / 3.0, 1.5 / 3.0, 2.0 / 3.0]));
        assert_eq!(found.mrr, Some(1.5 / 3.0));
        assert_eq!((found.found, found.false_alarms), (Some(0.5), Some(1.0 / 3.0)));
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
