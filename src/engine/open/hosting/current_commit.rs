//! Which commit of the host stands today for one that was recorded, after the amend, rebase, cherry-pick or squash that
//! replaced it. Where nothing proves it, or two commits would do, the answer is that it is unknown.
//!
//! What this clone saw counts first, then what other clones told, then what changes the same, and last the subject.

use super::Host;
use super::subjects::{self, Called};
use crate::journal::SourceCommit;
use crate::open::context::Opened;
use crate::open::state::{self, BranchChange, Missing, State, StatePlace};
use brv_git as git;
use brv_git::history::{self, Range};
use brv_git::{CommitId, PatchId, patch_id, refs, revision};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;

/// The most commits of `HEAD`'s history that are compared.
const MOST_COMMITS: usize = 20_000;

/// How much older than the statement a commit may be that took the place of its source, in seconds: clocks differ.
const LEEWAY: i64 = 24 * 60 * 60;

/// Which commit stands for a recorded one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CurrentCommit {
    pub commit: Option<CommitId>,
    pub by: By,
}

/// How that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// It is the recorded one: `HEAD` or a branch still has it.
    Same,
    /// git said what it was rewritten into, here or in another clone.
    Map,
    /// It is the only one in the history of `HEAD` that changes the same.
    Patch,
    /// It is the only one in the history of `HEAD` that changes what the branch of the recorded one changed.
    Squash,
    /// It is the only one in the history of `HEAD` that is called the same, and it touches a file that the knowledge is about.
    Subject,
    Unknown,
}

impl By {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Map => "map",
            Self::Patch => "patch",
            Self::Squash => "squash",
            Self::Subject => "subject",
            Self::Unknown => "unknown",
        }
    }
}

impl CurrentCommit {
    pub const UNKNOWN: Self = Self { commit: None, by: By::Unknown };

    const fn known(commit: CommitId, by: By) -> Self {
        Self { commit: Some(commit), by }
    }
}

/// A recorded commit whose standing is sought.
#[derive(Debug, Clone)]
pub struct Request {
    pub recorded: SourceCommit,
    /// When it was recorded: what replaced it is not older, but for a day.
    pub since: i64,
    pub past: Past,
    /// What it became in the end, as other clones tell: it counts only if the commit changes what the recorded one changed.
    pub told: Vec<CommitId>,
    /// What it is called, as far as that was recorded.
    pub subject: Option<String>,
    /// Files of the code that the knowledge is about.
    pub files: BTreeSet<String>,
}

/// What the state remembers of a commit of the host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Past {
    /// What it was rewritten into, step by step, the last one last.
    rewritten: Vec<CommitId>,
    /// The patch ids of these commits as far as they are known, that of the last one first.
    patches: Vec<PatchId>,
    /// What its branch, or that of one of these commits, changed as a whole.
    squashes: HashSet<PatchId>,
}

impl Past {
    pub fn read(state: &State, commit: CommitId) -> Result<Self, state::Error> {
        let own = commit.to_string();
        let chain = state.rewritten(&own)?;
        let mut past = Self {
            rewritten: chain.iter().filter_map(|id| CommitId::from_hex(id)).collect(),
            ..Self::default()
        };
        for id in chain.iter().rev() {
            let patch = state.job_of(id)?.and_then(|job| job.end.patch);
            past.patches.extend(patch.and_then(|patch| PatchId::from_hex(&patch)));
        }
        for id in chain.iter().chain([&own]) {
            let patch = |change: BranchChange| PatchId::from_hex(&change.patch);
            past.squashes.extend(state.branch_changes(id)?.into_iter().filter_map(patch));
        }
        Ok(past)
    }

    /// What the project's state remembers of these commits, in their order; nothing where it cannot be read.
    pub fn remembered(opened: &Opened, commits: &[CommitId]) -> Vec<Self> {
        let all = |state: &mut State| commits.iter().map(|commit| Self::read(state, *commit)).collect();
        let patience = opened.config.lock_timeout.value;
        let place = StatePlace::of(&opened.places, opened.scope.environment());
        let read =
            place.ok().and_then(|place| state::with(&place, Missing::Leave, patience, all).ok().flatten());
        read.map_or_else(|| vec![Self::default(); commits.len()], |done| done.result)
    }
}

/// The standing of each of these, in their order. Every commit of the history is looked at once for all of them.
///
/// # Errors
/// A history that cannot be read.
pub fn standings(host: &Host, sought: &[Request]) -> Result<Vec<CurrentCommit>, git::Error> {
    let here = reachable(host, sought)?;
    let mut found: Vec<Option<CurrentCommit>> = Vec::with_capacity(sought.len());
    for one in sought {
        let plain = one.without_search(&here);
        found.push(if plain.is_some() { plain } else { told(host, one)? });
    }
    let changes = PatchMatches::of(host, &open(sought, &found))?;
    for (one, found) in sought.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
        *found = one.among(&changes);
    }
    let called =
        subjects::find(host, open(sought, &found).into_iter().filter_map(Request::called).collect())?;
    let by_subject = |one: &Request| called.get(&one.recorded.commit).copied();
    let last = |(one, found): (&Request, Option<CurrentCommit>)| {
        found
            .or_else(|| Some(CurrentCommit::known(by_subject(one)?, By::Subject)))
            .unwrap_or(CurrentCommit::UNKNOWN)
    };
    Ok(sought.iter().zip(found).map(last).collect())
}

/// Those that were not found yet.
fn open<'r>(sought: &'r [Request], found: &[Option<CurrentCommit>]) -> Vec<&'r Request> {
    sought.iter().zip(found).filter(|(_, found)| found.is_none()).map(|(one, _)| one).collect()
}

/// The commit in the history of `HEAD` that other clones report as the replacement of this one; unknown if they report
/// several. Anybody may report anything: it must change the files that the recorded one changed, or, where that is not
/// here, one that the knowledge is about.
fn told(host: &Host, one: &Request) -> Result<Option<CurrentCommit>, git::Error> {
    let Some(head) = host.scope.head()?.commit() else { return Ok(None) };
    let own = subjects::files(host, one.recorded.commit)?;
    let mut found: Vec<CommitId> = Vec::new();
    for new in &one.told {
        if !revision::is_commit(&host.scope, *new)? || !history::is_ancestor(&host.scope, *new, head)? {
            continue;
        }
        let theirs = subjects::files(host, *new)?.unwrap_or_default();
        let is_so = match &own {
            Some(own) => !own.is_empty() && own.is_subset(&theirs),
            None => !one.files.is_disjoint(&theirs),
        };
        if is_so {
            found.push(*new);
        }
    }
    Ok(match found[..] {
        [] => None,
        [only] => Some(CurrentCommit::known(only, By::Map)),
        _ => Some(CurrentCommit::UNKNOWN),
    })
}

impl Request {
    /// The commits that it may be, itself and what it was rewritten into.
    fn chain(&self) -> impl Iterator<Item = CommitId> + '_ {
        [self.recorded.commit].into_iter().chain(self.past.rewritten.iter().copied())
    }

    /// The patch ids of single commits, the one to be looked for first in front.
    fn patches(&self) -> impl Iterator<Item = PatchId> + '_ {
        self.past.patches.iter().copied().chain(self.recorded.patch)
    }

    fn called(&self) -> Option<Called<'_>> {
        let subject = self.subject.as_deref()?;
        Some(Called { recorded: self.recorded.commit, subject, files: &self.files, since: self.oldest() })
    }

    fn oldest(&self) -> i64 {
        self.since.saturating_sub(LEEWAY)
    }

    fn without_search(&self, here: &HashSet<CommitId>) -> Option<CurrentCommit> {
        let recorded = self.recorded.commit;
        if here.contains(&recorded) {
            return Some(CurrentCommit::known(recorded, By::Same));
        }
        let last = self.past.rewritten.iter().rev().find(|commit| here.contains(commit))?;
        Some(CurrentCommit::known(*last, By::Map))
    }

    /// By what changes the same. Where two do, nothing tells which it is, and the subject does not, either.
    fn among(&self, changes: &PatchMatches) -> Option<CurrentCommit> {
        let only = |found: &[CommitId], by| match found {
            [] => None,
            [only] => Some(CurrentCommit::known(*only, by)),
            _ => Some(CurrentCommit::UNKNOWN),
        };
        for patch in self.patches() {
            let found = changes.with(patch, self.oldest());
            if !found.is_empty() {
                return only(&found, By::Patch);
            }
        }
        let squashes = self.past.squashes.iter();
        let found: Vec<CommitId> = squashes.flat_map(|patch| changes.with(*patch, self.oldest())).collect();
        only(&found, By::Squash)
    }
}

/// The sought commits that are reachable from `HEAD`, a branch or a remote-tracking branch.
fn reachable(host: &Host, sought: &[Request]) -> Result<HashSet<CommitId>, git::Error> {
    let scope = &host.scope;
    let mut missing = HashSet::new();
    for commit in sought.iter().flat_map(Request::chain) {
        if revision::is_commit(scope, commit)? {
            missing.insert(commit);
        }
    }
    let mut found = HashSet::new();
    let head: Vec<CommitId> = scope.head()?.commit().into_iter().collect();
    let branches = || -> Result<Vec<CommitId>, git::Error> {
        let mut tips = refs::commits(scope, "refs/heads/")?;
        tips.extend(refs::commits(scope, "refs/remotes/")?);
        Ok(tips.into_iter().map(|(_, commit)| commit).collect())
    };
    // nearly always `HEAD` has all of them, and other branches need not be listed
    for round in 0..2 {
        if missing.is_empty() {
            break;
        }
        let tips = if round == 0 { head.clone() } else { branches()? };
        let asked: Vec<CommitId> = missing.iter().copied().collect();
        let ahead: HashSet<CommitId> = history::between(scope, &asked, &tips)?.into_iter().collect();
        let (still, now): (HashSet<CommitId>, HashSet<CommitId>) =
            missing.into_iter().partition(|commit| ahead.contains(commit));
        missing = still;
        found.extend(now);
    }
    Ok(found)
}

/// The commits in the history of `HEAD` that have one of the sought patch ids, each with its committer time.
#[derive(Default)]
struct PatchMatches(HashMap<PatchId, Vec<(CommitId, i64)>>);

impl PatchMatches {
    fn of(host: &Host, sought: &[&Request]) -> Result<Self, git::Error> {
        let scope = &host.scope;
        let squashes = sought.iter().flat_map(|one| one.past.squashes.iter().copied());
        let ids: HashSet<PatchId> = sought.iter().flat_map(|one| one.patches()).chain(squashes).collect();
        let (Some(since), Some(head)) = (sought.iter().map(|one| one.oldest()).min(), scope.head()?.commit())
        else {
            return Ok(Self::default());
        };
        if ids.is_empty() {
            return Ok(Self::default());
        }
        let mut walked = Vec::new();
        let range = Range { tips: vec![head], since: Some(since), ..Range::default() };
        history::walk(scope, &range, |step| {
            walked.push((step.commit.id, step.commit.committer.seconds));
            if walked.len() < MOST_COMMITS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        let paths: HashSet<String> = ids.iter().map(PatchId::paths).collect();
        let mut found: HashMap<PatchId, Vec<(CommitId, i64)>> = HashMap::new();
        for (commit, seconds) in walked {
            let Some([before, after]) = patch_id::sides(scope, commit)? else { continue };
            if !paths.contains(&patch_id::paths_between(scope, before, after)?) {
                continue;
            }
            let patch = patch_id::between(scope, before, after)?.filter(|patch| ids.contains(patch));
            if let Some(patch) = patch {
                found.entry(patch).or_default().push((commit, seconds));
            }
        }
        Ok(Self(found))
    }

    /// The commits with a patch id that are not older than `since`.
    fn with(&self, patch: PatchId, since: i64) -> Vec<CommitId> {
        let all = self.0.get(&patch).into_iter().flatten();
        all.filter(|(_, seconds)| *seconds >= since).map(|(commit, _)| *commit).collect()
    }
}
