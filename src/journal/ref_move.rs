//! A reference that an operation moves, and its line in the operation's commit.

use crate::git::refs::{Expected, Move, Target};
use crate::git::{CommitId, Head};
use bstr::BString;

/// A reference that the operation moves, creates or deletes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefMove {
    /// The full name; `HEAD` itself when it is detached, or goes to another branch.
    pub name: BString,
    /// Where it was; `None`: it was not there.
    pub old: Option<Target>,
    /// Where it goes; `None`: it goes away.
    pub new: Option<Target>,
}

impl RefMove {
    /// The branch that `HEAD` is on, or `HEAD` itself where it is detached, goes to a commit.
    #[must_use]
    pub fn of_head(head: &Head, new: CommitId) -> Self {
        Self {
            name: head.branch().map_or_else(|| "HEAD".into(), ToOwned::to_owned),
            old: head.commit().map(Into::into),
            new: Some(new.into()),
        }
    }

    /// For [`refs::update`](crate::git::refs::update); `reason` goes into the reflog.
    #[must_use]
    pub fn to_move(&self, reason: BString) -> Move {
        let expected = self.old.clone().map_or(Expected::Absent, Expected::Is);
        Move { name: self.name.clone(), expected, target: self.new.clone(), reason }
    }

    /// The commit it pointed to itself.
    #[must_use]
    pub const fn old_commit(&self) -> Option<CommitId> {
        commit_of(self.old.as_ref())
    }

    /// The commit it then points to itself.
    #[must_use]
    pub const fn new_commit(&self) -> Option<CommitId> {
        commit_of(self.new.as_ref())
    }

    pub(super) fn to_line(&self) -> String {
        let word = |target: &Option<Target>| match target {
            None => "absent".to_owned(),
            Some(Target::Object(id)) => id.to_string(),
            Some(Target::Symbolic(name)) => format!("ref:{name}"),
        };
        format!("{} {} {}", self.name, word(&self.old), word(&self.new))
    }

    pub(super) fn parse(line: &str) -> Option<Self> {
        let target = |word: &str| match word {
            "absent" => Some(None),
            _ => match word.strip_prefix("ref:") {
                Some(name) => Some(Some(Target::Symbolic(name.into()))),
                None => Some(Some(CommitId::from_hex(word)?.into())),
            },
        };
        // a name of a reference has no blanks
        let [name, old, new] = line.split(' ').collect::<Vec<_>>()[..] else { return None };
        Some(Self { name: name.into(), old: target(old)?, new: target(new)? })
    }
}

impl From<Move> for RefMove {
    fn from(one: Move) -> Self {
        let old = match one.expected {
            Expected::Is(target) => Some(target),
            Expected::Absent | Expected::Anything => None,
        };
        Self { name: one.name, old, new: one.target }
    }
}

const fn commit_of(target: Option<&Target>) -> Option<CommitId> {
    match target {
        Some(Target::Object(id)) => Some(id.assumed_commit()),
        _ => None,
    }
}
