//! A commit of the history, as `brv vc log`, `show` and `blame` show it.

use super::decorations::Name;
use crate::outcome::bytes::Bytes;
use crate::outcome::person::Person;
use brv_git::commit::Commit;
use schemars::JsonSchema;
use serde::Serialize;

/// A commit.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Commit")]
pub struct ShownCommit {
    /// Its full id, 40 digits.
    pub id: String,
    /// The ids of its parents; for a merge, the branch that was merged into comes first.
    pub parents: Vec<String>,
    /// The author.
    pub author: Person,
    committer: Person,
    /// The first line of the message.
    pub subject: Bytes,
    /// The full message.
    pub message: Bytes,
    /// The refs that point to it.
    pub names: Vec<Name>,
}

impl ShownCommit {
    pub fn new(commit: &Commit, names: Vec<Name>) -> Self {
        Self {
            id: commit.id.to_string(),
            parents: commit.parents.iter().map(ToString::to_string).collect(),
            author: Person::from(&commit.author),
            committer: Person::from(&commit.committer),
            subject: Bytes::from(commit.subject()),
            message: Bytes::from(&commit.message),
            names,
        }
    }
}
