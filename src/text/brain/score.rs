//! How statements are ordered: kind × writer × weight × recency × state. Recency is counted to the newest month of the tree,
//! so that a quiet project keeps its page.

use super::month::Month;
use super::said::StatementKind;
use crate::lifecycle::{DAY, Maturity};
use crate::stale::{Freshness, State};

/// The importance from 1 to 5 of one from 0 to 100.
pub fn importance(importance: f64) -> u8 {
    let step = (1.0 + importance / 25.0).round().clamp(1.0, 5.0);
    // between 1 and 5
    step as u8
}

/// The confidence of an entry that tells none.
pub const fn confidence(maturity: Maturity) -> f64 {
    match maturity {
        Maturity::Draft => 0.7,
        Maturity::Validated => 0.85,
        Maturity::Core => 1.0,
    }
}

/// The UTC days between a change and now; 0 for a change in the future.
pub const fn days(changed: i64, now: i64) -> i64 {
    let days = now.div_euclid(DAY).saturating_sub(changed.div_euclid(DAY));
    if days < 0 { 0 } else { days }
}

/// [`base`] of 1: a decision (10 tenths) of weight 8 that rules wrote (2 halves).
const ONE: f64 = 160.0;

/// Kind × writer × weight, as a whole number: what a person or an agent wrote counts 3 halves, what rules wrote 2.
pub const fn base(kind: StatementKind, weight: u8, is_rule_made: bool) -> u32 {
    let halves = if is_rule_made { 2 } else { 3 };
    kind.tenths() * halves * weight as u32
}

/// The same as a share of that of a decision of full weight that rules wrote.
pub fn weight(kind: StatementKind, weight: u8, is_rule_made: bool) -> f64 {
    f64::from(base(kind, weight, is_rule_made)) / ONE
}

/// Half in 18 months, at least a fifth.
pub fn recency(month: Month, newest: Month) -> f64 {
    halved(newest.since(month), 18).max(0.2)
}

/// `0.5^(months / half)`, by multiplications alone: equal on every machine.
pub fn halved(months: u32, half: u32) -> f64 {
    // 2^(-1/18)
    const ROOT: f64 = 0.962_223_836_894_145_1;
    let steps = months.saturating_mul(18 / half).min(4_000);
    (0..steps).fold(1.0, |value, _| value * ROOT)
}

/// What the code that it cites, and the importance of its entry, make of a statement.
pub fn state(freshness: Option<&Freshness>, importance: u8) -> f64 {
    let of_code = match freshness {
        Some(known) if is_all_gone(known) => 0.0,
        Some(known) if known.state.is_stale() => 0.5,
        _ => 1.0,
    };
    of_code
        * match importance {
            ..=2 => 0.7,
            3 => 1.0,
            4.. => 1.5,
        }
}

/// Whether none of the files is there any more, by any name.
fn is_all_gone(known: &Freshness) -> bool {
    let is_gone = |file: &crate::stale::CitedFile| file.state == State::Gone && file.moved_to.is_none();
    !known.files.is_empty() && known.files.iter().all(is_gone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stale::CitedFile;

    #[test]
    fn importance_is_rounded_to_five_steps() {
        let cases = [
            (0.0, 1),
            (12.4, 1),
            (12.5, 2),
            (37.4, 2),
            (37.5, 3),
            (50.0, 3),
            (62.5, 4),
            (87.5, 5),
            (100.0, 5),
        ];
        for (from, expected) in cases {
            assert_eq!(importance(from), expected, "{from}");
        }
    }

    #[test]
    fn what_is_all_gone_does_not_count_and_what_changed_counts_half() {
        let known = |files: &[(State, Option<&str>)]| {
            let file = |(state, moved_to): &(State, Option<&str>)| CitedFile {
                path: "a".into(),
                state: *state,
                names: Vec::new(),
                changes: Vec::new(),
                commit: None,
                moved_to: moved_to.map(str::to_owned),
            };
            let state = files.iter().map(|(state, _)| *state).max().unwrap_or(State::Unknown);
            Freshness { state, files: files.iter().map(file).collect(), ..Freshness::unknown() }
        };
        let of = |files: &[(State, Option<&str>)]| state(Some(&known(files)), 3);
        assert_eq!(of(&[(State::Gone, None), (State::Gone, None)]), 0.0);
        assert_eq!(of(&[(State::Gone, None), (State::Fresh, None)]), 0.5);
        assert_eq!(of(&[(State::Gone, Some("b"))]), 0.5);
        assert_eq!((of(&[(State::Changed, None)]), of(&[(State::Touched, None)]), of(&[])), (0.5, 1.0, 1.0));
        assert_eq!([2, 3, 4].map(|importance| state(None, importance)), [0.7, 1.0, 1.5]);
    }

    #[test]
    fn days_are_those_of_the_calendar_and_the_future_is_today() {
        let noon = 20_000 * DAY + DAY / 2;
        assert_eq!(days(noon - DAY / 2, noon), 0);
        assert_eq!(days(noon - DAY / 2 - 1, noon), 1);
        assert_eq!(days(noon + 400 * DAY, noon), 0);
        assert_eq!(days(i64::MIN, i64::MAX), i64::MAX / DAY * 2 + 1);
    }
}
