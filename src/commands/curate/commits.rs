//! `brv curate --commit`: take the history of the code in, the oldest commit first, by the rules of the hooks.

use super::again;
use super::history::{self, HostHistory};
use super::taking::{all_of, session};
use crate::commits::{Authors, Intake, Route};
use brv_engine::jobs::{Lease, Store, start_worker};
use brv_engine::open::context::{Actor, Context, Opened, Parts};
use brv_engine::{FailureKind, Mode, Stop};

pub use super::taking::{CurateCommitCounts, Options, Outcome};

/// Take commits in. What stops in the middle is returned beside what was done until then.
///
/// # Errors
/// A range that names nothing; no host repository with a whole history; a worker that is busy.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<(Outcome, Option<Stop>), Stop> {
    let opened = cx.open()?;
    let history = match &options.range {
        Some(range) => history::of(cx, &opened, range)?,
        None if options.again => history::whole(cx, &opened)?,
        None => return Err(Stop::usage("which commits? Give one, or A..B")),
    };
    let store = Store::of(&opened)?;
    let lease = lease(&store, opened.config.lock_timeout.value, options.mode)?;
    let taken = match options.again {
        true => again::take(cx, (&opened, &store), history, options),
        false => take(cx, (&opened, &store), &history, options.mode),
    };
    drop(lease);
    if options.mode == Mode::Write && !store.read(|state| Ok(state.open_jobs()?.is_empty()))? {
        // what hooks queued meanwhile found the lease taken
        start_worker(&store, &cx.cwd, &cx.environment);
    }
    taken
}

fn take(
    cx: &Context<'_>,
    (opened, store): (&Opened, &Store),
    history: &HostHistory,
    mode: Mode,
) -> Result<(Outcome, Option<Stop>), Stop> {
    let actor = Actor { session: Some(session(cx)), ..cx.actor.clone() };
    let parts = Parts { actor: &actor, ..cx.parts(opened) };
    let authors = Authors::of(&history.host);
    let route = Route::Import;
    let intake =
        Intake { parts, host: &history.host, authors: &authors, mode, route, placing: None, aside: None };
    let known = history::CuratedCommits::of(opened, store)?;
    let mut outcome = Outcome::default();
    let mut new = Vec::new();
    for id in history.commits.iter().copied() {
        match known.has(id)? {
            true => outcome.counts.known += 1,
            false => new.push(id),
        }
    }
    let stop = all_of(&intake, (store, history.branch.as_deref()), (&history.commits, new), &mut outcome)?;
    Ok((outcome.counted(), stop))
}

/// The lease of the worker: no commit is taken twice at the same time. A dry run needs none.
pub(super) fn lease(store: &Store, patience: std::time::Duration, mode: Mode) -> Result<Option<Lease>, Stop> {
    if mode == Mode::DryRun {
        return Ok(None);
    }
    let busy = || {
        Stop::new(FailureKind::Busy, "the worker of the hooks is doing jobs")
            .hint("try again when it is done")
    };
    Lease::take(store, patience)?.map(Some).ok_or_else(busy)
}
