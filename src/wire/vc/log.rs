//! Commits: the data of `brv vc log`, and the commit of `brv vc show`.

use super::diff::FileDifference;
use crate::clock::format_utc;
use crate::git::commit::Commit as GitCommit;
use crate::git::{CommitId, Signature};
use crate::ops::steps::telling::knowledge::Told;
use crate::ops::vc::log::Name as Pointing;
use crate::ops::vc::log::{self, Outcome};
use crate::wire::bytes::Bytes;
use crate::wire::knowledge::{self, Entry};
use crate::wire::text;
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.log/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Log {
    /// In the order asked for; newest first.
    pub commits: Vec<Logged>,
}

/// A commit of a history.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Logged {
    /// What it says.
    #[serde(flatten)]
    pub commit: Commit,
    /// The beginning of its id.
    #[serde(skip)]
    pub short: String,
    /// Its id, for a picture.
    #[serde(skip)]
    pub id: CommitId,
    /// The commits of a picture that it leads to.
    #[serde(skip)]
    pub below: Vec<CommitId>,
    /// What it changes, exact.
    #[serde(skip)]
    pub told: Told,
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
    /// All 40 digits.
    pub id: String,
    /// What it comes from; of a merge the branch it was made on first.
    pub parents: Vec<String>,
    /// Who made the changes.
    pub author: Person,
    committer: Person,
    /// The first line of the message.
    pub subject: Bytes,
    /// All of it.
    pub message: Bytes,
    /// The names that point to it.
    pub names: Vec<Name>,
}

/// Who did something, and when.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Person {
    pub name: Bytes,
    pub email: Bytes,
    /// In UTC.
    time: String,
    /// The same, in seconds since 1970.
    #[serde(skip)]
    pub seconds: i64,
    /// The zone it was written in, in seconds east of UTC.
    #[serde(skip)]
    pub offset: i32,
}

/// A name that points to a commit.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Name {
    /// `head`, `branch`, `remote_branch` or `tag`.
    pub kind: &'static str,
    /// `main`, `origin/main`, `v1`.
    pub name: String,
    /// Whether `HEAD` is on it.
    pub current: bool,
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
    pub fn new(outcome: Outcome, changes: Changes) -> Self {
        let with_lines = changes == Changes::Lines;
        let logged = |entry: log::Entry| Logged {
            commit: Commit::new(&entry.commit, &entry.names),
            path: entry.path.as_ref().map(|path| text(path)),
            files: (changes != Changes::None)
                .then(|| entry.told.files.iter().map(|file| FileDifference::new(file, with_lines)).collect()),
            entries: knowledge::entries(&entry.told.entries, with_lines),
            short: entry.short,
            id: entry.commit.id,
            below: entry.below,
            told: entry.told,
        };
        Self { commits: outcome.entries.into_iter().map(logged).collect() }
    }
}

impl Commit {
    pub(in crate::wire) fn new(commit: &GitCommit, names: &[Pointing]) -> Self {
        Self {
            id: commit.id.to_string(),
            parents: commit.parents.iter().map(ToString::to_string).collect(),
            author: Person::from(&commit.author),
            committer: Person::from(&commit.committer),
            subject: Bytes::from(commit.subject()),
            message: Bytes::from(&commit.message),
            names: names.iter().map(Name::from).collect(),
        }
    }
}

impl From<&Signature> for Person {
    fn from(signature: &Signature) -> Self {
        Self {
            name: Bytes::from(&signature.name),
            email: Bytes::from(&signature.email),
            time: format_utc(signature.seconds),
            seconds: signature.seconds,
            offset: signature.offset,
        }
    }
}

impl std::fmt::Display for Person {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} <{}>", self.name.to_str_lossy(), self.email.to_str_lossy())
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
