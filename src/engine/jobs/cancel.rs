//! Cancel a job: take it out of the queue, or end it while it runs.

use super::{Store, Verdict, start_worker};
use crate::Stop;
use crate::open::state::{Ended, JobState, StoredJob};
use brv_base::environment::Environment;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long to wait until a running job has ended.
const PATIENCE: Duration = Duration::from_secs(5);

const PAUSE: Duration = Duration::from_millis(50);

/// Cancel a job that is queued or running, and return it once it has ended. One that was done before it could be ended
/// keeps its outcome.
///
/// # Errors
/// The jobs cannot be read or changed.
pub fn cancel(
    store: &Store,
    id: i64,
    (folder, environment): (&Path, &Environment),
) -> Result<Option<StoredJob>, Stop> {
    let end = Ended {
        outcome: Verdict::Cancelled.word().to_owned(),
        reason: Verdict::Cancelled.word().to_owned(),
        at: store.now(),
        ..Ended::default()
    };
    let is_queued = store.with(|state| state.end_queued_job(id, &end))?;
    if !is_queued {
        store.with(|state| state.stop_job(id, Verdict::Cancelled.word()))?;
    }
    let start = Instant::now();
    loop {
        let job = store.read(|state| state.job(id))?;
        if job.as_ref().is_none_or(|job| job.state == JobState::Done) || start.elapsed() > PATIENCE {
            return Ok(job);
        }
        // of a worker that died, nobody else says it
        start_worker(store, folder, environment);
        std::thread::sleep(PAUSE);
    }
}
