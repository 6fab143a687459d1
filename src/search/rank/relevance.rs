//! Relevance: the first item's score on a calibrated scale of 0 to 1, and with it the others'.
//!
//! On the scale 0.6 means that the tree covers the question, 0.85 and 0.93 that the first item answers it (see
//! [`crate::search::constants`]). BM25 itself has no scale: it grows with the number and the rarity of the question's words. So
//! two kinds of evidence are weighed, each linear in a few features of the question and the first item: that the tree
//! covers the question at all, and that the first item is the right one.

use super::super::question::Question;
use super::super::view::View;
use super::evidence::{Evidence, idf};
use super::order::{Scored, Scores};
use crate::search::constants as c;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Features {
    /// The first item's score over the best possible one.
    pub ratio: f64,
    /// The share of the question's idf that the first item has.
    pub coverage: f64,
    /// The share of the idf of the question's names that it has; 1 without names.
    pub names: f64,
    /// ln of the question's idf in units of the rarest possible word's.
    pub length: f64,
    /// Its lead over the second, in the same units.
    pub lead: f64,
    /// The evidence that the tree covers the question; 0 is the limit.
    pub covered: f64,
    /// The evidence that the first item is the right one; 0 is the limit.
    pub right: f64,
    /// How many items have the question as their title.
    pub exact_titles: usize,
}

/// The relevance of the first item, and what that of the others is made of.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Relevance {
    pub first: f64,
    /// By how much the second is less relevant.
    pub gap: f64,
    second: f64,
}

impl Relevance {
    /// That of items with a tag that was asked for and nothing else: covered, and none better than the others.
    pub const ALIKE: Self = Self { first: c::DIRECT, gap: 0.0, second: 1.0 };

    /// The relevance of an item that is not the first.
    pub fn of(&self, score: f64) -> f64 {
        (self.first - self.gap) * (score / self.second.max(1e-9)).clamp(0.0, 1.0)
    }
}

/// The relevance of the items in `ranked`, whose first two are sorted.
pub fn relevance(
    view: &View,
    question: &Question,
    evidence: &Evidence,
    scores: &Scores,
    ranked: &[Scored],
) -> (Relevance, Features) {
    let Some(first) = ranked.first().filter(|_| !question.words.is_empty()) else {
        return Default::default();
    };
    let second = ranked.get(1).map_or(0.0, |scored| scored.score);
    let mut features = features(view, question, evidence, *first, second);
    features.exact_titles = scores.exact;
    let (covered, right) = (features.covered, features.right);
    let by_cover = if covered < 0.0 {
        c::COVERS * (covered / 2.0).exp()
    } else if covered < c::COVERED_WELL {
        c::COVERS + (c::DIRECT - c::COVERS) * covered / c::COVERED_WELL
    } else {
        c::DIRECT + 0.14 * ((covered - c::COVERED_WELL) / c::COVERED_SPAN).min(1.0)
    };
    let by_right = if right < c::RIGHT_HIGH {
        let part = ((right - c::RIGHT_LOW) / (c::RIGHT_HIGH - c::RIGHT_LOW)).clamp(0.0, 1.0);
        c::DIRECT + (c::SURE - c::DIRECT) * part
    } else {
        c::SURE + 0.06 * ((right - c::RIGHT_HIGH) / 3.0).min(1.0)
    };
    let mut relevance = if by_cover <= c::DIRECT { by_cover } else { by_cover.min(by_right) };
    if question.is_vague {
        relevance = relevance.min(c::VAGUE);
    }
    match scores.exact {
        0 => {}
        1 => relevance = relevance.max(0.95),
        _ => relevance = relevance.clamp(c::DIRECT, c::SURE - 0.01),
    }
    let mut gap = relevance * (1.0 - second / first.score);
    if right < c::RIGHT_LOW && scores.exact != 1 || scores.exact > 1 {
        gap = gap.min(c::GAP - 0.01);
    }
    (Relevance { first: relevance, gap, second }, features)
}

fn features(view: &View, question: &Question, evidence: &Evidence, first: Scored, second: f64) -> Features {
    let rarest = idf(view.len(), 0);
    let coverage = evidence.coverage(first.item);
    let has = evidence.has[first.item as usize];
    let (mut names, mut own_names) = (0.0, 0.0);
    for (number, (word, found)) in question.words.iter().zip(&evidence.words).enumerate() {
        if word.is_name {
            names += found.idf;
            own_names += if has >> number & 1 == 1 { found.idf } else { 0.0 };
        }
    }
    let names = if names > 0.0 { own_names / names } else { 1.0 };
    let ratio = first.score / evidence.most.max(1e-9);
    let length = (evidence.mass / rarest).max(0.02).ln();
    let lead = (first.score - second) / (rarest * LEAD_UNIT);
    let [by_ratio, by_coverage, by_names, by_length] = c::COVERED;
    let size = c::COVERED_SIZE * (1.0 + view.pieces as f64 / 2000.0).ln();
    let covered = by_ratio * ratio + by_coverage * coverage + by_names * names + by_length * length
        - c::COVERED_LESS
        - size;
    let [by_lead, by_coverage, by_length] = c::RIGHT;
    let right = by_lead * lead + by_coverage * coverage + by_length * length - c::RIGHT_LESS;
    Features { ratio, coverage, names, length, lead, covered, right, exact_titles: 0 }
}

/// The best score of one word in units of its idf, by which the lead is measured.
const LEAD_UNIT: f64 = 2.4;
