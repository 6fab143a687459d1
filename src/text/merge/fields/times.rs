//! Compare the times in fields.
//!
//! Does not know which fields are times.

use std::cmp::Ordering;

use crate::doc::{Verified, instant};

/// Compare two times as written: as instants if both are, else (or if those are equal) by bytes.
pub(in crate::merge) fn compare(a: &str, b: &str) -> Ordering {
    match (instant(a), instant(b)) {
        (Some(x), Some(y)) => x.cmp(&y).then_with(|| a.cmp(b)),
        // a valid time beats an invalid one
        (x, y) => x.is_some().cmp(&y.is_some()).then_with(|| a.cmp(b)),
    }
}

/// Compare two values of `verified`: by the times of the commits that they name, else (or if those are equal) by bytes.
/// A value that is not a confirmation is less than any that is.
pub(super) fn compare_verified(a: &str, b: &str) -> Ordering {
    let rank = |text: &str| Verified::parse(text).map(|verified| verified.seconds);
    rank(a).cmp(&rank(b)).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_commit_is_taken_whichever_id_is_greater() {
        let at = |digit: &str, time: &str| format!("{} {time}", digit.repeat(40));
        let (old, new) = (at("f", "2026-01-01T00:00:00Z"), at("a", "2026-01-01T12:00:00+02:00"));
        assert_eq!(compare_verified(&old, &new), Ordering::Less);
        assert_eq!(compare_verified(&old, &at("a", "2026-01-01T00:00:00Z")), Ordering::Greater);
        assert_eq!(compare_verified(&"f".repeat(40), &new), Ordering::Less, "no time");
        assert_eq!(compare_verified("yes", &"0".repeat(40)), Ordering::Less, "no commit");
    }

    #[test]
    fn times_are_compared_as_instants_whatever_their_zone() {
        assert_eq!(compare("2025-01-01T12:00:00+02:00", "2025-01-01T11:00:00Z"), Ordering::Less);
        assert_eq!(instant("2025-01-01"), instant("2025-01-01T00:00:00.000Z"));
        assert_eq!(instant("2025-01-01 10:00"), instant("2025-01-01T10:00:00Z"));
        assert_eq!(instant("soon"), None);
        assert_eq!(compare("a", "b"), Ordering::Less);
    }
}
