//! Names of operations: they sort by time.

use crate::clock::Clock;
use crate::content::ContentId;
use chrono::{DateTime, Utc};
use std::fmt;

/// `20261120T161233.123Z-1a2b3c4d`: UTC time to the millisecond, then eight digits against collision.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(String);

impl OperationId {
    /// A name for an operation that begins `now`; `salt` tells those of one millisecond apart.
    #[must_use]
    pub fn new(now: DateTime<Utc>, salt: u32) -> Self {
        Self(format!("{}-{salt:08x}", now.format("%Y%m%dT%H%M%S%.3fZ")))
    }

    /// A name for an operation that begins now; `seed` tells those of one moment and process apart.
    #[must_use]
    pub fn reserve(clock: Clock, seed: &str) -> Self {
        let now = clock.now();
        let seed = format!("{seed}{}{}", now.timestamp_subsec_nanos(), std::process::id());
        let id = ContentId::of(seed.as_bytes());
        let salt = id.as_bytes().iter().take(4).fold(0, |salt, byte| salt << 8 | u32::from(*byte));
        Self::new(now, salt)
    }

    /// Read a name, `None` for anything that is not one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (time, salt) = text.split_once('-')?;
        let is_time =
            time.len() == 20 && time.bytes().all(|byte| byte.is_ascii_digit() || b"TZ.".contains(&byte));
        let is_salt = salt.len() == 8 && salt.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_time && is_salt).then(|| Self(text.to_owned()))
    }

    /// The full name of its reference.
    #[must_use]
    pub fn reference(&self) -> String {
        format!("{}{}", super::OPERATIONS, self.0)
    }
}

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone as _;

    #[test]
    fn names_sort_by_time_and_read_back() {
        let early = OperationId::new(Utc.timestamp_millis_opt(1_700_000_000_001).unwrap(), 9);
        let late = OperationId::new(Utc.timestamp_millis_opt(1_700_000_000_010).unwrap(), 1);
        assert!(early < late);
        assert_eq!(OperationId::parse(&early.to_string()), Some(early));
        assert_eq!(OperationId::parse("../../heads/main"), None);
    }
}
