//! The jobs of a project: queue them, read what became of them, and see to it that one worker does them.
//!
//! They are kept beside the tree, in its state. Whoever queues a job starts a worker, unless one holds the lease.

mod cancel;
mod filed;
mod lease;
pub mod look;
mod store;

pub use cancel::cancel;
pub use filed::{Filed, FiledItem};
pub use lease::{Lease, is_held, start_successor, start_worker};
pub use store::Store;

use crate::open::state::{JobState, StoredJob};
use schemars::JsonSchema;
use serde::Serialize;

/// The kind of a job that dreams.
pub const DREAM: &str = "dream";

/// The kind of a job that has a model curate a text.
pub const MODEL: &str = "model";

/// What queues a dream: whether it passes over the gates, and whether the model of the settings decides.
pub const fn dream_event(is_forced: bool, by_model: bool) -> &'static str {
    match (is_forced, by_model) {
        (false, false) => "dream",
        (true, false) => "dream --force",
        (false, true) => "dream --model",
        (true, true) => "dream --force --model",
    }
}

/// Whether this event asks for a dream that passes over the gates.
pub fn is_forced(event: &str) -> bool {
    event.split(' ').any(|word| word == "--force")
}

/// Whether this event asks for a dream that a model decides.
pub fn is_by_model(event: &str) -> bool {
    event.split(' ').any(|word| word == "--model")
}

/// What became of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "JobOutcome")]
pub enum Verdict {
    /// What it states is in the tree.
    Curated,
    /// It states nothing, or nothing new; the reason says why.
    Declined,
    /// As many commits as a day may have were curated on that day.
    OverQuota,
    /// It could not be done; the reason says why.
    Failed,
    /// The commit was rewritten; the reason is its new id.
    Replaced,
    /// A dream ran.
    Dreamed,
    /// A gate kept a dream from running.
    Skipped,
    /// Somebody cancelled it.
    Cancelled,
}

impl Verdict {
    pub const ALL: [Self; 8] = [
        Self::Curated,
        Self::Declined,
        Self::OverQuota,
        Self::Failed,
        Self::Replaced,
        Self::Dreamed,
        Self::Skipped,
        Self::Cancelled,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Curated => "curated",
            Self::Declined => "declined",
            Self::OverQuota => "over_quota",
            Self::Failed => "failed",
            Self::Replaced => "replaced",
            Self::Dreamed => "dreamed",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }

    /// The outcome of a stored job; `None` until it is done.
    pub fn of(job: &StoredJob) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.word() == job.end.outcome)
    }
}

/// A job, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Job {
    /// Its name.
    pub id: String,
    /// `commit`, `dream` or `model`
    pub kind: String,
    /// The commit of the code that it is about.
    pub commit: Option<String>,
    /// The subject of the commit, where jobs are listed or a history is taken in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The branch that the commit was made on.
    pub branch: Option<String>,
    /// The hook or command that queued it.
    pub event: String,
    /// `queued`, `running` or `done`
    pub state: &'static str,
    /// What became of it; `null` until it is done.
    pub outcome: Option<Verdict>,
    /// Why; `null` until it is done.
    pub reason: Option<String>,
    /// The operation that it made, for `brv undo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// The files that it wrote, relative to the tree.
    pub entries: Vec<String>,
    /// What the commit was filed as.
    #[serde(flatten)]
    pub filed: Filed,
    /// How long it took, in milliseconds; `null` until it is done.
    pub ms: Option<u64>,
}

impl Job {
    pub fn of(job: StoredJob) -> Self {
        let outcome = Verdict::of(&job);
        let is_done = job.state == JobState::Done;
        Self {
            id: job.new.dream.clone().unwrap_or_else(|| name(job.id)),
            kind: job.new.kind,
            commit: job.new.commit,
            subject: None,
            branch: job.new.branch,
            event: job.new.event,
            state: job.state.word(),
            outcome,
            reason: is_done.then_some(job.end.reason),
            operation: job.end.operation,
            entries: job.end.entries,
            filed: Filed::of(job.end.filed.as_deref()),
            ms: is_done.then_some(job.end.milliseconds),
        }
    }
}

/// The name of a job in JSON and on the command line.
pub fn name(id: i64) -> String {
    format!("job-{id}")
}

/// The number of a job that is called by this name, or by the number alone.
pub fn number(name: &str) -> Option<i64> {
    name.strip_prefix("job-").unwrap_or(name).parse().ok().filter(|id| *id > 0)
}
