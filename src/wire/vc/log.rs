//! JSON for commits: the data of `brv vc log`, and the commit in `brv vc show`.

use super::diff::FileDifference;
use brv_commands::vc::log::Name as Pointing;
use brv_commands::vc::log::{self, Outcome};
use brv_engine::outcome::bytes::{Bytes, text};
use brv_engine::outcome::person::Person;
use brv_engine::read::history::knowledge::Told;
use brv_git::CommitId;
use brv_git::commit::Commit as GitCommit;
use brv_text::diff::knowledge::Entry;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.log/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Log {
    /// The commits, newest first unless `--reverse`.
    pub commits: Vec<Logged>,
}

/// A commit in the history.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Logged {
    /// The commit.
    #[serde(flatten)]
    pub commit: Commit,
    /// Its short id.
    #[serde(skip)]
    pub short: String,
    /// Its id, for the graph.
    #[serde(skip)]
    pub id: CommitId,
    /// Its parents in the graph.
    #[serde(skip)]
    pub below: Vec<CommitId>,
    /// Its exact changes.
    #[serde(skip)]
    pub told: Told,
    /// The path of the followed file in this commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The files it changes, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<FileDifference>>,
    /// Its changes by meaning, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<Entry>>,
}

/// A commit.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Commit {
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

/// A ref that points to a commit.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Name {
    /// `head`, `branch`, `remote_branch` or `tag`.
    pub kind: &'static str,
    /// Its name: `main`, `origin/main`, `v1`
    pub name: String,
    /// Whether it is the current branch or `HEAD`.
    pub current: bool,
}

/// How much of the changes the JSON of a history has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changes {
    /// No changes.
    None,
    /// Changed files.
    Files,
    /// Changed files and lines.
    Lines,
}

impl Log {
    pub fn new(outcome: Outcome, changes: Changes) -> Self {
        let with_lines = changes == Changes::Lines;
        let logged = |entry: log::Entry| Logged {
            commit: Commit::new(&entry.commit, &entry.names),
            path: entry.path.as_ref().map(|path| text(path)),
            files: (changes != Changes::None)
                .then(|| entry.told.files.iter().map(|file| FileDifference::new(file, with_lines)).collect()),
            entries: with_lines.then(|| entry.told.entries.clone()),
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
