//! How long unreachable objects are kept (`gc.pruneExpire`).

use crate::Scope;
use crate::error::Error as GitError;
use crate::repository::config_file;
use brv_base::clock;

/// git's default for `gc.pruneExpire`: the time that an object has to become part of a commit.
const TWO_WEEKS: i64 = 14 * 24 * 60 * 60;

const SETTING: &str = "gc.pruneExpire";

/// How long unreachable objects are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expiry {
    Never,
    /// Removed if last needed before this moment, in seconds since 1970.
    Before(i64),
}

#[derive(Debug, thiserror::Error)]
pub enum ExpiryError {
    #[error("`{0}` is not a date, `now` or `never`")]
    Date(String),
    #[error("`{SETTING}` is `{0}`, which is not a date, `now` or `never`")]
    Setting(String),
    #[error(transparent)]
    Git(#[from] GitError),
}

impl Expiry {
    /// Whether an object last needed at `age` is removed.
    pub const fn is_past(self, age: i64) -> bool {
        match self {
            Self::Never => false,
            Self::Before(moment) => age < moment,
        }
    }

    /// `now`, `never`, or a date as [`clock::moment`] reads it; `now` is given in seconds since 1970.
    pub fn parse(text: &str, now: i64) -> Result<Self, ExpiryError> {
        match text.trim().to_ascii_lowercase().as_str() {
            "never" | "false" => Ok(Self::Never),
            // everything, even objects written this second
            "now" | "all" => Ok(Self::Before(i64::MAX)),
            date => clock::moment(date, now)
                .map(Self::Before)
                .ok_or_else(|| ExpiryError::Date(crate::printable(text.as_bytes()))),
        }
    }
}

/// The expiry set in `gc.pruneExpire`, or two weeks.
pub fn expiry(scope: &Scope, now: i64) -> Result<Expiry, ExpiryError> {
    let repo = config_file::reloaded(scope)?;
    match repo.config_snapshot().string(SETTING) {
        Some(text) => Expiry::parse(&text.to_string(), now).map_err(|error| match error {
            ExpiryError::Date(text) => ExpiryError::Setting(text),
            error => error,
        }),
        None => Ok(Expiry::Before(now - TWO_WEEKS)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_git_reads_them() {
        let now = 1_700_000_000;
        let parse = |text: &str| Expiry::parse(text, now).unwrap();
        assert_eq!(parse("never"), Expiry::Never);
        assert!(parse("now").is_past(now + 5));
        assert_eq!(parse("2.weeks.ago"), Expiry::Before(now - TWO_WEEKS));
        assert_eq!(parse("3 days ago"), Expiry::Before(now - 3 * 86_400));
        assert_eq!(parse("Yesterday"), Expiry::Before(now - 86_400));
        assert_eq!(parse("2023-11-01T00:00:00Z"), Expiry::Before(1_698_796_800));
        assert!(Expiry::parse("soonish\u{1b}", now).unwrap_err().to_string().starts_with("`soonish"));
    }
}
