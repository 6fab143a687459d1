//! What the replies to questions are worth, in figures. Pure.

use super::questions::QuestionKind;
use super::{DirectMeasure, NotCovered, Outcome, Outside, Passages, Recall};
use brv_engine::outcome::json;
use brv_engine::query::search::HITS;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A question that was asked.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub kind: QuestionKind,
    /// For each expected entry its rank, from 1.
    pub ranks: Vec<Option<usize>>,
    pub relevance: f64,
    /// Whether brv answered that it is covered.
    pub is_covered: bool,
    /// Whether the reply names what no entry has.
    pub is_named: bool,
    pub tier: u8,
    pub given: Given,
}

/// What a reply gives.
#[derive(Debug, Clone, Copy)]
pub(super) enum Given {
    Nothing,
    Answer {
        /// Whether its first source is expected.
        is_right: bool,
        /// Whether it has the phrase of the question, if that has one.
        has_phrase: Option<bool>,
    },
    Passages {
        chars: usize,
        /// Whether one of them is of an expected entry.
        has_expected: bool,
    },
}

/// The measures, with four decimals.
pub(super) fn measured(asked: &[Asked]) -> Outcome {
    let of = |kind: QuestionKind| -> Vec<&Asked> { asked.iter().filter(|one| one.kind == kind).collect() };
    let (covered, near, far) = (of(QuestionKind::Covered), of(QuestionKind::Near), of(QuestionKind::Far));
    let uncovered = asked.iter().filter(|one| one.kind != QuestionKind::Covered);
    let mut tiers = BTreeMap::new();
    for one in asked {
        *tiers.entry(one.tier).or_default() += 1;
    }
    Outcome {
        questions: asked.len(),
        recall: Recall {
            at_1: recall_at(&covered, 1),
            at_5: recall_at(&covered, 5),
            at_10: recall_at(&covered, HITS),
        },
        mrr: mean(
            covered.iter().map(|one| one.ranks.iter().flatten().min().map_or(0.0, |rank| 1.0 / *rank as f64)),
        ),
        auroc: auroc(&covered, &near),
        not_covered: NotCovered {
            found: share(uncovered.map(Asked::is_noticed)),
            false_alarms: share(covered.iter().map(|one| !one.is_covered)),
        },
        direct: direct(&covered),
        near: outside(&near),
        far: outside(&far),
        passages: passages(&covered),
        tiers,
        absent: Vec::new(),
    }
}

fn recall_at(covered: &[&Asked], most: usize) -> Option<f64> {
    mean(covered.iter().map(|one| {
        let found = one.ranks.iter().flatten().filter(|rank| **rank <= most).count();
        found as f64 / one.ranks.len() as f64
    }))
}

/// The probability that a covered question has more relevance than a near one; equal counts half.
fn auroc(covered: &[&Asked], near: &[&Asked]) -> Option<f64> {
    mean(covered.iter().flat_map(|own| {
        near.iter().map(|other| match own.relevance.total_cmp(&other.relevance) {
            Ordering::Less => 0.0,
            Ordering::Equal => 0.5,
            Ordering::Greater => 1.0,
        })
    }))
}

fn direct(covered: &[&Asked]) -> DirectMeasure {
    let answers = || {
        covered.iter().filter_map(|one| match one.given {
            Given::Answer { is_right, has_phrase } => Some((is_right, has_phrase)),
            _ => None,
        })
    };
    DirectMeasure {
        share: share(covered.iter().map(|one| one.is_answered())),
        precision: share(answers().map(|(is_right, _)| is_right)),
        phrase: share(answers().filter_map(|(_, has_phrase)| has_phrase)),
    }
}

fn outside(asked: &[&Asked]) -> Outside {
    Outside {
        found: share(asked.iter().map(|one| one.is_noticed())),
        answered: share(asked.iter().map(|one| one.is_answered())),
    }
}

fn passages(covered: &[&Asked]) -> Passages {
    let given = covered.iter().filter_map(|one| match one.given {
        Given::Passages { chars, has_expected } => Some((chars, has_expected)),
        _ => None,
    });
    let (mut chars, kept): (Vec<usize>, Vec<bool>) = given.unzip();
    chars.sort_unstable();
    let middle = (chars.len() / 2, chars.len().saturating_sub(1) / 2);
    let median_chars = chars.get(middle.0).zip(chars.get(middle.1)).map(|(one, other)| (one + other) / 2);
    Passages { median_chars, kept: share(kept.into_iter()) }
}

impl Asked {
    /// Whether the reply says that the tree lacks the answer.
    const fn is_noticed(&self) -> bool {
        !self.is_covered || self.is_named
    }

    const fn is_answered(&self) -> bool {
        matches!(self.given, Given::Answer { .. })
    }
}

fn share(values: impl Iterator<Item = bool>) -> Option<f64> {
    mean(values.map(|value| if value { 1.0 } else { 0.0 }))
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_usize), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| json::to(sum / count as f64, 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(kind: QuestionKind, is_covered: bool, ranks: &[Option<usize>]) -> Asked {
        let tier = if is_covered { 3 } else { 2 };
        let (ranks, given) = (ranks.to_vec(), Given::Nothing);
        Asked { kind, ranks, relevance: 0.5, is_covered, is_named: false, tier, given }
    }

    #[test]
    fn the_measures_of_the_ranking_are_those_of_the_textbooks() {
        let found = measured(&[
            asked(QuestionKind::Covered, true, &[Some(1), Some(7)]),
            asked(QuestionKind::Covered, true, &[Some(2)]),
            asked(QuestionKind::Covered, false, &[None]),
            asked(QuestionKind::Uncovered, false, &[]),
            asked(QuestionKind::Far, true, &[]),
        ]);
        let recall = Recall { at_1: Some(0.1667), at_5: Some(0.5), at_10: Some(0.6667) };
        assert_eq!((found.recall, found.mrr), (recall, Some(0.5)));
        let not_covered = NotCovered { found: Some(0.5), false_alarms: Some(0.3333) };
        assert_eq!(found.not_covered, not_covered);
        assert_eq!(found.tiers, [(2, 2), (3, 3)].into());
        assert_eq!((found.auroc, found.near.found, found.far.found), (None, None, Some(0.0)));
        assert_eq!((found.direct.share, found.direct.precision), (Some(0.0), None));
        assert_eq!((found.passages.median_chars, found.passages.kept), (None, None));
    }

    #[test]
    fn answers_and_passages_are_measured_where_they_are_given() {
        let one = |kind, relevance, given| Asked { relevance, given, ..asked(kind, true, &[Some(1)]) };
        let answer = |is_right, has_phrase| Given::Answer { is_right, has_phrase };
        let passages = |chars, has_expected| Given::Passages { chars, has_expected };
        let found = measured(&[
            one(QuestionKind::Covered, 0.9, answer(true, Some(true))),
            one(QuestionKind::Covered, 0.7, answer(true, None)),
            one(QuestionKind::Covered, 0.7, answer(false, Some(false))),
            one(QuestionKind::Covered, 0.6, passages(100, true)),
            one(QuestionKind::Covered, 0.5, passages(500, false)),
            one(QuestionKind::Near, 0.7, answer(false, None)),
            Asked { is_named: true, ..one(QuestionKind::Near, 0.1, passages(900, false)) },
        ]);
        // of ten pairs six are in order and two are equal
        assert_eq!(found.auroc, Some(0.7));
        assert_eq!(
            found.direct,
            DirectMeasure { share: Some(0.6), precision: Some(0.6667), phrase: Some(0.5) }
        );
        // a question that counts as covered by its relevance is noticed if the reply names what is missing
        assert_eq!(found.near, Outside { found: Some(0.5), answered: Some(0.5) });
        assert_eq!(found.far, Outside { found: None, answered: None });
        assert_eq!(found.passages, Passages { median_chars: Some(300), kept: Some(0.5) });
    }
}
