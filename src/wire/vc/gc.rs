//! The data of `brv vc gc`.

use crate::git::gc::Extent;
use crate::ops::vc::gc::Outcome;
use crate::wire::change::Recovered;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.gc/1`: what was done, or would be done under `--dry-run`.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Gc {
    /// Whether it was only counted.
    pub dry_run: bool,
    /// Objects that refs, indexes and reflogs lead to: all in one pack.
    pub packed: usize,
    /// Whether they stood in one pack before.
    pub was_packed: bool,
    /// Unreachable objects that stay for now.
    pub unreachable: usize,
    /// Unreachable objects that were removed.
    pub pruned: usize,
    /// Loose objects that were removed, because a pack has them or for good.
    pub loose_removed: usize,
    /// Packs that were removed, because another has what they had.
    pub packs_removed: usize,
    /// Unfinished files that were removed.
    pub left_overs_removed: usize,
    /// Refs that went into `packed-refs`.
    pub refs_packed: usize,
    /// Bytes of all objects before.
    pub bytes_before: u64,
    /// … and after; the same as before under `--dry-run`.
    pub bytes_after: u64,
    /// An interrupted command that was put right first.
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
