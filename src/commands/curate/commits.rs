//! `brv curate --commit`: take the history of the code in, the oldest commit first, by the rules of the hooks.

use super::again::{self, Again};
use super::history::{self, History};
use crate::commits::decide::{Quota, decide, note_branch, remember};
use crate::commits::renames::Today;
use crate::commits::{Authors, Intake, Placed, Placing, Route};
use brv_engine::jobs::{Job, Lease, Store, Verdict, start_worker};
use brv_engine::open::context::{Actor, Context, Opened, Parts};
use brv_engine::open::state::{Ended, NewJob, StoredJob};
use brv_engine::{FailureKind, Mode, Stop};
use brv_git::CommitId;
use brv_text::commits::Reading;
use brv_text::lint::secrets;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::time::Instant;

/// The event of jobs that this command makes.
pub(super) const EVENT: &str = "import";

#[derive(Debug, Clone)]
pub struct Options {
    /// A commit, or `A..B`; `None`: all that earlier rules filed, with `again`.
    pub range: Option<String>,
    /// Whether what earlier rules filed is filed anew.
    pub again: bool,
    pub mode: Mode,
}

/// `brv.curate.commit/1`
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "CurateCommit")]
pub struct Outcome {
    /// What became of each commit that was not known, the oldest first.
    pub commits: Vec<Job>,
    /// How many commits came to what.
    pub counts: Counts,
    /// With `--again`: what became of the entries of earlier rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub again: Option<Again>,
}

/// How many commits came to what.
#[derive(Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CurateCommitCounts")]
pub struct Counts {
    /// What they state is in the tree now.
    pub curated: usize,
    /// They state nothing, or nothing new.
    pub declined: usize,
    /// They were taken in before, or declined by the same rules.
    pub known: usize,
    /// How many were declined for which reason.
    pub reasons: BTreeMap<String, usize>,
    /// In how many entries what they state is now.
    pub entries: usize,
    /// In how many folders these are.
    pub folders: usize,
}

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
    history: &History,
    mode: Mode,
) -> Result<(Outcome, Option<Stop>), Stop> {
    let actor = Actor { session: Some(session(cx)), ..cx.actor.clone() };
    let parts = Parts { actor: &actor, ..cx.parts(opened) };
    let authors = Authors::of(&history.host);
    let route = Route::Import;
    let intake =
        Intake { parts, host: &history.host, authors: &authors, mode, route, placing: None, aside: None };
    let known = history::Known::of(opened, store)?;
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

/// Take these commits in, the oldest first; `all` are those of the range. What stops in the middle is returned.
pub(super) fn all_of(
    intake: &Intake<'_>,
    (store, branch): (&Store, Option<&str>),
    (all, new): (&[CommitId], Vec<CommitId>),
    outcome: &mut Outcome,
) -> Result<Option<Stop>, Stop> {
    let mode = intake.mode;
    let (placing, gone) = placed(intake, all, &new)?;
    let intake = Intake { placing: placing.as_ref(), ..*intake };
    for id in new {
        let start = Instant::now();
        let taken = intake.read(id).and_then(|(commit, reading)| {
            let reading = if gone.contains(&id) { reading.without_prose() } else { reading };
            let ended = decide(&intake, store, (&commit, &reading), Quota::Unlimited, None)?;
            Ok((ended, secrets::masked(&commit.subject).into_owned()))
        });
        let (ended, subject) = match taken {
            Ok(taken) => taken,
            Err(stop) => return Ok(Some(stop)),
        };
        let milliseconds = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let ended = Ended { milliseconds, ..ended };
        let new = imported(id, branch.map(str::to_owned), intake.parts.actor.name.clone());
        let job = match mode {
            Mode::DryRun => StoredJob { end: ended, ..job(new) },
            Mode::Write => {
                let job = remember(store, &new, &ended)?.unwrap_or_else(|| job(new.clone()));
                note_branch(&intake, store, (id, new.branch.as_deref()));
                job
            }
        };
        outcome.add(Job { subject: Some(subject), ..Job::of(job) });
    }
    Ok(None)
}

/// The places of those commits that teach something, and the commits whose code is gone.
fn placed(
    intake: &Intake<'_>,
    all: &[CommitId],
    new: &[CommitId],
) -> Result<(Option<Placing>, HashSet<CommitId>), Stop> {
    let (Some(tip), false) = (all.last().copied(), new.is_empty()) else { return Ok(Default::default()) };
    let today = Today::of(intake.host, tip, all)?;
    let (mut commits, mut gone) = (Vec::new(), HashSet::new());
    for id in new {
        let (commit, reading) = intake.read(*id)?;
        let Reading::Lesson(lesson) = reading else { continue };
        let placed = Placed::of(&commit, &today);
        let has_trailers = !lesson.facts.is_empty() || lesson.notes.iter().any(|note| !note.is_prose);
        if placed.is_code_gone() {
            gone.insert(*id);
        }
        if !placed.is_code_gone() || has_trailers {
            commits.push(placed);
        }
    }
    if commits.is_empty() {
        return Ok((None, gone));
    }
    let placing = Placing::of(intake, (tip, today), &commits)?;
    Ok((Some(placing), gone))
}

impl Outcome {
    fn add(&mut self, job: Job) {
        match job.outcome {
            Some(Verdict::Curated) => self.counts.curated += 1,
            Some(Verdict::Declined) => {
                self.counts.declined += 1;
                // whatever the best sentence weighs, it is one reason
                let reason = job.reason.as_deref().unwrap_or_default().split(" (best ").next();
                let reason = reason.unwrap_or_default().to_owned();
                *self.counts.reasons.entry(reason).or_default() += 1;
            }
            _ => {}
        }
        self.commits.push(job);
    }

    /// With the number of entries and folders that were written.
    pub(super) fn counted(mut self) -> Self {
        let entries: HashSet<&str> =
            self.commits.iter().flat_map(|job| job.entries.iter().map(String::as_str)).collect();
        let folders = entries.iter().filter_map(|path| path.rsplit_once('/')).map(|(folder, _)| folder);
        (self.counts.entries, self.counts.folders) = (entries.len(), folders.collect::<HashSet<_>>().len());
        self
    }
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

/// The name of the session that all operations of this run have.
pub(super) fn session(cx: &Context<'_>) -> String {
    format!("import-{}", cx.clock.now().timestamp_millis())
}

/// A job that was never queued.
fn job(new: NewJob) -> StoredJob {
    StoredJob {
        id: 0,
        new,
        state: brv_engine::open::state::JobState::Done,
        attempts: 0,
        queued: 0,
        stop: None,
        end: Ended::default(),
    }
}

/// The job of a commit that this command takes in.
pub(super) fn imported(id: CommitId, branch: Option<String>, actor: Option<String>) -> NewJob {
    NewJob {
        kind: "commit".to_owned(),
        commit: Some(id.to_string()),
        branch,
        event: EVENT.to_owned(),
        actor,
        ..NewJob::default()
    }
}
