//! Errors of git operations: the failed action with its cause, and the causes that callers treat differently.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::Path;

#[derive(Debug, thiserror::Error)]
#[error("could not {act}")]
pub struct Error {
    act: FailedAction,
    #[source]
    source: Box<dyn std::error::Error + Send + Sync>,
}

/// The failed action, in words that complete "could not".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedAction(String);

impl fmt::Display for FailedAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A lock file of git's that was not released.
#[derive(Debug, thiserror::Error)]
#[error("another git process holds `{}`; if none is running, a crashed one left it there", .0.display())]
pub(super) struct HeldLock(pub std::path::PathBuf);

/// A reference (full name) that another process moved first.
#[derive(Debug, thiserror::Error)]
#[error("another git process moved `{0}` meanwhile")]
pub(super) struct RefRace(pub bstr::BString);

/// What kind of failure it is, as far as callers treat it differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// No credentials, or wrong ones.
    Unauthenticated,
    /// The object, ref or file does not exist.
    NotFound,
    /// A retry may succeed: another process holds a git lock, or a connection broke.
    Transient,
    /// A reference has moved since it was read, and nothing was changed: a retry may succeed.
    Moved,
    Unclassified,
}

impl Error {
    /// An error of brv or gitoxide, with the action that failed.
    pub fn new(act: impl Into<String>, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self { act: FailedAction(act.into()), source: source.into() }
    }

    /// Adds the path if the disk is full: gitoxide does not always name a file.
    pub(super) fn placed(mut self, place: &Path) -> Self {
        if is_disk_full(&*self.source) {
            self.act.0 = format!("{} in `{}`", self.act, place.display());
        }
        self
    }

    /// The same failure of another action.
    pub(super) fn of(self, act: impl Into<String>) -> Self {
        Self { act: FailedAction(act.into()), ..self }
    }

    /// The class, for callers to decide on.
    pub fn class(&self) -> ErrorClass {
        if let Some(cause) = self.source.downcast_ref::<Self>() {
            return cause.class();
        }
        if self.source.is::<RefRace>() {
            return ErrorClass::Moved;
        }
        let classes = || gix::error::classify(&*self.source);
        if classes().is_unauthenticated() || classes().is_permission_denied() {
            ErrorClass::Unauthenticated
        } else if classes().is_not_found() {
            ErrorClass::NotFound
        } else if classes().can_retry_lenient() || self.source.is::<HeldLock>() {
            ErrorClass::Transient
        } else {
            ErrorClass::Unclassified
        }
    }

    /// Whether a retry would fail in the same way: neither another process nor a full disk is the cause.
    pub fn is_lasting(&self) -> bool {
        !matches!(self.class(), ErrorClass::Moved | ErrorClass::Transient) && !is_disk_full(&*self.source)
    }
}

/// Whether a file could not be written because the disk or quota is full.
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

/// `.during("read the index")` on any result of gitoxide or the operating system; `.during(|| format!(…))` in code that
/// runs often, so that the text is built only on errors.
pub(super) trait During<T> {
    fn during(self, act: impl ActionText) -> Result<T, Error>;
}

impl<T, E: Into<Box<dyn std::error::Error + Send + Sync>>> During<T> for Result<T, E> {
    fn during(self, act: impl ActionText) -> Result<T, Error> {
        self.map_err(|source| Error::new(act.words(), source))
    }
}

/// The failed action, or a closure that describes it.
pub(super) trait ActionText {
    fn words(self) -> String;
}

impl ActionText for &str {
    fn words(self) -> String {
        self.into()
    }
}

impl ActionText for String {
    fn words(self) -> String {
        self
    }
}

impl<F: FnOnce() -> String> ActionText for F {
    fn words(self) -> String {
        self()
    }
}
