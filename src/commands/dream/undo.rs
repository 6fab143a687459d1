//! `brv dream --undo [ID]`: take a dream back, the last one or any other.

use super::{DreamStatus, Outcome};
use crate::undo::work::undo::{self, UndoRequest};
use brv_engine::dream::{self, Dream, Dreams};
use brv_engine::jobs::Store;
use brv_engine::journal::{self, DreamId};
use brv_engine::open::context::Context;
use brv_engine::open::state::{Ruling, StoredDecision};
use brv_engine::read::history::provenance::REJECTED;
use brv_engine::review::{self, Decisions, Flag, ReviewExtent, ReviewStanding};
use brv_engine::write::operation;
use brv_engine::{FailureKind, Stop};

/// What became of an undo.
pub struct UndoneDream {
    pub outcome: Outcome,
    /// What the undo wrote, or where it conflicts; `None` if the dream had changed no file.
    pub undo: Option<undo::Outcome>,
}

/// Undo a dream.
///
/// # Errors
/// No such dream; one that is undone; what stops `brv undo`.
pub fn undo(cx: &Context<'_>, name: Option<&str>) -> Result<UndoneDream, Stop> {
    let opened = cx.open()?;
    let listed = journal::list(&opened.scope)?;
    let dreams = Dreams::of(&opened.scope, &listed, &dream::logs(&opened)?)?;
    let dream = chosen(&dreams, name)?;
    let outcome = Outcome::of(Some(dream.id), DreamStatus::Undone);
    let Some(operation) = &dream.operation else {
        dream::mark_undone(&opened, dream.id)?;
        let name = dream.id.to_string();
        Store::of(&opened)?.with(|state| state.forget_dream(&name))?;
        dream::settle(&opened)?;
        let before = dreams.standing().rfind(|one| one.id != dream.id && one.operation.is_some());
        let before = before.map(|one| format!("; before it, {} did", one.id)).unwrap_or_default();
        let reason = Some(format!("it had changed no file{before}"));
        return Ok(UndoneDream { outcome: Outcome { reason, ..outcome }, undo: None });
    };
    let operation = operation.to_string();
    let reviewed = review::read(&opened, ReviewExtent::Everything)?;
    let is_open = |one: &&(Flag, ReviewStanding)| {
        one.0.dream.as_deref() == Some(&*dream.id.to_string()) && one.1 != ReviewStanding::TakenBack
    };
    let open: Vec<&Flag> = reviewed.flags.iter().filter(is_open).map(|(flag, _)| flag).collect();
    let rejected = open.iter().map(|flag| (REJECTED, format!("{} {}", flag.id, flag.path)));
    let trailers: Vec<(&'static str, String)> = rejected.collect();
    let request = UndoRequest { operation: Some(&operation), trailers: &trailers, ..UndoRequest::LAST };
    let undone = operation::settle(Stop::kind, |locking| undo::undo(cx.parts(&opened), &request, locking))?;
    if !undone.conflicts.is_empty() {
        let reason = Some("later changes conflict with its undo".to_owned());
        let outcome = Outcome { status: DreamStatus::Error, reason, ..outcome };
        return Ok(UndoneDream { outcome, undo: Some(undone) });
    }
    if let Some(operation) = &undone.written.operation {
        let actor = review::decider(&cx.parts(&opened));
        let by = (actor.as_str(), cx.clock.seconds());
        let decided = open.iter().map(|flag| StoredDecision {
            operation: Some(operation.to_string()),
            ..review::stored(flag, (Ruling::Rejected, None), by)
        });
        // the undo stands; without the decisions only `brv review log` says less
        let _ = Decisions::add(&opened, &decided.collect::<Vec<_>>());
    }
    let outcome = Outcome { operation: undone.written.operation.clone(), commit: undone.commit, ..outcome };
    Ok(UndoneDream { outcome, undo: Some(undone) })
}

fn chosen(dreams: &Dreams, name: Option<&str>) -> Result<Dream, Stop> {
    let Some(name) = name else {
        let last = dreams.last_standing().cloned();
        return last.ok_or_else(|| Stop::new(FailureKind::Refused, "there is no dream to undo"));
    };
    let known = DreamId::parse(name).and_then(|id| dreams.find(id)).cloned();
    let unknown = || {
        let hint = "`brv op log` lists the operations, and `brv undo ID` undoes one; `brv vc revert COMMIT` reverts a squash";
        Stop::usage(format!("there is no dream `{name}` here")).hint(hint)
    };
    let dream = known.ok_or_else(unknown)?;
    match dream.is_undone {
        true => Err(Stop::new(FailureKind::Refused, format!("`{name}` is undone already"))),
        false => Ok(dream),
    }
}
