//! `brv vc gc`: pack everything reachable, and delete what is no longer needed.

use brv_engine::Stop;
use brv_engine::journal::{self, Recovered};
use brv_engine::open::context::Context;
use brv_engine::write::operation::{Derived, Writing};
use brv_git as git;
use brv_git::gc::{self, Expiry, Mentions};
use brv_text::doc;
use schemars::JsonSchema;
use serde::Serialize;

pub use brv_git::gc::GcMode;

/// How to tidy up.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Unreachable objects newer than this are kept, in git's date syntax; `None`: as configured, or two weeks.
    pub prune: Option<String>,
    /// Whether anything is written.
    pub extent: GcMode,
}

/// `brv.vc.gc/1`: what was done, or would be done with `--dry-run`.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Gc")]
pub struct Outcome {
    /// Whether `--dry-run` was given.
    pub dry_run: bool,
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
    /// An interrupted command that was recovered first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<Recovered>,
}

pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open_whole("gc")?;
    let scope = &opened.scope;
    let now = cx.clock.seconds();
    let expiry = match &options.prune {
        Some(text) => Expiry::parse(text, now)?,
        None => gc::expiry(scope, now)?,
    };
    let writing = Writing::begin(cx.parts(&opened))?;
    if options.extent == GcMode::Everything {
        journal::prune(scope, writing.guard(), now)?;
    }
    let mentions = Some(Mentions { file: "context.md", of: doc::archived_blobs });
    let wanted = gc::Options { expiry, extent: options.extent, now, mentions };
    let done = gc::collect(scope, writing.guard(), &wanted, cx.progress, git::interrupt())?;
    Ok(Outcome {
        dry_run: options.extent == GcMode::CountOnly,
        packed: done.packed,
        was_packed: done.was_packed,
        unreachable: done.unreachable,
        pruned: done.pruned,
        loose_removed: done.loose_removed,
        packs_removed: done.packs_removed,
        left_overs_removed: done.left_overs_removed,
        refs_packed: done.refs_packed,
        bytes_before: done.bytes_before,
        bytes_after: done.bytes_after,
        recovered: writing.finish(Derived::Leave).recovered,
    })
}
