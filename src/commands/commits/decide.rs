//! Decide what becomes of a commit, whoever asks: the worker of the hooks, or the import of a history.

use super::replacing::Ranks;
use super::{HostCommit, Intake, LessonOrigin, Taken, asking, squashed};
use brv_engine::agents::model::Model;
use brv_engine::jobs::{Filed, Store, Verdict};
use brv_engine::open::hosting::branch::branch_change;
use brv_engine::open::state::{Ended, NewJob, StoredJob};
use brv_engine::read::history::learned::filings::Writer;
use brv_engine::read::history::learned::sources::moves;
use brv_engine::{Mode, Stop};
use brv_git as git;
use brv_git::{CommitId, history};
use brv_text::commits::{RULES_VERSION, Reading};
use brv_text::curate::Grounds;
use std::sync::Arc;

/// How many seconds a day has.
const DAY: i64 = 86_400;

/// How many commits may still be curated today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quota {
    Unlimited,
    /// This many a day, by UTC.
    PerDay(u64),
}

pub fn ended(verdict: Verdict, reason: impl Into<String>) -> Ended {
    let outcome = verdict.word().to_owned();
    Ended { outcome, reason: reason.into(), rules: RULES_VERSION, ..Ended::default() }
}

/// What becomes of a commit of the host; unless this is a dry run it is done then. With a model, its text is read by that,
/// too.
///
/// # Errors
/// What stops `brv curate` as a whole, such as another brv that writes.
pub fn decide(
    intake: &Intake<'_>,
    store: &Store,
    (commit, reading): (&HostCommit, &Reading),
    quota: Quota,
    model: Option<&mut Model>,
) -> Result<Ended, Stop> {
    let own = commit.id.to_string();
    if let Some(new) = store.read(|state| state.rewritten(&own))?.pop() {
        return Ok(ended(Verdict::Replaced, new));
    }
    let model = model.filter(|_| asking::may_state(commit, reading));
    if let Reading::Declined(why) = reading
        && model.is_none()
        && commit.reverts().is_empty()
    {
        return Ok(ended(Verdict::Declined, why.to_string()));
    }
    let before = match intake.aside {
        // its earlier text is removed
        Some(_) => EarlierCommits::default(),
        None => before(intake, store, commit)?,
    };
    if let Some(inherited) = inherited(intake, store, (commit, reading), &before)? {
        return Ok(inherited);
    }
    if let Reading::Lesson(lesson) = reading
        && squashed::is_filed(lesson, &before.branch)
    {
        if intake.mode == Mode::Write {
            moves::note(intake.parts.opened, before.squashed.iter().map(|old| (*old, commit.id)));
        }
        return Ok(ended(Verdict::Declined, "the commits of its branch said so already"));
    }
    let is_again = !before.alike.is_empty();
    if let Quota::PerDay(most) = quota {
        let now = store.now();
        if store.read(|state| state.curated_since(now - now.rem_euclid(DAY)))? >= most {
            return Ok(ended(Verdict::OverQuota, format!("{most} commits were curated today")));
        }
    }
    let by_rules = by_rules(intake, (commit, reading), is_again)?;
    match model.filter(|_| by_rules.outcome != Verdict::Failed.word()) {
        Some(model) => by_model(intake, commit, by_rules, model),
        None => Ok(by_rules),
    }
}

/// What the rules find in a commit, and what it takes back.
fn by_rules(
    intake: &Intake<'_>,
    (commit, reading): (&HostCommit, &Reading),
    is_again: bool,
) -> Result<Ended, Stop> {
    let file =
        |lesson| Ok::<_, Stop>(of_taken(intake.file(commit, lesson, (&LessonOrigin::Rules, is_again))?));
    match reading {
        Reading::Lesson(lesson) => file(Some(lesson)),
        Reading::Declined(why) if !commit.reverts().is_empty() => {
            let ended = file(None)?;
            let is_marked = ended.outcome != Verdict::Declined.word();
            Ok(if is_marked { ended } else { Ended { reason: why.to_string(), ..ended } })
        }
        Reading::Declined(why) => Ok(ended(Verdict::Declined, why.to_string())),
    }
}

/// What the log says while what the model found waits for review.
const UNTIL_APPROVED: &str =
    "filed; what the model found replaces the words of the rules once it is approved";

/// What the model finds replaces what the rules took from the text. Without an answer, or until a person approves it, that
/// stays.
fn by_model(
    intake: &Intake<'_>,
    commit: &HostCommit,
    by_rules: Ended,
    model: &mut Model,
) -> Result<Ended, Stop> {
    let is_filed = by_rules.outcome == Verdict::Curated.word();
    let declined = |why: String| Ended { reason: format!("{}; {why}", by_rules.reason), ..by_rules.clone() };
    let lesson = match asking::lesson(model, commit) {
        Ok(Some(lesson)) => lesson,
        _ if is_filed => return Ok(by_rules),
        Ok(None) => return Ok(declined("the model found nothing either".to_owned())),
        // as without a model: the next commit asks again
        Err(error) => return Ok(declined(format!("the model did not answer: {error}"))),
    };
    let grounds = Arc::new(Grounds::of([commit.subject.as_str(), &commit.body]));
    let replacing = Ranks::of(intake.parts.opened, intake.host)?.outranked(commit.id, Writer::Model)?;
    let origin = LessonOrigin::Model { name: model.spent().name, grounds, replacing };
    let taken = intake.file(commit, Some(&lesson), (&origin, false))?;
    let is_pending = taken.is_pending;
    let by_model = of_taken(taken);
    Ok(match is_filed {
        true if by_model.outcome != Verdict::Curated.word() => by_rules,
        true if is_pending => beside(&by_rules, by_model),
        _ => by_model,
    })
}

/// What both filed, while that of the model waits.
fn beside(by_rules: &Ended, by_model: Ended) -> Ended {
    let [mut filed, of_model] = [by_rules, &by_model].map(|one| Filed::of(one.filed.as_deref()));
    filed.items.extend(of_model.items);
    let mut entries = by_rules.entries.clone();
    entries.extend(by_model.entries.iter().filter(|path| !by_rules.entries.contains(path)).cloned());
    Ended { reason: UNTIL_APPROVED.to_owned(), entries, filed: filed.kept(), ..by_model }
}

/// What is known of the commits that one is the same as.
#[derive(Default)]
struct EarlierCommits {
    /// Those that it was rewritten from.
    rewritten: Vec<String>,
    /// The jobs of these that were filed, and of those with the same change.
    alike: Vec<StoredJob>,
    /// What the commits of a branch with the same change as a whole were filed as.
    branch: Vec<Filed>,
    /// These commits.
    squashed: Vec<CommitId>,
}

fn before(intake: &Intake<'_>, store: &Store, commit: &HostCommit) -> Result<EarlierCommits, Stop> {
    let own = commit.id.to_string();
    let patch = git::patch_id::of_commit(&intake.host.scope, commit.id)?.map(|patch| patch.to_string());
    store.read(|state| {
        let rewritten = state.rewritten_into(&own)?;
        let mut alike =
            patch.as_deref().map(|patch| state.curated_with(patch)).transpose()?.unwrap_or_default();
        for old in &rewritten {
            alike.extend(state.job_of(old)?.filter(|job| job.end.operation.is_some()));
        }
        let branch = patch.as_deref().map(|patch| state.curated_on(patch)).transpose()?.unwrap_or_default();
        let others = || branch.iter().filter(|job| job.new.commit.as_deref() != Some(own.as_str()));
        let squashed = others().filter_map(|job| CommitId::from_hex(job.new.commit.as_deref()?)).collect();
        let branch = others().map(|job| Filed::of(job.end.filed.as_deref())).collect();
        Ok(EarlierCommits { rewritten, alike, branch, squashed })
    })
}

/// What became of the commit that this one is the same as, if the tree has it: one that it was rewritten from, or one with
/// the same change, such as the commit that was cherry-picked.
fn inherited(
    intake: &Intake<'_>,
    store: &Store,
    (commit, reading): (&HostCommit, &Reading),
    before: &EarlierCommits,
) -> Result<Option<Ended>, Stop> {
    let scope = &intake.host.scope;
    let own = commit.id.to_string();
    for job in before.alike.clone() {
        let Some(old) = job.new.commit.as_deref().filter(|old| *old != own) else { continue };
        let Some(id) = CommitId::from_hex(old) else { continue };
        let is_same = |other: &HostCommit, read: &Reading| {
            let has_lesson = matches!(reading, Reading::Lesson(_));
            // what a model found depends on every word
            let says_same = || other.subject == commit.subject && other.body == commit.body;
            read == reading && (has_lesson || says_same())
        };
        if !intake.read(id).is_ok_and(|(other, read)| is_same(&other, &read)) {
            continue;
        }
        if !before.rewritten.iter().any(|one| one == old) && is_reachable(scope, id) {
            return Ok(Some(ended(Verdict::Declined, format!("the same change as {old}"))));
        }
        if intake.mode == Mode::Write {
            let end = Ended {
                outcome: Verdict::Replaced.word().to_owned(),
                reason: own.clone(),
                ..job.end.clone()
            };
            store.with(|state| state.end_job_anew(job.id, &end))?;
            moves::note(intake.parts.opened, [(id, commit.id)]);
        }
        let inherited = ended(Verdict::Curated, format!("as {old}"));
        return Ok(Some(Ended {
            operation: job.end.operation,
            entries: job.end.entries,
            patch: job.end.patch,
            filed: job.end.filed,
            ..inherited
        }));
    }
    Ok(None)
}

/// Whether `HEAD` or a branch has a commit.
fn is_reachable(scope: &git::Scope, id: CommitId) -> bool {
    let head = scope.head().ok().and_then(|head| head.commit());
    let branches = git::refs::commits(scope, "refs/heads/").unwrap_or_default();
    let mut tips = head.into_iter().chain(branches.into_iter().map(|(_, tip)| tip));
    tips.any(|tip| history::is_ancestor(scope, id, tip).unwrap_or(false))
}

fn of_taken(taken: Taken) -> Ended {
    Ended {
        operation: taken.operation.map(|id| id.to_string()),
        entries: taken.entries.iter().map(ToString::to_string).collect(),
        patch: taken.patch.map(|patch| patch.to_string()),
        filed: taken.filed.kept(),
        ..ended(taken.verdict, taken.reason)
    }
}

/// Remember what became of a commit that no hook queued.
pub fn remember(store: &Store, new: &NewJob, ended: &Ended) -> Result<Option<StoredJob>, Stop> {
    let now = store.now();
    let commit = new.commit.as_deref().unwrap_or_default();
    let ended = Ended { at: now, ..ended.clone() };
    store.with(|state| {
        state.enqueue(std::slice::from_ref(new), now)?;
        if let Some(job) = state.job_of(commit)? {
            state.end_job_anew(job.id, &ended)?;
        }
        state.job_of(commit)
    })
}

/// Note what the branch of a commit changes as a whole, for those of its commits that were curated: if the branch is
/// squashed, they are recognised by that. What cannot be noted makes a source `unknown` at worst.
pub fn note_branch(intake: &Intake<'_>, store: &Store, branch: (CommitId, Option<&str>)) {
    let _ = try_note_branch(intake, store, branch);
}

fn try_note_branch(
    intake: &Intake<'_>,
    store: &Store,
    (id, branch): (CommitId, Option<&str>),
) -> Result<(), Stop> {
    let curated = store.read(|state| state.curated_commits())?;
    let is_curated = |commit: &CommitId| *commit == id || curated.contains(&commit.to_string());
    let Some((change, commits)) = branch_change(intake.host, id, branch)? else { return Ok(()) };
    let commits: Vec<String> =
        commits.iter().filter(|one| is_curated(one)).map(ToString::to_string).collect();
    let now = store.now();
    store.with(|state| state.note_branch_change(&commits, &change, now))
}
