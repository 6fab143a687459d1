//! The data of `brv undo`.

use super::change::paths;
use super::decision::{Conflict, Record, records};
use super::knowledge::Entry;
use super::op::{Move, Settings};
use super::vc::diff::FileDifference;
use super::written::Written;
use crate::journal::Extent;
use crate::ops::steps::merging::integrate::MOST_TOLD;
use crate::ops::undo::{Manner, Outcome};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.undo/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Undo {
    /// The operation that is taken back.
    undone: Undone,
    /// Operations of others that came after the last one of the caller, newest first: they stay.
    pub passed_over: Vec<PassedOver>,
    /// `restored`: files, index and references are as before it; `committed`: a new commit takes its change back.
    manner: &'static str,
    /// Whether all of it is taken back.
    whole: bool,
    /// The references that went back, or would.
    pub moves: Vec<Move>,
    /// The settings of branches and remotes that went back, or would.
    pub settings: Vec<Settings>,
    /// Settings (`remote.origin.url`) that came back without a user name or a password, which are on no record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_secrets: Vec<String>,
    /// The commit that takes it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
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
}

#[derive(Debug, JsonSchema, Serialize)]
struct Undone {
    id: String,
    /// The command; absent for an operation of another clone.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    /// Why it was done.
    reason: String,
}

/// An operation of another.
#[derive(Debug, JsonSchema, Serialize)]
pub struct PassedOver {
    /// Its name.
    pub operation: String,
    /// Whose; empty where nobody was named.
    pub actor: String,
}

impl From<&Outcome> for Undo {
    fn from(outcome: &Outcome) -> Self {
        let is_large = outcome.files.len() > MOST_TOLD;
        Self {
            undone: Undone {
                id: outcome.undone.id.to_string(),
                kind: outcome.undone.kind.map(|kind| kind.word()),
                reason: outcome.undone.reason.clone(),
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
            without_secrets: outcome.without_secrets.clone(),
            commit: outcome.commit.map(|id| id.to_string()),
            files: outcome.files.iter().map(|file| FileDifference::new(file, false)).collect(),
            staged: paths(&outcome.staged),
            entries: (!is_large).then(|| outcome.entries.iter().map(Entry::from).collect()),
            conflicts: outcome.conflicts.iter().map(Conflict::from).collect(),
            records: records(&outcome.settled),
            uncommitted: paths(&outcome.uncommitted),
            kept: paths(&outcome.kept),
            written: Written::from(&outcome.written),
        }
    }
}
