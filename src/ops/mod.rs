//! The use cases. Each command is one module: `Options` in, `Outcome` out, `Error` for what could not be done at all.
//!
//! Conflicts, refusals and rejected pushes are outcomes or errors with data, never words. Nothing is printed here. A
//! command never calls a command; what two share is a step in [`steps`].

pub mod complete;
pub mod config;
pub mod context;
pub mod demo;
pub mod derive;
pub mod init;
pub mod links;
pub mod man;
pub mod merge_driver;
pub mod op;
pub mod output;
pub mod preference;
pub mod read;
pub mod status;
pub mod steps;
pub mod suggest;
pub mod tree;
pub mod undo;
pub mod vc;

use crate::git::revision::RevisionError;
use crate::{git, journal};

pub use crate::git::Mode;
pub use context::{Actor, Audience, BadTimeout, Context, Opened, Preceding, network_limits};

/// Whose branches and merges they are that a command finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeper {
    /// The tree's, which has a repository of its own.
    Tree,
    /// Those of the repository that the tree is a folder of: the user's own git moves and ends them.
    Host,
}

impl Keeper {
    /// Of what a scope finds.
    #[must_use]
    pub fn of(scope: &git::Scope) -> Self {
        if scope.prefix().is_empty() { Self::Tree } else { Self::Host }
    }
}

/// What kind of failure an error is: surfaces turn it into an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// It failed in part or whole.
    Failed,
    /// The options make no sense here.
    Usage,
    /// There is no tree or no repository.
    NotInitialised,
    /// Credentials are missing or wrong, or are not sent where they are asked for.
    Authentication(Login),
    /// Somebody must decide.
    Conflict,
    /// A safety guard refused; nothing changed.
    Refused,
    /// A policy blocks it.
    Blocked,
    /// Another process holds the lock.
    Busy,
    /// The remote or the network.
    Remote,
    /// The user ended it.
    Interrupted,
}

/// What the other side, or the way to it, makes of credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login {
    /// It takes a token, or user and password.
    Https,
    /// The same over plain http, where no token goes.
    PlainHttp,
    /// ssh answers.
    Ssh,
    /// They would go to another machine unencrypted.
    Insecure,
    /// They would go where a redirect leads.
    Elsewhere,
}

impl FailureKind {
    /// Of an error of the repository: a lock that git holds is worth another try.
    #[must_use]
    pub fn of_git(error: &git::Error) -> Self {
        match error.cause() {
            git::Cause::Transient | git::Cause::Moved => Self::Busy,
            git::Cause::Unauthenticated | git::Cause::NotFound | git::Cause::Unclassified => Self::Failed,
        }
    }

    /// Of a repository that could not be opened.
    #[must_use]
    pub fn of_open(error: &git::OpenError) -> Self {
        match error {
            git::OpenError::Absent(_) => Self::NotInitialised,
            git::OpenError::Unsupported { .. }
            | git::OpenError::Foreign(_)
            | git::OpenError::BehindLink(_) => Self::Refused,
            git::OpenError::Bare(_) => Self::Failed,
            git::OpenError::Git(error) => Self::of_git(error),
        }
    }

    /// Of remotes whose settings were read, not named by anybody.
    #[must_use]
    pub fn of_remotes(error: &git::remotes::Error) -> Self {
        use git::remotes::Error;
        match error {
            Error::Git(error) => Self::of_git(error),
            Error::Name(_) | Error::Url(_) | Error::Exists(_) | Error::Absent(_) | Error::Taken(_) => {
                Self::Failed
            }
        }
    }

    /// Of a walk of the work tree.
    #[must_use]
    pub fn of_survey(error: &git::status::StatusError) -> Self {
        match error {
            git::status::StatusError::Git(error) => Self::of_git(error),
            git::status::StatusError::File(_) => Self::Failed,
        }
    }

    /// Of a revision that somebody typed.
    #[must_use]
    pub fn of_revision(error: &RevisionError) -> Self {
        match error {
            RevisionError::Git(error) => Self::of_git(error),
            RevisionError::Unknown(_)
            | RevisionError::Unborn(_)
            | RevisionError::NotACommit(_)
            | RevisionError::NoSuchPath { .. } => Self::Usage,
        }
    }

    /// Of an error of the journal.
    #[must_use]
    pub fn of_journal(error: &journal::Error) -> Self {
        match error {
            journal::Error::Git(error) => Self::of_git(error),
            journal::Error::File(_) | journal::Error::Unreadable { .. } | journal::Error::AlreadyPending => {
                Self::Failed
            }
        }
    }
}
