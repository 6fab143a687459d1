//! Searches for deltas: an object is stored as a delta of a similar one if that is much shorter.
//!
//! Versions of one file are compared together, the longest first. Before a delta is computed, sketches (the smallest
//! hashes of an object's lines: Broder, "On the resemblance and containment of documents", 1997) tell which of the
//! previous objects resemble it most. Deltas that are reused do not pass through here.

use super::Workshop;
use super::items::{Item, ObjectSource};
use super::reach::NameHash;
use crate::error::{During, Error};
use crate::objects::delta::{Blocks, encode_within};
use crate::objects::object::ObjectKind;
use crate::objects::pack::deflate;
use brv_base::parallel::try_map;
use bstr::ByteSlice as _;
use flate2::Compression;
use gix::ObjectId;
use gix::prelude::FindExt as _;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The window: the sketches of this many previous objects are compared …
const WINDOW: usize = 12;
/// … and deltas to this many of them are computed: a third or fourth is seldom the shortest.
const ATTEMPTS: usize = 3;
/// Number of hashes in a sketch.
const SKETCH: usize = 16;
/// Longer chains of deltas make reading slow (git's `pack.depth`).
const LONGEST_CHAIN: u8 = 50;
/// Smaller objects gain nothing, bigger ones are not worth the memory.
const SIZES: Range<u64> = 50..(16 << 20);
/// Memory that the window of one thread may hold.
const WINDOW_BYTES: usize = 24 << 20;
/// Computed deltas are cached up to this total size; others are computed again when they are written.
const KEPT_BYTES: usize = 48 << 20;
/// A thread takes at least this many objects at a time: objects are not compared across the border.
const SMALLEST_RUN: usize = 256;
const RUNS: usize = 64;

/// Computed deltas, compressed, by the number of their item; with the length before compression.
pub(super) type DeltaMap = std::collections::HashMap<u32, (u64, Vec<u8>)>;

/// An item that may become a delta.
struct DeltaCandidate {
    item: u32,
    id: ObjectId,
    kind: ObjectKind,
    name: NameHash,
    size: u64,
    /// The length of the longest existing delta chain based on it.
    carries: u8,
    searched: Option<usize>,
}

/// Finds bases for the items that have none, and sets them. Returns the deltas computed on the way; `None` when
/// interrupted.
pub(super) fn search(shop: &Workshop<'_>, items: &mut [Item]) -> Result<Option<DeltaMap>, Error> {
    let mut candidates = candidates(items);
    candidates.sort_unstable_by_key(|one| (one.kind as u8, one.name, Reverse(one.size), one.item));
    let kept = AtomicUsize::new(0);
    let found = try_map(
        &runs(&candidates),
        || shop.store(),
        |store, run| search_run(store, &candidates[run.clone()], &kept, shop.interrupt),
    )?;
    if shop.interrupt.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let mut deltas = DeltaMap::default();
    for (target, base, made) in found.into_iter().flatten() {
        items[target as usize].base = Some(base);
        items[target as usize].source = ObjectSource::Anew;
        deltas.extend(made.map(|made| (target, made)));
    }
    Ok(Some(deltas))
}

fn candidates(items: &[Item]) -> Vec<DeltaCandidate> {
    let carried = carried(items);
    let is_candidate = |item: &Item| item.base.is_none() && SIZES.contains(&item.size);
    (0..)
        .zip(items)
        .filter(|(_, item)| is_candidate(item))
        .map(|(number, item)| DeltaCandidate {
            item: number,
            id: item.found.id,
            kind: item.found.kind,
            name: item.found.name,
            size: item.size,
            carries: carried[number as usize],
            searched: match item.source {
                ObjectSource::Anew => None,
                ObjectSource::Searched(pack) | ObjectSource::Copied(pack, _) => Some(pack),
            },
        })
        .collect()
}

/// For each item, the length of the longest chain based on it.
fn carried(items: &[Item]) -> Vec<u8> {
    let mut carried = vec![0u8; items.len()];
    for item in items {
        let (mut length, mut next) = (0u8, item.base);
        while let Some(base) = next {
            length = length.saturating_add(1);
            let known = &mut carried[base as usize];
            // from here on down a chain as long was already counted
            if *known >= length {
                break;
            }
            *known = length;
            next = items[base as usize].base;
        }
    }
    carried
}

/// Groups whole paths into runs; a path with too many versions is divided.
fn runs(candidates: &[DeltaCandidate]) -> Vec<Range<usize>> {
    let length = (candidates.len() / RUNS).max(SMALLEST_RUN);
    let (mut runs, mut start, mut end) = (Vec::new(), 0, 0);
    for path in candidates.chunk_by(|one, next| (one.kind, one.name) == (next.kind, next.name)) {
        end += path.len();
        while end - start >= 2 * length {
            runs.push(start..start + length);
            start += length;
        }
        if end - start >= length {
            runs.push(start..end);
            start = end;
        }
    }
    runs.extend((start < end).then_some(start..end));
    runs
}

/// An object that may serve as a base.
struct Base<'c> {
    candidate: &'c DeltaCandidate,
    depth: u8,
    bytes: Vec<u8>,
    sketch: Vec<u32>,
    blocks: OnceCell<Blocks>,
}

type DeltaResult = (u32, u32, Option<(u64, Vec<u8>)>);

fn search_run(
    store: &gix::OdbHandle,
    run: &[DeltaCandidate],
    kept: &AtomicUsize,
    interrupt: &AtomicBool,
) -> Result<Vec<DeltaResult>, Error> {
    let mut window: VecDeque<Base<'_>> = VecDeque::new();
    let mut held = 0;
    let mut made = Vec::new();
    for candidate in run {
        if interrupt.load(Ordering::Relaxed) {
            break;
        }
        let mut bytes = Vec::new();
        store.find(&candidate.id, &mut bytes).during(|| format!("read object {}", candidate.id))?;
        let sketch = sketch(candidate.kind, &bytes);
        let mut next = Base { candidate, depth: 0, bytes, sketch, blocks: OnceCell::new() };
        if let Some((base, delta)) = shortest(&window, &next) {
            next.depth = base.depth + 1;
            let length = delta.len() as u64;
            let delta = deflate(Vec::new(), &delta, Compression::default()).during("compress a delta")?;
            let keep = kept.fetch_add(delta.len(), Ordering::Relaxed) + delta.len() <= KEPT_BYTES;
            made.push((candidate.item, base.candidate.item, keep.then_some((length, delta))));
        }
        held += next.bytes.len();
        window.push_back(next);
        while window.len() > WINDOW || held > WINDOW_BYTES {
            held -= window.pop_front().map_or(0, |base| base.bytes.len());
        }
    }
    Ok(made)
}

/// The shortest delta from one of the bases that resemble the object most, if it saves at least half of the object.
/// Deeper bases count as longer.
fn shortest<'w, 'c>(window: &'w VecDeque<Base<'c>>, target: &Base<'c>) -> Option<(&'w Base<'c>, Vec<u8>)> {
    let mut found = None;
    let mut most = target.bytes.len() / 2;
    for base in resembling(window, target) {
        let price = usize::from(LONGEST_CHAIN) + usize::from(base.depth);
        let limit = most * usize::from(LONGEST_CHAIN) / price;
        let blocks = base.blocks.get_or_init(|| Blocks::of(&base.bytes));
        if let Some(delta) = encode_within(&base.bytes, blocks, &target.bytes, limit) {
            most = (delta.len() * price / usize::from(LONGEST_CHAIN)).saturating_sub(1);
            found = Some((base, delta));
        }
    }
    found
}

/// Best first; among equals the nearest.
fn resembling<'w, 'c>(window: &'w VecDeque<Base<'c>>, target: &Base<'c>) -> Vec<&'w Base<'c>> {
    let mut bases: Vec<&Base<'_>> =
        window.iter().rev().filter(|base| may_carry(base, target.candidate)).collect();
    bases.sort_by_cached_key(|base| Reverse(common(&base.sketch, &target.sketch)));
    bases.truncate(ATTEMPTS);
    bases
}

fn may_carry(base: &Base<'_>, target: &DeltaCandidate) -> bool {
    // two objects of one searched pack were compared already
    let is_new = target.searched.is_none() || base.candidate.searched != target.searched;
    let chain = u16::from(base.depth) + 1 + u16::from(target.carries);
    base.candidate.kind == target.kind && is_new && chain <= u16::from(LONGEST_CHAIN)
}

/// The smallest hashes of the lines of an object, or of the entries of a tree; sorted.
fn sketch(kind: ObjectKind, bytes: &[u8]) -> Vec<u32> {
    let end = if kind == ObjectKind::Tree { "\0" } else { "\n" };
    let mut hashes = Vec::new();
    for piece in bytes.split_str(end) {
        hashes.push(crc32fast::hash(piece));
        if hashes.len() == 16 * SKETCH {
            keep_smallest(&mut hashes);
        }
    }
    keep_smallest(&mut hashes);
    hashes
}

fn keep_smallest(hashes: &mut Vec<u32>) {
    hashes.sort_unstable();
    hashes.dedup();
    hashes.truncate(SKETCH);
}

fn common(one: &[u32], other: &[u32]) -> usize {
    one.iter().filter(|hash| other.binary_search(hash).is_ok()).count()
}
