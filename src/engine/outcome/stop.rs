//! Why a command could not run: its kind, what to say, and what may help.
//!
//! A command stops with `?` at any error that knows its kind, or says at the spot where it knows them what is wrong and
//! what helps. Where code must tell errors apart, they are an enum of their own, alone or in [`OrStop`].
//!
//! The hint that is shown is that of the spot, else that of the error, else that of the kind. Where a name was not found and
//! a similar one exists, that name is the hint. No hint prints a complete command that destroys something: callers paste
//! what they read.

use crate::outcome::unknown_name::UnknownName;
use crate::{Fails, FailureKind};
use brv_base::escape::escape_line;
use bstr::BString;
use std::error::Error;

/// Why a command could not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// The kind, which surfaces map to an exit code.
    pub kind: FailureKind,
    /// The `error.code`, where it says more than the kind.
    pub code: Option<&'static str>,
    /// What could not be done, on what, and why; lower case.
    pub message: String,
    /// The files, refs or findings it is about, one line each.
    pub details: Vec<String>,
    /// What may help.
    pub hint: Option<String>,
    /// The name that was not found, if that is the reason: a similar name makes a better hint.
    pub sought: Option<Box<UnknownName>>,
}

impl Stop {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, code: None, message: message.into(), details: Vec::new(), hint: None, sought: None }
    }

    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Failed, message)
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Usage, message)
    }

    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Refused, message)
    }

    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Conflict, message)
    }

    /// A reason with the message of `error` and of its causes.
    pub fn because(kind: FailureKind, error: &dyn Error) -> Self {
        Self::new(kind, message(error))
    }

    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Set the hint, if there is one.
    pub fn hinting(self, hint: Option<impl Into<String>>) -> Self {
        Self { hint: hint.map(Into::into).or(self.hint), ..self }
    }

    /// Set the `error.code`.
    pub fn code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }

    /// Add files, refs or findings it is about, one line each.
    pub fn detailing(mut self, details: impl IntoIterator<Item = String>) -> Self {
        self.details.extend(details);
        self
    }

    /// Add the paths it is about, one line each.
    pub fn listing(self, paths: &[BString]) -> Self {
        self.detailing(paths.iter().map(|path| escape_line(path).into_owned()))
    }

    /// Say which names of the tree were probably meant; if there are none, how to find them.
    pub fn nearest(self, nearest: &[String]) -> Self {
        self.hint(perhaps(nearest))
    }

    /// Say which name was not found.
    pub fn seeking(self, sought: UnknownName) -> Self {
        Self { sought: Some(Box::new(sought)), ..self }
    }

    /// Its kind, as a function.
    pub const fn kind(&self) -> FailureKind {
        self.kind
    }
}

impl<E: Fails> From<E> for Stop {
    fn from(error: E) -> Self {
        Self {
            code: error.code(),
            details: error.details(),
            hint: error.hint(),
            sought: error.sought().map(Box::new),
            ..Self::because(error.kind(), &error)
        }
    }
}

/// The result of a block of which some failures are told apart by code.
#[derive(Debug)]
pub enum OrStop<E> {
    /// One that code tells apart.
    This(E),
    /// Any other.
    Stop(Stop),
}

impl<R, E: Fails> From<E> for OrStop<R> {
    fn from(error: E) -> Self {
        Self::Stop(error.into())
    }
}

impl<R> From<Stop> for OrStop<R> {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl<R: Into<Stop>> From<OrStop<R>> for Stop {
    fn from(stopped: OrStop<R>) -> Self {
        match stopped {
            OrStop::This(reason) => reason.into(),
            OrStop::Stop(stop) => stop,
        }
    }
}

/// A hint with the names of the tree that were probably meant, or how to find them.
pub fn perhaps(nearest: &[String]) -> String {
    if nearest.is_empty() {
        return "`brv tree` lists all entries".to_owned();
    }
    let names: Vec<String> = nearest.iter().map(|name| format!("`{name}`")).collect();
    format!("perhaps {}", names.join(", "))
}

/// The message of an error and its causes, `what: why: why`, without a cause that only repeats the words before it.
pub fn message(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !message.ends_with(&words) {
            message.push_str(": ");
            message.push_str(&words);
        }
        cause = error.source();
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot read `a.md`")]
    struct Outer(#[source] Inner);

    #[derive(Debug, thiserror::Error)]
    #[error("permission denied")]
    struct Inner;

    #[derive(Debug, thiserror::Error)]
    #[error("failed: {0}")]
    struct Repeating(#[source] Inner);

    impl Fails for Outer {
        fn kind(&self) -> FailureKind {
            FailureKind::Refused
        }

        fn hint(&self) -> Option<String> {
            Some("of the error".into())
        }
    }

    #[test]
    fn causes_follow_and_are_not_repeated() {
        assert_eq!(message(&Outer(Inner)), "cannot read `a.md`: permission denied");
        assert_eq!(message(&Repeating(Inner)), "failed: permission denied");
    }

    #[test]
    fn the_hint_of_the_spot_comes_before_that_of_the_error() {
        let stop = Stop::from(Outer(Inner));
        assert_eq!((stop.kind, stop.hint.as_deref()), (FailureKind::Refused, Some("of the error")));
        assert_eq!(stop.hint("of the spot").hint.as_deref(), Some("of the spot"));
        let either: OrStop<Outer> = OrStop::from(Outer(Inner));
        assert!(matches!(either, OrStop::Stop(stop) if stop.message.starts_with("cannot read")));
    }
}
