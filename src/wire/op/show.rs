//! JSON of `brv op show`: one operation.

use brv_base::clock::format_utc;
use brv_commands::op::log::Known;
use brv_commands::op::show;
use brv_commands::vc::diff::FileChange;
use brv_engine::journal::Discarded;
use brv_engine::outcome::bytes::text;
use brv_engine::outcome::change::FileDifference;
use brv_engine::outcome::recovered::paths;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.op.show/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct OpShow {
    /// Its id.
    pub id: String,
    /// Its content; absent if it is not in the operation log of this clone.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub known: Option<Known>,
    /// What commits tell about an operation that is not in the log of this clone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreign: Option<Foreign>,
    /// Its commit, which `git show` reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The state before it, as a commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    /// The state after it, as a commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    /// Files whose staged version it changed.
    pub staged: Vec<String>,
    /// Values that it dropped in favour of others.
    pub discarded: Vec<Lost>,
    /// The files that it changed.
    files: Vec<FileDifference>,
    /// The exact changes.
    #[serde(skip)]
    pub changes: Vec<FileChange>,
}

/// An operation of another clone, or a pruned one.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Foreign {
    /// The commits of this history that have its id, newest first.
    pub commits: Vec<String>,
    /// Why it was made, in the user's words or the command's.
    pub reason: String,
    /// The person or agent; empty if unknown.
    pub actor: String,
    /// The session of the actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When the newest commit was made, in UTC.
    pub time: String,
    /// The operation that it undid, or the newest of those that it undid together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// The other operations that it undid with it (`brv undo --session`), newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undoes_others: Vec<String>,
    /// The operation of this clone that undid it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<String>,
}

/// A value that was dropped in favour of another.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Lost {
    /// The file.
    pub path: String,
    /// A field of its frontmatter, or the heading of the text.
    pub field: String,
    /// The dropped value.
    pub value: String,
}

impl OpShow {
    pub fn new(outcome: show::Outcome, with_lines: bool) -> Self {
        let id = outcome.told.id().to_string();
        let (record, known, foreign) = match outcome.told {
            show::Told::Recorded(recorded) => (Some(recorded.0), Some(recorded.1), None),
            show::Told::Foreign(foreign) => (None, None, Some(Foreign::from(&foreign))),
        };
        let record = record.as_ref();
        Self {
            id,
            known,
            foreign,
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
            undoes: foreign.undoes.first().map(ToString::to_string),
            undoes_others: foreign.undoes.iter().skip(1).map(ToString::to_string).collect(),
            undone_by: foreign.undone_by.as_ref().map(ToString::to_string),
        }
    }
}

impl From<&Discarded> for Lost {
    fn from(lost: &Discarded) -> Self {
        Self { path: text(&lost.path), field: lost.field.clone(), value: lost.value.clone() }
    }
}
