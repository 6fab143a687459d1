//! Relevance: what the score of an item means, on a calibrated scale of 0 to 1.
//!
//! On the scale 0.6 means that the item covers the question, 0.82 and 0.93 that it answers it (see
//! [`crate::constants`]). BM25 itself has no scale: it grows with the number and the rarity of the question's words. So
//! two kinds of evidence are weighed, each a linear sum of a few features of the question and one item, fitted by logistic
//! regression: that the item covers the question at all, and that it is the right one.

use super::super::question::{Asking, Question};
use super::super::view::IndexView;
use super::evidence::{Evidence, idf};
use super::order::{Scored, Scores};
use crate::constants as c;
use schemars::JsonSchema;
use serde::Serialize;

/// What speaks for an item. Weights are idf, less for words of everyday speech, in units of the idf of the rarest
/// possible word.
#[derive(Debug, Clone, Copy, Default, PartialEq, JsonSchema, Serialize)]
pub struct Features {
    /// The share of the text's weight that one passage of it has, with its title and folders, 0 to 1.
    pub passage: f64,
    /// The share of the text's weight that the whole of it has, 0 to 1.
    pub coverage: f64,
    /// The share of the names in the text that it has, 0 to 1.
    pub names: f64,
    /// The weight of the rarest name, number or identifier of the text that the passage lacks, 0 to 1.
    pub missing: f64,
    /// The weight of the rarest name, number or identifier of the text that occurs nowhere in the tree, 0 to 1.
    pub unknown: f64,
    /// The largest share of all passages that begin with a name in the text, 0 to 1.
    pub speaker: f64,
    /// The logarithm of the number of informative words in the text.
    pub length: f64,
    /// Its lead over the second best match.
    pub lead: f64,
    /// Above 0: it covers the text.
    pub covered: f64,
    /// Above 0: it is the right one.
    pub right: f64,
}

/// The relevance of the best items, in their order, and what that of the others is made of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Relevance {
    judged: Vec<f64>,
    /// By how much the second is less relevant than the first.
    pub gap: f64,
    /// Whether the first two answer with equal right.
    pub is_tie: bool,
    /// The features of the first.
    pub features: Features,
    /// The relevance and the score of the last that was judged.
    last: (f64, f64),
}

impl Relevance {
    /// The relevance of items with a tag that was asked for and nothing else: covered, and none better than the others.
    pub fn alike() -> Self {
        Self { judged: vec![c::RIGHT_LIMIT], last: (c::RIGHT_LIMIT, 1.0), ..Self::default() }
    }

    pub fn first(&self) -> f64 {
        self.judged.first().copied().unwrap_or_default()
    }

    /// The relevance of the item at this place in the order.
    pub fn of(&self, at: usize, score: f64) -> f64 {
        let (relevance, last) = self.last;
        let beyond = || relevance * (score / last.max(1e-9)).min(1.0);
        self.judged.get(at).copied().unwrap_or_else(beyond)
    }
}

/// The relevance of sorted items; `is_rival` says whether the first must lead an item: an overview is not another
/// answer.
pub fn relevance(
    view: &IndexView,
    question: &Question,
    evidence: &Evidence,
    scores: &Scores,
    items: &[Scored],
    is_rival: &dyn Fn(&Scored) -> bool,
) -> Relevance {
    let Some(first) = items.first().filter(|_| !question.words.is_empty()) else {
        return Relevance::default();
    };
    let judge = RelevanceJudge::new(view, question, evidence, scores);
    let rivals: Vec<Scored> = items[1..].iter().filter(|one| is_rival(one)).copied().collect();
    let next = rivals.first().map_or(0.0, |rival| rival.score);
    let own = |at: usize, one: &Scored| {
        let lead = if at == 0 { one.score - next } else { one.score - first.score };
        let is_titled = at < scores.exact;
        judge.features(one.item, lead, is_titled)
    };
    let features: Vec<Features> = items.iter().enumerate().map(|(at, one)| own(at, one)).collect();
    let top = scale(&features[0]);
    // no other is more relevant than the first, which leads
    let others: Vec<f64> = features[1..].iter().map(|own| scale(own).min(top)).collect();
    // of two that are equal the one with the higher score stays before the other
    let judged = std::iter::once(top).chain(falling(&others)).enumerate();
    let mut judged: Vec<f64> = judged.map(|(at, value)| value * (1.0 - at as f64 * 1e-6)).collect();
    let place = |rival: &Scored| items.iter().position(|one| one.item == rival.item);
    let second = rivals.first().and_then(place);
    let third = rivals.get(1).map_or(0.0, |third| third.score);
    // the relevance that it would have if the other of the two were not there
    let alone = |at: usize| scale(&judge.features(items[at].item, items[at].score - third, false));
    let is_tie = second.is_some_and(|second| {
        let difference = features[0].passage - features[second].passage;
        is_rival(first)
            && features[second].passage >= c::TIE_PASSAGE
            && difference.abs() <= c::TIE_NEAR
            && items[second].score >= c::TIE_SCORE * first.score
            && alone(0).min(alone(second)) >= c::DIRECT
    });
    if let Some(second) = second.filter(|_| is_tie) {
        (judged[0], judged[second]) = (alone(0).max(alone(second)), alone(second));
    }
    let gap = judged[0] - second.map_or(0.0, |second| judged[second]);
    let last = (judged.last().copied().unwrap_or_default(), items.last().map_or(0.0, |one| one.score));
    Relevance { judged, gap, is_tie, features: features[0], last }
}

/// The sequence that never rises and is nearest to this one (isotonic regression): where a value rises above those before
/// it, all of them have their mean.
fn falling(values: &[f64]) -> impl Iterator<Item = f64> {
    let mut runs: Vec<(f64, usize)> = Vec::new();
    for &value in values {
        let mut run = (value, 1);
        while let Some(&(sum, count)) = runs.last()
            && sum / (count as f64) < run.0 / run.1 as f64
        {
            runs.pop();
            run = (run.0 + sum, run.1 + count);
        }
        runs.push(run);
    }
    runs.into_iter().flat_map(|(sum, count)| std::iter::repeat_n(sum / count as f64, count))
}

/// The evidence on the scale: below the limit of what is covered it falls off exponentially; above, it rises with the
/// evidence that the item is the right one, as a logistic curve that has 0.85 where that is at its limit.
fn scale(features: &Features) -> f64 {
    let Features { covered, right, .. } = *features;
    if covered < 0.0 {
        return c::COVERS * (covered / c::COVERED_FALL).exp();
    }
    let at_limit = (c::RIGHT_LIMIT - c::COVERS) / (1.0 - c::COVERS);
    let odds = (at_limit / (1.0 - at_limit)).ln();
    let rise = 1.0 / (1.0 + (-(right + odds)).exp());
    c::COVERS + (1.0 - c::COVERS) * rise * (1.0 - (-c::COVERED_RISE * covered).exp())
}

/// What is the same for all items of one question.
struct RelevanceJudge<'a> {
    view: &'a IndexView,
    question: &'a Question,
    evidence: &'a Evidence,
    exact: usize,
    /// The idf of the rarest possible word.
    rarest: f64,
    mass: f64,
}

impl<'a> RelevanceJudge<'a> {
    fn new(view: &'a IndexView, question: &'a Question, evidence: &'a Evidence, scores: &Scores) -> Self {
        let mass = evidence.asked().max(1e-9);
        Self { view, question, evidence, exact: scores.exact, rarest: idf(view.items, 0), mass }
    }

    fn features(&self, item: u32, lead: f64, is_titled: bool) -> Features {
        let Self { view, question, evidence, rarest, .. } = *self;
        let has = evidence.has[item as usize];
        let best = evidence.best_words(view, item);
        let share = |bits: u64| evidence.weight(item, bits) / self.mass;
        let (mut names, mut own_names) = (0.0, 0.0);
        for (number, (word, found)) in question.words.iter().zip(&evidence.words).enumerate() {
            if word.is_name {
                names += found.idf;
                own_names += if has >> number & 1 == 1 { found.idf } else { 0.0 };
            }
        }
        let mut features = Features {
            passage: share(best),
            coverage: share(has),
            names: if names > 0.0 { own_names / names } else { 1.0 },
            missing: self.largest(|at| best >> at & 1 == 0),
            unknown: evidence.unknown / self.mass,
            speaker: self.speaker(),
            length: (evidence.mass / rarest).max(0.02).ln().min(c::LENGTH_MOST),
            lead: (lead / (rarest * LEAD_UNIT)).min(c::LEAD_MOST_COUNTED),
            covered: 0.0,
            right: 0.0,
        };
        let size = c::SIZE * (1.0 + view.pieces as f64 / 2000.0).ln();
        let titled = if is_titled { c::TITLED } else { 0.0 };
        let vague = if question.is_vague { c::VAGUE } else { 0.0 };
        let [passage, lead, missing, names, length, unknown] = c::COVERED;
        let Features { passage: p, lead: l, missing: m, names: n, length: len, unknown: u, .. } = features;
        // what another leads may cover the question, too
        features.covered =
            passage * p + lead * l.max(0.0) + missing * m + names * n + length * len + unknown * u + titled
                - vague
                - size
                - c::COVERED_LESS;
        let [passage, lead, missing, unknown, length] = c::RIGHT;
        // of several with one title none is the right one
        let titled = if self.exact == 1 { titled } else { 0.0 };
        features.right = passage * p + lead * l + missing * m + unknown * u + length * len + titled
            - c::SPEAKER * features.speaker
            - vague
            - size
            - c::RIGHT_LESS;
        features
    }

    fn speaker(&self) -> f64 {
        let words = self.question.words.iter().zip(&self.evidence.words);
        words.filter(|(word, _)| word.is_name).map(|(_, found)| found.leads).fold(0.0, f64::max)
    }

    /// The largest weight of a name, number or identifier among the words that `is` says.
    fn largest(&self, is: impl Fn(usize) -> bool) -> f64 {
        let words = self.question.words.iter().zip(&self.evidence.words).enumerate();
        let chosen = words.filter(|(at, (word, _))| is_name_like(word) && is(*at));
        chosen.map(|(_, (_, found))| found.weight).fold(0.0, f64::max) / self.rarest
    }
}

/// Whether another word cannot stand for it: a name, a part of an identifier, what has a digit or is in `camelCase`.
fn is_name_like(word: &Asking) -> bool {
    word.is_whole || !word.parts.is_empty() || word.word.chars().any(char::is_numeric)
}

/// The best score of one word in units of its idf, by which the lead is measured.
const LEAD_UNIT: f64 = 2.4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relevance_never_rises_along_the_order() {
        let all = |values: &[f64]| falling(values).collect::<Vec<_>>();
        assert_eq!(all(&[0.8, 0.5, 0.7, 0.1]), [0.8, 0.6, 0.6, 0.1]);
        assert_eq!(all(&[0.3, 0.6, 0.9]), [0.6, 0.6, 0.6]);
        assert!(all(&[]).is_empty());
    }

    #[test]
    fn the_scale_rises_with_both_kinds_of_evidence() {
        let at = |covered, right| scale(&Features { covered, right, ..Features::default() });
        assert!(at(-3.0, -3.0) < at(-1.0, -3.0) && at(-1.0, 3.0) < c::COVERS);
        assert!((c::COVERS..c::DIRECT).contains(&at(0.5, -1.0)));
        assert!(at(3.0, 0.1) > c::DIRECT && at(3.0, 3.0) > c::SURE && at(9.0, 9.0) < 1.0);
    }
}
