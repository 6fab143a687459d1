//! A reference that an operation moves, and its line in the operation's commit.

use brv_base::json::shown;
use brv_git::refs::{Expected, Move, Target};
use brv_git::{CommitId, Head};
use bstr::BString;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// A reference that moved.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "Move")]
pub struct RefMove {
    /// The full name.
    // `HEAD` itself if it is detached or is switched to another branch
    #[serde(serialize_with = "shown")]
    #[schemars(with = "String")]
    pub name: BString,
    /// Its old value, an id or the name of another ref; absent if it did not exist.
    #[serde(rename = "before", serialize_with = "target", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub old: Option<Target>,
    /// Its new value; absent if it was deleted.
    #[serde(rename = "after", serialize_with = "target", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub new: Option<Target>,
}

fn target<S: Serializer>(target: &Option<Target>, serializer: S) -> Result<S::Ok, S::Error> {
    let text = target.as_ref().map(|target| match target {
        Target::Object(id) => id.to_string(),
        Target::Symbolic(name) => name.to_string(),
    });
    text.serialize(serializer)
}

impl RefMove {
    /// The move of the current branch, or of a detached `HEAD`, to a commit.
    pub fn of_head(head: &Head, new: CommitId) -> Self {
        Self {
            name: head.branch().map_or_else(|| "HEAD".into(), ToOwned::to_owned),
            old: head.commit().map(Into::into),
            new: Some(new.into()),
        }
    }

    /// For [`refs::update`](brv_git::refs::update); `reason` goes into the reflog.
    pub fn to_move(&self, reason: BString) -> Move {
        let expected = self.old.clone().map_or(Expected::Absent, Expected::Is);
        Move { name: self.name.clone(), expected, target: self.new.clone(), reason }
    }

    /// The commit that it pointed to directly.
    pub const fn old_commit(&self) -> Option<CommitId> {
        commit_of(self.old.as_ref())
    }

    /// The commit that it will point to directly.
    pub const fn new_commit(&self) -> Option<CommitId> {
        commit_of(self.new.as_ref())
    }

    pub(in crate::journal) fn to_line(&self) -> String {
        let word = |target: &Option<Target>| match target {
            None => "absent".to_owned(),
            Some(Target::Object(id)) => id.to_string(),
            Some(Target::Symbolic(name)) => format!("ref:{name}"),
        };
        format!("{} {} {}", self.name, word(&self.old), word(&self.new))
    }

    pub(in crate::journal) fn parse(line: &str) -> Option<Self> {
        let target = |word: &str| match word {
            "absent" => Some(None),
            _ => match word.strip_prefix("ref:") {
                Some(name) => Some(Some(Target::Symbolic(name.into()))),
                None => Some(Some(CommitId::from_hex(word)?.into())),
            },
        };
        // reference names contain no blanks
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
