//! Select the statements that say the most within a limited length.
//!
//! Budgeted submodular selection: H. Lin and J. Bilmes, "A Class of Submodular Functions for Document Summarization",
//! ACL 2011, with the cost-scaled greedy algorithm of their "Multi-document Summarization via Budgeted Maximization of
//! Submodular Functions", NAACL 2010. The objective is `F(S) = L(S) + λ·R(S)`:
//!
//! - coverage `L(S) = Σᵢ min(Σ_{j∈S} wᵢⱼ, α·Σⱼ wᵢⱼ)`, where `w` is the cosine of tf·idf vectors: every statement should
//!   have something like it in the summary, and once it has, more of the same adds nothing;
//! - diversity `R(S) = Σₖ √(Σ_{j∈S∩Pₖ} rⱼ)` over a partition into groups: the second statement from a group adds less
//!   than the first. Where the authors cluster, we take the groups the knowledge already has (sections, entries,
//!   folders); `r` is the reward of one statement, set by the caller.
//!
//! Both parts are scaled to at most 1. A statement that repeats a chosen one is skipped (subsumption as in D. Radev et
//! al., "Centroid-based summarization of multiple documents", 2004).
//!
//! Sums run in a fixed order and only `+ − × ÷ √` are used, which IEEE 754 defines to the last bit, so that every
//! machine chooses the same. Knows nothing of documents.

use crate::words::Term;
use std::borrow::Cow;

/// `λ`: the weight of diversity and reward relative to coverage.
const DIVERSITY: f32 = 2.0;

/// `α`: the share of its total similarity at which a statement is covered.
const SATURATION: f32 = 0.2;

/// By which factor a later statement must be better than an earlier one: near-equal statements (and sums that differ in
/// their last bits only) are taken in the given order.
const BETTER: f32 = 1.02;

/// The cosine from which one statement counts as repeating another.
const REPEATS: f32 = 0.55;

/// One statement that may be chosen.
#[derive(Debug, Clone, Default)]
pub(super) struct Unit {
    /// Its terms and their weights, from [`TermWeights::vector`].
    pub vector: TermVector,
    /// What it costs against the budget; at least 1.
    pub cost: u32,
    pub reward: f32,
    pub group: usize,
}

/// A vector of length 1 (or 0) over terms, sorted by term.
pub(super) type TermVector = Vec<(Term, f32)>;

#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub cost: u32,
    /// The maximum number of statements.
    pub count: usize,
}

/// The weight of each term by how many texts of a set have it: `log₂((n + 1) / df)`.
#[derive(Debug, Default)]
pub(super) struct TermWeights {
    by_term: Vec<(Term, f32)>,
    /// Where the terms with the same first bits begin: terms are hashes, so that every such part is short.
    starts: Vec<u32>,
    /// The maximum weight: that of a term in only one text.
    pub unseen: f32,
}

impl TermWeights {
    /// Weights from the texts of a set, each given by its terms.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a [Term]>) -> Self {
        let (mut all, mut count) = (Vec::new(), 0_u32);
        for text in texts {
            let from = all.len();
            all.extend_from_slice(text);
            all[from..].sort_unstable();
            let mut kept = from;
            for at in from..all.len() {
                if at == from || all[at] != all[kept - 1] {
                    all[kept] = all[at];
                    kept += 1;
                }
            }
            all.truncate(kept);
            count += 1;
        }
        all.sort_unstable();
        let logs: Vec<f32> = (0..=count).map(|df| log2_of_ratio(count + 1, df.max(1))).collect();
        let mut by_term: Vec<(Term, f32)> = Vec::with_capacity(all.len());
        by_term.extend(all.chunk_by(|a, b| a == b).map(|same| (same[0], logs[same.len()])));
        let mut starts = vec![0; by_term.len().next_power_of_two() + 1];
        for (term, _) in &by_term {
            starts[part(*term, by_term.len()) + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        Self { by_term, starts, unseen: logs.get(1).copied().unwrap_or(1.0) }
    }

    /// The weight of a term; a term that no text of the set has weighs as if one had it.
    pub fn of_term(&self, term: Term) -> f32 {
        let part = part(term, self.by_term.len());
        let Some([start, end]) = self.starts.get(part..part + 2) else { return self.unseen };
        let mut near = self.by_term[*start as usize..*end as usize].iter();
        near.find(|(known, _)| *known == term).map_or(self.unseen, |(_, weight)| *weight)
    }

    /// The terms as a vector of length 1; of length 0 if there are none.
    pub fn vector(&self, terms: &[Term]) -> TermVector {
        let mut sorted = Cow::Borrowed(terms);
        if !terms.is_sorted() {
            sorted.to_mut().sort_unstable();
        }
        let mut vector = TermVector::with_capacity(sorted.len());
        let weighed = |same: &[Term]| (same[0], (same.len() as f32).sqrt() * self.of_term(same[0]));
        vector.extend(sorted.chunk_by(|a, b| a == b).map(weighed));
        let length = vector.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
        if length > 0.0 {
            vector.iter_mut().for_each(|(_, weight)| *weight /= length);
        }
        vector
    }
}

/// The first bits of a term: there are as many parts as the next power of two after `count`.
const fn part(term: Term, count: usize) -> usize {
    let bits = count.next_power_of_two().ilog2();
    if bits == 0 { 0 } else { (term >> (Term::BITS - bits)) as usize }
}

/// `log₂(a / b)` for `a ≥ b > 0`, to 16 binary digits, by repeated squaring in integers: the logarithms of C libraries
/// differ between machines.
fn log2_of_ratio(a: u32, b: u32) -> f32 {
    const ONE: u64 = 1 << 31;
    let mut mantissa = (u64::from(a) << 31) / u64::from(b);
    let mut log = 0_u32;
    while mantissa >= 2 * ONE {
        mantissa >>= 1;
        log += 1 << 16;
    }
    for bit in (0..16).rev() {
        mantissa = (mantissa * mantissa) >> 31;
        if mantissa >= 2 * ONE {
            mantissa >>= 1;
            log += 1 << bit;
        }
    }
    log as f32 / 65536.0
}

pub(super) fn cosine(a: &[(Term, f32)], b: &[(Term, f32)]) -> f32 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while let (Some((one, weight)), Some((other, other_weight))) = (a.get(i), b.get(j)) {
        if one == other {
            sum += weight * other_weight;
        }
        // which of them is less is as good as random: no branch
        (i, j) = (i + usize::from(one <= other), j + usize::from(other <= one));
    }
    sum
}

/// The selected units, best first, as indexes. `said` is what the reader already knows: it takes no room, but units
/// that repeat it are skipped.
pub(super) fn select(units: &[Unit], said: &[TermVector], room: Room) -> Vec<usize> {
    let costs: Vec<u32> = units.iter().map(|unit| unit.cost).collect();
    UnitSimilarities::of(units).select(&costs, said, room)
}

/// Units with their pairwise similarities: computed once, for any costs and any number of selections.
pub(super) struct UnitSimilarities<'a> {
    units: &'a [Unit],
    /// Row-major cosines of all pairs.
    similar: Vec<f32>,
    /// The similarity sum at which each unit counts as covered.
    enough: Vec<f32>,
    groups: usize,
    /// The maximum of each part of the objective.
    coverage: f32,
    diversity: f32,
}

impl<'a> UnitSimilarities<'a> {
    pub fn of(units: &'a [Unit]) -> Self {
        let similar = similarities(units);
        let enough: Vec<f32> =
            similar.chunks(units.len().max(1)).map(|row| SATURATION * row.iter().sum::<f32>()).collect();
        let groups = units.iter().map(|unit| unit.group + 1).max().unwrap_or(0);
        let mut whole = vec![0.0_f32; groups];
        units.iter().for_each(|unit| whole[unit.group] += unit.reward);
        Self {
            units,
            groups,
            coverage: enough.iter().sum::<f32>().max(f32::MIN_POSITIVE),
            diversity: whole.iter().map(|sum| sum.sqrt()).sum::<f32>().max(f32::MIN_POSITIVE),
            similar,
            enough,
        }
    }

    /// [`select`], with these costs instead of the units' own.
    pub fn select(&self, costs: &[u32], said: &[TermVector], room: Room) -> Vec<usize> {
        let mut greedy = Greedy::new(self, costs, said);
        let mut left = room.cost;
        let mut chosen = Vec::new();
        while chosen.len() < room.count {
            let Some(best) = greedy.best(left) else { break };
            left -= costs[best];
            greedy.choose(best);
            chosen.push(best);
        }
        chosen
    }

    fn row(&self, at: usize) -> &[f32] {
        &self.similar[at * self.units.len()..][..self.units.len()]
    }
}

struct Greedy<'a> {
    field: &'a UnitSimilarities<'a>,
    costs: &'a [u32],
    /// How far each unit is covered, and how much of that counts.
    covered: Vec<(f32, f32)>,
    rewards: Vec<f32>,
    open: Vec<bool>,
    /// An upper bound for each unit's gain: the gain when it was last computed, since a growing selection can only
    /// reduce it (submodularity), plus a little for rounding.
    ceilings: Vec<f32>,
}

impl<'a> Greedy<'a> {
    fn new(field: &'a UnitSimilarities<'a>, costs: &'a [u32], said: &[TermVector]) -> Self {
        let is_new = |unit: &Unit| said.iter().all(|said| cosine(said, &unit.vector) < REPEATS);
        Self {
            field,
            costs,
            covered: vec![(0.0, 0.0); field.units.len()],
            rewards: vec![0.0; field.groups],
            open: field.units.iter().map(is_new).collect(),
            ceilings: vec![f32::INFINITY; field.units.len()],
        }
    }

    /// The unit with the greatest gain for its cost that fits; the first of equals.
    fn best(&mut self, left: u32) -> Option<usize> {
        let mut best: Option<(usize, f32)> = None;
        for (at, cost) in self.costs.iter().enumerate() {
            if !self.open[at] || *cost > left {
                continue;
            }
            // the authors scale by cost^r with r = 0.3; two square roots are the nearest that IEEE 754 defines exactly
            let scale = ((*cost).max(1) as f32).sqrt().sqrt();
            let is_better = |gain: f32| best.is_none_or(|(_, most)| gain / scale > most * BETTER);
            // most units are far from being the best and need no computation
            if !is_better(self.ceilings[at]) {
                continue;
            }
            let gain = self.gain(at);
            self.ceilings[at] = gain + (gain + 1.0) * self.rounding();
            if is_better(gain) {
                best = Some((at, gain / scale));
            }
        }
        best.map(|(at, _)| at)
    }

    /// An upper bound for the rounding error of sums of this many numbers that total at most 1.
    fn rounding(&self) -> f32 {
        2.0 * f32::EPSILON * (self.field.units.len() + 8) as f32
    }

    fn gain(&self, at: usize) -> f32 {
        let UnitSimilarities { units, enough, coverage, diversity, .. } = self.field;
        let mut covers = 0.0;
        for ((similar, (covered, counts)), enough) in self.field.row(at).iter().zip(&self.covered).zip(enough)
        {
            covers += least(covered + similar, *enough) - counts;
        }
        let unit = &units[at];
        let had = self.rewards[unit.group];
        let differs = (had + unit.reward).sqrt() - had.sqrt();
        covers / coverage + DIVERSITY * differs / diversity
    }

    fn choose(&mut self, chosen: usize) {
        for (at, similar) in self.field.row(chosen).iter().enumerate() {
            let covered = self.covered[at].0 + similar;
            self.covered[at] = (covered, least(covered, self.field.enough[at]));
            if *similar >= REPEATS {
                self.open[at] = false;
            }
        }
        self.open[chosen] = false;
        let unit = &self.field.units[chosen];
        self.rewards[unit.group] += unit.reward;
    }
}

/// The lesser of two numbers, in one instruction: neither is NaN.
const fn least(one: f32, other: f32) -> f32 {
    if one < other { one } else { other }
}

/// The cosines of all pairs, computed through the units that share each term.
fn similarities(units: &[Unit]) -> Vec<f32> {
    let count = units.len();
    let mut similar = vec![0.0_f32; count * count];
    let mut postings: Vec<(Term, u32, f32)> =
        Vec::with_capacity(units.iter().map(|unit| unit.vector.len()).sum());
    for (at, unit) in units.iter().enumerate() {
        postings.extend(unit.vector.iter().map(|(term, weight)| (*term, at as u32, *weight)));
    }
    postings.sort_unstable_by_key(|(term, at, _)| (*term, *at));
    for same in postings.chunk_by(|a, b| a.0 == b.0) {
        for (at, (_, first, a)) in same.iter().enumerate() {
            for (_, second, b) in &same[at + 1..] {
                similar[*first as usize * count + *second as usize] += a * b;
            }
        }
    }
    for first in 0..count {
        similar[first * count + first] = 1.0;
        for second in 0..first {
            similar[first * count + second] = similar[second * count + first];
        }
    }
    similar
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::terms_of;

    fn units(texts: &[(&str, usize)]) -> Vec<Unit> {
        let terms: Vec<Vec<Term>> = texts.iter().map(|(text, _)| terms_of(text)).collect();
        let weights = TermWeights::of(terms.iter().map(Vec::as_slice));
        let unit = |(terms, (text, group)): (&Vec<Term>, &(&str, usize))| Unit {
            vector: weights.vector(terms),
            cost: text.len() as u32,
            reward: 1.0,
            group: *group,
        };
        terms.iter().zip(texts).map(unit).collect()
    }

    const ALL: Room = Room { cost: u32::MAX, count: usize::MAX };

    #[test]
    fn logarithms_are_right_to_four_digits() {
        for (a, b) in [(1, 1), (2, 1), (3, 1), (10, 7), (1000, 3), (u32::MAX, 1)] {
            let exact = (f64::from(a) / f64::from(b)).log2();
            assert!((f64::from(log2_of_ratio(a, b)) - exact).abs() < 1e-4, "{a}/{b}");
        }
    }

    #[test]
    fn a_repetition_is_not_chosen_and_the_budget_holds() {
        let texts = [
            ("Tokens expire after one day", 0),
            ("Tokens expire after one day always", 0),
            ("Sessions live in PostgreSQL", 0),
            ("Passwords hash with argon2", 0),
        ];
        let units = units(&texts);
        let all = select(&units, &[], ALL);
        assert_eq!(all.len(), 3);
        assert!(!(all.contains(&0) && all.contains(&1)));
        let some = select(&units, &[], Room { cost: 60, count: 9 });
        assert!(some.iter().map(|at| units[*at].cost).sum::<u32>() <= 60 && some.len() == 2);
        assert_eq!(select(&units, &[], Room { cost: 60, count: 1 }).len(), 1);
        assert!(!select(&units, &[units[2].vector.clone()], ALL).contains(&2));
    }

    #[test]
    fn every_group_speaks_before_one_speaks_twice() {
        let texts = [
            ("push sends one pack of objects", 0),
            ("push reads a report for every ref", 0),
            ("push refuses what is not fast-forward", 0),
            ("colours follow the terminal", 1),
            ("entries carry seven fields", 2),
        ];
        let mut groups: Vec<usize> = select(&units(&texts), &[], Room { cost: u32::MAX, count: 3 })
            .iter()
            .map(|at| texts[*at].1)
            .collect();
        groups.sort_unstable();
        assert_eq!(groups, [0, 1, 2]);
    }

    /// The same without optimisation: every gain is computed in every round.
    fn select_by_looking_at_all(units: &[Unit], said: &[TermVector], room: Room) -> Vec<usize> {
        let field = UnitSimilarities::of(units);
        let costs: Vec<u32> = units.iter().map(|unit| unit.cost).collect();
        let mut greedy = Greedy::new(&field, &costs, said);
        let (mut left, mut chosen) = (room.cost, Vec::new());
        while chosen.len() < room.count {
            greedy.ceilings.fill(f32::INFINITY);
            let Some(best) = greedy.best(left) else { break };
            left -= units[best].cost;
            greedy.choose(best);
            chosen.push(best);
        }
        chosen
    }

    proptest::proptest! {
        #![proptest_config(crate::cases::held_to(128))]

        #[test]
        fn what_is_not_looked_at_would_not_have_been_chosen(
            picks in proptest::collection::vec((proptest::collection::vec(0_usize..40, 0..9), 0_usize..6, 1_u32..90, 1_u32..4000), 0..70),
            (cost, count) in (1_u32..4000, 1_usize..70),
        ) {
            let texts: Vec<(String, usize)> = picks
                .iter()
                .map(|(words, group, ..)| (words.iter().map(|word| format!("word{word} ")).collect(), *group))
                .collect();
            let borrowed: Vec<(&str, usize)> = texts.iter().map(|(text, group)| (text.as_str(), *group)).collect();
            let mut units = units(&borrowed);
            for (unit, (_, _, cost, worth)) in units.iter_mut().zip(&picks) {
                (unit.cost, unit.reward) = (*cost, *worth as f32 / 1000.0);
            }
            let said: Vec<TermVector> = units.first().map(|unit| unit.vector.clone()).into_iter().collect();
            for said in [&[][..], &said] {
                let room = Room { cost, count };
                proptest::prop_assert_eq!(select(&units, said, room), select_by_looking_at_all(&units, said, room));
            }
        }
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(select(&[], &[], ALL), Vec::<usize>::new());
        assert_eq!(select(&[Unit { cost: 1, ..Unit::default() }], &[], ALL), [0]);
    }
}
