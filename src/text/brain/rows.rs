//! What is kept of the statements of an entry: numbers, not text. What is shown is read again.

use super::month::Month;
use super::said::StatementKind;
use super::score;
use super::statement::Statement;
use std::collections::BTreeMap;

/// A statement that is worse than so many others of its entry, and older, is not kept: no page shows so many of one entry.
/// What is kept stays in the same order whatever the newest month of the tree is.
const BETTER: usize = 12;

/// The numbers of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatementRow {
    /// Its place among the statements of its entry.
    pub number: u16,
    pub kind: StatementKind,
    /// From 0 to 8.
    pub weight: u8,
    /// From 0 to 15.
    pub lead_weight: u8,
    /// `None`: that of its entry.
    pub month: Option<Month>,
}

/// What is kept of all statements of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// How many statements have each month.
    pub months: Vec<(Option<Month>, u16)>,
    /// Those that a page may show, the best first.
    pub rows: Vec<StatementRow>,
}

impl StatementRow {
    const fn of(statement: &Statement, number: u16) -> Self {
        let Statement { kind, weight, lead_weight, month, .. } = statement;
        Self { number, kind: *kind, weight: *weight, lead_weight: *lead_weight, month: *month }
    }

    /// Whether rules wrote it from a commit.
    pub const fn is_rule_made(&self) -> bool {
        self.month.is_some()
    }

    /// Whether it may be shown: one by rules has a sentence of some weight.
    pub const fn is_eligible(&self) -> bool {
        !self.is_rule_made() || self.lead_weight >= 4
    }

    /// The score of a statement of that month, without its state.
    pub fn score(&self, month: Month, newest: Month) -> f64 {
        score::weight(self.kind, self.weight, self.is_rule_made()) * score::recency(month, newest)
    }

    fn base(&self) -> u32 {
        score::base(self.kind, self.weight, self.is_rule_made())
    }
}

impl Rows {
    pub fn of(statements: &[Statement]) -> Self {
        let mut months: BTreeMap<Option<Month>, u16> = BTreeMap::new();
        let mut all: Vec<StatementRow> = Vec::new();
        for (statement, number) in statements.iter().zip(0..u16::MAX) {
            let count = months.entry(statement.month).or_default();
            *count = count.saturating_add(1);
            all.push(StatementRow::of(statement, number));
        }
        all.retain(StatementRow::is_eligible);
        all.sort_by_key(|row| (std::cmp::Reverse((row.base(), row.month)), row.number));
        let mut rows: Vec<StatementRow> = Vec::new();
        for row in all {
            let is_better = |other: &&StatementRow| {
                other.is_rule_made() == row.is_rule_made() && other.month >= row.month
            };
            if rows.iter().filter(is_better).take(BETTER).count() < BETTER {
                rows.push(row);
            }
        }
        Self { months: months.into_iter().collect(), rows }
    }

    /// How many statements there are.
    pub fn count(&self) -> usize {
        self.months.iter().map(|(_, count)| usize::from(*count)).sum()
    }

    /// How much happened here: each statement counts half as much after three months. `changed` is the month of those that
    /// have none.
    pub fn heat(&self, changed: Month, newest: Month) -> f64 {
        let heat = |(month, count): &(Option<Month>, u16)| {
            f64::from(*count) * score::halved(newest.since(month.unwrap_or(changed)), 3)
        };
        self.months.iter().map(heat).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_is_that_of_the_contract() {
        let row = |kind, weight, month: &str| StatementRow {
            number: 0,
            kind,
            weight,
            lead_weight: weight,
            month: Month::parse(month),
        };
        let newest = Month::parse("2026-07").unwrap();
        let score = |row: StatementRow| row.score(row.month.unwrap_or(newest), newest);
        let cases = [
            (row(StatementKind::Decision, 8, "2026-07"), 1.0),
            (row(StatementKind::Warning, 6, ""), 1.3 * 1.5 * 6.0 / 8.0),
            (row(StatementKind::Note, 4, "2025-01"), 0.6 * 4.0 / 8.0 * 0.5),
            (row(StatementKind::Trap, 8, "2001-01"), 0.7 * 0.2),
        ];
        for (row, expected) in cases {
            assert!((score(row) - expected).abs() < 1e-9, "{row:?}: {}", score(row));
        }
        assert!((score::halved(6, 3) - 0.25).abs() < 1e-12);
    }

    fn statement(kind: StatementKind, weight: u8, month: &str) -> Statement {
        Statement {
            title: String::new(),
            text: String::new(),
            lead: String::new(),
            kind,
            weight,
            lead_weight: weight,
            month: Month::parse(month),
        }
    }

    #[test]
    fn the_best_and_the_newest_are_kept_and_all_are_counted() {
        let mut all: Vec<Statement> = (0..40)
            .map(|at| statement(StatementKind::Rule, 4 + at % 4, &format!("2020-{:02}", at % 12 + 1)))
            .collect();
        all.push(statement(StatementKind::Note, 4, "2026-01"));
        all.push(statement(StatementKind::Note, 3, "2026-02"));
        all.extend((0..20).map(|_| statement(StatementKind::Note, 6, "")));
        let rows = Rows::of(&all);
        assert_eq!((rows.count(), rows.months.len()), (62, 15));
        let has = |number: u16| rows.rows.iter().any(|row| row.number == number);
        assert!(has(40), "the newest, though its kind is the least");
        assert!(!has(41), "no sentence of it has the weight");
        assert_eq!(rows.rows.iter().filter(|row| !row.is_rule_made()).count(), BETTER);
        let best = rows.rows.iter().find(|row| row.is_rule_made()).unwrap();
        assert_eq!((best.weight, best.month), (7, Month::parse("2020-12")));
        // for any newest month the first of all are the first of those that are kept
        for newest in ["2020-12", "2026-02", "2040-01"] {
            let newest = Month::parse(newest).unwrap();
            let score = |row: &StatementRow| row.score(row.month.unwrap_or(newest), newest);
            let worst = rows.rows.iter().map(score).fold(f64::INFINITY, f64::min);
            let lost = all.iter().zip(0..).map(|(one, number)| StatementRow::of(one, number));
            let lost = lost.filter(|row| row.is_eligible() && !has(row.number));
            let better =
                |row: &StatementRow| rows.rows.iter().filter(|kept| score(kept) >= score(row)).count();
            lost.for_each(|row| assert!(better(&row) >= BETTER && score(&row) >= 0.0 && worst >= 0.0));
        }
    }

    #[test]
    fn heat_halves_in_three_months() {
        let months = ["2026-01", "2026-04", ""].map(|month| statement(StatementKind::Note, 1, month));
        let (rows, at) = (Rows::of(&months), |text: &str| Month::parse(text).unwrap());
        let heat = rows.heat(at("2026-07"), at("2026-07"));
        assert!((heat - (0.25 + 0.5 + 1.0)).abs() < 1e-9, "{heat}");
    }
}
