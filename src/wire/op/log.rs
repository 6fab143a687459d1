//! The data of `brv op log`: operations on record.

use crate::clock::format_utc;
use crate::git::refs::Target;
use crate::journal::{Extent, Owner, RefMove, Setting, SettingsMove};
use crate::ops::op::log;
use crate::wire::text;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.op.log/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct OpLog {
    /// Newest first.
    pub operations: Vec<Operation>,
    /// How many are on record in all.
    total: usize,
}

/// An operation on record.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Operation {
    /// Its name.
    pub id: String,
    /// The eight digits at its end, by which people call it.
    pub short: String,
    /// What it says; absent where this version cannot read it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub known: Option<Known>,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

/// What an operation says.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Known {
    /// The command: `commit`, `pull`, `undo`, …
    pub kind: &'static str,
    /// In UTC.
    pub time: String,
    /// Why, in the user's words or the command's.
    pub reason: String,
    /// Person or agent; empty where nobody was named.
    pub actor: String,
    /// The session of the actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The files that it is about.
    pub footprint: Vec<String>,
    /// The references that it moved.
    pub moves: Vec<Move>,
    /// What it changed in the settings of branches and remotes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Settings>,
    /// The operation that it took back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<Undoes>,
    /// What took it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<String>,
    /// In which other tree of the repository it was made; absent: in this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
}

/// What an operation took back.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Undoes {
    /// Its name.
    pub operation: String,
    /// Whether it was all of it.
    pub whole: bool,
}

/// A reference that moved.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Move {
    /// The full name.
    pub name: String,
    /// Where it was, an id or the name of another; absent: it was not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Where it is then; absent: it went away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// What is set of a branch (`branch.NAME.*`) or a remote (`remote.NAME.*`), before and after; of neither: of the remotes as such
/// (`remote.*`). Addresses carry no secrets.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Settings {
    /// The branch, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The remote, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// `key=value`
    pub before: Vec<String>,
    /// `key=value`
    pub after: Vec<String>,
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
            moves: record.moves.iter().map(Move::from).collect(),
            settings: record.settings.iter().map(Settings::from).collect(),
            undoes: record.undoes.as_ref().map(|undoes| Undoes {
                operation: undoes.operation.to_string(),
                whole: undoes.extent == Extent::Whole,
            }),
            undone_by: known.undone_by.as_ref().map(ToString::to_string),
            tree: known.elsewhere.as_ref().map(ToString::to_string),
        }
    }
}

impl From<&SettingsMove> for Settings {
    fn from(one: &SettingsMove) -> Self {
        let side = |side: &[Setting]| {
            side.iter().map(|setting| format!("{}={}", setting.key, setting.shown())).collect()
        };
        let (branch, remote) = match &one.of {
            Owner::Branch(name) => (Some(name.clone()), None),
            Owner::Remote(name) => (None, Some(name.clone())),
            Owner::Remotes => (None, None),
        };
        Self { branch, remote, before: side(&one.old), after: side(&one.new) }
    }
}

impl From<&RefMove> for Move {
    fn from(one: &RefMove) -> Self {
        let target = |target: &Option<Target>| {
            target.as_ref().map(|target| match target {
                Target::Object(id) => id.to_string(),
                Target::Symbolic(name) => text(name),
            })
        };
        Self { name: text(&one.name), before: target(&one.old), after: target(&one.new) }
    }
}
