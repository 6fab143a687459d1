//! `brv jobs cancel ID`: take a job out of the queue, or end it while it runs.

use super::{Job, find};
use brv_engine::jobs::{self, Store};
use brv_engine::open::context::Context;
use brv_engine::open::state::JobState;
use brv_engine::{FailureKind, Stop};
use schemars::JsonSchema;
use serde::Serialize;

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
    match jobs::cancel(&store, job.id, (&cx.cwd, &cx.environment))? {
        Some(job) => Ok(Cancelled { job: Job::of(job) }),
        None => find(&store, name).map(|job| Cancelled { job: Job::of(job) }),
    }
}
