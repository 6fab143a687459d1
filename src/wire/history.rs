//! Commits: the data of `brv vc log`, and the commit of `brv vc show`.

use super::text;
use crate::clock::format_utc;
use crate::git::Signature;
use crate::git::commit::Commit as GitCommit;
use crate::ops::steps::names::Name as Pointing;
use crate::ops::vc::log::Outcome;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.log/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Log {
    /// Newest first.
    commits: Vec<Commit>,
}

/// What a commit says.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Commit {
    id: String,
    parents: Vec<String>,
    author: Person,
    committer: Person,
    /// The first line of the message.
    subject: String,
    /// All of it.
    message: String,
    names: Vec<Name>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Person {
    name: String,
    email: String,
    /// In UTC.
    time: String,
}

/// A name that points to a commit.
#[derive(Debug, JsonSchema, Serialize)]
struct Name {
    /// `head`, `branch`, `remote_branch` or `tag`.
    kind: &'static str,
    name: String,
    /// Whether `HEAD` is on it.
    current: bool,
}

impl From<&Outcome> for Log {
    fn from(outcome: &Outcome) -> Self {
        let commits = outcome.entries.iter().map(|entry| Commit::new(&entry.commit, &entry.names));
        Self { commits: commits.collect() }
    }
}

impl Commit {
    pub(super) fn new(commit: &GitCommit, names: &[Pointing]) -> Self {
        Self {
            id: commit.id.to_string(),
            parents: commit.parents.iter().map(ToString::to_string).collect(),
            author: Person::from(&commit.author),
            committer: Person::from(&commit.committer),
            subject: text(commit.subject()),
            message: text(&commit.message),
            names: names.iter().map(Name::from).collect(),
        }
    }
}

impl From<&Signature> for Person {
    fn from(signature: &Signature) -> Self {
        Self {
            name: text(&signature.name),
            email: text(&signature.email),
            time: format_utc(signature.seconds),
        }
    }
}

impl From<&Pointing> for Name {
    fn from(name: &Pointing) -> Self {
        let (kind, name, current) = match name {
            Pointing::Head => ("head", "HEAD", true),
            Pointing::CurrentBranch(name) => ("branch", name.as_str(), true),
            Pointing::Branch(name) => ("branch", name.as_str(), false),
            Pointing::RemoteBranch(name) => ("remote_branch", name.as_str(), false),
            Pointing::Tag(name) => ("tag", name.as_str(), false),
        };
        Self { kind, name: name.into(), current }
    }
}
