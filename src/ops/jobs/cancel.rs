//! `brv jobs cancel ID`: take a job out of the queue, or end it while it runs.

use super::{Job, Verdict, find};
use crate::ops::context::Context;
use crate::ops::steps::jobs::{Store, start_worker};
use crate::ops::{FailureKind, Stop};
use crate::state::{Ended, JobState, StoredJob};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::{Duration, Instant};

/// How long to wait until a running job has ended.
const PATIENCE: Duration = Duration::from_secs(5);

const PAUSE: Duration = Duration::from_millis(50);

/// `brv.jobs.cancel/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "JobsCancel")]
pub struct Cancelled {
    /// The job. One that was done before it could be ended keeps its outcome.
    pub job: Job,
}

/// Cancel a job that is queued or running.
///
/// # Errors
/// An unknown job; one that is done already.
pub fn run(cx: &Context<'_>, name: &str) -> Result<Cancelled, Stop> {
    let opened = cx.open()?;
    let store = Store::of(&opened)?;
    let job = find(&store, name)?;
    if job.state == JobState::Done {
        let message = format!("`{name}` is done: {}", job.end.outcome);
        return Err(Stop::new(FailureKind::Refused, message));
    }
    let end = Ended {
        outcome: Verdict::Cancelled.word().to_owned(),
        reason: Verdict::Cancelled.word().to_owned(),
        at: store.now(),
        ..Ended::default()
    };
    let is_queued = store.with(|state| state.end_queued_job(job.id, &end))?;
    if !is_queued {
        store.with(|state| state.stop_job(job.id, Verdict::Cancelled.word()))?;
    }
    let job = ended(cx, &store, (name, job.id))?;
    Ok(Cancelled { job: Job::of(job) })
}

/// The job, once its worker has ended, or its successor has said so.
fn ended(cx: &Context<'_>, store: &Store, (name, id): (&str, i64)) -> Result<StoredJob, Stop> {
    let start = Instant::now();
    loop {
        let job = store.read(|state| state.job(id))?;
        match job {
            Some(job) if job.state == JobState::Done || start.elapsed() > PATIENCE => return Ok(job),
            None => return find(store, name),
            Some(_) => {}
        }
        // of a worker that died, nobody else says it
        start_worker(store, &cx.cwd, &cx.environment);
        std::thread::sleep(PAUSE);
    }
}
