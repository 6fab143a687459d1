//! How entries of a layer are ordered: importance, confidence and recency, multiplied. All of them change in steps, the
//! last one by the UTC day, so that the order holds for a day.

use crate::lifecycle::{DAY, Maturity};

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

/// The score, from 0 to 1.
pub fn score(importance: u8, confidence: f64, days: i64) -> f64 {
    let recency = (1.0 - 0.01 * days as f64).max(0.1);
    f64::from(importance) / 5.0 * confidence * recency
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_score_falls_with_the_days_to_a_tenth() {
        assert_eq!(score(5, 1.0, 0), 1.0);
        assert!((score(3, 0.7, 50) - 0.6 * 0.7 * 0.5).abs() < 1e-12);
        assert!((score(5, 1.0, 90) - 0.1).abs() < 1e-12);
        assert_eq!(score(5, 1.0, 90_000), 0.1);
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
