//! Compare the times in fields.
//!
//! Does not know which fields are times.

use std::cmp::Ordering;

use crate::doc::instant;

/// Compare two times as written: as instants if both are, else (or if those are equal) by bytes.
pub(in crate::merge) fn compare(a: &str, b: &str) -> Ordering {
    match (instant(a), instant(b)) {
        (Some(x), Some(y)) => x.cmp(&y).then_with(|| a.cmp(b)),
        // a valid time beats an invalid one
        (x, y) => x.is_some().cmp(&y.is_some()).then_with(|| a.cmp(b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_compared_as_instants_whatever_their_zone() {
        assert_eq!(compare("2025-01-01T12:00:00+02:00", "2025-01-01T11:00:00Z"), Ordering::Less);
        assert_eq!(instant("2025-01-01"), instant("2025-01-01T00:00:00.000Z"));
        assert_eq!(instant("2025-01-01 10:00"), instant("2025-01-01T10:00:00Z"));
        assert_eq!(instant("soon"), None);
        assert_eq!(compare("a", "b"), Ordering::Less);
    }
}
