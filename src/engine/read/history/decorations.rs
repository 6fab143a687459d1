//! Commits as they are shown, with their names: branches, tags, `HEAD`.

use crate::outcome::bytes::Bytes;
use crate::outcome::person::Person;
use brv_git as git;
use brv_git::commit::Commit;
use brv_git::{CommitId, Scope};
use bstr::ByteSlice;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// A ref that points to a commit.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Name {
    /// `head`, `branch`, `remote_branch` or `tag`.
    pub kind: &'static str,
    /// Its name: `main`, `origin/main`, `v1`
    pub name: String,
    /// Whether it is the current branch or `HEAD`.
    pub current: bool,
}

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

/// The names by commit: `HEAD` first, then branches, remote branches and tags.
pub fn pointing(scope: &Scope) -> Result<HashMap<CommitId, Vec<Name>>, git::Error> {
    let mut names: HashMap<CommitId, Vec<Name>> = HashMap::new();
    let head = scope.head()?;
    let current = head.short_branch();
    if let (Some(commit), None) = (head.commit(), &current) {
        names.entry(commit).or_default().push(Name { kind: "head", name: "HEAD".into(), current: true });
    }
    if let (Some(commit), Some(branch)) = (head.commit(), &current) {
        let name = Name { kind: "branch", name: branch.clone(), current: true };
        names.entry(commit).or_default().push(name);
    }
    let kinds = [("refs/heads/", "branch"), ("refs/remotes/", "remote_branch"), ("refs/tags/", "tag")];
    for (prefix, kind) in kinds {
        for (full, commit) in git::refs::commits(scope, prefix)? {
            let short = full.strip_prefix(prefix.as_bytes()).unwrap_or(&full).to_str_lossy().into_owned();
            let is_current = prefix == "refs/heads/" && current.as_ref() == Some(&short);
            if !is_current && !short.ends_with("/HEAD") {
                names.entry(commit).or_default().push(Name { kind, name: short, current: false });
            }
        }
    }
    Ok(names)
}
