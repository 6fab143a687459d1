//! `brv jobs wait ID`: wait until a job is done.

use super::{Job, Verdict, find};
use brv_engine::jobs::{Store, is_held, start_worker};
use brv_engine::open::context::Context;
use brv_engine::open::state::JobState;
use brv_engine::{FailureKind, Stop};
use brv_git as git;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often the job is looked at.
const PAUSE: Duration = Duration::from_millis(50);

/// `brv.jobs.wait/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "JobsWait")]
pub struct Waited {
    /// The job, which is done.
    pub job: Job,
}

impl Waited {
    pub fn has_failed(&self) -> bool {
        self.job.outcome == Some(Verdict::Failed)
    }
}

/// Wait until a job is done. If no worker is alive, one is started.
///
/// # Errors
/// An unknown job; Ctrl-C.
pub fn run(cx: &Context<'_>, name: &str) -> Result<Waited, Stop> {
    let opened = cx.open()?;
    let store = Store::of(&opened)?;
    let mut job = find(&store, name)?;
    let interrupt = git::interrupt();
    while job.state != JobState::Done {
        if !is_held(&store) {
            start_worker(&store, &cx.cwd, &cx.environment);
        }
        if interrupt.load(Ordering::Relaxed) {
            return Err(Stop::new(FailureKind::Interrupted, "interrupted"));
        }
        std::thread::sleep(PAUSE);
        job = find(&store, name)?;
    }
    Ok(Waited { job: Job::of(job) })
}
