//! Operations on record: the data of `brv op`.

use super::change::{Recovered, paths};
use super::diff::FileDifference;
use super::knowledge::Entry;
use super::text;
use crate::clock::format_utc;
use crate::git::refs::Target;
use crate::journal::{Discarded, Extent, Owner, RefMove, Setting, SettingsMove};
use crate::ops::op::{log, prune, show};
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

/// `brv.op.diff/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct OpDiff {
    /// The operation.
    id: String,
    files: Vec<FileDifference>,
    /// The references that it moved.
    pub moves: Vec<Move>,
    /// What it changed in the settings of branches and remotes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Settings>,
    /// The same by meaning: fields, facts and sections. Absent where no lines were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<Entry>>,
}

/// `brv.op.prune/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct OpPrune {
    /// The operations that went, or would, newest first: they cannot be undone any more.
    pub gone: Vec<Gone>,
    /// Files beside the paths that they changed, too: what they did to these cannot be undone any more either.
    pub others: Vec<String>,
    /// How many stay.
    pub kept: usize,
    /// Those of the paths that `HEAD` still has: the history holds them, too.
    pub in_head: Vec<String>,
    /// An interrupted command that was put right first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<Recovered>,
}

/// An operation that went.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Gone {
    /// Its name.
    pub id: String,
    /// The command; absent where this version cannot read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// Why it was done, or why it cannot be read.
    pub reason: String,
}

impl OpShow {
    /// Of an operation that is shown.
    #[must_use]
    pub fn new(outcome: &show::Outcome, with_lines: bool) -> Self {
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

impl OpDiff {
    /// Of what an operation changed.
    #[must_use]
    pub fn new(outcome: &show::Outcome, with_lines: bool) -> Self {
        let (moves, settings) = match &outcome.told {
            show::Told::Recorded(known) => {
                let Known { moves, settings, .. } = Known::from(&**known);
                (moves, settings)
            }
            show::Told::Foreign(_) => (Vec::new(), Vec::new()),
        };
        Self {
            id: outcome.told.id().to_string(),
            files: outcome.files.iter().map(|file| FileDifference::new(file, with_lines)).collect(),
            moves,
            settings,
            entries: with_lines.then(|| outcome.entries.iter().map(Entry::from).collect()),
        }
    }
}

impl From<&Discarded> for Lost {
    fn from(lost: &Discarded) -> Self {
        Self { path: text(&lost.path), field: lost.field.clone(), value: lost.value.clone() }
    }
}

impl From<&prune::Outcome> for OpPrune {
    fn from(outcome: &prune::Outcome) -> Self {
        let gone = outcome.gone.iter().map(|gone| Gone {
            id: gone.id.to_string(),
            kind: gone.kind.map(|kind| kind.word()),
            reason: gone.reason.clone(),
        });
        Self {
            gone: gone.collect(),
            others: paths(&outcome.others),
            kept: outcome.kept,
            in_head: paths(&outcome.in_head),
            recovered: outcome.written.recovered.as_ref().map(Recovered::from),
        }
    }
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
