//! The job of a dream, and a dream that is due.

use super::Worker;
use crate::commits::decide::ended;
use crate::dream::work::{self, Decisive, DreamStatus, Gates, Halt, LIMIT, Outcome, Request, Writer};
use brv_base::path::PathKind;
use brv_engine::agents::model::Model;
use brv_engine::dream::{self, Trigger};
use brv_engine::jobs::{Verdict, is_by_model, is_forced};
use brv_engine::journal::{self, DreamId};
use brv_engine::open::context::{Actor, Parts};
use brv_engine::open::models;
use brv_engine::open::state::{Ended, StoredJob};
use brv_engine::write::overriding::Allowed;
use brv_engine::{Mode, Stop};
use brv_git as git;
use brv_git::CommitId;
use std::time::{Duration, Instant};

/// How long a dream may take, on the clock of the machine.
pub(super) const LIMIT_OF_TIME: Duration = Duration::from_secs(5 * 60);

/// What is left of it to write down what was done.
const MARGIN: Duration = Duration::from_secs(10);

/// Dream, in the name of who asked for it.
///
/// # Errors
/// What stops `brv dream` as a whole, such as another brv that writes.
pub(super) fn take(worker: &Worker<'_>, job: &StoredJob) -> Result<Ended, Stop> {
    let Some(id) = job.new.dream.as_deref().and_then(DreamId::parse) else {
        return Ok(ended(Verdict::Failed, "the job names no dream"));
    };
    let actor = Actor { name: job.new.actor.clone(), session: job.new.session.clone(), door: None };
    let start = Instant::now();
    let halt = || (start.elapsed() + MARGIN >= LIMIT_OF_TIME).then_some(Halt::Time);
    let writer = match is_by_model(&job.new.event) {
        // whoever queued it asked for the model
        true => by(models::needed(worker.cx)?, start),
        false => Writer::Nobody,
    };
    let request = Request {
        gates: if is_forced(&job.new.event) { Gates::Open } else { Gates::Hold },
        mode: Mode::Write,
        branch: job.new.branch.as_deref(),
        writer,
        trigger: Trigger::Queued,
        job: Some((job.id, id)),
        limit: LIMIT,
        allowed: &Allowed::default(),
        halt: &halt,
    };
    let outcome = work::run(worker.parts(&actor), &request)?;
    Ok(told(worker.parts(&actor), outcome))
}

/// Dream if one is due and the user wants that (`dream.auto`). Nobody waits for it: the log reports failures.
pub(super) fn if_due(worker: &Worker<'_>) {
    if !worker.opened.config.dream_auto.value {
        return;
    }
    let actor = Worker::actor();
    let dream = |writer: Writer, start: Instant| {
        let halt = || (start.elapsed() >= LIMIT_OF_TIME).then_some(Halt::Time);
        let request = Request {
            gates: Gates::Hold,
            mode: Mode::Write,
            branch: None,
            writer,
            trigger: Trigger::Due,
            job: None,
            limit: LIMIT,
            allowed: &Allowed::default(),
            halt: &halt,
        };
        work::run(worker.parts(&actor), &request)
    };
    let start = Instant::now();
    if let Some(model) = models::in_background(worker.cx)
        && dream(by(model, start), start).is_ok()
    {
        return;
    }
    // also where the model failed: what is certain needs none
    let _ = dream(Writer::Nobody, Instant::now());
}

/// The model decides, and leaves time to carry that out.
fn by(model: Model, start: Instant) -> Writer {
    Writer::Model(Box::new(Decisive::new(model, start + LIMIT_OF_TIME - 3 * MARGIN)))
}

/// What the log of jobs says about a dream.
fn told(parts: Parts<'_>, outcome: Outcome) -> Ended {
    let operation = outcome.operation.as_ref().map(ToString::to_string);
    let summary = outcome.summary;
    let counts = format!(
        "{} consolidated | {} synthesized | {} pruned",
        summary.consolidated, summary.synthesized, summary.pruned
    );
    let (verdict, reason) = match outcome.status {
        DreamStatus::Skipped => (Verdict::Skipped, outcome.reason.unwrap_or_default()),
        _ => (Verdict::Dreamed, counts),
    };
    let entries = outcome.commit.map(|commit| changed(parts, commit)).unwrap_or_default();
    Ended { operation, entries, ..ended(verdict, reason) }
}

/// The entries that a commit changed.
fn changed(parts: Parts<'_>, commit: CommitId) -> Vec<String> {
    let parent = git::commit::read(parts.scope(), commit).ok().and_then(|read| read.parents.first().copied());
    let changed = |parent| super::changed(parts, [parent, commit], PathKind::is_curated).ok();
    parent.and_then(changed).unwrap_or_default()
}

/// What became of a dream whose worker died after it had written.
pub(super) fn landed(parts: Parts<'_>, job: &StoredJob) -> Result<Option<Ended>, Stop> {
    let Some(id) = job.new.dream.as_deref().and_then(DreamId::parse) else { return Ok(None) };
    if journal::pending(parts.scope())?.is_some() {
        brv_engine::write::operation::recover(parts)?;
    }
    let listed = journal::list(parts.scope())?;
    let records = listed.iter().filter_map(|one| one.record.as_ref().ok());
    let Some(record) = records.into_iter().find(|record| record.dream == Some(id)) else { return Ok(None) };
    dream::settle(parts.opened)?;
    let operation = Some(record.id.to_string());
    Ok(Some(Ended { operation, ..ended(Verdict::Dreamed, record.reason.clone()) }))
}
