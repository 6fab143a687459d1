//! Which statements a page may show, and in which order it takes them.

use super::left::{LAST, Left};
use super::month::Month;
use super::place::Placed;
use super::rows::StatementRow;
use super::score;
use crate::stale::Freshness;
use brv_base::sorting;
use std::cmp::Ordering;

/// How many statements are put into their order: far more than a page has.
const MOST: usize = 2_000;

/// How many entries show where work happens.
const HOT: usize = 5;

/// The domain of what is about the project as a whole: work happens elsewhere.
const HOUSE: &str = "project";

/// From this weight on a statement makes a page of statements.
const WORTH: u8 = 4;

/// A statement that may be shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BrainCandidate<'a> {
    /// The position of its entry.
    pub at: usize,
    pub path: &'a str,
    pub row: StatementRow,
    pub month: Month,
    pub score: f64,
    /// Whether its commit is on no branch: it comes last.
    pub is_left: bool,
}

impl BrainCandidate<'_> {
    /// Whether a person or an agent wrote it, or it is a decision, rule or limit with a heavy sentence.
    pub const fn is_settled(&self) -> bool {
        !self.row.is_rule_made() || self.row.kind.is_binding() && self.row.lead_weight >= 5
    }

    /// The better one first, then the newer one.
    fn by_score(&self, other: &Self) -> Ordering {
        other
            .score
            .total_cmp(&self.score)
            .then(other.month.cmp(&self.month))
            .then_with(|| self.by_place(other))
    }

    fn by_month(&self, other: &Self) -> Ordering {
        self.is_left
            .cmp(&other.is_left)
            .then(other.month.cmp(&self.month))
            .then(other.score.total_cmp(&self.score))
            .then_with(|| self.by_place(other))
    }

    fn by_place(&self, other: &Self) -> Ordering {
        (self.path, self.row.number).cmp(&(other.path, other.row.number))
    }
}

/// The statements of a tree, as a page takes them.
#[derive(Debug, Default)]
pub(super) struct StatementChoice<'a> {
    /// The best first.
    pub best: Vec<BrainCandidate<'a>>,
    /// The newest first.
    pub lately: Vec<BrainCandidate<'a>>,
    /// The statements of the entries that change most, each entry with its best first.
    pub hot: Vec<Vec<BrainCandidate<'a>>>,
    /// Whether any has the weight to be shown.
    pub is_worth: bool,
}

impl<'a> StatementChoice<'a> {
    /// The choice from the entries for which `is_own` holds. A retired entry states nothing, nor does one whose code is
    /// gone. `left` is of a statement by its entry and its number there.
    pub fn of(
        placed: &[Placed<'a>],
        newest: Month,
        is_own: &dyn Fn(usize) -> bool,
        freshness: &dyn Fn(&str) -> Option<Freshness>,
        left: &dyn Fn(usize, u16) -> Option<&'a Left>,
    ) -> Self {
        let (mut all, mut heat) = (Vec::new(), Vec::new());
        for (at, one) in placed.iter().enumerate().filter(|(at, one)| !one.entry.is_retired() && is_own(*at))
        {
            let state = score::state(freshness(one.path()).as_ref(), one.importance);
            if state <= 0.0 || one.entry.stated.rows.is_empty() {
                continue;
            }
            if one.domain() != HOUSE {
                heat.push((one.entry.stated.heat(one.changed, newest), at));
            }
            all.extend(one.entry.stated.rows.iter().filter_map(|row| {
                let left = left(at, row.number);
                let month = row.month.unwrap_or(one.changed).min(newest);
                let score = row.score(month, newest) * state * if left.is_some() { LAST } else { 1.0 };
                let is_left = left.is_some();
                let is_shown = !left.is_some_and(|left| left.is_hidden);
                is_shown.then_some(BrainCandidate { at, path: one.path(), row: *row, month, score, is_left })
            }));
        }
        let by_heat = |one: &(f64, usize), other: &(f64, usize)| {
            let path = |at: usize| placed[at].path();
            other.0.total_cmp(&one.0).then_with(|| path(one.1).cmp(path(other.1)))
        };
        let hot = first(heat, HOT, by_heat).into_iter().map(|(_, at)| {
            let own = all.iter().filter(|candidate| candidate.at == at).copied().collect();
            first(own, MOST, BrainCandidate::by_score)
        });
        let hot = hot.collect();
        let is_worth = all.iter().any(|candidate| candidate.row.weight >= WORTH);
        let lately = first(all.clone(), MOST, BrainCandidate::by_month);
        Self { best: first(all, MOST, BrainCandidate::by_score), lately, hot, is_worth }
    }
}

/// The first `most` in an order.
fn first<T>(mut all: Vec<T>, most: usize, by: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    if all.len() > most {
        all.select_nth_unstable_by(most, &by);
        all.truncate(most);
    }
    sorting::sort_by(&mut all, by);
    all
}
