//! Commits: the data of `brv vc log`, and the commit of `brv vc show`.

use super::diff::FileDifference;
use crate::clock::format_utc;
use crate::git::Signature;
use crate::git::commit::Commit as GitCommit;
use crate::ops::vc::log::Name as Pointing;
use crate::ops::vc::log::{self, Outcome};
use crate::wire::knowledge::{self, Entry};
use crate::wire::text;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.log/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Log {
    /// In the order asked for; newest first.
    commits: Vec<Logged>,
}

/// A commit of a history.
#[derive(Debug, JsonSchema, Serialize)]
struct Logged {
    #[serde(flatten)]
    commit: Commit,
    /// What the one file that is followed is called there.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// What it changes; only where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<FileDifference>>,
    /// The same by meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<Entry>>,
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

/// Who did something, and when.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Person {
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

/// How much of the changes the JSON form of a history carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changes {
    /// None.
    None,
    /// Which files.
    Files,
    /// Which lines.
    Lines,
}

impl Log {
    /// The data.
    #[must_use]
    pub fn new(outcome: &Outcome, changes: Changes) -> Self {
        let with_lines = changes == Changes::Lines;
        let logged = |entry: &log::Entry| Logged {
            commit: Commit::new(&entry.commit, &entry.names),
            path: entry.path.as_ref().map(|path| text(path)),
            files: (changes != Changes::None)
                .then(|| entry.told.files.iter().map(|file| FileDifference::new(file, with_lines)).collect()),
            entries: knowledge::entries(&entry.told.entries, with_lines),
        };
        Self { commits: outcome.entries.iter().map(logged).collect() }
    }
}

impl Commit {
    pub(in crate::wire) fn new(commit: &GitCommit, names: &[Pointing]) -> Self {
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
