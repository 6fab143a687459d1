//! Take commits of the code in, one after the other, and tell what became of each.

use crate::commits::again::Stays;
use crate::commits::decide::{Quota, decide, note_branch, remember};
use crate::commits::renames::Today;
use crate::commits::{Intake, PlacedCommit, Placing};
use brv_engine::jobs::{Job, Store, Verdict};
use brv_engine::open::context::Context;
use brv_engine::open::state::{Ended, NewJob, StoredJob};
use brv_engine::{Mode, Stop};
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
    pub counts: CurateCommitCounts,
    /// With `--again`: what became of the entries of earlier rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub again: Option<AgainResult>,
}

/// How many commits came to what.
#[derive(Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CurateCommitCounts")]
pub struct CurateCommitCounts {
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

/// What became of the entries of earlier rules.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "CurateAgain")]
pub struct AgainResult {
    /// The session of all operations, for `brv undo --session`; `null`: there is nothing to do.
    pub session: Option<String>,
    /// The entries that went, or would go, with the overviews of folders that are empty then.
    pub removed: Vec<String>,
    /// The entries with lines of earlier rules that stay.
    pub kept: Vec<Stays>,
    /// The operation that removed them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
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
        let placed = PlacedCommit::of(&commit, &today, intake.parts.scope().prefix());
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
