//! Looking for deltas: each object is compared with some that are like it, and stored as a change of the one that
//! differs least.
//!
//! Decides nothing about deltas that are taken over.

use super::Workshop;
use super::items::{Item, Source};
use super::reach::Name;
use crate::git::error::{During, Error};
use crate::git::objects::delta::{Blocks, encode_within};
use crate::git::objects::object::Kind;
use crate::git::objects::pack::deflate;
use crate::parallel::try_map;
use flate2::Compression;
use gix::ObjectId;
use gix::prelude::FindExt as _;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Each object is compared with so many (git's `pack.window`).
const WINDOW: usize = 10;
/// Longer chains of deltas make reading slow (git's `pack.depth`).
const LONGEST_CHAIN: u8 = 50;
/// Smaller objects gain nothing, bigger ones are not worth their memory.
const SIZES: Range<u64> = 50..(16 << 20);
/// What the window of one thread may hold.
const WINDOW_BYTES: usize = 24 << 20;
/// Found deltas are kept up to this size of all; the others are made again when they are written.
const KEPT_BYTES: usize = 48 << 20;
/// A thread takes at least so many objects at a time: nothing is compared across the border.
const SMALLEST_RUN: usize = 256;
/// … and there are so many runs.
const RUNS: usize = 64;

/// Found deltas, compressed, by the number of their item; with the length before compression.
pub(super) type Deltas = std::collections::HashMap<u32, (u64, Vec<u8>)>;

/// An item that may become a delta.
struct Candidate {
    item: u32,
    id: ObjectId,
    kind: Kind,
    name: Name,
    size: u64,
    /// The longest chain of deltas that is based on it already.
    carries: u8,
    /// The pack that was searched before.
    searched: Option<usize>,
}

/// Find bases for the items that have none, and note them there. Returns what was made on the way; `None` when
/// interrupted.
pub(super) fn search(shop: &Workshop<'_>, items: &mut [Item]) -> Result<Option<Deltas>, Error> {
    let mut candidates = candidates(items);
    candidates.sort_unstable_by(|a, b| {
        let key = |c: &Candidate| (c.kind as u8, c.name, std::cmp::Reverse(c.size), c.item);
        key(a).cmp(&key(b))
    });
    let kept = AtomicUsize::new(0);
    let found = try_map(
        &runs(&candidates),
        || shop.store(),
        |store, run| search_run(store, &candidates[run.clone()], &kept, shop.interrupt),
    )?;
    if shop.interrupt.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let mut deltas = Deltas::default();
    for (target, base, made) in found.into_iter().flatten() {
        items[target as usize].base = Some(base);
        items[target as usize].source = Source::Anew;
        deltas.extend(made.map(|made| (target, made)));
    }
    Ok(Some(deltas))
}

fn candidates(items: &[Item]) -> Vec<Candidate> {
    let carried = carried(items);
    let is_candidate = |item: &Item| item.base.is_none() && SIZES.contains(&item.size);
    (0..)
        .zip(items)
        .filter(|(_, item)| is_candidate(item))
        .map(|(number, item)| Candidate {
            item: number,
            id: item.found.id,
            kind: item.found.kind,
            name: item.found.name,
            size: item.size,
            carries: carried[number as usize],
            searched: match item.source {
                Source::Anew => None,
                Source::Searched(pack) | Source::Copied(pack, _) => Some(pack),
            },
        })
        .collect()
}

/// For each item, how long the longest chain based on it is.
fn carried(items: &[Item]) -> Vec<u8> {
    let mut carried = vec![0u8; items.len()];
    for item in items {
        let (mut length, mut next) = (0u8, item.base);
        while let Some(base) = next {
            length = length.saturating_add(1);
            let known = &mut carried[base as usize];
            // from here on down somebody was here with a chain as long
            if *known >= length {
                break;
            }
            *known = length;
            next = items[base as usize].base;
        }
    }
    carried
}

/// Runs of candidates; a border stands where a new path begins, if one does.
fn runs(candidates: &[Candidate]) -> Vec<Range<usize>> {
    let least = (candidates.len() / RUNS).max(SMALLEST_RUN);
    let mut runs = Vec::new();
    let mut begin = 0;
    while begin < candidates.len() {
        let mut end = (begin + least).min(candidates.len());
        let most = (end + least).min(candidates.len());
        while end < most && candidates[end].name == candidates[end - 1].name {
            end += 1;
        }
        runs.push(begin..end);
        begin = end;
    }
    runs
}

/// An object that others are compared with.
struct Slot {
    at: usize,
    depth: u8,
    bytes: Vec<u8>,
    blocks: Blocks,
}

type Made = (u32, u32, Option<(u64, Vec<u8>)>);

fn search_run(
    store: &gix::OdbHandle,
    run: &[Candidate],
    kept: &AtomicUsize,
    interrupt: &AtomicBool,
) -> Result<Vec<Made>, Error> {
    let mut window: VecDeque<Slot> = VecDeque::new();
    let mut made = Vec::new();
    for (at, target) in run.iter().enumerate() {
        if interrupt.load(Ordering::Relaxed) {
            break;
        }
        if at > 0 && run[at - 1].kind != target.kind {
            window.clear();
        }
        let mut bytes = Vec::new();
        store.find(&target.id, &mut bytes).during(|| format!("read object {}", target.id))?;
        let mut depth = 0;
        if let Some((base, delta)) = best(&window, run, target, &bytes) {
            depth = window[base].depth + 1;
            let length = delta.len() as u64;
            let delta = deflate(Vec::new(), &delta, Compression::default()).during("compress a delta")?;
            let keep = kept.fetch_add(delta.len(), Ordering::Relaxed) + delta.len() <= KEPT_BYTES;
            made.push((target.item, run[window[base].at].item, keep.then_some((length, delta))));
            // what served once is likely to serve again: it stays longest
            let slot = window.remove(base).expect("it was found there");
            window.push_back(slot);
        }
        let blocks = Blocks::of(&bytes);
        window.push_back(Slot { at, depth, bytes, blocks });
        while window.len() > WINDOW
            || window.iter().map(|slot| slot.bytes.len()).sum::<usize>() > WINDOW_BYTES
        {
            window.pop_front();
        }
    }
    Ok(made)
}

/// The place in the window of what makes the shortest delta, and the delta.
fn best(
    window: &VecDeque<Slot>,
    run: &[Candidate],
    target: &Candidate,
    bytes: &[u8],
) -> Option<(usize, Vec<u8>)> {
    let mut best: Option<(usize, Vec<u8>)> = None;
    for (place, slot) in window.iter().enumerate().rev() {
        let base = &run[slot.at];
        let room = LONGEST_CHAIN.saturating_sub(target.carries);
        let searched = base.searched.is_some() && base.searched == target.searched;
        if slot.depth >= room || searched || bytes.len() < slot.bytes.len() / 32 {
            continue;
        }
        // a chain that gets longer must pay for it
        let (shortest, depth) = match &best {
            Some((place, delta)) => (delta.len().saturating_sub(1), window[*place].depth),
            None => (bytes.len() / 2, 0),
        };
        let left = |depth: u8| usize::from(LONGEST_CHAIN - depth);
        let limit = shortest.saturating_mul(left(slot.depth)) / left(depth).max(1);
        let limit = limit.min(bytes.len() / 2);
        if bytes.len().saturating_sub(slot.bytes.len()) >= limit {
            continue;
        }
        if let Some(delta) = encode_within(&slot.bytes, &slot.blocks, bytes, limit) {
            best = Some((place, delta));
        }
    }
    best
}
