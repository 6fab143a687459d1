//! Converts gitoxide's progress to ours while a pack is received. gitoxide needs progress that it can own; ours is
//! borrowed.
//!
//! So it writes to shared counters, and a thread that lives only as long as the work copies them.

use brv_base::messages::Lines;
use brv_base::parallel;
use brv_base::progress::{Progress, Stage};
use gix::progress::prodash::messages::MessageLevel;
use gix::progress::{Id, Step, StepShared, UNKNOWN, Unit};
use gix::{Count, NestedProgress};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often counters are copied.
const PERIOD: Duration = Duration::from_millis(50);

const REMOTE: Id = *b"FERP";
/// Our id for received objects.
pub(super) const RECEIVED: Id = *b"BRVR";
pub(super) const BYTES: Id = *b"BRVB";
/// … for objects whose deltas are resolved.
const RESOLVED: Id = *b"IWRO";

#[derive(Default)]
struct StepCounter {
    done: StepShared,
    /// The total plus one; zero: not known.
    total: AtomicUsize,
}

#[derive(Default)]
struct SharedProgress {
    bytes: StepCounter,
    received: StepCounter,
    resolved: StepCounter,
    said: Mutex<Vec<u8>>,
}

/// Runs `work` with a gitoxide progress that is shown in `progress`.
pub(crate) fn with_progress<T>(progress: &dyn Progress, work: impl FnOnce(ProgressNode) -> T) -> T {
    let shared = Arc::new(SharedProgress::default());
    progress.update(Stage::Wait, 0, None);
    let carrier = |over: &AtomicBool| {
        let mut lines = Lines::default();
        let mut shown = ProgressSnapshot::default();
        loop {
            let last = over.load(Ordering::Acquire);
            carry(&shared, progress, &mut lines, &mut shown);
            if last {
                return;
            }
            std::thread::park_timeout(PERIOD);
        }
    };
    parallel::beside(carrier, || {
        work(ProgressNode { shared: Arc::clone(&shared), id: UNKNOWN, counter: Arc::default() })
    })
}

/// The values copied last: counts, and totals plus one.
#[derive(Default)]
struct ProgressSnapshot {
    stages: [(usize, usize); 2],
    bytes: usize,
}

fn carry(shared: &SharedProgress, progress: &dyn Progress, lines: &mut Lines, shown: &mut ProgressSnapshot) {
    let said = std::mem::take(&mut *shared.said.lock().unwrap_or_else(PoisonError::into_inner));
    for line in lines.push(&said) {
        progress.remote_message(&line);
    }
    let counters = [(Stage::Receive, &shared.received), (Stage::Resolve, &shared.resolved)];
    let nows = counters
        .map(|(_, counter)| (counter.done.load(Ordering::Relaxed), counter.total.load(Ordering::Relaxed)));
    // the stages come one after another: show the last active one
    let latest = (0..nows.len()).rev().find(|at| nows[*at] != shown.stages[*at]);
    if let Some(at) = latest {
        let (done, total) = nows[at];
        progress.update(counters[at].0, done as u64, total.checked_sub(1).map(|total| total as u64));
    }
    shown.stages = nows;
    let bytes = shared.bytes.done.load(Ordering::Relaxed);
    let is_receiving = nows[1] == (0, 0);
    if bytes != shown.bytes && is_receiving {
        shown.bytes = bytes;
        progress.bytes(Stage::Receive, bytes as u64);
    }
}

/// One node of gitoxide's progress tree.
pub(crate) struct ProgressNode {
    shared: Arc<SharedProgress>,
    id: Id,
    counter: StepShared,
}

impl ProgressNode {
    fn own_counter(&self) -> Option<&StepCounter> {
        match self.id {
            RECEIVED => Some(&self.shared.received),
            BYTES => Some(&self.shared.bytes),
            RESOLVED => Some(&self.shared.resolved),
            _ => None,
        }
    }

    fn child(&self, id: Id) -> Self {
        let mut child = Self { shared: Arc::clone(&self.shared), id, counter: Arc::default() };
        if let Some(counter) = child.own_counter() {
            child.counter = Arc::clone(&counter.done);
        }
        child
    }
}

impl Count for ProgressNode {
    fn set(&self, step: Step) {
        self.counter.store(step, Ordering::Relaxed);
    }

    fn step(&self) -> Step {
        self.counter.load(Ordering::Relaxed)
    }

    fn inc_by(&self, step: Step) {
        self.counter.fetch_add(step, Ordering::Relaxed);
    }

    fn counter(&self) -> StepShared {
        Arc::clone(&self.counter)
    }
}

impl gix::Progress for ProgressNode {
    fn init(&mut self, max: Option<Step>, _unit: Option<Unit>) {
        self.set_max(max);
    }

    fn set_max(&mut self, max: Option<Step>) -> Option<Step> {
        let total = max.map_or(0, |max| max + 1);
        let before = self.own_counter()?.total.swap(total, Ordering::Relaxed);
        before.checked_sub(1)
    }

    /// Drops the remote's own progress, which arrives in arbitrary pieces. git requests none when nobody watches;
    /// gitoxide does not, so it is dropped here: our own bar counts what arrives. Failures come as messages.
    fn set_name(&mut self, _name: String) {}

    fn name(&self) -> Option<String> {
        None
    }

    fn id(&self) -> Id {
        self.id
    }

    fn message(&self, level: MessageLevel, message: String) {
        if self.id == REMOTE && level == MessageLevel::Failure {
            let mut said = self.shared.said.lock().unwrap_or_else(PoisonError::into_inner);
            said.extend_from_slice(message.as_bytes());
            said.push(b'\n');
        }
    }
}

impl NestedProgress for ProgressNode {
    type SubProgress = Self;

    fn add_child(&mut self, _name: impl Into<String>) -> Self {
        self.child(UNKNOWN)
    }

    fn add_child_with_id(&mut self, _name: impl Into<String>, id: Id) -> Self {
        self.child(id)
    }
}
