//! `brv dream`: the tree tidies itself: consolidate, synthesize, prune.

mod queue;
mod undo;
pub mod work;

pub use queue::{cancel, queue};
pub use undo::{UndoneDream, undo};

use crate::dream::work::{Decisive, Gates, Halt, Request, Writer};
use brv_base::fs;
use brv_base::parallel;
use brv_base::progress::Progress;
use brv_engine::dream::{self, Trigger};
use brv_engine::open::context::Context;
use brv_engine::open::models;
use brv_engine::write::overriding::{Allowed, Guard};
use brv_engine::{FailureKind, Mode, Stop};
use brv_git as git;
use brv_text::dream::MAX_INPUT_BYTES;
pub use brv_text::dream::Plan;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use crate::dream::work::{DreamStatus, LIMIT, Outcome, Row, RowStatus};
pub use brv_text::dream::{Action, Cluster, DecisionsInput, Pattern, Signal, Weak};

/// How long a dream may take, on the clock of the machine.
const BUDGET: Duration = Duration::from_secs(5 * 60);

/// What is left of it, after the last answer of a model, to carry out what it decided.
const MARGIN: Duration = Duration::from_secs(20);

/// How often it is looked whether somebody interrupts.
const LOOK: Duration = Duration::from_millis(50);

/// What `brv dream` is to do.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Whether the gates of time, activity and queue are passed over.
    pub force: bool,
    pub mode: Mode,
    /// The file with the decisions of a writer, or `-`.
    pub decisions: Option<PathBuf>,
    /// Whether the model of the settings decides.
    pub model: bool,
    /// The branch that gets the commit, as typed, or empty for the dream's own.
    pub branch: Option<String>,
    /// Whether a scheduler asks: then the state file alone may say that none is due.
    pub if_due: bool,
    /// How many candidates of consolidate there are at most.
    pub limit: usize,
    /// The guards that a person overrides.
    pub allowed: Allowed,
}

/// `brv.dream.plan/1`
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "DreamPlanned")]
pub enum Planned {
    Plan(Plan),
    /// A gate was closed.
    Skipped(Box<Outcome>),
}

/// Dream.
///
/// # Errors
/// Decisions that are none, or about another plan; a merge in progress; the disk or git.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    if cx.is_by_agent() && options.allowed.lets(Guard::MassDelete) {
        return Err(Stop::new(FailureKind::Refused, "only a person may let dreams remove more")
            .hint("what is left is `deferred`: a later dream does it"));
    }
    let opened = cx.open()?;
    let start = Instant::now();
    let model = options.model.then(|| models::needed(cx)).transpose()?;
    if options.if_due
        && !options.force
        && let Some(closed) = dream::of_time(&opened, cx.clock)?
    {
        return Ok(Outcome::skipped(closed));
    }
    let writer = match (&options.decisions, model) {
        (Some(file), _) => Writer::Written(
            brv_text::dream::read(&read(cx, file)?).map_err(|error| Stop::usage(error.message))?,
        ),
        (None, Some(model)) => Writer::Model(Box::new(Decisive::new(model, start + BUDGET - MARGIN))),
        (None, None) => Writer::Nobody,
    };
    let trigger = if options.if_due { Trigger::Due } else { Trigger::Manual };
    let halt = || halt(start);
    let request = Request { writer, ..request(options, trigger, &halt) };
    parallel::beside(|over| tell_of_interrupt(cx.progress, over), || work::run(cx.parts(&opened), &request))
}

/// The evidence for a caller that decides.
///
/// # Errors
/// A merge in progress; the disk or git.
pub fn plan(cx: &Context<'_>, options: &Options) -> Result<Planned, Stop> {
    let opened = cx.open()?;
    let planned = work::plan(cx.parts(&opened), &request(options, Trigger::Manual, &|| None))?;
    Ok(match planned {
        Ok(plan) => Planned::Plan(plan),
        Err(closed) => Planned::Skipped(Box::new(Outcome::skipped(closed))),
    })
}

fn request<'r>(options: &'r Options, trigger: Trigger, halt: &'r dyn Fn() -> Option<Halt>) -> Request<'r> {
    Request {
        gates: if options.force { Gates::Open } else { Gates::Hold },
        mode: options.mode,
        branch: options.branch.as_deref(),
        writer: Writer::Nobody,
        trigger,
        job: None,
        limit: options.limit,
        allowed: &options.allowed,
        halt,
    }
}

/// Why a dream that began then is to end.
fn halt(start: Instant) -> Option<Halt> {
    if git::interrupt().load(Ordering::Relaxed) {
        return Some(Halt::Cancelled);
    }
    (start.elapsed() >= BUDGET).then_some(Halt::Time)
}

/// Say that an interrupt was heard, as soon as it is; also if the dream heard it first and is over.
fn tell_of_interrupt(progress: &dyn Progress, over: &AtomicBool) {
    loop {
        let is_over = over.load(Ordering::Acquire);
        if git::interrupt().load(Ordering::Relaxed) {
            return progress.notice("Cancelling task... (Ctrl-C again to force exit)");
        }
        if is_over {
            return;
        }
        std::thread::park_timeout(LOOK);
    }
}

/// The decisions as they were written.
fn read(cx: &Context<'_>, file: &Path) -> Result<Vec<u8>, fs::Error> {
    cx.read_input(file, MAX_INPUT_BYTES)
}
