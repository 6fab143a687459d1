//! How a command ends, as the number that the caller sees.
//!
//! Knows no messages: those are in [`super::failure`].

use crate::ops::FailureKind;
use std::process::ExitCode;

/// The exit codes of brv. Scripts and agents decide on them, so they never change their meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exit {
    /// 0: done; also when there was nothing to do.
    Done,
    /// 1: failed in part or whole; with `diff --exit-code`: there are differences.
    Failed,
    /// 2: the arguments make no sense.
    Usage,
    /// 3: there is no context tree here.
    NotInitialised,
    /// 4: the remote wants to know who we are.
    Authentication,
    /// 5: conflicts are left to decide.
    Conflict,
    /// 6: a guard refused, so that nothing is lost.
    Refused,
    /// 7: a policy forbids it.
    Blocked,
    /// 8: another brv holds the lock.
    Busy,
    /// 9: the remote or the network failed.
    Remote,
    /// 129: `merge-driver` could not merge, and git must not take it for a conflict.
    Unmerged,
    /// 130: the user ended it.
    Interrupted,
}

impl Exit {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 12] = [
        Self::Done,
        Self::Failed,
        Self::Usage,
        Self::NotInitialised,
        Self::Authentication,
        Self::Conflict,
        Self::Refused,
        Self::Blocked,
        Self::Busy,
        Self::Remote,
        Self::Unmerged,
        Self::Interrupted,
    ];

    /// The number.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Unmerged => 129,
            Self::Interrupted => 130,
            other => other as u8,
        }
    }

    /// The word for it in the JSON form's `error.code`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::NotInitialised => "not_initialised",
            Self::Authentication => "authentication",
            Self::Conflict => "conflict",
            Self::Refused => "refused",
            Self::Blocked => "blocked",
            Self::Busy => "busy",
            Self::Remote => "remote",
            Self::Unmerged => "unmerged",
            Self::Interrupted => "interrupted",
        }
    }

    /// What it means, for help.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done, or nothing to do",
            Self::Failed => "failed",
            Self::Usage => "wrong usage",
            Self::NotInitialised => "no context tree here",
            Self::Authentication => "the remote wants credentials",
            Self::Conflict => "conflicts to decide",
            Self::Refused => "refused, so that nothing is lost",
            Self::Blocked => "blocked by policy",
            Self::Busy => "another brv is writing",
            Self::Remote => "the remote or the network failed",
            Self::Unmerged => "the merge driver failed, which ends git's merge",
            Self::Interrupted => "interrupted",
        }
    }
}

impl From<FailureKind> for Exit {
    fn from(kind: FailureKind) -> Self {
        match kind {
            FailureKind::Failed => Self::Failed,
            FailureKind::Usage => Self::Usage,
            FailureKind::NotInitialised => Self::NotInitialised,
            FailureKind::Authentication(_) => Self::Authentication,
            FailureKind::Conflict => Self::Conflict,
            FailureKind::Refused => Self::Refused,
            FailureKind::Blocked => Self::Blocked,
            FailureKind::Busy => Self::Busy,
            FailureKind::Remote => Self::Remote,
            FailureKind::Interrupted => Self::Interrupted,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_contract() {
        let numbers: Vec<u8> = Exit::ALL.into_iter().map(Exit::number).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 129, 130]);
    }
}
