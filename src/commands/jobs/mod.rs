//! `brv jobs`: what the worker does, did, and is to do.

pub mod cancel;
pub mod wait;

use brv_engine::Stop;
use brv_engine::jobs::{Store, number};
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::hosting::Host;
use brv_engine::open::state::StoredJob;
use brv_git::{CommitId, history};
use brv_text::lint::secrets;
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;

pub use brv_engine::jobs::{Job, Verdict};

/// How many jobs are listed, unless the caller says so.
pub const MOST: usize = 200;

/// Which jobs are listed.
#[derive(Debug, Clone)]
pub struct JobFilter {
    /// At most this many.
    pub most: usize,
    /// Only those with one of these outcomes; all, where there are none.
    pub outcomes: Vec<Verdict>,
}

/// `brv.jobs.list/1`
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Jobs")]
pub struct JobList {
    /// Those that are queued or running in their order, then those that ended, the last one first.
    pub jobs: Vec<Job>,
    /// How many ended in which way, whether they are listed or not, the most frequent first.
    pub counts: Vec<JobCount>,
}

/// `brv.hooks.log/1`
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "HooksLog")]
pub struct HooksLog {
    /// The jobs that ended, the last one first.
    pub runs: Vec<Job>,
    /// How many ended in which way, whether they are listed or not, the most frequent first.
    pub counts: Vec<JobCount>,
}

/// How many jobs ended in one way.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "JobCount")]
pub struct JobCount {
    pub outcome: Verdict,
    /// The reason, with `…` for each id of a commit.
    pub reason: String,
    pub count: usize,
}

/// The jobs of the project; none where nothing was ever queued.
pub fn list(cx: &Context<'_>, filter: &JobFilter) -> Result<JobList, Stop> {
    let opened = cx.open()?;
    let (open, ended) =
        Store::of(&opened)?.read(|state| Ok((state.open_jobs()?, state.ended_jobs(usize::MAX)?)))?;
    let open = open.into_iter().filter(|_| filter.outcomes.is_empty()).map(Job::of);
    let (ended, counts) = chosen(ended, filter);
    let jobs = open.chain(ended).take(filter.most).collect();
    Ok(JobList { jobs: with_subjects(cx, &opened, jobs), counts })
}

/// What became of the jobs that ended.
pub fn log(cx: &Context<'_>, filter: &JobFilter) -> Result<HooksLog, Stop> {
    let opened = cx.open()?;
    let ended = Store::of(&opened)?.read(|state| state.ended_jobs(usize::MAX))?;
    let (mut runs, counts) = chosen(ended, filter);
    runs.truncate(filter.most);
    Ok(HooksLog { runs: with_subjects(cx, &opened, runs), counts })
}

/// The jobs with one of the outcomes, and how many ended in which way.
fn chosen(ended: Vec<StoredJob>, filter: &JobFilter) -> (Vec<Job>, Vec<JobCount>) {
    let is_wanted = |job: &Job| match job.outcome {
        Some(outcome) => filter.outcomes.is_empty() || filter.outcomes.contains(&outcome),
        None => false,
    };
    let jobs: Vec<Job> = ended.into_iter().map(Job::of).filter(is_wanted).collect();
    let mut counts: Vec<JobCount> = Vec::new();
    for job in &jobs {
        let (Some(outcome), reason) = (job.outcome, without_ids(job.reason.as_deref().unwrap_or_default()))
        else {
            continue;
        };
        match counts.iter_mut().find(|one| one.outcome == outcome && one.reason == reason) {
            Some(known) => known.count += 1,
            None => counts.push(JobCount { outcome, reason, count: 1 }),
        }
    }
    counts.sort_by_key(|one| std::cmp::Reverse(one.count));
    (jobs, counts)
}

/// A reason that is the same for all commits.
fn without_ids(reason: &str) -> String {
    let is_id = |word: &str| word.len() >= 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let word = |word: &str| {
        let bare = word.trim_matches('`');
        if is_id(bare) { word.replace(bare, "…") } else { word.to_owned() }
    };
    reason.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// The same, with the subject of each commit that is still there, without the values of secrets.
fn with_subjects(cx: &Context<'_>, opened: &Opened, mut jobs: Vec<Job>) -> Vec<Job> {
    let Some(host) = Host::of(opened, &cx.cwd).ok().flatten() else { return jobs };
    for job in &mut jobs {
        let commit = job.commit.as_deref().and_then(CommitId::from_hex);
        let commit = commit.and_then(|id| history::read(&host.scope, id).ok());
        job.subject = commit.map(|commit| secrets::masked(&commit.subject().to_str_lossy()).into_owned());
    }
    jobs
}

/// A job by its name.
fn find(store: &Store, name: &str) -> Result<StoredJob, Stop> {
    let job = match number(name) {
        Some(id) => store.read(|state| state.job(id))?,
        None => store.read(|state| state.job_of_dream(name))?,
    };
    job.ok_or_else(|| Stop::usage(format!("there is no job `{name}`")).hint("`brv jobs list` lists the jobs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_counted_whatever_commit_they_name() {
        let id = "1234567890123456789012345678901234567890";
        assert_eq!(without_ids(&format!("as {id}")), "as …");
        assert_eq!(
            without_ids(&format!("busy; `brv curate --commit {id}` takes it in")),
            "busy; `brv curate --commit …` takes it in"
        );
        assert_eq!(
            without_ids("states nothing: fewer than 40 words, and no list"),
            "states nothing: fewer than 40 words, and no list"
        );
    }
}
