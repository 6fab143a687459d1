//! The gates that a dream must pass: time, activity, queue. The fourth is the lock.

use super::{Dreams, files, settling};
use crate::Stop;
use crate::dream::list;
use crate::jobs::Store;
use crate::journal::{self, Listed};
use crate::open::context::Opened;
use crate::open::naming::upstream;
use brv_base::clock::Clock;
use brv_git as git;
use brv_git::Scope;
use brv_text::doc;
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;

/// How many seconds must pass between two dreams.
const HOURS: i64 = 12;

/// How many curations a dream needs.
const CURATIONS: usize = 3;

const HOUR: i64 = 3_600;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "DreamGate")]
pub enum Gate {
    /// The last dream is too recent.
    Time,
    /// Too little was curated since.
    Activity,
    /// Other jobs wait or run.
    Queue,
    /// Another dream runs.
    Lock,
}

/// A gate that is closed, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    pub gate: Gate,
    /// `Too recent (2.5h < 12h)`
    pub reason: String,
}

impl Closed {
    /// The gate that another dream holds.
    pub fn by(pid: u32) -> Self {
        Self { gate: Gate::Lock, reason: format!("Another dream is running (pid {pid})") }
    }
}

/// The gate of time alone, as far as the state file knows: cheap, for frequent calls.
pub fn of_time(opened: &Opened, clock: Clock) -> Result<Option<Closed>, Stop> {
    let at = files::read_state(opened)?.last_dream_at;
    Ok(at.and_then(|at| seconds(&at)).and_then(|at| too_recent(at, clock.seconds())))
}

/// Whether a dream may run: the first gate that is closed. `asking` is the job that asks, if one does.
pub fn pass(opened: &Opened, clock: Clock, asking: Option<i64>) -> Result<Option<Closed>, Stop> {
    let now = clock.seconds();
    if let Some(closed) = of_time(opened, clock)? {
        return Ok(Some(closed));
    }
    let scope = &opened.scope;
    let listed = journal::list(scope)?;
    let logs = files::logs(opened)?;
    let dreams = Dreams::of(scope, &listed, &logs)?;
    let own = dreams.newest_first().map(|dream| dream.ended).find(|ended| !is_far_ahead(*ended, now));
    let shared = of_upstream(scope, now)?;
    let last = own.max(shared);
    if let Some(closed) = last.and_then(|last| too_recent(last, now)) {
        return Ok(Some(closed));
    }
    if let Some(closed) = too_little(scope, &listed, last) {
        return Ok(Some(closed));
    }
    queued(opened, asking)
}

/// When the newest dream on the upstream ended, if that is not long ago.
fn of_upstream(scope: &Scope, now: i64) -> Result<Option<i64>, Stop> {
    // settings that name no usable remote have no dreams
    let Some(upstream) = upstream::of(scope, &scope.head()?).ok().flatten() else { return Ok(None) };
    let Some(tracking) = upstream.tracking else { return Ok(None) };
    let Some(tip) = git::refs::commit(scope, tracking.as_bstr())? else { return Ok(None) };
    list::newest(scope, tip, (now - HOURS * HOUR, &|ended| !is_far_ahead(ended, now)))
}

/// Whether a moment is of a clock that was wrong: it would keep everybody from dreaming until it comes.
const fn is_far_ahead(moment: i64, now: i64) -> bool {
    moment - now > HOURS * HOUR
}

fn too_recent(last: i64, now: i64) -> Option<Closed> {
    if is_far_ahead(last, now) {
        return None;
    }
    let passed = (now - last).max(0);
    let reason = || format!("Too recent ({:.1}h < {HOURS}h)", tenths(passed));
    (passed < HOURS * HOUR).then(|| Closed { gate: Gate::Time, reason: reason() })
}

/// Hours to one decimal, never rounded up to the limit.
fn tenths(seconds: i64) -> f64 {
    let tenths = i32::try_from(seconds * 10 / HOUR).unwrap_or(i32::MAX);
    f64::from(tenths) / 10.0
}

fn too_little(scope: &Scope, listed: &[Listed], last: Option<i64>) -> Option<Closed> {
    let curations = settling::curations_since(scope, listed, last.unwrap_or(i64::MIN));
    let reason = || format!("Not enough activity ({curations} < {CURATIONS} curations)");
    (curations < CURATIONS).then(|| Closed { gate: Gate::Activity, reason: reason() })
}

fn queued(opened: &Opened, asking: Option<i64>) -> Result<Option<Closed>, Stop> {
    let jobs = Store::of(opened)?.read(|state| state.open_jobs())?;
    let others = jobs.iter().filter(|job| Some(job.id) != asking).count();
    let tasks = if others == 1 { "task" } else { "tasks" };
    let reason = format!("Queue not empty ({others} {tasks})");
    Ok((others > 0).then_some(Closed { gate: Gate::Queue, reason }))
}

/// The moment of a text such as `2026-11-20T12:30:00Z`, in seconds since 1970.
fn seconds(text: &str) -> Option<i64> {
    doc::instant(text).map(|(seconds, _)| seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dream_is_too_recent_for_twelve_hours() {
        let reason = |passed: i64| too_recent(1_000_000, 1_000_000 + passed).map(|closed| closed.reason);
        assert_eq!(reason(9_000).as_deref(), Some("Too recent (2.5h < 12h)"));
        assert_eq!(reason(12 * HOUR - 1).as_deref(), Some("Too recent (11.9h < 12h)"));
        assert_eq!(reason(12 * HOUR), None);
        assert_eq!(reason(-5).as_deref(), Some("Too recent (0.0h < 12h)"));
        assert_eq!(reason(-13 * HOUR), None, "a clock was wrong");
    }
}
