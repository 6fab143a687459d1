//! JSON of `brv undo`.

use brv_commands::undo::{self, Outcome, RevertedOnRemote, UndoMode};
use brv_commands::vc::diff::FileChange;
use brv_engine::journal::{ChangedSettings, Extent, RefMove};
use brv_engine::merge::integrate::MOST_TOLD;
use brv_engine::merge::reconcile::{Conflict, Record};
use brv_engine::outcome::bytes::Bytes;
use brv_engine::outcome::change::FileDifference;
use brv_engine::outcome::recovered::paths;
use brv_engine::write::written::Written;
use brv_text::diff::knowledge::Entry;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.undo/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Undo {
    /// The operation that was undone, or would be; of a session the newest.
    pub undone: Undone,
    /// If that was itself an undo: the operations that are done again, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redone: Vec<Undone>,
    /// With `--session`: the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<UndoneSession>,
    /// Newer operations of others, which were skipped, newest first.
    pub passed_over: Vec<PassedOver>,
    /// `restored`: files, index and references are as before the operation; `committed`: a new commit reverts it; `left`:
    /// the files revert it, and the next commit is left to you (`commit.auto: false`, or `--in-repo`).
    pub manner: &'static str,
    /// Whether all of the operation is undone.
    pub whole: bool,
    /// The references that were restored, or would be.
    pub moves: Vec<RefMove>,
    /// The settings of branches and remotes that were restored, or would be.
    pub settings: Vec<ChangedSettings>,
    /// Settings (`remote.origin.url`) that were restored without a user name or password, because those are not stored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_secrets: Vec<String>,
    /// The commit that reverts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The files that changed, or would change.
    files: Vec<FileDifference>,
    /// Files whose staged version changed, or would change; empty if a commit reverts it.
    pub staged: Vec<String>,
    /// The changes by meaning, as in `brv vc diff`, without conflicts; absent if more than 200 files changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<Entry>>,
    /// Files in conflict.
    pub conflicts: Vec<Conflict>,
    /// Differences that were settled automatically.
    pub records: Vec<Record>,
    /// Files that were restored but not committed, because they have uncommitted edits.
    pub uncommitted: Vec<String>,
    /// Files with the name of a derived file that brv did not write; left alone.
    pub kept: Vec<String>,
    /// Effects on files, and the operation.
    #[serde(flatten)]
    pub written: Written,
    /// The current branch, if it has no commits after the undo.
    #[serde(skip)]
    pub unborn: Option<Bytes>,
    /// What the next push changes back at the remote; printed as a warning.
    #[serde(skip)]
    pub reverts_on_remote: Option<RevertedOnRemote>,
    /// What an undo that is undone had undone, for the text output.
    #[serde(skip)]
    pub origin: Option<Origin>,
    /// All of `files`, for the text output.
    #[serde(skip)]
    pub counted: Vec<FileChange>,
    /// All of `entries`, for the text output.
    #[serde(skip)]
    pub told: Vec<Entry>,
}

/// An operation that was undone.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Undone {
    /// Its id.
    pub id: String,
    /// The command; absent for an operation of another clone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// Why it was made.
    pub reason: String,
}

/// What an undo had undone.
#[derive(Debug)]
pub struct Origin {
    /// The operations, newest first.
    pub operations: Vec<Undone>,
    /// Whether they are done again; else they are undone once more.
    pub is_redone: bool,
    /// Whether all of them is.
    pub is_whole: bool,
}

/// A session that was undone.
#[derive(Debug, JsonSchema, Serialize)]
pub struct UndoneSession {
    /// Its id.
    pub id: String,
    /// The operations that were undone, or would be, newest first.
    pub operations: Vec<Undone>,
    /// The operations that were not: nothing is left to undo of them, or they come before one with conflicts.
    pub remaining: Vec<Undone>,
}

/// An operation of another actor.
#[derive(Debug, JsonSchema, Serialize)]
pub struct PassedOver {
    /// Its id.
    pub operation: String,
    /// Who made it; empty if unknown.
    pub actor: String,
}

impl From<&undo::Undone> for Undone {
    fn from(undone: &undo::Undone) -> Self {
        Self {
            id: undone.id.to_string(),
            kind: undone.kind.map(|kind| kind.word()),
            reason: undone.reason.clone(),
        }
    }
}

impl From<Outcome> for Undo {
    fn from(outcome: Outcome) -> Self {
        let is_large = outcome.files.len() > MOST_TOLD;
        let all = |undone: &[undo::Undone]| undone.iter().map(Undone::from).collect();
        Self {
            undone: Undone::from(&outcome.undone),
            redone: match &outcome.origin {
                Some(origin) if origin.is_redone => all(&origin.operations),
                _ => Vec::new(),
            },
            session: outcome.session.map(|session| UndoneSession {
                id: session.id,
                operations: all(&session.operations),
                remaining: all(&session.remaining),
            }),
            passed_over: outcome
                .passed_over
                .iter()
                .map(|one| PassedOver { operation: one.id.to_string(), actor: one.actor.clone() })
                .collect(),
            manner: match outcome.manner {
                UndoMode::Restored => "restored",
                UndoMode::Committed => "committed",
                UndoMode::Left => "left",
            },
            whole: outcome.extent == Extent::Whole,
            moves: outcome.moves,
            settings: outcome.settings.iter().map(ChangedSettings::from).collect(),
            without_secrets: outcome.without_secrets,
            commit: outcome.commit.map(|id| id.to_string()),
            files: outcome.files.iter().map(|file| FileDifference::new(file, false)).collect(),
            staged: paths(&outcome.staged),
            entries: (!is_large).then(|| outcome.entries.clone()),
            conflicts: outcome.conflicts,
            records: Record::all(&outcome.settled),
            uncommitted: paths(&outcome.uncommitted),
            kept: paths(&outcome.kept),
            written: Written::from(&outcome.written),
            unborn: outcome.unborn.as_ref().map(Bytes::from),
            reverts_on_remote: outcome.reverts_on_remote,
            origin: outcome.origin.as_ref().map(|origin| Origin {
                operations: all(&origin.operations),
                is_redone: origin.is_redone,
                is_whole: origin.extent == Extent::Whole,
            }),
            counted: outcome.files,
            told: outcome.entries,
        }
    }
}
