//! What goes wrong below us, told as what we could not do.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Something that git's data or gitoxide did not allow.
#[derive(Debug, thiserror::Error)]
#[error("could not {act}")]
pub struct Error {
    act: Act,
    #[source]
    source: Box<dyn std::error::Error + Send + Sync>,
}

/// What was attempted, in words that follow "could not".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act(String);

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A lock file of git's that stays.
#[derive(Debug, thiserror::Error)]
#[error("another git process holds `{}`; if none is running, a crashed one left it there", .0.display())]
pub(super) struct Held(pub std::path::PathBuf);

/// A reference (full name) that another process moved while we were about to.
#[derive(Debug, thiserror::Error)]
#[error("another git process moved `{0}` meanwhile")]
pub(super) struct Moved(pub bstr::BString);

/// The causes that callers treat differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// No credentials, or wrong ones.
    Unauthenticated,
    /// The object, ref or file is not there.
    NotFound,
    /// It may work later: a lock of git's that another process holds, a connection that broke.
    Transient,
    /// A reference is not what it was, and nothing was moved: it may work from where it is now.
    Moved,
    /// Anything else.
    Unclassified,
}

impl Error {
    /// An error of ours or of gitoxide, with what was attempted.
    pub fn new(act: impl Into<String>, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self { act: Act(act.into()), source: source.into() }
    }

    /// With the place, if the disk takes no more there: gitoxide does not always name a file.
    pub(super) fn placed(mut self, place: &Path) -> Self {
        if is_disk_full(&*self.source) {
            self.act.0 = format!("{} in `{}`", self.act, place.display());
        }
        self
    }

    /// The same failure of something else.
    pub(super) fn of(self, act: impl Into<String>) -> Self {
        Self { act: Act(act.into()), ..self }
    }

    /// What callers may decide on.
    #[must_use]
    pub fn cause(&self) -> Cause {
        if let Some(cause) = self.source.downcast_ref::<Self>() {
            return cause.cause();
        }
        if self.source.is::<Moved>() {
            return Cause::Moved;
        }
        let classes = || gix::error::classify(&*self.source);
        if classes().is_unauthenticated() || classes().is_permission_denied() {
            Cause::Unauthenticated
        } else if classes().is_not_found() {
            Cause::NotFound
        } else if classes().can_retry_lenient() || self.source.is::<Held>() {
            Cause::Transient
        } else {
            Cause::Unclassified
        }
    }

    /// Whether it will be the same the next time, as far as can be told: no other process and no full disk is the cause.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        !matches!(self.cause(), Cause::Moved | Cause::Transient) && !is_disk_full(&*self.source)
    }
}

/// Whether a file of this machine could not be written for want of room.
pub(super) fn is_disk_full(error: &(dyn std::error::Error + 'static)) -> bool {
    let full = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::FileTooLarge];
    let is_full = |error: &(dyn std::error::Error + 'static)| {
        error.downcast_ref::<io::Error>().is_some_and(|error| full.contains(&error.kind()))
    };
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.into_iter().any(|error| match error.downcast_ref::<gix::Error>() {
        Some(all) => all.iter_errors().any(is_full),
        None => is_full(error),
    })
}

/// `.during("read the index")` on any result of gitoxide or the operating system; `.during(|| format!(…))` where it is
/// called often, so that the words are made only when they are needed.
pub(super) trait During<T> {
    fn during(self, act: impl Words) -> Result<T, Error>;
}

impl<T, E: Into<Box<dyn std::error::Error + Send + Sync>>> During<T> for Result<T, E> {
    fn during(self, act: impl Words) -> Result<T, Error> {
        self.map_err(|source| Error::new(act.words(), source))
    }
}

/// What was attempted, or a way to say it.
pub(super) trait Words {
    fn words(self) -> String;
}

impl Words for &str {
    fn words(self) -> String {
        self.into()
    }
}

impl Words for String {
    fn words(self) -> String {
        self
    }
}

impl<F: FnOnce() -> String> Words for F {
    fn words(self) -> String {
        self()
    }
}
