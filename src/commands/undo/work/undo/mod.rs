//! Undo an operation, any operation of any actor, or all operations of a session: choose it, plan, and carry it out.
//!
//! The commands that take something back share this: they differ in the kind that the operation log names, and in its
//! words.

mod choose;
mod outcome;

use super::{RevertMode, UndoMode, UndoNaming, UndoSubject, Wanted};
use crate::undo::work;
use brv_engine::derive;
use brv_engine::dream;
use brv_engine::journal::{self, Listed, OperationKind, Record, Recovered, Resolution, Undoes};
use brv_engine::open::context::{Actor, Parts};
use brv_engine::open::naming::operations;
use brv_engine::write::operation::{Derived, Locking, WriteOutcome, Writing};
use brv_engine::{Mode, Stop};
use brv_git::pathspec::Pathspec;
use brv_text::merge::Undecided;
use choose::Chosen;

pub use brv_engine::journal::{Extent, OperationId};
pub use outcome::{Outcome, PassedOver, RevertedOnRemote, UndoOrigin, Undone, UndoneSession};

/// What to undo, and how.
#[derive(Debug, Clone, Copy)]
pub struct UndoRequest<'a> {
    /// The operation, as typed; `None`: the caller's last one.
    pub operation: Option<&'a str>,
    /// Instead of one operation: all of this session, as typed.
    pub session: Option<&'a str>,
    /// Only these files; empty: all.
    pub paths: &'a [Pathspec],
    /// What to do about changes that need a person's decision.
    pub on_conflict: OnConflict,
    /// Whether anything is written.
    pub mode: Mode,
    /// The kind that the operation log names: [`OperationKind::Undo`], or [`OperationKind::Reject`].
    pub kind: OperationKind,
    /// Why it is undone; `None`: only what is undone is named.
    pub comment: Option<&'a str>,
    /// Trailers that its commit gets besides those of every undo.
    pub trailers: &'a [(&'static str, String)],
}

impl UndoRequest<'_> {
    /// A plain undo of the caller's last operation.
    pub const LAST: Self = Self {
        operation: None,
        session: None,
        paths: &[],
        on_conflict: OnConflict::Stop,
        mode: Mode::Write,
        kind: OperationKind::Undo,
        comment: None,
        trailers: &[],
    };
}

/// What to do about changes that need a person's decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnConflict {
    #[default]
    Stop,
    /// Write conflict markers, to be resolved later.
    Mark,
    /// Keep the current version.
    Ours,
    /// Restore the version from before the operation.
    Theirs,
    Both,
}

/// Undo an operation, in one try: the caller repeats it while the kind says that another program was faster.
///
/// # Errors
/// No such operation, or one that cannot be undone as things stand; conflicts are an outcome.
pub fn undo(parts: Parts<'_>, request: &UndoRequest<'_>, locking: Locking) -> Result<Outcome, Stop> {
    let (opened, scope) = (parts.opened, parts.scope());
    let mut writing = Writing::begin(parts)?.locking(locking);
    let listed = journal::list(scope)?;
    if let Some(found) = asked_again(&listed, parts.actor, request, writing.recovered()) {
        let outcome = Outcome::finished(scope, &listed, found, request.session)?;
        let record = found.0;
        let written = WriteOutcome { operation: Some(record.id.clone()), ..writing.finish(Derived::Anyway) };
        return Ok(Outcome { written, ..outcome });
    }
    let survey = writing.survey(|index| derive::quick_survey(opened, index))?;
    let now = parts.clock.seconds();
    let plan = |chosen: &Chosen<'_>| {
        work::plan(scope, &survey, &wanted(request, chosen, (RevertMode::of(opened), now)))
    };
    let (chosen, passed_over, planned) = match (request.session, request.operation) {
        (Some(session), _) => {
            let chosen = choose::of_session(scope, &listed, session)?;
            let planned = plan(&chosen)?;
            (chosen, Vec::new(), planned)
        }
        (None, Some(typed)) => {
            let chosen = choose::named(scope, &listed, typed)?;
            let planned = plan(&chosen)?;
            (chosen, Vec::new(), planned)
        }
        (None, None) => choose::last_with_something_left(scope, &listed, parts.actor, plan)?,
    };
    let session = chosen.session(&planned);
    let newest = session.as_ref().and_then(|session| session.operations.first().cloned());
    let undone = newest.unwrap_or_else(|| chosen.newest());
    let mut outcome = Outcome { passed_over, session, ..Outcome::of(scope, undone, &planned)? };
    if outcome.session.is_none() {
        outcome.origin = outcome::origin(&listed, (&outcome.undone, outcome.extent));
    }
    outcome.reverts_on_remote =
        outcome::reverted_on_remote(scope, &survey.head, (&planned, &chosen.commits()))?;
    let stops = !planned.conflicts.is_empty() && request.on_conflict == OnConflict::Stop;
    if request.mode == Mode::Write && !stops {
        outcome.commit = work::carry_out(&mut writing, survey, planned, outcome.naming(request))?;
    }
    outcome.written = writing.finish(Derived::Changed);
    dream::follow(opened);
    Ok(outcome)
}

fn wanted<'a>(
    request: &UndoRequest<'a>,
    chosen: &'a Chosen<'a>,
    (ending, now): (RevertMode, i64),
) -> Wanted<'a> {
    let what = match chosen {
        Chosen::Recorded(record) => UndoSubject::Recorded(record),
        Chosen::Session(_, records) => UndoSubject::Together(records),
        Chosen::Foreign(_, commits) => UndoSubject::Commits(commits),
        Chosen::ForeignSession(_, all) => UndoSubject::Foreign(all),
    };
    let undecided = match request.on_conflict {
        OnConflict::Stop | OnConflict::Mark => Undecided::Mark,
        OnConflict::Ours => Undecided::Ours,
        OnConflict::Theirs => Undecided::Theirs,
        OnConflict::Both => Undecided::Both,
    };
    Wanted { what, paths: request.paths, undecided, ending, name: "before", now }
}

/// The caller's own undo that was interrupted by a crash and just recovered, if the command asks for the same:
/// repeating the command means that undo, not the operation before it.
fn asked_again<'a>(
    listed: &'a [Listed],
    caller: &Actor,
    request: &UndoRequest<'_>,
    recovered: Option<&Recovered>,
) -> Option<(&'a Record, &'a Undoes)> {
    let recovered = recovered.filter(|one| one.resolution == Resolution::Finished)?;
    let record = readable(listed, &recovered.id)?;
    let is_own = |_: &&Undoes| record.kind == request.kind && operations::is_own(record, caller);
    let undoes = record.undoes.first().filter(is_own)?;
    let is_meant = match (request.session, request.operation) {
        (Some(session), _) => choose::is_of_session(listed, record, session),
        // a dry run shows that the undo is done, and what the next one would undo
        (None, None) => request.mode == Mode::Write,
        (None, Some(typed)) => {
            let is_named =
                matches!(operations::find(listed, typed), Ok(Some(one)) if one.id == undoes.operation);
            is_named && record.undoes.len() == 1 && undoes.extent == Extent::Whole
        }
    };
    is_meant.then_some((record, undoes))
}

/// A logged operation, if this version can read it.
fn readable<'a>(listed: &'a [Listed], id: &OperationId) -> Option<&'a Record> {
    listed.iter().find(|one| one.id == *id)?.record.as_ref().ok()
}

impl Outcome {
    /// What the operation log and the commit say about the undo.
    fn naming(&self, request: &UndoRequest<'_>) -> UndoNaming {
        let (extent, kind) = (self.extent, request.kind);
        let undoes = |one: &Undone| Undoes { operation: one.id.clone(), extent };
        let (undoes, what, why) = match &self.session {
            None => {
                let why = request.comment.map_or_else(|| self.undone_reason(), str::to_owned);
                (vec![undoes(&self.undone)], self.undone.id.short().to_string(), why)
            }
            Some(UndoneSession { id, operations, .. }) => {
                let count = operations.len();
                let told = format!("{count} operation{}", if count == 1 { "" } else { "s" });
                (operations.iter().map(undoes).collect(), format!("session {id}"), told)
            }
        };
        let subject = match &self.session {
            None => why.clone(),
            Some(_) => format!("{what} ({why})"),
        };
        let reason = format!("{} {what}: {why}", kind.word());
        UndoNaming { kind, undoes, subject, reason, trailers: request.trailers.to_vec() }
    }

    /// What is undone. Of an undo, what becomes of the operation at the end of the chain, or the reason would grow with
    /// every undo of an undo.
    fn undone_reason(&self) -> String {
        let Some(UndoOrigin { operations, is_redone, .. }) = &self.origin else {
            return self.undone.reason.clone();
        };
        let verb = if *is_redone { "redo" } else { "undo" };
        match &operations[..] {
            [one] => format!("{verb} {}: {}", one.id.short(), one.reason),
            several => format!("{verb} {} operations", several.len()),
        }
    }
}
