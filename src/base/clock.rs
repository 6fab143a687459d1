//! The wall clock, or a fixed one: the only source of the current time.
//!
//! Also parses the dates that people and git's settings give.

mod words;

pub use words::{dated, moment};

use crate::environment::Environment;
use chrono::{DateTime, FixedOffset, Offset as _, SecondsFormat, TimeZone, Utc};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    Wall,
    /// Always this moment, for tests and byte-identical demonstrations.
    Fixed(DateTime<Utc>),
}

/// The environment variable that fixes the clock, as an RFC 3339 time.
pub const CLOCK_VARIABLE: &str = "BRV_CLOCK";

impl Clock {
    /// The wall clock, unless [`CLOCK_VARIABLE`] holds a valid time.
    pub fn from_environment(environment: &Environment) -> Self {
        environment
            .get(CLOCK_VARIABLE)
            .and_then(|text| DateTime::parse_from_rfc3339(text).ok())
            .map_or(Self::Wall, |moment| Self::Fixed(moment.with_timezone(&Utc)))
    }

    #[expect(clippy::disallowed_methods, reason = "the only place that reads the wall clock")]
    pub fn now(self) -> DateTime<Utc> {
        match self {
            Self::Wall => Utc::now(),
            Self::Fixed(moment) => moment,
        }
    }

    /// The current moment in whole seconds since 1970, as in git.
    pub fn seconds(self) -> i64 {
        self.now().timestamp()
    }
}

/// `2026-11-20T12:30:00Z`: the format in entries and operations.
pub fn format_utc(seconds: i64) -> String {
    Utc.timestamp_opt(seconds, 0).single().unwrap_or_default().to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// `Tue Nov 14 22:13:20 2023 +0000`: git's default format, in the zone `offset` seconds east of UTC.
pub fn format_git(seconds: i64, offset: i32) -> String {
    let zone = FixedOffset::east_opt(offset).unwrap_or_else(|| Utc.fix());
    let moment = DateTime::from_timestamp(seconds, 0).unwrap_or_default();
    moment.with_timezone(&zone).format("%a %b %-d %H:%M:%S %Y %z").to_string()
}

/// `2023-11-14 22:13:20 +0000`: the format of `git blame`, in the zone `offset` seconds east of UTC.
pub fn format_iso(seconds: i64, offset: i32) -> String {
    let zone = FixedOffset::east_opt(offset).unwrap_or_else(|| Utc.fix());
    let moment = DateTime::from_timestamp(seconds, 0).unwrap_or_default();
    moment.with_timezone(&zone).format("%Y-%m-%d %H:%M:%S %z").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gits_form_keeps_the_zone_it_was_written_in() {
        assert_eq!(format_git(1_700_000_000, 3600), "Tue Nov 14 23:13:20 2023 +0100");
        assert_eq!(format_git(1_700_000_000, -12_600), "Tue Nov 14 18:43:20 2023 -0330");
    }
}
