//! The worker: do the jobs of the queue, one after the other, and end with the last one.
//!
//! One worker at a time: it holds the lease of the project. It begins by looking for commits that no hook queued. A job
//! that takes too long, or that somebody cancels, ends the worker, as a crash would; its successor says what became of
//! the job, and goes on. What an encoder has not embedded yet comes last, if that may be asked in the background.

mod commit;
mod dream;
mod model;
mod watch;

use crate::commits::decide::ended;
use crate::commits::recorded::recorded;
use crate::commits::sources::{self, TreeSources};
use brv_base::path::{PathKind, TreePath};
use brv_base::process;
use brv_engine::jobs::{self, Lease, Store, Verdict, look};
use brv_engine::journal;
use brv_engine::open::context::{Actor, Context, Opened, Parts};
use brv_engine::open::hosting::Host;
use brv_engine::open::state::{self, Ended, State, StoredJob};
use brv_engine::query::search::encoder;
use brv_engine::write::operation;
use brv_engine::{FailureKind, Stop};
use brv_git as git;
use brv_git::trees::{self, Renames};
use brv_git::{CommitId, Scope, in_progress, merge_state};
use std::cell::OnceCell;
use std::time::{Duration, Instant};
use watch::WorkWatch;

pub use brv_engine::read::history::provenance::HOOK as ACTOR;

/// How long a new worker waits for the lease of one that ends.
const PATIENCE: Duration = Duration::from_secs(3);

/// How often a job is begun again because its worker died.
const MOST_ATTEMPTS: u64 = 25;

/// How long one job may take, on the clock of the machine.
const LIMIT: Duration = Duration::from_secs(60);

/// How long a rebase may take from its last hook to its end.
const END_OF_REBASE: Duration = Duration::from_secs(1);

/// The kind of a job that is about a commit.
const COMMIT: &str = "commit";

/// The version of the rules of a job that no rules decided about, because the tree was busy.
const UNDECIDED: u32 = 0;

/// How long a job waits for another brv that writes, before it fails.
const WAIT_TO_WRITE: Duration = Duration::from_secs(45);

/// Do all jobs that are queued, and those that are queued meanwhile. Returns how many were done; none if another worker
/// is alive.
///
/// # Errors
/// The project, or its state, cannot be opened.
pub fn run(cx: &Context<'_>) -> Result<usize, Stop> {
    process::lead_session();
    let opened = cx.open()?;
    let store = Store::of(&opened)?;
    let mut done = 0;
    while let Some(lease) = Lease::take(&store, PATIENCE)? {
        let worker = Worker { cx, opened: &opened, store: &store, watch: WorkWatch::begin(cx, &store) };
        done += worker.work()?;
        dream::if_due(&worker);
        drop(lease);
        // what was queued while the lease was given back has no worker
        if store.read(|state| Ok(state.open_jobs()?.is_empty()))? {
            break;
        }
    }
    encoder::fill_in_background(cx, &opened);
    Ok(done)
}

struct Worker<'a> {
    cx: &'a Context<'a>,
    opened: &'a Opened,
    store: &'a Store,
    watch: WorkWatch,
}

impl Worker<'_> {
    fn work(&self) -> Result<usize, Stop> {
        // without one the jobs fail, and say so
        let host = Host::of(self.opened, &self.cx.cwd).unwrap_or_default();
        if let Some(host) = &host {
            let known = OnceCell::new();
            let is_known = |commit: CommitId| {
                known.get_or_init(|| TreeSources::of(self.opened).unwrap_or_default()).has(commit)
            };
            // a log that cannot be read is looked at next time
            let _ = look::look(self.store, host, &is_known);
        }
        let mut done = self.all(host.as_ref())?;
        if let Some(host) = &host {
            // of a rebase that was about to end, its log tells only now
            wait_for_rebase(&host.scope);
            let _ = look::look(self.store, host, &|_| false);
            done += self.all(Some(host))?;
        }
        Ok(done)
    }

    /// Do all that is queued.
    fn all(&self, host: Option<&Host>) -> Result<usize, Stop> {
        let mut done = 0;
        while let Some(job) = self.store.with(|state| state.begin_job())? {
            let limit = match job.new.kind.as_str() {
                jobs::DREAM => dream::LIMIT_OF_TIME,
                jobs::MODEL => model::LIMIT_OF_TIME,
                _ => LIMIT,
            };
            self.watch.set(Some((job.id, Instant::now(), limit)));
            let start = Instant::now();
            let ended = self.one(host, &job);
            let ended = Ended {
                milliseconds: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
                at: self.store.now(),
                ..ended
            };
            self.watch.set(None);
            self.store.with(|state| end(state, job.id, &ended))?;
            done += 1;
            let has_worked = job.new.kind == COMMIT && ended.outcome != Verdict::Failed.word();
            if let Some(host) = host.filter(|_| has_worked) {
                self.try_again(host)?;
            }
        }
        Ok(done)
    }

    /// Take the commits in that came while the tree was busy, the oldest first, until it is busy once more.
    fn try_again(&self, host: &Host) -> Result<(), Stop> {
        let ended = self.store.read(|state| state.ended_jobs(usize::MAX))?;
        let mut open: Vec<StoredJob> = ended.into_iter().filter(waits_for_another).collect();
        open.sort_by_key(|job| job.id);
        for job in open {
            self.watch.set(Some((job.id, Instant::now(), LIMIT)));
            // its worker may have died after it had curated
            let ended = match landed(self.parts(&Self::actor()), &job) {
                Ok(Some(ended)) => Ok(ended),
                Ok(None) => without_panic(|| commit::take(self, host, &job)),
                Err(stop) => Err(stop),
            };
            self.watch.set(None);
            let ended = match ended {
                Err(stop) if self.is_busy(&stop) => return Ok(()),
                Ok(ended) if is_undecided(&ended) => return Ok(()),
                Err(stop) => failed(&job, &stop.message),
                Ok(ended) if ended.outcome == Verdict::Failed.word() => failed(&job, &ended.reason),
                Ok(ended) => ended,
            };
            let ended = Ended { at: self.store.now(), ..ended };
            self.store.with(|state| match state.job(job.id)? {
                Some(now) if waits_for_another(&now) => state.end_job_anew(job.id, &ended).map(drop),
                _ => end(state, job.id, &ended),
            })?;
        }
        Ok(())
    }

    /// Whether a commit could not be taken in because somebody else is at work in the tree.
    fn is_busy(&self, stop: &Stop) -> bool {
        stop.kind == FailureKind::Busy || merge_state::is_under_way(&self.opened.scope)
    }

    /// Do one job, whatever comes.
    fn one(&self, host: Option<&Host>, job: &StoredJob) -> Ended {
        let landed = || -> Result<Option<Ended>, Stop> {
            match job.attempts {
                0 | 1 => Ok(None),
                _ if is_dream(job) => dream::landed(self.parts(&Self::actor()), job),
                _ if is_model(job) => model::landed(self.parts(&Self::actor()), job),
                _ => landed(self.parts(&Self::actor()), job),
            }
        };
        match landed() {
            Ok(Some(ended)) => {
                host.into_iter().for_each(|host| commit::note(self, host, job));
                return ended;
            }
            Ok(None) => {}
            Err(stop) => return ended(Verdict::Failed, stop.message),
        }
        if let Some(why) = &job.stop {
            let verdict = if why == watch::CANCELLED { Verdict::Cancelled } else { Verdict::Failed };
            return ended(verdict, why);
        }
        if job.attempts > MOST_ATTEMPTS {
            return ended(Verdict::Failed, format!("its worker died {MOST_ATTEMPTS} times"));
        }
        let take = || match host {
            _ if is_dream(job) => dream::take(self, job),
            _ if is_model(job) => model::take(self, job),
            Some(host) => commit::take(self, host, job),
            None => Ok(ended(Verdict::Failed, "there is no host repository here")),
        };
        let start = Instant::now();
        loop {
            match without_panic(take) {
                Err(stop) if stop.kind == FailureKind::Busy && start.elapsed() < WAIT_TO_WRITE => {
                    std::thread::sleep(Duration::from_millis(200));
                }
                Err(stop) if self.is_busy(&stop) => return busy(job, &stop.message),
                Err(stop) => return failed(job, &stop.message),
                Ok(ended) if is_undecided(&ended) => return busy(job, &ended.reason),
                Ok(ended) if ended.outcome == Verdict::Failed.word() => return failed(job, &ended.reason),
                Ok(ended) => return ended,
            }
        }
    }

    fn parts<'p>(&'p self, actor: &'p Actor) -> Parts<'p> {
        Parts { actor, ..self.cx.parts(self.opened) }
    }

    /// What every job of a hook is done as.
    fn actor() -> Actor {
        Actor { name: Some(ACTOR.to_owned()), ..Actor::default() }
    }
}

/// Wait a moment for a rebase that calls its last hook.
fn wait_for_rebase(host: &Scope) {
    let start = Instant::now();
    while in_progress::is_rebasing(host.git_dir()) && start.elapsed() < END_OF_REBASE {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a job dreams.
fn is_dream(job: &StoredJob) -> bool {
    job.new.kind == jobs::DREAM
}

/// Whether a job has a model curate a text.
fn is_model(job: &StoredJob) -> bool {
    job.new.kind == jobs::MODEL
}

/// A job that failed, and how its commit is taken in all the same.
fn failed(job: &StoredJob, why: &str) -> Ended {
    let Some(commit) = job.new.commit.as_deref() else { return ended(Verdict::Failed, why) };
    ended(Verdict::Failed, format!("{why}; `brv curate --commit {commit}` takes it in"))
}

/// A commit that came while the tree was busy: nothing was decided about it.
fn busy(job: &StoredJob, why: &str) -> Ended {
    match job.new.kind.as_str() {
        COMMIT => {
            Ended { rules: UNDECIDED, ..failed(job, &format!("{why}; the next commit tries it again")) }
        }
        _ => failed(job, why),
    }
}

/// Whether a job failed because the tree was busy, so that it is tried again.
fn waits_for_another(job: &StoredJob) -> bool {
    job.new.kind == COMMIT && is_undecided(&job.end)
}

fn is_undecided(ended: &Ended) -> bool {
    ended.outcome == Verdict::Failed.word() && ended.rules == UNDECIDED
}

/// A fault in the program fails the job that met it, and no other one.
fn without_panic(take: impl FnOnce() -> Result<Ended, Stop>) -> Result<Ended, Stop> {
    let failed = |_| Stop::new(FailureKind::Failed, "a fault in brv: please report it");
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(take)).unwrap_or_else(|panic| Err(failed(panic)))
}

/// Say what became of a job. One that was replaced or cancelled meanwhile stays so, with the operation that it led to.
fn end(state: &mut State, id: i64, ended: &Ended) -> Result<(), state::Error> {
    if state.end_job(id, ended)? {
        return Ok(());
    }
    let Some(job) = state.job(id)?.filter(|_| ended.operation.is_some()) else { return Ok(()) };
    let Ended { outcome, reason, .. } = job.end;
    state.end_job_anew(id, &Ended { outcome, reason, ..ended.clone() }).map(drop)
}

/// What became of a job whose worker died after it had curated. A command that was interrupted is finished first.
fn landed(parts: Parts<'_>, job: &StoredJob) -> Result<Option<Ended>, Stop> {
    let Some(commit) = job.new.commit.as_deref().and_then(CommitId::from_hex) else { return Ok(None) };
    if journal::pending(parts.scope())?.is_some() {
        operation::recover(parts)?;
    }
    let Some(record) = sources::operation_of(parts.scope(), commit)? else { return Ok(None) };
    let entries = changed(parts, [record.before, record.after], |kind| kind == PathKind::Entry)?;
    let patch = record.source_commit.and_then(|source| source.patch).map(|patch| patch.to_string());
    let operation = Some(record.id.to_string());
    // only to report what it was filed as: if that cannot be read, the job still ends
    let filed = recorded(parts.opened, commit).unwrap_or_default().kept();
    Ok(Some(Ended { operation, entries, patch, filed, ..ended(Verdict::Curated, "filed") }))
}

/// The files of a kind that differ between two commits.
fn changed(
    parts: Parts<'_>,
    [before, after]: [CommitId; 2],
    is_meant: impl Fn(PathKind) -> bool,
) -> Result<Vec<String>, git::Error> {
    let scope = parts.scope();
    let changes = trees::diff(scope, scope.tree_of(before)?, scope.tree_of(after)?, Renames::Ignore)?;
    let paths = changes.iter().filter_map(|change| TreePath::parse(&change.path).ok());
    Ok(paths.filter(|path| is_meant(path.kind())).map(|path| path.to_string()).collect())
}
