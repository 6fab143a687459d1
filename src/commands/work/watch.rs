//! Watch over the worker: say that it is alive, and end it where a job takes too long or is cancelled.

use brv_base::environment::Environment;
use brv_base::process;
use brv_engine::jobs::{Store, start_successor};
use brv_engine::open::context::Context;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Why a job ends that somebody cancelled.
pub const CANCELLED: &str = "cancelled";

/// How often the job is looked at, and how often the worker says that it is alive.
const LOOK: Duration = Duration::from_millis(250);
const BEAT: Duration = Duration::from_secs(5);

/// The job that is done now, when it began, and how long it may take.
type CurrentJob = Arc<Mutex<Option<WatchedJob>>>;
type WatchedJob = (i64, Instant, Duration);

pub struct WorkWatch {
    current: CurrentJob,
}

impl WorkWatch {
    /// Begin to watch, in a thread that ends with the process.
    pub fn begin(cx: &Context<'_>, store: &Store) -> Self {
        let current: CurrentJob = Arc::default();
        let guard = WatchGuard {
            store: store.clone(),
            folder: cx.cwd.clone(),
            environment: cx.environment.clone(),
            current: Arc::downgrade(&current),
        };
        // without a thread the worker has no limit, and works all the same
        let _ = std::thread::Builder::new().name("watch".into()).spawn(move || guard.watch());
        Self { current }
    }

    /// Watch over this job until its time is up; over none.
    pub fn set(&self, job: Option<WatchedJob>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = job;
    }
}

struct WatchGuard {
    store: Store,
    folder: PathBuf,
    environment: Environment,
    current: std::sync::Weak<Mutex<Option<WatchedJob>>>,
}

impl WatchGuard {
    fn watch(self) {
        let mut beat: Option<Instant> = None;
        while let Some(current) = self.current.upgrade() {
            let job = *current.lock().unwrap_or_else(PoisonError::into_inner);
            drop(current);
            if beat.is_none_or(|beat| beat.elapsed() >= BEAT) {
                let now = self.store.now();
                let _ = self.store.with(|state| state.beat(std::process::id(), now));
                beat = Some(Instant::now());
            }
            if let Some(job) = job {
                self.look(job);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// End the worker if this job is to end.
    fn look(&self, (id, start, limit): WatchedJob) {
        let is_late = start.elapsed() >= limit;
        let is_stopped = || self.store.read(|state| state.stop_of(id)).is_ok_and(|stop| stop.is_some());
        if !is_late && !is_stopped() {
            return;
        }
        if is_late {
            let late = format!("it took longer than {} s", limit.as_secs());
            let _ = self.store.with(|state| state.stop_job(id, &late));
        }
        start_successor(&self.folder, &self.environment);
        process::end_at_once();
    }
}
