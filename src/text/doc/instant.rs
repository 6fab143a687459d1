//! Parse the times in fields.
//!
//! Does not know which fields are times.

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
