//! `brv op log`: list the operations in the operation log, newest first.

use brv_base::clock::format_utc;
use brv_engine::Stop;
use brv_engine::journal::{self, Extent, Listed, Record};
use brv_engine::open::context::Context;
use brv_engine::open::naming::{operations, paths};
use brv_git::Scope;
use schemars::JsonSchema;
use serde::Serialize;

pub use brv_engine::journal::{ChangedSettings, OperationId, OperationKind, RefMove};
pub use brv_git::refs::Target;

/// How many files of an operation are listed without `--all-paths`.
const FILES: usize = 200;

#[derive(Debug, Clone, Default)]
pub struct Options {
    pub limit: Option<usize>,
    /// Only operations of this actor.
    pub actor: Option<String>,
    /// Only operations of this session.
    pub session: Option<String>,
    /// Only operations of these kinds; empty: all.
    pub kinds: Vec<OperationKind>,
    /// Only operations that touch one of these files, as typed.
    pub paths: Vec<String>,
    /// Whether each operation has all of its files, however many.
    pub all_files: bool,
}

/// `brv.op.log/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "OpLog")]
pub struct Outcome {
    /// The operations, newest first.
    pub operations: Vec<LoggedOperation>,
    /// Number of all logged operations.
    pub total: usize,
}

/// A logged operation.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Operation")]
pub struct LoggedOperation {
    /// Its id.
    pub id: OperationId,
    /// The short id: its last eight digits.
    pub short: String,
    /// Its content; absent if this version of brv cannot read it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub known: Option<OperationContent>,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

/// The content of an operation.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Known")]
pub struct OperationContent {
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
    pub undoes: Option<UndoLink>,
    /// The operation that undid it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<OperationId>,
    /// The other tree of the repository in which it was made; absent for this tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
}

/// The operation that another one undid.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Undoes")]
pub struct UndoLink {
    /// Its id.
    pub operation: OperationId,
    /// Whether all of it was undone.
    pub whole: bool,
    /// The other operations that were undone with it (`brv undo --session`), newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OperationId>,
}

/// Read the operation log.
///
/// # Errors
/// A path that is outside of the tree; an operation that cannot be read is part of the outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let paths = paths::pathspecs(&scope.root(), &cx.cwd, &options.paths)?;
    let listed = journal::list(scope)?;
    let mut undone = journal::undone(&listed);
    let total = listed.len();
    let most = if options.all_files { usize::MAX } else { FILES };
    let mut operations = Vec::new();
    for one in listed.into_iter().filter(|one| is_meant(one, options)) {
        if options.limit.is_some_and(|limit| operations.len() >= limit) {
            break;
        }
        let (known, unreadable) = match one.record {
            Err(reason) => (None, Some(reason)),
            Ok(record) => {
                if !paths.is_empty() && !operations::touches(scope, &record, &paths)? {
                    continue;
                }
                let undone_by = undone.remove(&record.id);
                (Some(OperationContent { undone_by, ..OperationContent::new(scope, &record, most)? }), None)
            }
        };
        operations.push(LoggedOperation { short: one.id.short().to_owned(), id: one.id, known, unreadable });
    }
    Ok(Outcome { operations, total })
}

impl OperationContent {
    /// A recorded operation with at most this many of its files, and without what undid it.
    pub(super) fn new(scope: &Scope, record: &Record, most: usize) -> Result<Self, Stop> {
        let footprint = operations::footprint(scope, record)?;
        let touched = footprint.len();
        Ok(Self {
            kind: record.kind.word(),
            time: format_utc(record.seconds),
            reason: record.reason.clone(),
            actor: record.actor.clone(),
            session: record.session.clone(),
            footprint: footprint.iter().take(most).map(ToString::to_string).collect(),
            footprint_total: (touched > most).then_some(touched),
            moves: record.moves.clone(),
            settings: record.settings.iter().map(ChangedSettings::from).collect(),
            undoes: record.undoes.split_first().map(|(newest, others)| UndoLink {
                operation: newest.operation.clone(),
                whole: newest.extent == Extent::Whole,
                others: others.iter().map(|undoes| undoes.operation.clone()).collect(),
            }),
            undone_by: None,
            tree: record.elsewhere(scope).map(|place| place.to_string()),
        })
    }
}

/// Whether the operation matches the filters. An unreadable one matches only if no filter is set.
fn is_meant(one: &Listed, options: &Options) -> bool {
    let Options { actor, session, kinds, paths, .. } = options;
    match &one.record {
        Err(_) => actor.is_none() && session.is_none() && kinds.is_empty() && paths.is_empty(),
        Ok(record) => {
            actor.as_ref().is_none_or(|actor| record.actor == *actor)
                && session.as_ref().is_none_or(|session| record.session.as_ref() == Some(session))
                && (kinds.is_empty() || kinds.contains(&record.kind))
        }
    }
}
