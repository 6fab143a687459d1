//! The job of a commit.

use super::{UNDECIDED, Worker};
use crate::commits::decide::{Quota, decide, ended, note_branch};
use crate::commits::{Authors, Intake, Route};
use brv_engine::jobs::Verdict;
use brv_engine::open::hosting::Host;
use brv_engine::open::models;
use brv_engine::open::state::{Ended, StoredJob};
use brv_engine::{Actor, Mode, Stop};
use brv_git::CommitId;
use std::time::{Duration, Instant};

/// How long the model of the settings may take over a commit; the job itself ends later.
const LIMIT_OF_MODEL: Duration = Duration::from_secs(40);

/// What becomes of a commit of the host.
///
/// # Errors
/// What stops `brv curate` as a whole, such as another brv that writes.
pub(super) fn take(worker: &Worker<'_>, host: &Host, job: &StoredJob) -> Result<Ended, Stop> {
    let written = job.new.commit.as_deref().unwrap_or_default();
    let Some(id) = CommitId::from_hex(written) else {
        return Ok(ended(Verdict::Failed, format!("`{written}` is not a commit")));
    };
    let actor = Worker::actor();
    let authors = Authors::of(host);
    let intake = intake(worker, &actor, (host, &authors));
    let (commit, reading) = match intake.read(id) {
        Ok(read) => read,
        Err(stop) => return Ok(ended(Verdict::Failed, stop.message)),
    };
    let quota = Quota::PerDay(u64::from(worker.opened.config.hooks_quota.value));
    let mut model = models::in_background(worker.cx);
    if let Some(model) = &mut model {
        model.end_by(Instant::now() + LIMIT_OF_MODEL);
    }
    let decided = decide(&intake, worker.store, (&commit, &reading), quota, model.as_mut())?;
    note_branch(&intake, worker.store, (id, job.new.branch.as_deref()));
    // what fails here is that somebody else was changing the entries
    let is_failed = decided.outcome == Verdict::Failed.word();
    Ok(Ended { rules: if is_failed { UNDECIDED } else { decided.rules }, ..decided })
}

/// Note what is known of the branch of a commit that was curated before its worker died.
pub(super) fn note(worker: &Worker<'_>, host: &Host, job: &StoredJob) {
    let Some(id) = job.new.commit.as_deref().and_then(CommitId::from_hex) else { return };
    let actor = Worker::actor();
    let authors = Authors::of(host);
    let intake = intake(worker, &actor, (host, &authors));
    note_branch(&intake, worker.store, (id, job.new.branch.as_deref()));
}

fn intake<'a>(
    worker: &'a Worker<'_>,
    actor: &'a Actor,
    (host, authors): (&'a Host, &'a Authors<'a>),
) -> Intake<'a> {
    Intake {
        parts: worker.parts(actor),
        host,
        authors,
        mode: Mode::Write,
        route: Route::Hook,
        placing: None,
        aside: None,
    }
}
