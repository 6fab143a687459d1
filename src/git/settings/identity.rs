//! Author and committer of a commit, with their times.
//!
//! Writes nothing.

use crate::error::Error as GitError;
use crate::repository::config_file;
use crate::repository::scope::Scope;
use crate::signature::Signature;
use brv_base::clock::{self, Clock};
use bstr::BString;
use chrono::{Local, Offset as _, TimeZone as _};

/// The two signatures of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub author: Signature,
    pub committer: Signature,
}

/// Flags about the author.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Name and address of the author (`--author`); the committer stays.
    pub author: Option<(BString, BString)>,
    /// Time of the author (`--date`), in any form that git reads.
    pub author_date: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no {missing} is set for the {role}")]
    Absent { role: &'static str, missing: &'static str },
    #[error("`{0}` is not a date")]
    Date(String),
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Resolves the identity: flags, then the variables `GIT_AUTHOR_*` and `GIT_COMMITTER_*`, then the repository's
/// settings, then the user's. Times come from the clock unless a flag or `GIT_*_DATE` is set.
///
/// # Errors
/// [`Error::Absent`] when no layer has a name or an address.
pub fn identity(scope: &Scope, overrides: &Overrides, clock: Clock) -> Result<Identity, Error> {
    let environment = |name: &str| scope.environment().get(name);
    let repo = config_file::reloaded(scope)?;
    let config = repo.config_snapshot();
    let signature = |role: IdentityRole, given: Option<&(BString, BString)>, date: Option<&String>| {
        let field = |name: &'static str, given: Option<&BString>| -> Result<BString, Error> {
            given
                .cloned()
                .or_else(|| environment(&role.variable(name)).map(BString::from))
                .or_else(|| config.string(format!("{}.{name}", role.word()).as_str()))
                .or_else(|| config.string(format!("user.{name}").as_str()))
                .or_else(|| if name == "email" { environment("EMAIL").map(BString::from) } else { None })
                .map(|value| clean(&value))
                .filter(|value| !value.is_empty())
                .ok_or(Error::Absent { role: role.word(), missing: name })
        };
        let (seconds, offset) =
            time(date.cloned().or_else(|| environment(&role.variable("date")).map(str::to_owned)), clock)?;
        Ok::<_, Error>(Signature {
            name: field("name", given.map(|given| &given.0))?,
            email: field("email", given.map(|given| &given.1))?,
            seconds,
            offset,
        })
    };
    Ok(Identity {
        author: signature(IdentityRole::Author, overrides.author.as_ref(), overrides.author_date.as_ref())?,
        committer: signature(IdentityRole::Committer, None, None)?,
    })
}

#[derive(Clone, Copy)]
enum IdentityRole {
    Author,
    Committer,
}

impl IdentityRole {
    const fn word(self) -> &'static str {
        match self {
            Self::Author => "author",
            Self::Committer => "committer",
        }
    }

    fn variable(self, field: &str) -> String {
        format!("GIT_{}_{}", self.word().to_ascii_uppercase(), field.to_ascii_uppercase())
    }
}

fn time(text: Option<String>, clock: Clock) -> Result<(i64, i32), Error> {
    let now = clock.now();
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
        let offset = match clock {
            Clock::Wall => Local.offset_from_utc_datetime(&now.naive_utc()).fix().local_minus_utc(),
            Clock::Fixed(_) => 0,
        };
        return Ok((now.timestamp(), offset));
    };
    clock::dated(&text, now.timestamp()).ok_or_else(|| Error::Date(crate::printable(text.as_bytes())))
}

/// Removes the delimiters of commit fields, and blanks and punctuation around the text, as git 2.47 does. A full stop
/// stays: it ends `Sam Doe Jr.`.
fn clean(value: &[u8]) -> BString {
    let is_inner = |byte: &u8| *byte > b' ' && !b",:;<>\"\\'".contains(byte);
    let start = value.iter().position(is_inner).unwrap_or(value.len());
    let end = value.iter().rposition(is_inner).map_or(start, |last| last + 1);
    let mut name = value[start..end].to_vec();
    name.retain(|byte| !b"\n<>\0\r".contains(byte));
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{self, Key};
    use crate::{init, open};
    use brv_base::environment::Environment;
    use bstr::ByteSlice as _;
    use std::path::Path;

    const CLOCK: Clock = Clock::Fixed(chrono::DateTime::UNIX_EPOCH);

    fn asked_by(folder: &Path, variables: &[(&str, &str)]) -> Scope {
        open(folder, "", &variables.iter().copied().collect()).unwrap()
    }

    #[test]
    fn flags_win_over_the_environment_and_that_over_settings() {
        let folder = tempfile::tempdir().unwrap();
        let scope = init(folder.path(), "main", &Environment::default()).unwrap();
        for (key, value) in [("user.name", "Conf"), ("user.email", "c@x"), ("author.name", "Author")] {
            settings::set(&scope, &Key::parse(key).unwrap(), value).unwrap();
        }
        let found = identity(&scope, &Overrides::default(), CLOCK).unwrap();
        assert_eq!(
            (found.author.name.as_bstr(), found.committer.name.as_bstr()),
            ("Author".into(), "Conf".into())
        );
        assert_eq!((found.author.seconds, found.author.offset), (0, 0));
        let variables = [("GIT_AUTHOR_NAME", "Env <x>"), ("GIT_COMMITTER_DATE", "1700000000 +0130")];
        let scope = asked_by(folder.path(), &variables);
        let found = identity(&scope, &Overrides::default(), CLOCK).unwrap();
        assert_eq!(found.author.name, "Env x");
        assert_eq!((found.committer.seconds, found.committer.offset), (1_700_000_000, 5400));
        let flags = Overrides {
            author: Some(("Flag".into(), "f@x".into())),
            author_date: Some("2026-01-02T03:04:05Z".into()),
        };
        let found = identity(&scope, &flags, CLOCK).unwrap();
        assert_eq!((found.author.name.as_bstr(), found.author.seconds), ("Flag".into(), 1_767_323_045));
        assert_eq!(found.committer.name, "Conf");
    }

    #[test]
    fn an_unreadable_date_or_an_empty_name_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        init(folder.path(), "main", &Environment::default()).unwrap();
        let scope = asked_by(folder.path(), &[("GIT_AUTHOR_NAME", " ;, "), ("GIT_AUTHOR_EMAIL", "a@x")]);
        let error = identity(&scope, &Overrides::default(), CLOCK).unwrap_err();
        assert_eq!(error.to_string(), "no name is set for the author");
        let flags = Overrides { author_date: Some("yesterdayish\u{1b}".into()), ..Overrides::default() };
        assert!(matches!(identity(&scope, &flags, CLOCK), Err(Error::Date(_))));
    }
}
