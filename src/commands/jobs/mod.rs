//! `brv jobs`: what the worker does, did, and is to do.

pub mod cancel;
pub mod wait;

use brv_engine::Stop;
use brv_engine::jobs::{Store, number};
use brv_engine::open::context::Context;
use schemars::JsonSchema;
use serde::Serialize;

pub use brv_engine::jobs::{Job, Verdict};

/// How many jobs that ended are listed.
const MOST: usize = 200;

/// `brv.jobs.list/1`
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Jobs")]
pub struct Listed {
    /// Those that are queued or running in their order, then those that ended, the last one first.
    pub jobs: Vec<Job>,
}

/// `brv.hooks.log/1`
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "HooksLog")]
pub struct Log {
    /// The jobs that ended, the last one first; at most 200.
    pub runs: Vec<Job>,
}

/// The jobs of the project; none where nothing was ever queued.
pub fn list(cx: &Context<'_>) -> Result<Listed, Stop> {
    let store = Store::of(&cx.open()?)?;
    let jobs = store.read(|state| {
        let mut all = state.open_jobs()?;
        all.extend(state.ended_jobs(MOST)?);
        Ok(all)
    })?;
    Ok(Listed { jobs: jobs.into_iter().map(Job::of).collect() })
}

/// What became of the jobs that ended.
pub fn log(cx: &Context<'_>) -> Result<Log, Stop> {
    let store = Store::of(&cx.open()?)?;
    let jobs = store.read(|state| state.ended_jobs(MOST))?;
    Ok(Log { runs: jobs.into_iter().map(Job::of).collect() })
}

/// A job by its name.
fn find(store: &Store, name: &str) -> Result<brv_engine::open::state::StoredJob, Stop> {
    let job = match number(name) {
        Some(id) => store.read(|state| state.job(id))?,
        None => store.read(|state| state.job_of_dream(name))?,
    };
    job.ok_or_else(|| Stop::usage(format!("there is no job `{name}`")).hint("`brv jobs list` shows them"))
}
