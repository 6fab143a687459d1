//! The commit of the code that a line of an entry is compared with, and what else is remembered of the code.

use super::cache;
use super::code::{CodeFileMove, CodeSide, CodeTree};
use super::origin::{LineEvidence, LineOrigin};
use crate::journal::{CodeHead, SourceCommit};
use crate::open::context::Opened;
use crate::open::hosting::Host;
use crate::read::history::learned::sources::{Recorded, standings_of};
use brv_base::content::ContentId;
use brv_git as git;
use brv_git::history::{self, Parents, Range};
use brv_git::{CommitId, PatchId, refs, revision};
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
    pub extent: LineBaseExtent,
}

/// How much a base says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineBaseExtent {
    Whole,
    /// The line was written for a commit that is not here, and this is where that left the default branch: a file that still is
    /// as it was here is as the line saw it, or as it became again; of others nothing is known.
    Floor,
}

impl Base {
    pub const fn of(commit: CommitId) -> Self {
        Self { commit, by: None, extent: LineBaseExtent::Whole }
    }
}

/// Commits and times that are to be looked up.
#[derive(Debug, Default)]
pub struct Lookups {
    recorded: BTreeMap<String, BaseLookup>,
    times: BTreeSet<i64>,
}

/// What is known of a recorded commit.
#[derive(Debug, Default)]
struct BaseLookup {
    since: i64,
    subject: Option<String>,
    /// The files that entries cite which come from it.
    files: BTreeSet<String>,
    /// Whether it is a head of then: no patch id follows it.
    is_head: bool,
}

impl Lookups {
    /// The origin of a line of an entry that cites these files.
    pub fn add(&mut self, origin: &LineOrigin, files: &BTreeSet<String>) {
        for one in origin.all() {
            match &one.told {
                LineEvidence::Time => drop(self.times.insert(one.seconds)),
                LineEvidence::Sides(_) => {}
                LineEvidence::Head(recorded) => {
                    let asked = self.record(recorded, one.seconds);
                    asked.files.extend(files.iter().cloned());
                    asked.is_head = true;
                }
                LineEvidence::Source { recorded, subject } => {
                    let asked = self.record(recorded, one.seconds);
                    asked.files.extend(files.iter().cloned());
                    asked.subject = asked.subject.take().or_else(|| subject.clone());
                }
            }
        }
    }

    /// The commit that an entry was verified for.
    pub fn verified(&mut self, verified: &Verified) {
        self.record(&verified.commit, verified.seconds.unwrap_or_default());
    }

    fn record(&mut self, recorded: &str, since: i64) -> &mut BaseLookup {
        let asked = self.recorded.entry(recorded.to_owned());
        let asked = asked.or_insert_with(|| BaseLookup { since, ..BaseLookup::default() });
        asked.since = asked.since.min(since);
        asked
    }
}

/// What is kept about the code. All of it follows from the head; what does not depend on newer commits outlives a move
/// forward.
#[derive(Debug, Default, Serialize, Deserialize)]
struct BaseCache {
    head: String,
    /// When the head was committed.
    seconds: i64,
    /// The commits that stand for recorded ones, by what was recorded.
    standing: BTreeMap<String, String>,
    /// Recorded ones for which nothing stands, and what that was found by.
    unknown: BTreeMap<String, String>,
    /// The newest commit that is not younger than a second.
    times: BTreeMap<i64, Option<String>>,
    /// The last commit that changed a file.
    last: BTreeMap<String, String>,
    moved: BTreeMap<String, CodeFileMove>,
}

/// Finds the bases of lines.
pub struct Bases<'a> {
    opened: &'a Opened,
    host: &'a Host,
    head: Option<CommitId>,
    known: BaseCache,
    is_changed: bool,
    is_of_head: bool,
    ancestors: HashMap<(CommitId, CommitId), bool>,
    /// A hash of the references of code and tree, once it is needed.
    refs: Option<String>,
}

impl<'a> Bases<'a> {
    pub fn new(opened: &'a Opened, host: &'a Host) -> Result<Self, git::Error> {
        let head = host.scope.head()?.commit();
        let mut known: BaseCache = cache::read(&cache::file_of_code(opened)).unwrap_or_default();
        let name = head.map(|head| head.to_string()).unwrap_or_default();
        let mut is_changed = false;
        if known.head != name {
            known = match head {
                Some(head) => forward(host, known, head)?,
                None => BaseCache::default(),
            };
            is_changed = true;
        }
        let (is_of_head, ancestors) = (true, HashMap::new());
        Ok(Self { opened, host, head, known, is_changed, is_of_head, ancestors, refs: None })
    }

    /// The head of the code.
    pub const fn head(&self) -> Option<CommitId> {
        self.head
    }

    /// Look up what stands for these commits, all at once. Who is in a hurry does not search a history for what is not here.
    pub fn look_up(&mut self, mut lookups: Lookups, is_hurried: bool) -> Result<(), git::Error> {
        lookups.recorded.retain(|name, _| !self.known.standing.contains_key(name));
        let mut open = BTreeMap::new();
        for (name, asked) in lookups.recorded {
            let is_known = match self.known.unknown.get(&name).cloned() {
                Some(stamp) => stamp == self.stamp(&asked)?,
                None => false,
            };
            if !is_known {
                open.insert(name, asked);
            }
        }
        self.look_up_standings(&open, is_hurried)?;
        if self.opened.scope.prefix().is_empty() {
            lookups.times.retain(|seconds| !self.known.times.contains_key(seconds));
            self.look_up_times(lookups.times)?;
        }
        Ok(())
    }

    /// What it follows from that nothing stands for a commit.
    fn stamp(&mut self, asked: &BaseLookup) -> Result<String, git::Error> {
        if self.refs.is_none() {
            let mut text = format!("{:?}", self.opened.scope.head()?.commit());
            for prefix in ["refs/heads/", "refs/remotes/"] {
                for (name, id) in refs::list(&self.host.scope, prefix)? {
                    text.push_str(&format!("\n{name} {id}"));
                }
            }
            self.refs = Some(ContentId::of(text.as_bytes()).to_string());
        }
        let text = format!("{:?} {:?} {:?}", self.refs, asked.subject, asked.files);
        Ok(ContentId::of(text.as_bytes()).to_string())
    }

    fn look_up_standings(
        &mut self,
        recorded: &BTreeMap<String, BaseLookup>,
        is_hurried: bool,
    ) -> Result<(), git::Error> {
        let scope = &self.host.scope;
        let mut named = Vec::new();
        for (name, asked) in recorded {
            let (written, patch): (&str, Option<PatchId>) = SourceCommit::words(name);
            let commit = match SourceCommit::parse(name) {
                Some(source) => Some(source.commit),
                None => revision::abbreviated(scope, written)?,
            };
            let Some(commit) = commit else { continue };
            if !is_hurried || revision::is_commit(scope, commit)? {
                let patch = patch.filter(|_| !asked.is_head);
                named.push((name, SourceCommit { commit, patch }, asked));
            }
        }
        if named.is_empty() {
            return Ok(());
        }
        let recorded = |(_, source, asked): &(&String, SourceCommit, &BaseLookup)| Recorded {
            subject: asked.subject.clone(),
            files: asked.files.clone(),
            ..Recorded::of(*source, asked.since)
        };
        let all: Vec<Recorded> = named.iter().map(recorded).collect();
        for ((name, recorded, asked), standing) in
            named.iter().zip(standings_of(self.opened, self.host, &all)?)
        {
            // one that no branch has any more is the code of then all the same
            let is_here = |commit: &CommitId| revision::is_commit(&self.host.scope, *commit).unwrap_or(false);
            let commit = standing.commit.or_else(|| Some(recorded.commit).filter(is_here));
            match commit {
                Some(commit) => drop(self.known.standing.insert((*name).clone(), commit.to_string())),
                None => {
                    let stamp = self.stamp(asked)?;
                    self.known.unknown.insert((*name).clone(), stamp);
                }
            }
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
    pub fn base(&mut self, origin: Option<&LineOrigin>, verified: Option<&Verified>) -> Option<Base> {
        let own = match origin {
            Some(origin) => self.own(origin),
            None => self.head.map(Base::of),
        };
        let Some(verified) = verified else { return own };
        match (own, self.standing(&verified.commit)) {
            (Some(own), Some(commit)) => Some(self.newer(own, Base::of(commit))),
            (None, Some(commit)) => Some(Base::of(commit)),
            // somebody confirmed it for code that is not here: only an older line is known to have been confirmed since
            (own, None) => own.filter(|own| !self.is_older(own.commit, verified.seconds)),
        }
    }

    fn own(&mut self, origin: &LineOrigin) -> Option<Base> {
        let in_repo = !self.opened.scope.prefix().is_empty();
        match &origin.told {
            LineEvidence::Source { recorded, .. } => match self.standing(recorded) {
                None if in_repo => Some(Base::of(CommitId::from_hex(&origin.commit)?)),
                found => found.map(Base::of),
            },
            LineEvidence::Head(recorded) => {
                self.standing(recorded).map(Base::of).or_else(|| self.floor(recorded))
            }
            _ if in_repo => Some(Base::of(CommitId::from_hex(&origin.commit)?)),
            LineEvidence::Time => {
                let commit = CommitId::from_hex(self.known.times.get(&origin.seconds)?.as_ref()?)?;
                Some(Base { by: Some(BaseBy::Time), ..Base::of(commit) })
            }
            LineEvidence::Sides(sides) => {
                let mut bases =
                    sides.iter().map(|side| self.own(side)).collect::<Option<Vec<Base>>>()?.into_iter();
                let first = bases.next()?;
                Some(bases.fold(first, |one, other| self.older(one, other)))
            }
        }
    }

    /// Where a head that is not here left the default branch, if that is here.
    fn floor(&self, recorded: &str) -> Option<Base> {
        let base = CodeHead::parse(recorded)?.base?;
        let is_here = revision::is_commit(&self.host.scope, base).unwrap_or(false);
        is_here.then(|| Base { extent: LineBaseExtent::Floor, ..Base::of(base) })
    }

    fn standing(&self, recorded: &str) -> Option<CommitId> {
        CommitId::from_hex(self.known.standing.get(recorded)?)
    }

    /// The newer of two, by ancestry, else by time.
    fn newer(&mut self, own: Base, verified: Base) -> Base {
        if self.is_newer(own.commit, verified.commit) { own } else { verified }
    }

    /// The older of two, and as little as both say.
    fn older(&mut self, one: Base, other: Base) -> Base {
        let older = if self.is_newer(one.commit, other.commit) { other } else { one };
        let is_floor = [one, other].iter().any(|base| base.extent == LineBaseExtent::Floor);
        Base { extent: if is_floor { LineBaseExtent::Floor } else { LineBaseExtent::Whole }, ..older }
    }

    fn is_newer(&mut self, one: CommitId, other: CommitId) -> bool {
        if self.is_behind(one, other) {
            return false;
        }
        if self.is_behind(other, one) {
            return true;
        }
        let seconds = |commit| {
            history::read(&self.host.scope, commit).map_or(i64::MIN, |commit| commit.committer.seconds)
        };
        seconds(one) > seconds(other)
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

    pub fn moved(&mut self, code: &CodeTree<'_>, path: &str) -> CodeFileMove {
        let is_there = |moved: &&CodeFileMove| moved.to.as_ref().is_some_and(|to| code.is_there(to));
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
    pub fn last_commits(&mut self, code: &CodeTree<'_>, paths: Vec<String>) -> &BTreeMap<String, String> {
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
fn forward(host: &Host, known: BaseCache, head: CommitId) -> Result<BaseCache, git::Error> {
    let scope = &host.scope;
    let seconds = history::read(scope, head)?.committer.seconds;
    let fresh = BaseCache { head: head.to_string(), seconds, ..BaseCache::default() };
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
    let BaseCache { standing, times, last, .. } = known;
    let times = times.into_iter().filter(|(time, commit)| *time < oldest && commit.is_some()).collect();
    let mut last = last;
    let paths: Vec<String> = last.keys().cloned().collect();
    let code = CodeTree::new(scope, CodeSide::Commit(head), Some(head), String::new(), false);
    last.extend(code.last_commits(&paths, Some(earlier)));
    Ok(BaseCache { standing, times, last, ..fresh })
}
