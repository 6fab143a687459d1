//! Garbage collection (`brv vc gc`): packs everything reachable into one pack with deltas, removes expired unreachable
//! objects, and packs loose refs.
//!
//! Other processes may write meanwhile, including git run by hand, which ignores brv's locks. So a new pack is complete
//! and durable before anything is removed; only objects that were examined are removed, and only if they did not change
//! since; and unreachable objects are kept for two weeks, since they may be about to become part of a commit. Those are
//! kept in a pack of their own, in the form of git's cruft packs. If it is killed at any point, the repository stays
//! intact. Reflogs are not expired: the objects that they mention are kept.

mod ages;
mod expiry;
mod items;
mod pack_refs;
mod plan;
mod reach;
mod roots;
mod running;
mod search;
mod stock;
mod sweep;
mod write;

pub use expiry::{Expiry, ExpiryError, expiry};
pub use running::is_due;

use super::error::Error as GitError;
use super::repository::scope::{OpenError, open, set_caches, without_replacements};
use super::{BlobId, Scope};
use brv_base::fs::WriteGuard;
use brv_base::progress::Progress;
use gix::ObjectId;
use plan::GcPlan;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use stock::{FileTime, Stock};
use sweep::Leave;

/// State shared by the writing steps.
struct Workshop<'a> {
    /// The repository, for every thread.
    shared: &'a gix::ThreadSafeRepository,
    stock: &'a Stock,
    progress: &'a dyn Progress,
    interrupt: &'a AtomicBool,
}

impl Workshop<'_> {
    /// The object database of a thread, without replacements.
    fn store(&self) -> gix::OdbHandle {
        let mut repo = self.shared.to_thread_local();
        set_caches(&mut repo);
        repo.objects.ignore_replacements = true;
        repo.objects
    }
}

/// Options of a garbage collection.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Unreachable objects are removed if they were not needed since this time.
    pub expiry: Expiry,
    /// Whether anything is written.
    pub extent: GcMode,
    /// Now, in seconds since 1970.
    pub now: i64,
    /// Files that name blobs which no tree may have any more: these are kept, too.
    pub mentions: Option<Mentions>,
}

/// Files of a name, in any commit, whose text names blobs.
#[derive(Debug, Clone, Copy)]
pub struct Mentions {
    /// The name of the files, without folders.
    pub file: &'static str,
    /// The blobs that a file with these bytes names.
    pub of: fn(&[u8]) -> Vec<BlobId>,
}

/// Whether anything is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GcMode {
    #[default]
    Everything,
    /// No: objects are only counted (`--dry-run`).
    CountOnly,
}

/// What was done, or would be done by a dry run.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Outcome {
    /// Number of objects reachable from refs, indexes and reflogs, packed into one pack.
    pub packed: usize,
    /// Whether they were in one pack already.
    pub was_packed: bool,
    /// Number of unreachable objects kept for now.
    pub unreachable: usize,
    /// Number of unreachable objects removed.
    pub pruned: usize,
    /// Number of loose objects removed, because they are in a pack or were pruned.
    pub loose_removed: usize,
    /// Number of packs removed, because another pack has their objects.
    pub packs_removed: usize,
    /// Number of temporary files removed.
    pub left_overs_removed: usize,
    /// Number of refs moved into `packed-refs`.
    pub refs_packed: usize,
    /// Size of all objects before, in bytes.
    pub bytes_before: u64,
    /// Size of all objects after, in bytes; the same as before with `--dry-run`.
    pub bytes_after: u64,
}

/// Why it was not done. Nothing is lost.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`git gc` is running here (process {0})")]
    Running(u32),
    #[error("git maintenance is running here; if no git process is running, remove `{}`", .0.display())]
    Locked(PathBuf),
    #[error("`extensions.preciousObjects` is set: objects of this repository must not be removed")]
    Precious,
    #[error("object {0} is missing, but the history refers to it")]
    Missing(String),
    #[error("interrupted")]
    Interrupted,
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Open(#[from] OpenError),
}

/// Collects garbage. The guard keeps other brv processes out, and `gc.pid` a `git gc`; git run by hand may go on
/// otherwise.
pub fn collect(
    scope: &Scope,
    _guard: &WriteGuard,
    options: &Options,
    progress: &dyn Progress,
    interrupt: &AtomicBool,
) -> Result<Outcome, Error> {
    let _note = match options.extent {
        GcMode::Everything => Some(running::hold(scope, options.now)?),
        GcMode::CountOnly => {
            running::refuse(scope, options.now)?;
            None
        }
    };
    if scope.repo.config_snapshot().boolean("extensions.preciousObjects") == Some(true) {
        return Err(Error::Precious);
    }
    let objects = scope.repo.objects.store_ref().path().to_path_buf();
    let mut outcome = Outcome::default();
    if let Some(leaving) = pack(scope, options, progress, interrupt, &mut outcome)? {
        let swept = sweep::sweep(&objects, &leaving.packs, &leaving.loose, |id| {
            leaving.leave.get(id).copied().unwrap_or(Leave::Stays)
        })?;
        outcome.loose_removed = swept.loose;
        outcome.packs_removed = swept.packs;
        outcome.left_overs_removed = sweep::sweep_left_overs(&leaving.left_overs, options.now)?;
        outcome.refs_packed = pack_refs::pack(scope)?;
        outcome.bytes_after = Stock::of(&objects)?.bytes();
    } else {
        outcome.refs_packed = pack_refs::loose(scope)?.len();
        outcome.bytes_after = outcome.bytes_before;
    }
    Ok(outcome)
}

/// Objects that may be removed once the new packs are written.
struct GcRemovals {
    packs: Vec<(PathBuf, FileTime)>,
    loose: Vec<stock::Loose>,
    leave: gix::hashtable::HashMap<ObjectId, Leave>,
    left_overs: Vec<(PathBuf, FileTime)>,
}

/// Writes the new packs; `None` in a dry run. Closes all mapped packs before it returns, since some systems cannot
/// remove a mapped file.
fn pack(
    scope: &Scope,
    options: &Options,
    progress: &dyn Progress,
    interrupt: &AtomicBool,
    outcome: &mut Outcome,
) -> Result<Option<GcRemovals>, Error> {
    let own = open(scope.work_tree(), scope.prefix(), scope.environment())?.noting(scope.broken_refs());
    let repo = without_replacements(&own.repo);
    let stock = Stock::of(repo.objects.store_ref().path())?;
    let mut plan = GcPlan::make(&own, &repo, &stock, options)?;
    outcome.bytes_before = stock.bytes();
    outcome.packed = plan.reachable.len();
    outcome.was_packed = plan.standing_pack.is_some();
    outcome.unreachable = plan.unreachable.len();
    outcome.pruned = plan.expired.len();
    if options.extent == GcMode::CountOnly {
        outcome.loose_removed =
            stock.loose.iter().filter(|loose| plan.leave(&loose.id) != Leave::Stays).count();
        outcome.packs_removed = plan.doomed(&stock).len();
        return Ok(None);
    }
    let shared = repo.clone().into_sync();
    let shop = Workshop { shared: &shared, stock: &stock, progress, interrupt };
    let made = plan.write(&shop, &repo)?;
    plan.rescue(&own)?;
    outcome.pruned = plan.expired.len();
    if !plan.expired.is_empty() {
        sweep::drop_commit_graph(&stock.objects)?;
    }
    let packs = plan.doomed(&stock).into_iter().map(|at| &stock.packs[at]);
    let packs = packs.map(|pack| (pack.path("pack"), pack.modified));
    // a pack with the same objects has the same name
    let is_new = |path: &PathBuf| made.iter().any(|name| path.ends_with(format!("pack-{name}.pack")));
    let packs = packs.filter(|(path, _)| !is_new(path)).collect();
    let leave = stock.loose.iter().map(|loose| (loose.id, plan.leave(&loose.id))).collect();
    let Stock { loose, left_overs, .. } = stock;
    Ok(Some(GcRemovals { packs, loose, leave, left_overs }))
}
