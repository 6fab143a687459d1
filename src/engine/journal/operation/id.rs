//! Operation IDs, which sort by time.

use brv_base::clock::Clock;
use brv_base::content::ContentId;
use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use std::fmt;

const FORMAT: &str = "%Y%m%dT%H%M%S%.3fZ";

/// `20261120T161233.123Z-1a2b3c4d`: UTC time to the millisecond, then eight digits against collisions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(String);

impl OperationId {
    /// An ID for an operation that begins at `now`; `salt` distinguishes IDs of the same millisecond.
    pub fn new(now: DateTime<Utc>, salt: u32) -> Self {
        Self(format!("{}-{salt:08x}", now.format(FORMAT)))
    }

    /// An ID for an operation that begins now; `seed` distinguishes the IDs of one moment and process.
    pub fn reserve(clock: Clock, seed: &str) -> Self {
        let now = clock.now();
        let seed = format!("{seed}{}{}", now.timestamp_subsec_nanos(), std::process::id());
        let id = ContentId::of(seed.as_bytes());
        let salt = id.as_bytes().iter().take(4).fold(0, |salt, byte| salt << 8 | u32::from(*byte));
        Self::new(now, salt)
    }

    /// The same ID, moved after `last` if the clock has stopped or gone back, so that IDs keep sorting by time.
    pub fn following(self, last: &Self) -> Self {
        if self.time() > last.time() {
            return self;
        }
        match NaiveDateTime::parse_from_str(last.time(), FORMAT) {
            Ok(time) => {
                let next = (time + TimeDelta::milliseconds(1)).format(FORMAT);
                Self(format!("{next}{}", &self.0[self.time().len()..]))
            }
            Err(_) => self,
        }
    }

    /// `1a2b3c4d`: the short form for people.
    pub fn short(&self) -> &str {
        self.0.rsplit('-').next().unwrap_or(&self.0)
    }

    /// When it began, in seconds since 1970; `None` if the time is invalid.
    pub fn seconds(&self) -> Option<i64> {
        Some(NaiveDateTime::parse_from_str(self.time(), FORMAT).ok()?.and_utc().timestamp())
    }

    fn time(&self) -> &str {
        self.0.split('-').next().unwrap_or(&self.0)
    }

    /// Whether what was typed names this operation: by its whole ID, the beginning of it, its last eight digits or the
    /// beginning of those.
    pub fn is_called(&self, typed: &str) -> bool {
        !typed.is_empty() && (self.0.starts_with(typed) || self.short().starts_with(typed))
    }

    /// Whether what was typed could name any operation.
    pub fn may_begin_so(typed: &str) -> bool {
        let is_of_a_name = |byte: u8| byte.is_ascii_hexdigit() || b"TZ.-".contains(&byte);
        !typed.is_empty() && typed.bytes().all(is_of_a_name)
    }

    /// Parse an ID; `None` if it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let (time, salt) = text.split_once('-')?;
        let is_time =
            time.len() == 20 && time.bytes().all(|byte| byte.is_ascii_digit() || b"TZ.".contains(&byte));
        let is_salt = salt.len() == 8 && salt.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_time && is_salt).then(|| Self(text.to_owned()))
    }

    pub fn reference(&self) -> String {
        format!("{}{}", crate::journal::OPERATIONS, self.0)
    }
}

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

brv_base::json_text!(OperationId);

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone as _;

    #[test]
    fn a_name_comes_behind_the_last_one_also_where_the_clock_stands_still() {
        let at = |millis| OperationId::new(Utc.timestamp_millis_opt(millis).unwrap(), 7);
        let last = at(1_700_000_000_999);
        for millis in [1_700_000_000_999, 1_600_000_000_000] {
            let next = at(millis).following(&last);
            assert_eq!(next, at(1_700_000_001_000));
            assert_eq!(OperationId::parse(next.0.as_str()), Some(next.clone()));
        }
        assert_eq!(at(1_700_000_001_001).following(&last), at(1_700_000_001_001));
        assert_eq!((last.short(), last.seconds()), ("00000007", Some(1_700_000_000)));
    }

    #[test]
    fn names_sort_by_time_and_read_back() {
        let early = OperationId::new(Utc.timestamp_millis_opt(1_700_000_000_001).unwrap(), 9);
        let late = OperationId::new(Utc.timestamp_millis_opt(1_700_000_000_010).unwrap(), 1);
        assert!(early < late);
        assert_eq!(OperationId::parse(&early.to_string()), Some(early));
        assert_eq!(OperationId::parse("../../heads/main"), None);
    }

    #[test]
    fn a_name_is_called_by_a_beginning_of_it_or_of_its_digits() {
        let id = OperationId::parse("20231114T221320.001Z-00c0ffee").unwrap();
        for typed in ["2", "20231114T2213", "20231114T221320.001Z-00c0ffee", "00c0", "00c0ffee"] {
            assert!(id.is_called(typed) && OperationId::may_begin_so(typed), "{typed}");
        }
        for typed in ["", "c0ffee", "00c0ffee0", "last"] {
            assert!(!id.is_called(typed), "{typed}");
        }
        assert!(!OperationId::may_begin_so("") && !OperationId::may_begin_so("last"));
    }
}
