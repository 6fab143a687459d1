//! How an error is classified: [`FailureKind`], which surfaces map to an exit code, and [`Fails`], by which every error
//! declares its kind. Those of `brv_git` and of models declare it here, all others beside their definitions.

use crate::agents::model;
use crate::outcome::unknown_name::UnknownName;
use brv_base::{config, fs};
use brv_git as git;
use brv_git::revision::RevisionError;

pub trait Fails: std::error::Error + Send + Sync + 'static {
    fn kind(&self) -> FailureKind;

    /// The `error.code`, where it says more than the kind.
    fn code(&self) -> Option<&'static str> {
        None
    }

    /// What may help, wherever the error is met.
    fn hint(&self) -> Option<String> {
        None
    }

    /// The files, refs or findings it is about, one line each.
    fn details(&self) -> Vec<String> {
        Vec::new()
    }

    /// The name that was not found, if that is the reason.
    fn sought(&self) -> Option<UnknownName> {
        None
    }
}

impl Fails for RevisionError {
    fn kind(&self) -> FailureKind {
        FailureKind::of_revision(self)
    }

    fn sought(&self) -> Option<UnknownName> {
        match self {
            Self::Unknown(name) => Some(UnknownName::Revision(name.clone())),
            Self::NoSuchPath { revision, path } => {
                Some(UnknownName::PathIn { revision: revision.clone(), path: path.clone() })
            }
            _ => None,
        }
    }
}

impl Fails for git::signing::SigningError {
    fn kind(&self) -> FailureKind {
        FailureKind::Failed
    }
}

impl Fails for git::identity::Error {
    fn kind(&self) -> FailureKind {
        FailureKind::Failed
    }

    fn hint(&self) -> Option<String> {
        Some(
            "set yours with `brv vc config user.name NAME` and `brv vc config user.email ADDRESS`, or in git's own settings"
                .into(),
        )
    }
}

impl Fails for git::OpenError {
    fn kind(&self) -> FailureKind {
        FailureKind::of_open(self)
    }
}

impl Fails for git::InitError {
    fn kind(&self) -> FailureKind {
        match self {
            Self::BranchName(_) => FailureKind::Usage,
            Self::Open(error) => error.kind(),
            Self::Git(error) => error.kind(),
        }
    }
}

impl Fails for git::gc::Error {
    fn kind(&self) -> FailureKind {
        match self {
            Self::Running(_) | Self::Locked(_) => FailureKind::Busy,
            Self::Precious => FailureKind::Refused,
            Self::Interrupted => FailureKind::Interrupted,
            Self::Git(error) => FailureKind::of_git(error),
            Self::Missing(_) | Self::Open(_) => FailureKind::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        let is_missing = matches!(self, Self::Missing(_));
        let hint = "`git fsck` shows what else is missing; a fetch from a remote that has it may restore it";
        is_missing.then(|| hint.to_owned())
    }
}

impl Fails for git::gc::ExpiryError {
    fn kind(&self) -> FailureKind {
        match self {
            Self::Date(_) | Self::Setting(_) => FailureKind::Usage,
            Self::Git(error) => FailureKind::of_git(error),
        }
    }
}

impl Fails for git::settings::Error {
    fn kind(&self) -> FailureKind {
        match self {
            Self::Git(error) => FailureKind::of_git(error),
            Self::Key(_) | Self::Value(_) => FailureKind::Usage,
        }
    }
}

impl Fails for git::Error {
    fn kind(&self) -> FailureKind {
        FailureKind::of_git(self)
    }
}

impl Fails for git::status::StatusError {
    fn kind(&self) -> FailureKind {
        FailureKind::of_survey(self)
    }
}

impl Fails for git::remotes::Error {
    fn kind(&self) -> FailureKind {
        FailureKind::of_remotes(self)
    }

    fn hint(&self) -> Option<String> {
        let exists = matches!(self, Self::Exists(_));
        exists.then(|| "`brv vc remote set-url` changes its URL".to_owned())
    }

    fn sought(&self) -> Option<UnknownName> {
        match self {
            Self::Absent(name) => Some(UnknownName::Remote(name.as_str().to_owned())),
            _ => None,
        }
    }
}

impl Fails for model::Error {
    fn kind(&self) -> FailureKind {
        match self {
            Self::Unset => FailureKind::Usage,
            Self::Login(_) => FailureKind::Authentication(Login::Model),
            Self::Unreachable(_) => FailureKind::Remote,
            Self::Invalid(_) | Self::OverBudget(_) => FailureKind::Failed,
            Self::Interrupted => FailureKind::Interrupted,
        }
    }

    fn code(&self) -> Option<&'static str> {
        match self {
            Self::Invalid(_) => Some("model_invalid"),
            Self::OverBudget(_) => Some("over_budget"),
            _ => None,
        }
    }
}

impl Fails for config::Error {
    fn kind(&self) -> FailureKind {
        FailureKind::Failed
    }
}

impl Fails for fs::Error {
    fn kind(&self) -> FailureKind {
        FailureKind::File
    }
}

impl Fails for fs::Busy {
    fn kind(&self) -> FailureKind {
        match self {
            Self::Held { .. } => FailureKind::Busy,
            Self::File(_) => FailureKind::Failed,
        }
    }
}

/// The kind of failure of an error; surfaces map it to an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The command failed, in part or as a whole.
    Failed,
    /// A file or folder cannot be read or written.
    File,
    Usage,
    /// There is no tree or no repository.
    NotInitialised,
    /// Credentials are missing or wrong, or are withheld from the place that asks for them.
    Authentication(Login),
    /// A person must decide.
    Conflict,
    /// A safety guard refused the command; nothing changed.
    Refused,
    Blocked,
    /// Another program wrote what the command had read; nothing changed, and the command can be run again.
    Changed,
    /// Another process holds the lock.
    Busy,
    Remote,
    Interrupted,
}

/// Which login the remote, or the transport to it, expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login {
    /// A token, or user and password, over https.
    Https,
    /// The same over plain http, where no token is sent.
    PlainHttp,
    Ssh,
    /// They would be sent unencrypted to another machine.
    Insecure,
    /// They would be sent to the target of a redirect.
    Elsewhere,
    /// The key of a language model.
    Model,
    /// The key of a search engine.
    Engine,
}

impl FailureKind {
    /// The kind of a repository error: if git holds a lock, the command is worth retrying.
    pub fn of_git(error: &git::Error) -> Self {
        match error.class() {
            git::ErrorClass::Transient | git::ErrorClass::Moved => Self::Busy,
            git::ErrorClass::Unauthenticated | git::ErrorClass::NotFound | git::ErrorClass::Unclassified => {
                Self::Failed
            }
        }
    }

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

    /// The kind of an error of remotes that were read from the settings, not named by the user.
    pub fn of_remotes(error: &git::remotes::Error) -> Self {
        use git::remotes::Error;
        match error {
            Error::Git(error) => Self::of_git(error),
            Error::Name(_) | Error::Url(_) | Error::Exists(_) | Error::Absent(_) | Error::Taken(_) => {
                Self::Failed
            }
        }
    }

    /// The kind of an error of the work tree walk.
    pub fn of_survey(error: &git::status::StatusError) -> Self {
        match error {
            git::status::StatusError::Git(error) => Self::of_git(error),
            git::status::StatusError::File(_) => Self::File,
        }
    }

    /// The kind of an error of a revision that the user typed.
    pub fn of_revision(error: &RevisionError) -> Self {
        match error {
            RevisionError::Git(error) => Self::of_git(error),
            RevisionError::Unknown(_)
            | RevisionError::Unborn(_)
            | RevisionError::NotACommit(_)
            | RevisionError::NoSuchPath { .. } => Self::Usage,
        }
    }
}
