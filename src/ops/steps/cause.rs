//! Failures that all commands share. A command's own error type lists only its own failures and wraps [`Cause`] for the
//! rest.

use super::naming::paths::Outside;
use super::writing::{self, recovery};
use crate::git::status::StatusError;
use crate::ops::FailureKind;
use crate::ops::context::OpenError;
use crate::{fs, git, journal};

/// Why a command failed for a reason that is not specific to the command.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each says which error it hands on")]
pub enum Cause {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Lock(#[from] recovery::Error),
    #[error(transparent)]
    Outside(#[from] Outside),
    #[error(transparent)]
    Survey(#[from] StatusError),
    #[error(transparent)]
    Write(#[from] writing::Error),
    #[error(transparent)]
    Journal(#[from] journal::Error),
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    File(#[from] fs::Error),
}

impl Cause {
    /// The kind of this failure.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Open(error) => error.kind(),
            Self::Lock(error) => error.kind(),
            Self::Outside(_) => FailureKind::Usage,
            Self::Survey(error) => FailureKind::of_survey(error),
            Self::Git(error) => FailureKind::of_git(error),
            Self::Write(error) => error.kind(),
            Self::Journal(error) => FailureKind::of_journal(error),
            Self::File(_) => FailureKind::Failed,
        }
    }
}

/// Lets `?` turn every shared failure into a command's own error, which has a variant `Cause`.
macro_rules! caused {
    ($error:ty) => {
        impl<E> ::std::convert::From<E> for $error
        where
            $crate::ops::steps::cause::Cause: ::std::convert::From<E>,
        {
            fn from(error: E) -> Self {
                Self::Cause(error.into())
            }
        }
    };
}

pub(crate) use caused;
