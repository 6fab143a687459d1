//! `brv dream --detach` and `--cancel`: give a dream to the worker, and take it back.

use super::{DreamStatus, Options, Outcome};
use crate::dream::work;
use brv_engine::dream;
use brv_engine::jobs::{self, Store, start_worker};
use brv_engine::journal::DreamId;
use brv_engine::open::context::Context;
use brv_engine::open::models;
use brv_engine::open::state::{JobState, NewJob};
use brv_engine::{FailureKind, Stop};

/// Queue a dream for the worker. The gates of time, activity and queue are checked now, the lock when it runs.
///
/// # Errors
/// The state cannot be written.
pub fn queue(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    if options.model {
        models::needed(cx)?;
    }
    if !options.force
        && let Some(closed) = dream::pass(&opened, cx.clock, None)?
    {
        return Ok(Outcome::skipped(closed));
    }
    let id = work::fresh_id(cx.parts(&opened))?;
    let store = Store::of(&opened)?;
    let job = NewJob {
        kind: jobs::DREAM.to_owned(),
        branch: options.branch.clone(),
        event: jobs::dream_event(options.force, options.model).to_owned(),
        actor: cx.actor.name.clone(),
        session: cx.actor.session.clone(),
        dream: Some(id.to_string()),
        ..NewJob::default()
    };
    let now = store.now();
    store.with(|state| state.enqueue(std::slice::from_ref(&job), now))?;
    start_worker(&store, &cx.cwd, &cx.environment);
    Ok(Outcome::of(Some(id), DreamStatus::Queued))
}

/// Cancel a dream that is queued or runs in the worker.
///
/// # Errors
/// No such dream; one that is done.
pub fn cancel(cx: &Context<'_>, name: &str) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let store = Store::of(&opened)?;
    let unknown = || {
        let message = format!("no dream `{name}` is queued or runs in the background");
        Stop::usage(message).hint("`brv jobs list` lists the jobs; Ctrl-C ends one in the foreground")
    };
    let id = DreamId::parse(name).ok_or_else(unknown)?;
    let job = store.read(|state| state.job_of_dream(name))?.ok_or_else(unknown)?;
    if job.state == JobState::Done {
        let message = format!("`{name}` is done: {}", job.end.outcome);
        return Err(Stop::new(FailureKind::Refused, message));
    }
    let ended = jobs::cancel(&store, job.id, (&cx.cwd, &cx.environment))?;
    let reason = ended.map(|job| job.end.outcome).filter(|outcome| !outcome.is_empty());
    // what it applied until then stays, and its operation can be undone
    let outcome = Outcome::of(Some(id), DreamStatus::Partial);
    Ok(Outcome { reason: reason.or_else(|| Some("it has not ended yet".to_owned())), ..outcome })
}
