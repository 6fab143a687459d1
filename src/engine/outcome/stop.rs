//! Why a command could not run: its kind, what to say, and what may help.
//!
//! A command stops with `?` at any error that knows its kind, or says at the spot where it knows them what is wrong and
//! what helps. Where code must tell errors apart, they are an enum of their own.

use crate::{Fails, FailureKind};
use std::error::Error;

/// Why a command could not run.
#[derive(Debug)]
pub struct Stop {
    /// The kind, which surfaces map to an exit code.
    pub kind: FailureKind,
    /// The `error.code`, where it says more than the kind.
    pub code: Option<&'static str>,
    /// What could not be done, on what, and why; lower case.
    pub message: String,
    pub hint: Option<String>,
    /// Names of the tree that were probably meant.
    pub nearest: Option<Vec<String>>,
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl Stop {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, code: None, message: message.into(), hint: None, nearest: None, source: None }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Usage, message)
    }

    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Say which names were probably meant; if there are none, how to find them.
    pub fn nearest(self, nearest: Vec<String>) -> Self {
        Self { nearest: Some(nearest), ..self }
    }

    /// Its kind, as a function.
    pub const fn kind(&self) -> FailureKind {
        self.kind
    }
}

impl<E: Fails> From<E> for Stop {
    fn from(error: E) -> Self {
        let stop = Self { code: error.code(), ..Self::new(error.kind(), message(&error)) };
        Self { source: Some(Box::new(error)), ..stop }
    }
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
