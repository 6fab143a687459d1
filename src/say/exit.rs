//! Exit codes.
//!
//! The messages of failures are in [`super::failure`].

use brv_engine::FailureKind;
use std::process::ExitCode;

/// The exit codes of brv. Scripts and agents depend on them, so their meaning never changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Exit {
    /// 0: done, or nothing to do.
    #[default]
    Done,
    /// 1: failed in part or whole; with `diff --exit-code`: differences were found.
    Failed,
    /// 2: wrong usage.
    Usage,
    /// 3: no context tree here.
    NotInitialised,
    /// 4: the remote requires credentials.
    Authentication,
    /// 5: conflicts to resolve.
    Conflict,
    /// 6: refused by a guard, so that nothing is lost.
    Refused,
    /// 7: blocked by policy.
    Blocked,
    /// 8: another brv or git holds a lock.
    Busy,
    /// 9: the remote or the network failed.
    Remote,
    /// 129: `merge-driver` could not merge, and git must not take it for a conflict.
    Unmerged,
    /// 130: interrupted by the user.
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

    pub const fn number(self) -> u8 {
        match self {
            Self::Unmerged => 129,
            Self::Interrupted => 130,
            other => other as u8,
        }
    }

    /// The name in the `error.code` of JSON output.
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

    /// The meaning, for help.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done, or nothing to do",
            Self::Failed => "failed",
            Self::Usage => "wrong usage",
            Self::NotInitialised => "no context tree here",
            Self::Authentication => "the remote requires credentials",
            Self::Conflict => "conflicts to resolve",
            Self::Refused => "refused, so that nothing is lost",
            Self::Blocked => "blocked by policy",
            Self::Busy => "another brv or git is writing",
            Self::Remote => "the remote or the network failed",
            Self::Unmerged => "the merge driver failed, which ends git's merge",
            Self::Interrupted => "interrupted",
        }
    }
}

impl From<FailureKind> for Exit {
    fn from(kind: FailureKind) -> Self {
        match kind {
            FailureKind::Failed | FailureKind::File | FailureKind::Changed => Self::Failed,
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
