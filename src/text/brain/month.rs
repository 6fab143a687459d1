//! Months, by which statements age.

use chrono::{DateTime, Datelike as _};
use std::fmt;

/// A month from January 1970 to December 2999; what is earlier or later is the first or the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month(u16);

impl Month {
    const FIRST: i32 = 1970;
    const LAST: u16 = (2999 - 1970) * 12 + 11;

    /// The month of a time in seconds since 1970, in UTC.
    pub fn of_time(seconds: i64) -> Self {
        let beyond = if seconds < 0 { Self(0) } else { Self(Self::LAST) };
        // the month is from 1 to 12
        DateTime::from_timestamp(seconds, 0)
            .map_or(beyond, |time| Self::new(time.year(), time.month() as i32 - 1))
    }

    /// `2026-07`
    pub fn parse(text: &str) -> Option<Self> {
        let (year, month) = text.split_once('-')?;
        let (year, month): (i32, i32) = (year.parse().ok()?, month.parse().ok()?);
        (1..=12).contains(&month).then(|| Self::new(year, month - 1))
    }

    fn new(year: i32, month: i32) -> Self {
        let count = (i64::from(year) - i64::from(Self::FIRST)) * 12 + i64::from(month);
        Self(u16::try_from(count.clamp(0, i64::from(Self::LAST))).unwrap_or(Self::LAST))
    }

    /// As it is kept: the months since January 1970.
    pub const fn number(self) -> u16 {
        self.0
    }

    /// The month that is kept so.
    pub const fn from_number(number: u16) -> Option<Self> {
        if number <= Self::LAST { Some(Self(number)) } else { None }
    }

    /// The months from an earlier one; 0 from a later one.
    pub const fn since(self, earlier: Self) -> u32 {
        self.0.saturating_sub(earlier.0) as u32
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:02}", i32::from(self.0 / 12) + Self::FIRST, self.0 % 12 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_read_written_and_counted() {
        for text in ["1970-01", "1999-12", "2026-07", "2999-12"] {
            let month = Month::parse(text).unwrap();
            assert_eq!((month.to_string().as_str(), Month::from_number(month.number())), (text, Some(month)));
        }
        let of = |text: &str| Month::parse(text).unwrap();
        assert_eq!((of("2026-07").since(of("2025-05")), of("2025-05").since(of("2026-07"))), (14, 0));
        assert_eq!([of("1066-10"), of("9999-01")].map(|month| month.to_string()), ["1970-01", "2999-12"]);
        assert_eq!([Month::parse("2026-13"), Month::parse("2026"), Month::parse("x-1")], [None; 3]);
        assert_eq!(Month::from_number(u16::MAX), None);
    }

    #[test]
    fn a_time_is_in_its_month_of_utc() {
        assert_eq!(Month::of_time(1_767_311_999).to_string(), "2026-01");
        assert_eq!(
            [i64::MIN, -1, i64::MAX].map(|time| Month::of_time(time).to_string()),
            ["1970-01", "1970-01", "2999-12"]
        );
    }
}
