//! JSON of `brv vc gc`.

use brv_commands::vc::gc::Outcome;
use brv_engine::outcome::recovered::Recovered;
use brv_git::gc::Extent;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.gc/1`: what was done, or would be done with `--dry-run`.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Gc {
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

impl From<&Outcome> for Gc {
    fn from(outcome: &Outcome) -> Self {
        let done = &outcome.collected;
        Self {
            dry_run: outcome.extent == Extent::CountOnly,
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
            recovered: outcome.written.recovered.as_ref().map(Recovered::from),
        }
    }
}
