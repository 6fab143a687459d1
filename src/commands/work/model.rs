//! The job of a text that a model curates.

use super::{WAIT_TO_WRITE, Worker, changed};
use crate::commits::decide::ended;
use crate::curate::propose::{self, ProposalRequest, ProposalSettings};
use brv_base::path::PathKind;
use brv_engine::jobs::{Verdict, name};
use brv_engine::journal;
use brv_engine::open::context::{Actor, Parts};
use brv_engine::open::hosting;
use brv_engine::open::models;
use brv_engine::open::state::{Ended, StoredJob};
use brv_engine::write::operation;
use brv_engine::{FailureKind, Mode, Stop};
use std::time::{Duration, Instant};

/// How long the model and what it leads to may take, on the clock of the machine.
pub(super) const LIMIT_OF_TIME: Duration = Duration::from_secs(30 * 60);

/// Have the model curate, in the name of who asked for it.
///
/// # Errors
/// What stops `brv curate` as a whole, such as another brv that writes.
pub(super) fn take(worker: &Worker<'_>, job: &StoredJob) -> Result<Ended, Stop> {
    let input = worker.store.read(|state| state.input_of(job.id))?;
    let Some(request) = input.and_then(|input| serde_json::from_str::<ProposalRequest>(&input).ok()) else {
        return Ok(ended(Verdict::Failed, "its input is gone"));
    };
    let actor = Actor { name: job.new.actor.clone(), session: job.new.session.clone(), door: None };
    let mut model = models::needed(worker.cx)?;
    let code_head = hosting::code_head(worker.opened, &worker.cx.cwd);
    let setting = ProposalSettings { mode: Mode::Write, code_head, job: Some(label(job)) };
    let parts = worker.parts(&actor);
    let proposed = propose::propose(parts, &mut model, &request, setting)?;
    let start = Instant::now();
    // the model is not asked again because another brv writes
    let outcome = loop {
        match propose::apply(parts, &proposed) {
            Err(stop) if stop.kind == FailureKind::Busy && start.elapsed() < WAIT_TO_WRITE => {
                std::thread::sleep(Duration::from_millis(200));
            }
            ended => break ended?,
        }
    };
    let entries = outcome.changed().map(ToString::to_string).collect();
    let operation = outcome.written.operation.as_ref().map(ToString::to_string);
    let refusals: Vec<String> = outcome.refusals().map(|refused| refused.message.clone()).collect();
    let (verdict, reason) = match (&operation, refusals.is_empty()) {
        (Some(_), true) => (Verdict::Curated, "filed".to_owned()),
        (Some(_), false) => {
            let (failed, all) = (refusals.len(), outcome.applied.len());
            (Verdict::Curated, format!("filed; {failed} of {all} operations failed: {}", refusals.join("; ")))
        }
        (None, true) => (Verdict::Declined, "the model found nothing new".to_owned()),
        (None, false) => (Verdict::Failed, refusals.join("; ")),
    };
    Ok(Ended { operation, entries, ..ended(verdict, reason) })
}

/// What became of a job whose worker died after it had curated: its operation names it.
pub(super) fn landed(parts: Parts<'_>, job: &StoredJob) -> Result<Option<Ended>, Stop> {
    if journal::pending(parts.scope())?.is_some() {
        operation::recover(parts)?;
    }
    let listed = journal::list(parts.scope())?;
    let label = label(job);
    let mut records = listed.iter().filter_map(|one| one.record.as_ref().ok());
    let Some(record) = records.find(|record| record.job.as_ref() == Some(&label)) else { return Ok(None) };
    let entries = changed(parts, [record.before, record.after], PathKind::is_curated)?;
    let operation = Some(record.id.to_string());
    Ok(Some(Ended { operation, entries, ..ended(Verdict::Curated, "filed") }))
}

/// How the operation of a job names it. Numbers begin anew with a new state, so the time belongs to it.
fn label(job: &StoredJob) -> String {
    format!("{} {}", name(job.id), job.queued)
}
