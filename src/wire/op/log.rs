//! JSON of `brv op log`: logged operations.

use brv_base::clock::format_utc;
use brv_commands::op::log;
use brv_engine::journal::{ChangedSettings, Extent, RefMove};
use brv_engine::outcome::bytes::text;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.op.log/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct OpLog {
    /// The operations, newest first.
    pub operations: Vec<Operation>,
    /// Number of all logged operations.
    total: usize,
}

/// A logged operation.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Operation {
    /// Its id.
    pub id: String,
    /// The short id: its last eight digits.
    pub short: String,
    /// Its content; absent if this version of brv cannot read it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub known: Option<Known>,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

/// The content of an operation.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Known {
    /// The command: `commit`, `pull`, `undo`, …
    pub kind: &'static str,
    /// When it was made, in UTC.
    pub time: String,
    /// Why it was made, in the user's words or the command's.
    pub reason: String,
    /// The person or agent; empty if unknown.
    pub actor: String,
    /// The session of the actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The files that it changed; of more than 200 the first ones, unless `--all-paths` is given.
    pub footprint: Vec<String>,
    /// How many files it changed, if `footprint` has not all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub footprint_total: Option<usize>,
    /// The references that it moved.
    pub moves: Vec<RefMove>,
    /// The settings of branches and remotes that it changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<ChangedSettings>,
    /// The operation that it undid, or the newest of those that it undid together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<Undoes>,
    /// The operation that undid it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<String>,
    /// The other tree of the repository in which it was made; absent for this tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
}

/// The operation that another one undid.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Undoes {
    /// Its id.
    pub operation: String,
    /// Whether all of it was undone.
    pub whole: bool,
    /// The other operations that were undone with it (`brv undo --session`), newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
}

impl From<&log::Outcome> for OpLog {
    fn from(outcome: &log::Outcome) -> Self {
        Self { operations: outcome.entries.iter().map(Operation::from).collect(), total: outcome.total }
    }
}

impl From<&log::Entry> for Operation {
    fn from(entry: &log::Entry) -> Self {
        let (id, known, unreadable) = match entry {
            log::Entry::Known(known) => (&known.record.id, Some(Known::from(&**known)), None),
            log::Entry::Unreadable { id, reason } => (id, None, Some(reason.clone())),
        };
        Self { id: id.to_string(), short: id.short().to_owned(), known, unreadable }
    }
}

impl From<&log::Known> for Known {
    fn from(known: &log::Known) -> Self {
        let record = &known.record;
        Self {
            kind: record.kind.word(),
            time: format_utc(record.seconds),
            reason: record.reason.clone(),
            actor: record.actor.clone(),
            session: record.session.clone(),
            footprint: known.footprint.iter().map(|path| text(path)).collect(),
            footprint_total: Some(known.touched).filter(|touched| *touched > known.footprint.len()),
            moves: record.moves.clone(),
            settings: record.settings.iter().map(ChangedSettings::from).collect(),
            undoes: record.undoes.split_first().map(|(newest, others)| Undoes {
                operation: newest.operation.to_string(),
                whole: newest.extent == Extent::Whole,
                others: others.iter().map(|undoes| undoes.operation.to_string()).collect(),
            }),
            undone_by: known.undone_by.as_ref().map(ToString::to_string),
            tree: known.elsewhere.as_ref().map(ToString::to_string),
        }
    }
}
