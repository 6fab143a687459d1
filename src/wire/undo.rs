//! The data of `brv undo`.

use super::bytes::Bytes;
use super::change::paths;
use super::decision::{Conflict, Record, records};
use super::knowledge::Entry;
use super::op::{Move, Settings};
use super::vc::diff::FileDifference;
use super::written::Written;
use crate::diff::knowledge as model;
use crate::journal::Extent;
use crate::ops::steps::merging::integrate::MOST_TOLD;
use crate::ops::undo::{Manner, Outcome, RevertedOnRemote};
use crate::ops::vc::diff::FileChange;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.undo/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Undo {
    /// The operation that is taken back.
    pub undone: Undone,
    /// Operations of others that came after the last one of the caller, newest first: they stay.
    pub passed_over: Vec<PassedOver>,
    /// `restored`: files, index and references are as before it; `committed`: a new commit takes its change back.
    pub manner: &'static str,
    /// Whether all of it is taken back.
    pub whole: bool,
    /// The references that went back, or would.
    pub moves: Vec<Move>,
    /// The settings of branches and remotes that went back, or would.
    pub settings: Vec<Settings>,
    /// Settings (`remote.origin.url`) that came back without a user name or a password, which are on no record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_secrets: Vec<String>,
    /// The commit that takes it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The files that changed here, or would.
    files: Vec<FileDifference>,
    /// Files of which what is recorded for the next commit changed, or would; none where a commit takes it back.
    pub staged: Vec<String>,
    /// The same as `files` by meaning, as in `brv vc diff`, without what must be decided; absent where more than 200 files changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<Entry>>,
    /// What must be decided.
    pub conflicts: Vec<Conflict>,
    /// What was settled without a person.
    pub records: Vec<Record>,
    /// Files that were brought back and not committed, since they have edits that are not.
    pub uncommitted: Vec<String>,
    /// Files of others with the name of a derived one, which stay.
    pub kept: Vec<String>,
    /// The rest.
    #[serde(flatten)]
    pub written: Written,
    /// The branch that `HEAD` is on, if it has no commits then.
    #[serde(skip)]
    pub unborn: Option<Bytes>,
    /// What the next push would take from the remote again; a warning says it.
    #[serde(skip)]
    pub reverts_on_remote: Option<RevertedOnRemote>,
    /// All of `files`, as the screen counts them.
    #[serde(skip)]
    pub counted: Vec<FileChange>,
    /// All of `entries`, as the screen tells them.
    #[serde(skip)]
    pub told: Vec<model::Entry>,
}

/// The operation that is taken back.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Undone {
    /// Its name.
    pub id: String,
    /// The command; absent for an operation of another clone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// Why it was done.
    pub reason: String,
}

/// An operation of another.
#[derive(Debug, JsonSchema, Serialize)]
pub struct PassedOver {
    /// Its name.
    pub operation: String,
    /// Whose; empty where nobody was named.
    pub actor: String,
}

impl From<Outcome> for Undo {
    fn from(outcome: Outcome) -> Self {
        let is_large = outcome.files.len() > MOST_TOLD;
        Self {
            undone: Undone {
                id: outcome.undone.id.to_string(),
                kind: outcome.undone.kind.map(|kind| kind.word()),
                reason: outcome.undone.reason,
            },
            passed_over: outcome
                .passed_over
                .iter()
                .map(|one| PassedOver { operation: one.id.to_string(), actor: one.actor.clone() })
                .collect(),
            manner: match outcome.manner {
                Manner::Restored => "restored",
                Manner::Committed => "committed",
            },
            whole: outcome.extent == Extent::Whole,
            moves: outcome.moves.iter().map(Move::from).collect(),
            settings: outcome.settings.iter().map(Settings::from).collect(),
            without_secrets: outcome.without_secrets,
            commit: outcome.commit.map(|id| id.to_string()),
            files: outcome.files.iter().map(|file| FileDifference::new(file, false)).collect(),
            staged: paths(&outcome.staged),
            entries: (!is_large).then(|| outcome.entries.iter().map(Entry::from).collect()),
            conflicts: outcome.conflicts.iter().map(Conflict::from).collect(),
            records: records(&outcome.settled),
            uncommitted: paths(&outcome.uncommitted),
            kept: paths(&outcome.kept),
            written: Written::from(&outcome.written),
            unborn: outcome.unborn.as_ref().map(Bytes::from),
            reverts_on_remote: outcome.reverts_on_remote,
            counted: outcome.files,
            told: outcome.entries,
        }
    }
}
