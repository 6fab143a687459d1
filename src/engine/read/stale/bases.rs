//! The commit of the code that a line of an entry is compared with, and what else is remembered of the code.

use super::cache;
use super::code::{Code, Moved, Side};
use super::origins::Origin;
use crate::journal::SourceCommit;
use crate::open::context::Opened;
use crate::open::hosting::Host;
use crate::open::hosting::current_commit::{Past, Request, standings};
use brv_git as git;
use brv_git::history::{self, Parents, Range};
use brv_git::{CommitId, PatchId, revision};
use brv_text::doc::Verified;
use brv_text::stale::BaseBy;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;

/// A commit that lines are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Base {
    pub commit: CommitId,
    pub by: Option<BaseBy>,
}

/// What is kept about the code. All of it follows from the head; what does not depend on newer commits outlives a move
/// forward.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Known {
    head: String,
    /// When the head was committed.
    seconds: i64,
    /// The commits that stand for recorded ones, by what was recorded.
    standing: BTreeMap<String, Option<String>>,
    /// The newest commit that is not younger than a second.
    times: BTreeMap<i64, Option<String>>,
    /// The last commit that changed a file.
    last: BTreeMap<String, String>,
    moved: BTreeMap<String, Moved>,
}

/// Finds the bases of lines.
pub struct Bases<'a> {
    opened: &'a Opened,
    host: &'a Host,
    head: Option<CommitId>,
    known: Known,
    is_changed: bool,
    is_of_head: bool,
    ancestors: HashMap<(CommitId, CommitId), bool>,
}

impl<'a> Bases<'a> {
    pub fn new(opened: &'a Opened, host: &'a Host) -> Result<Self, git::Error> {
        let head = host.scope.head()?.commit();
        let mut known: Known = cache::read(&cache::file_of_code(opened)).unwrap_or_default();
        let name = head.map(|head| head.to_string()).unwrap_or_default();
        let mut is_changed = false;
        if known.head != name {
            known = match head {
                Some(head) => forward(host, known, head)?,
                None => Known::default(),
            };
            is_changed = true;
        }
        Ok(Self { opened, host, head, known, is_changed, is_of_head: true, ancestors: HashMap::new() })
    }

    /// The head of the code.
    pub const fn head(&self) -> Option<CommitId> {
        self.head
    }

    /// Look up what stands for these origins and verified commits, all at once.
    pub fn look_up<'o>(
        &mut self,
        origins: impl Iterator<Item = &'o Origin>,
        verified: impl Iterator<Item = &'o Verified>,
    ) -> Result<(), git::Error> {
        let mut recorded: BTreeMap<String, i64> = BTreeMap::new();
        let mut times = BTreeSet::new();
        for origin in origins {
            times.insert(origin.seconds);
            if let Some(source) = &origin.source {
                let since = recorded.entry(source.clone()).or_insert(origin.seconds);
                *since = origin.seconds.min(*since);
            }
        }
        for one in verified {
            recorded.entry(one.commit.clone()).or_insert(one.seconds.unwrap_or_default());
        }
        recorded.retain(|name, _| !self.known.standing.contains_key(name));
        self.look_up_standings(&recorded)?;
        if self.opened.scope.prefix().is_empty() {
            times.retain(|seconds| !self.known.times.contains_key(seconds));
            self.look_up_times(times)?;
        }
        Ok(())
    }

    fn look_up_standings(&mut self, recorded: &BTreeMap<String, i64>) -> Result<(), git::Error> {
        let mut named = Vec::new();
        for (name, since) in recorded {
            let (written, patch): (&str, Option<PatchId>) = SourceCommit::words(name);
            let commit = match SourceCommit::parse(name) {
                Some(source) => Some(source.commit),
                None => revision::abbreviated(&self.host.scope, written)?,
            };
            match commit {
                Some(commit) => named.push((name, SourceCommit { commit, patch }, *since)),
                None => drop(self.known.standing.insert(name.clone(), None)),
            }
        }
        if named.is_empty() {
            return Ok(());
        }
        let commits: Vec<CommitId> = named.iter().map(|(_, source, _)| source.commit).collect();
        let pasts = Past::remembered(self.opened, &commits);
        let requests: Vec<Request> = named
            .iter()
            .zip(pasts)
            .map(|((_, recorded, since), past)| Request { recorded: *recorded, since: *since, past })
            .collect();
        for ((name, recorded, _), standing) in named.iter().zip(standings(self.host, &requests)?) {
            // one that no branch has any more is the code of then all the same
            let is_here = |commit: &CommitId| revision::is_commit(&self.host.scope, *commit).unwrap_or(false);
            let commit = standing.commit.or_else(|| Some(recorded.commit).filter(is_here));
            self.known.standing.insert((*name).clone(), commit.map(|commit| commit.to_string()));
        }
        self.is_changed = true;
        Ok(())
    }

    /// The newest commits on the branch itself that are not younger than these seconds.
    fn look_up_times(&mut self, mut times: BTreeSet<i64>) -> Result<(), git::Error> {
        let Some(head) = self.head.filter(|_| !times.is_empty()) else { return Ok(()) };
        self.is_changed = true;
        let range = Range { tips: vec![head], parents: Parents::First, ..Range::default() };
        history::walk(&self.host.scope, &range, |walked| {
            let made = walked.commit.committer.seconds;
            while let Some(seconds) = times.last().copied().filter(|seconds| made <= *seconds) {
                self.known.times.insert(seconds, Some(walked.commit.id.to_string()));
                times.remove(&seconds);
            }
            if times.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        self.known.times.extend(times.into_iter().map(|seconds| (seconds, None)));
        Ok(())
    }

    /// The base of a line with this origin, in an entry that was verified so. `None`: it is unknown.
    pub fn base(&mut self, origin: Option<&Origin>, verified: Option<&Verified>) -> Option<Base> {
        let own = self.own(origin);
        let Some(verified) = verified else { return own };
        match (own, self.standing(&verified.commit)) {
            (Some(own), Some(commit)) => Some(self.newer(own, Base { commit, by: None })),
            (None, Some(commit)) => Some(Base { commit, by: None }),
            // somebody confirmed it for code that is not here: only an older line is known to have been confirmed since
            (own, None) => own.filter(|own| !self.is_older(own.commit, verified.seconds)),
        }
    }

    fn own(&self, origin: Option<&Origin>) -> Option<Base> {
        let Some(origin) = origin else { return self.head.map(|commit| Base { commit, by: None }) };
        let learned = origin.source.as_ref().and_then(|source| self.standing(source));
        if let Some(commit) = learned {
            return Some(Base { commit, by: None });
        }
        if !self.opened.scope.prefix().is_empty() {
            return Some(Base { commit: CommitId::from_hex(&origin.commit)?, by: None });
        }
        let commit = CommitId::from_hex(self.known.times.get(&origin.seconds)?.as_ref()?)?;
        Some(Base { commit, by: Some(BaseBy::Time) })
    }

    fn standing(&self, recorded: &str) -> Option<CommitId> {
        CommitId::from_hex(self.known.standing.get(recorded)?.as_ref()?)
    }

    /// The newer of two, by ancestry, else by time.
    fn newer(&mut self, own: Base, verified: Base) -> Base {
        if self.is_behind(own.commit, verified.commit) {
            return verified;
        }
        if self.is_behind(verified.commit, own.commit) {
            return own;
        }
        let seconds = |base: &Base| {
            history::read(&self.host.scope, base.commit).map_or(i64::MIN, |commit| commit.committer.seconds)
        };
        if seconds(&own) > seconds(&verified) { own } else { verified }
    }

    /// Whether a commit is older than a confirmation, as far as that says when.
    fn is_older(&self, commit: CommitId, seconds: Option<i64>) -> bool {
        let made =
            history::read(&self.host.scope, commit).map_or(i64::MAX, |commit| commit.committer.seconds);
        seconds.is_none_or(|seconds| made < seconds)
    }

    /// Whether a commit is another one, or in its history.
    pub fn is_behind(&mut self, commit: CommitId, other: CommitId) -> bool {
        let scope = &self.host.scope;
        let known = self.ancestors.entry((commit, other));
        *known.or_insert_with(|| history::is_ancestor(scope, commit, other).unwrap_or(false))
    }

    pub fn moved(&mut self, code: &Code<'_>, path: &str) -> Moved {
        let is_there = |moved: &&Moved| moved.to.as_ref().is_some_and(|to| code.is_there(to));
        if let Some(moved) = self.known.moved.get(path).filter(is_there) {
            return moved.clone();
        }
        let moved = code.moved(path);
        // what is not committed yet is soon otherwise
        if moved.commit.is_some() {
            self.known.moved.insert(path.to_owned(), moved.clone());
            self.is_changed = true;
        }
        moved
    }

    /// The last commits that changed these files.
    pub fn last_commits(&mut self, code: &Code<'_>, paths: Vec<String>) -> &BTreeMap<String, String> {
        let missing: Vec<String> =
            paths.into_iter().filter(|path| !self.known.last.contains_key(path)).collect();
        if !missing.is_empty() {
            self.known.last.extend(code.last_commits(&missing, None));
            self.is_changed = true;
        }
        &self.known.last
    }

    /// From here on answers are about another tip than the head: nothing is kept any more.
    pub fn forget_files(&mut self) {
        (self.known.last, self.known.moved) = (BTreeMap::new(), BTreeMap::new());
        self.is_of_head = false;
    }

    /// Keep what was found out.
    pub fn keep(&self) {
        if self.is_changed && self.is_of_head {
            cache::write(&cache::file_of_code(self.opened), &self.known);
        }
    }
}

/// What still holds of what was known of an earlier head.
fn forward(host: &Host, known: Known, head: CommitId) -> Result<Known, git::Error> {
    let scope = &host.scope;
    let seconds = history::read(scope, head)?.committer.seconds;
    let fresh = Known { head: head.to_string(), seconds, ..Known::default() };
    let Some(earlier) = CommitId::from_hex(&known.head) else { return Ok(fresh) };
    let mut newer = Vec::new();
    let mut is_found = false;
    let range =
        Range { tips: vec![head], parents: Parents::First, since: Some(known.seconds), ..Range::default() };
    history::walk(scope, &range, |walked| {
        is_found = walked.commit.id == earlier;
        newer.push(walked.commit.committer.seconds);
        if is_found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if !is_found {
        return Ok(fresh);
    }
    let oldest = newer.into_iter().min().unwrap_or(seconds);
    let Known { standing, times, last, .. } = known;
    let standing = standing.into_iter().filter(|(_, commit)| commit.is_some()).collect();
    let times = times.into_iter().filter(|(time, commit)| *time < oldest && commit.is_some()).collect();
    let mut last = last;
    let paths: Vec<String> = last.keys().cloned().collect();
    let code = Code::new(scope, Side::Commit(head), Some(head), String::new(), false);
    last.extend(code.last_commits(&paths, Some(earlier)));
    Ok(Known { standing, times, last, ..fresh })
}
