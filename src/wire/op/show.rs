//! The data of `brv op show`: one operation.

use super::log::Known;
use crate::clock::format_utc;
use crate::journal::Discarded;
use crate::ops::op::show;
use crate::ops::vc::diff::FileChange;
use crate::wire::change::paths;
use crate::wire::text;
use crate::wire::vc::diff::FileDifference;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.op.show/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct OpShow {
    /// Its name.
    pub id: String,
    /// What it says; absent where it is not on record here.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub known: Option<Known>,
    /// What is known of one that is not on record here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreign: Option<Foreign>,
    /// Its commit, which `git show` reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The state before, a commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    /// The state after, a commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    /// Files of which it changed what is recorded for the next commit.
    pub staged: Vec<String>,
    /// Values that it gave up for others.
    pub discarded: Vec<Lost>,
    /// The files that it changed.
    files: Vec<FileDifference>,
    /// The same, exact.
    #[serde(skip)]
    pub changes: Vec<FileChange>,
}

/// An operation of another clone, or one that was pruned.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Foreign {
    /// The commits of this history that carry its name, newest first.
    pub commits: Vec<String>,
    /// Why, in the user's words or the command's.
    pub reason: String,
    /// Person or agent; empty where the commits do not say.
    pub actor: String,
    /// The session of the actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When the newest commit was made, in UTC.
    pub time: String,
    /// The operation that it took back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// What took it back here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<String>,
}

/// A value that was given up for another.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Lost {
    /// The file.
    pub path: String,
    /// A field of its frontmatter, or the heading of the text.
    pub field: String,
    /// What stood there.
    pub value: String,
}

impl OpShow {
    /// Of an operation that is shown.
    #[must_use]
    pub fn new(outcome: show::Outcome, with_lines: bool) -> Self {
        let (known, foreign) = match &outcome.told {
            show::Told::Recorded(known) => (Some(&**known), None),
            show::Told::Foreign(foreign) => (None, Some(foreign)),
        };
        let record = known.map(|known| &known.record);
        Self {
            id: outcome.told.id().to_string(),
            known: known.map(Known::from),
            foreign: foreign.map(Foreign::from),
            commit: record.map(|record| record.commit.to_string()),
            before: record.map(|record| record.before.to_string()),
            after: record.map(|record| record.after.to_string()),
            staged: paths(&outcome.staged),
            discarded: record.iter().flat_map(|record| &record.discarded).map(Lost::from).collect(),
            files: outcome.files.iter().map(|file| FileDifference::new(file, with_lines)).collect(),
            changes: outcome.files,
        }
    }
}

impl From<&show::Foreign> for Foreign {
    fn from(foreign: &show::Foreign) -> Self {
        Self {
            commits: foreign.commits.iter().map(ToString::to_string).collect(),
            reason: foreign.reason.clone(),
            actor: foreign.actor.clone(),
            session: foreign.session.clone(),
            time: format_utc(foreign.seconds),
            undoes: foreign.undoes.as_ref().map(ToString::to_string),
            undone_by: foreign.undone_by.as_ref().map(ToString::to_string),
        }
    }
}

impl From<&Discarded> for Lost {
    fn from(lost: &Discarded) -> Self {
        Self { path: text(&lost.path), field: lost.field.clone(), value: lost.value.clone() }
    }
}
