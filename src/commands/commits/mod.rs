//! Take a commit of the host in: read what it teaches, find the place for it, and curate.
//!
//! What it teaches is decided by [`brv_text::commits`], from its message and the names of its files, never from its content. A
//! fact goes to the entry that states something about its subject already; all else goes to the entry of the commit's topic,
//! which [`brv_text::topics`] finds. What another author stated is never overwritten: both statements stay, and are
//! disputed, unless the commit says that it supersedes.

pub mod again;
pub mod aside;
mod asking;
mod authors;
mod changes;
mod commit;
mod covering;
pub mod decide;
pub mod marking;
mod placing;
mod plan;
pub mod recorded;
pub mod renames;
pub mod replacing;
pub mod sources;
mod speaker;
mod squashed;
mod update;
mod window;
mod written;

pub use aside::Aside;
pub use commit::HostCommit;
pub use covering::{Covering, covering, covering_entries};
pub use placing::{PlacedCommit, Placing};

use brv_base::path::{PathKind, TreePath};
use brv_engine::curate::{self, CurateAtomicity, Options, Outranked};
use brv_engine::jobs::{Filed, Verdict};
use brv_engine::journal::{OperationId, SourceCommit};
use brv_engine::open::context::Parts;
use brv_engine::open::hosting::Host;
use brv_engine::write::landing::{NoCommit, Uncommitted, UncommittedReason};
use brv_engine::{Mode, Stop};
use brv_git::{CommitId, PatchId, patch_id};
use brv_text::commits::{Lesson, RULES_VERSION, Reading};
use brv_text::curate::{Code, Grounds, Read};
use renames::Today;
use speaker::Speaker;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
pub use written::Authors;

/// How often a plan is made again because somebody changed an entry meanwhile, and how long to wait before, the first time.
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_millis(200);

/// How many operations of one commit are left out one by one.
const MOST_REFUSED: usize = 20;

/// How many entries that are full are passed over for one commit.
const MOST_FULL: usize = 20;

/// Why a commit is declined that teaches nothing new.
const SAID: &str = "the tree says so already";

/// Refusals that another look at the tree may make good.
const TRANSIENT: [Code; 3] = [Code::Changed, Code::Conflict, Code::Exists];

/// What became of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    pub verdict: Verdict,
    pub reason: String,
    /// The operation that curated it; `None` for a dry run, too.
    pub operation: Option<OperationId>,
    /// The entries that were written, or would be.
    pub entries: Vec<TreePath>,
    /// The patch id of a commit that teaches something.
    pub patch: Option<PatchId>,
    /// What it was filed as.
    pub filed: Filed,
    /// Whether a person has to approve what it states, so that nothing was replaced by it yet.
    pub is_pending: bool,
}

impl Taken {
    pub fn new(verdict: Verdict, reason: impl Into<String>) -> Self {
        let (operation, entries, patch, filed, is_pending) = Default::default();
        Self { verdict, reason: reason.into(), operation, entries, patch, filed, is_pending }
    }
}

/// Who found in a commit what it teaches.
#[derive(Debug, Clone)]
pub enum LessonOrigin {
    /// The rules.
    Rules,
    /// The model of this name: what it found is compared with what it read, and replaces what the rules found.
    Model { name: String, grounds: Arc<Grounds>, replacing: Vec<Outranked> },
}

impl LessonOrigin {
    fn options(&self) -> Options {
        match self {
            Self::Rules => Options { rules: Some(RULES_VERSION), ..Options::default() },
            Self::Model { name, grounds, replacing } => Options {
                model: Some(name.clone()),
                grounds: Some(grounds.clone()),
                replacing: replacing.clone(),
                ..Options::default()
            },
        }
    }
}

/// The tree that commits are taken into, and the host that they come from.
#[derive(Clone, Copy)]
pub struct Intake<'a> {
    pub parts: Parts<'a>,
    pub host: &'a Host,
    pub authors: &'a Authors<'a>,
    pub mode: Mode,
    pub route: Route,
    /// The places of the commits of a range; `None`: each is placed by itself.
    pub placing: Option<&'a Placing>,
    /// The entries that are filed anew, which stand aside; `None`: there are none.
    pub aside: Option<&'a Aside>,
}

/// How commits come to be taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// A hook takes what was just committed, which may be anybody's: it settles what its own author stated.
    Hook,
    /// A person takes in a history that was merged: it settles all.
    Import,
}

impl Intake<'_> {
    /// Read a commit, and what it teaches.
    pub fn read(&self, commit: CommitId) -> Result<(HostCommit, Reading), Stop> {
        let read = HostCommit::read(self.host, commit)?;
        let reading = read.reading(self.parts.scope().prefix());
        Ok((read, reading))
    }

    /// Curate what a commit teaches, and mark what it takes back. `is_again`: it, or one that it replaces, was filed before.
    ///
    /// # Errors
    /// What stops `brv curate` as a whole: then nothing was written.
    pub fn file(
        &self,
        commit: &HostCommit,
        lesson: Option<&Lesson>,
        by: (&LessonOrigin, bool),
    ) -> Result<Taken, Stop> {
        let own;
        let placing = match self.placing.filter(|_| lesson.is_some()) {
            Some(placing) => Some(placing),
            None if lesson.is_none() => None,
            None => {
                own = self.placing_of(commit)?;
                Some(&own)
            }
        };
        let patch = patch_id::of_commit(&self.host.scope, commit.id)?;
        let written = self.authors.written(commit, self.route);
        let speaker = Speaker::new(self, commit, &written)?;
        let mut kept_out: BTreeSet<String> = BTreeSet::new();
        let (mut tries, mut full) = (0, 0);
        loop {
            let place = placing.and_then(|placing| placing.of_commit(commit.id, full));
            let path = place.as_ref().map(|place| place.path.clone());
            let mut planned = changes::plan(&speaker, lesson.zip(place), by.1)?;
            planned.operations.retain(|read| !kept_out.contains(&key(read)));
            if planned.operations.is_empty() {
                return Ok(Taken { patch, filed: planned.filed, ..Taken::new(Verdict::Declined, SAID) });
            }
            let by_origin = by.0.options();
            let options = Options {
                operations: planned.operations,
                replacing: [planned.replacing, by_origin.replacing].concat(),
                renewed: self.aside.map(Aside::paths).unwrap_or_default(),
                mode: self.mode,
                extent: CurateAtomicity::Whole,
                source_commit: Some(SourceCommit { commit: commit.id, patch }),
                source_author: written.by.clone(),
                source_subject: Some(commit.subject.clone()).filter(|said| !said.is_empty()),
                ..by_origin
            };
            let outcome = curate::curate(self.parts, &options)?;
            if path.as_ref().is_some_and(|path| is_full(&options.operations, &outcome, path))
                && full < MOST_FULL
            {
                full += 1;
                continue;
            }
            // what will be refused tomorrow, too, does not keep the rest out
            let lasting: Vec<String> = lasting(&options.operations, &outcome).collect();
            if !lasting.is_empty()
                && lasting.len() < options.operations.len()
                && kept_out.len() < MOST_REFUSED
            {
                kept_out.extend(lasting);
                continue;
            }
            tries += 1;
            if tries < TRIES && outcome.is_refused(&TRANSIENT) {
                std::thread::sleep(PAUSE * tries);
                continue;
            }
            let taken = taken(&outcome);
            let filed = match taken.verdict {
                Verdict::Curated => planned.filed,
                _ => Filed::default(),
            };
            if let Some((placing, path)) = placing.zip(path).filter(|_| taken.verdict == Verdict::Curated) {
                placing.filed(commit.id, path);
            }
            if let Some(aside) = self.aside.filter(|_| taken.operation.is_some()) {
                aside.wrote(&taken.entries);
            }
            return Ok(Taken { patch, filed, ..taken });
        }
    }

    /// The place of one commit.
    fn placing_of(&self, commit: &HostCommit) -> Result<Placing, Stop> {
        let today = Today::of(self.host, commit.id, &[commit.id])?;
        let placed = PlacedCommit::of(commit, &today, self.parts.scope().prefix());
        Placing::of(self, (commit.id, today), &[placed])
    }

    /// Whether an entry is filed anew: what is filed does not go by it.
    fn is_aside(&self, path: &TreePath) -> bool {
        self.aside.is_some_and(|aside| aside.blob(path).is_some())
    }

    fn now(&self) -> i64 {
        self.parts.clock.seconds()
    }
}

/// What an operation is about, and what it says.
fn key(read: &Read) -> String {
    format!("{:?}", read.operation)
}

/// The operations that are refused for what they say.
fn lasting<'a>(operations: &'a [Read], outcome: &'a curate::Outcome) -> impl Iterator<Item = String> + 'a {
    let is_lasting = |code: Code| !TRANSIENT.contains(&code);
    let refused =
        outcome.applied.iter().map(move |one| one.result.as_ref().is_err_and(|why| is_lasting(why.code)));
    operations.iter().zip(refused).filter(|(_, refused)| *refused).map(|(read, _)| key(read))
}

/// Whether the entry at a place takes no more: it is there, and would be larger than an entry may be.
fn is_full(operations: &[Read], outcome: &curate::Outcome, path: &TreePath) -> bool {
    let is_of = |read: &Read| {
        read.path.as_deref() == Some(path.as_str())
            && read.kind.as_deref() == Some(brv_text::curate::CurateKind::Update.as_str())
            && read.operation.is_ok()
    };
    let mut all = operations.iter().zip(&outcome.applied);
    all.any(|(read, one)| is_of(read) && one.result.as_ref().is_err_and(|why| why.code == Code::OverLimit))
}

fn taken(outcome: &curate::Outcome) -> Taken {
    let is_entry = |path: &&TreePath| path.kind() == PathKind::Entry;
    let entries: Vec<TreePath> = outcome.changed().filter(is_entry).cloned().collect();
    let refused: Vec<String> = outcome.refusals().map(|refused| refused.message.clone()).collect();
    if outcome.written.operation.is_some() || (refused.is_empty() && !entries.is_empty()) {
        let is_left = |file: &Uncommitted| !matches!(file.why, UncommittedReason::NoCommit(NoCommit::InRepo));
        let reason = if outcome.uncommitted.iter().any(is_left) { "filed, not committed" } else { "filed" };
        let operation = outcome.written.operation.clone();
        let is_pending = outcome.is_pending();
        return Taken { operation, entries, is_pending, ..Taken::new(Verdict::Curated, reason) };
    }
    match refused.is_empty() {
        true => Taken::new(Verdict::Declined, SAID),
        // a secret and the like: the commit will say the same tomorrow
        false if !outcome.is_refused(&TRANSIENT) => Taken::new(Verdict::Declined, refused.join("; ")),
        false => Taken::new(
            Verdict::Failed,
            format!("somebody else was changing the entry: {}", refused.join("; ")),
        ),
    }
}
