//! Parse and compare the times in fields.
//!
//! Does not know which fields are times.

use std::cmp::Ordering;

use chrono::{DateTime, NaiveDate, NaiveDateTime};

/// Seconds since 1970, and nanoseconds.
pub type Instant = (i64, u32);

/// The instant that a text names: RFC 3339, or a date with or without a time, taken as UTC.
pub fn instant(text: &str) -> Option<Instant> {
    let text = text.trim();
    let of = |time: NaiveDateTime| (time.and_utc().timestamp(), time.and_utc().timestamp_subsec_nanos());
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some((time.timestamp(), time.timestamp_subsec_nanos()));
    }
    if text.len() <= "2025-01-01".len() {
        return text.parse::<NaiveDate>().ok()?.and_hms_opt(0, 0, 0).map(of);
    }
    let with_zone = ["%Y-%m-%d %H:%M:%S%.f%:z", "%Y-%m-%dT%H:%M%:z", "%Y-%m-%dT%H:%M:%S%.f%z"];
    let zoned = with_zone.iter().find_map(|form| DateTime::parse_from_str(text, form).ok());
    let local = || {
        let forms = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"];
        forms.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok()).map(of)
    };
    zoned.map(|time| (time.timestamp(), time.timestamp_subsec_nanos())).or_else(local)
}

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
