//! Which of many statements say the most in little room.
//!
//! Budgeted submodular selection: H. Lin and J. Bilmes, "A Class of Submodular Functions for Document Summarization",
//! ACL 2011, with the cost-scaled greedy algorithm of their "Multi-document Summarization via Budgeted Maximization of
//! Submodular Functions", NAACL 2010. The objective is `F(S) = L(S) + λ·R(S)`:
//!
//! - coverage `L(S) = Σᵢ min(Σ_{j∈S} wᵢⱼ, α·Σⱼ wᵢⱼ)`, where `w` is the cosine of tf·idf vectors: every statement should
//!   have something like it in the summary, and once it has, more of the same adds nothing;
//! - diversity `R(S) = Σₖ √(Σ_{j∈S∩Pₖ} rⱼ)` over a partition into groups: the second statement from a group adds less
//!   than the first. Where the authors cluster, we take the groups the knowledge already has (sections, entries,
//!   folders); `r` is the reward of one statement, which the caller knows.
//!
//! Both parts are scaled to at most 1. A statement that repeats a chosen one is passed over (subsumption as in D. Radev
//! et al., "Centroid-based summarization of multiple documents", 2004).
//!
//! Sums run in a fixed order and only `+ − × ÷ √` are used, which IEEE 754 defines to the last bit, so that every machine
//! chooses the same. Knows nothing of documents.

use super::terms::Term;

/// `λ`: what diversity and reward count against coverage.
const DIVERSITY: f32 = 2.0;

/// `α`: the share of its whole similarity at which a statement is covered.
const SATURATION: f32 = 0.2;

/// How much better, as a factor, a later statement must be than an earlier one: alike statements (and sums that differ
/// in their last bits only) are taken in the order given.
const BETTER: f32 = 1.02;

/// The cosine from which one statement repeats another.
const REPEATS: f32 = 0.55;

/// One statement that may be chosen.
#[derive(Debug, Clone, Default)]
pub(super) struct Unit {
    /// Its terms and their weights, from [`Weights::vector`].
    pub vector: Vector,
    /// What it costs against the budget; at least 1.
    pub cost: u32,
    /// What it is worth by itself.
    pub reward: f32,
    /// The group it is in.
    pub group: usize,
}

/// A vector of length 1 (or 0) over terms, sorted by term.
pub(super) type Vector = Vec<(Term, f32)>;

/// How much may be chosen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// The sum of costs.
    pub cost: u32,
    /// The number of statements.
    pub count: usize,
}

/// The weight of each term by how many texts of a set have it: `log₂((n + 1) / df)`.
#[derive(Debug, Default)]
pub(super) struct Weights {
    /// Sorted by term.
    by_term: Vec<(Term, f32)>,
    /// The greatest weight there is: that of a term which one text has.
    pub unseen: f32,
}

impl Weights {
    /// Weights from the texts of a set, each given by its terms.
    #[must_use]
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
        let by_term = all.chunk_by(|a, b| a == b).map(|same| (same[0], logs[same.len()])).collect();
        Self { by_term, unseen: logs.get(1).copied().unwrap_or(1.0) }
    }

    /// The weight of a term; one that no text of the set has weighs as if one had it.
    #[must_use]
    pub fn of_term(&self, term: Term) -> f32 {
        match self.by_term.binary_search_by_key(&term, |(term, _)| *term) {
            Ok(at) => self.by_term[at].1,
            Err(_) => self.unseen,
        }
    }

    /// The terms as a vector of length 1; of length 0 if there are none.
    #[must_use]
    pub fn vector(&self, terms: &[Term]) -> Vector {
        let mut sorted = terms.to_vec();
        sorted.sort_unstable();
        let mut vector: Vector = sorted
            .chunk_by(|a, b| a == b)
            .map(|same| (same[0], (same.len() as f32).sqrt() * self.of_term(same[0])))
            .collect();
        let length = vector.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
        if length > 0.0 {
            vector.iter_mut().for_each(|(_, weight)| *weight /= length);
        }
        vector
    }
}

/// `log₂(a / b)` for `a ≥ b > 0`, to 16 binary digits, by repeated squaring in integers: the logarithms of C libraries
/// differ between machines.
#[must_use]
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

/// The cosine of two vectors.
#[must_use]
pub(super) fn cosine(a: &[(Term, f32)], b: &[(Term, f32)]) -> f32 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while i < a.len() && j < b.len() {
        match a[i].0.cmp(&b[j].0) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                sum += a[i].1 * b[j].1;
                (i, j) = (i + 1, j + 1);
            }
        }
    }
    sum
}

/// The chosen units, best first, as indexes. `said` is what the reader already knows: it takes no room, but what
/// repeats it is passed over.
#[must_use]
pub(super) fn select(units: &[Unit], said: &[Vector], room: Room) -> Vec<usize> {
    let mut greedy = Greedy::new(units, said);
    let mut left = room.cost;
    let mut chosen = Vec::new();
    while chosen.len() < room.count {
        let Some(best) = greedy.best(left) else { break };
        left -= units[best].cost;
        greedy.choose(best);
        chosen.push(best);
    }
    chosen
}

struct Greedy<'a> {
    units: &'a [Unit],
    /// Row-major cosines of all pairs.
    similar: Vec<f32>,
    /// How far each unit is covered, and how far it counts.
    covered: Vec<f32>,
    enough: Vec<f32>,
    rewards: Vec<f32>,
    open: Vec<bool>,
    coverage: f32,
    diversity: f32,
}

impl<'a> Greedy<'a> {
    fn new(units: &'a [Unit], said: &[Vector]) -> Self {
        let count = units.len();
        let similar = similarities(units);
        let enough: Vec<f32> =
            similar.chunks(count.max(1)).map(|row| SATURATION * row.iter().sum::<f32>()).collect();
        let groups = units.iter().map(|unit| unit.group + 1).max().unwrap_or(0);
        let mut whole = vec![0.0_f32; groups];
        units.iter().for_each(|unit| whole[unit.group] += unit.reward);
        let open =
            units.iter().map(|unit| said.iter().all(|said| cosine(said, &unit.vector) < REPEATS)).collect();
        Self {
            units,
            covered: vec![0.0; count],
            rewards: vec![0.0; groups],
            open,
            coverage: enough.iter().sum::<f32>().max(f32::MIN_POSITIVE),
            diversity: whole.iter().map(|sum| sum.sqrt()).sum::<f32>().max(f32::MIN_POSITIVE),
            similar,
            enough,
        }
    }

    /// The unit with the greatest gain for its cost that fits; the first of those that are as good.
    fn best(&self, left: u32) -> Option<usize> {
        let mut best: Option<(usize, f32)> = None;
        for (at, unit) in self.units.iter().enumerate() {
            if !self.open[at] || unit.cost > left {
                continue;
            }
            // the authors scale by cost^r with r = 0.3; two square roots are the nearest that IEEE 754 defines exactly
            let gain = self.gain(at) / (unit.cost.max(1) as f32).sqrt().sqrt();
            if best.is_none_or(|(_, most)| gain > most * BETTER) {
                best = Some((at, gain));
            }
        }
        best.map(|(at, _)| at)
    }

    fn gain(&self, at: usize) -> f32 {
        let row = self.row(at);
        let mut covers = 0.0;
        for ((similar, covered), enough) in row.iter().zip(&self.covered).zip(&self.enough) {
            covers += (covered + similar).min(*enough) - covered.min(*enough);
        }
        let unit = &self.units[at];
        let had = self.rewards[unit.group];
        let differs = (had + unit.reward).sqrt() - had.sqrt();
        covers / self.coverage + DIVERSITY * differs / self.diversity
    }

    fn row(&self, at: usize) -> &[f32] {
        &self.similar[at * self.units.len()..(at + 1) * self.units.len()]
    }

    fn choose(&mut self, chosen: usize) {
        let count = self.units.len();
        for at in 0..count {
            let similar = self.similar[chosen * count + at];
            self.covered[at] += similar;
            if similar >= REPEATS {
                self.open[at] = false;
            }
        }
        self.open[chosen] = false;
        self.rewards[self.units[chosen].group] += self.units[chosen].reward;
    }
}

/// The cosines of all pairs, by going through the units that share each term.
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
    use super::super::terms::terms_of;
    use super::*;

    fn units(texts: &[(&str, usize)]) -> Vec<Unit> {
        let terms: Vec<Vec<Term>> = texts.iter().map(|(text, _)| terms_of(text)).collect();
        let weights = Weights::of(terms.iter().map(Vec::as_slice));
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

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(select(&[], &[], ALL), Vec::<usize>::new());
        assert_eq!(select(&[Unit { cost: 1, ..Unit::default() }], &[], ALL), [0]);
    }
}
