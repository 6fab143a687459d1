//! Encodes objects for a pack, on several threads, with deltas if the reader accepts them.
//!
//! Does not choose the objects.

use super::missing_objects::SendPlan;
use crate::error::{During, Error};
use crate::objects::delta;
use crate::objects::object::ObjectKind;
use crate::objects::pack::{PackEntry, encoded};
use crate::repository::scope::without_replacements;
use brv_base::parallel::workers;
use flate2::Compression;
use gix::hashtable::HashMap;
use gix::odb::pack::data::entry::Header;
use gix::prelude::FindExt as _;
use gix::{ObjectId, Repository};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;

/// Longer chains of deltas slow down the other side (git's own limit).
const LONGEST_CHAIN: u8 = 50;
/// Deltas of bigger objects are not worth the memory.
const LARGEST_FOR_DELTA: usize = 16 << 20;
/// How many encoded entries may wait in the queue.
const WAITING: usize = 32;

/// The kinds of entries allowed in a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deltas {
    /// Whole objects only.
    None,
    /// Also deltas against objects that the reader has (a thin pack).
    Thin,
}

/// Passes every object of `plan` to `take`, in any order, until all are taken or `take` fails. `interrupt` ends it with
/// `Ok(false)`.
pub(super) fn each_entry<E: From<Error>>(
    repo: &Repository,
    plan: &SendPlan,
    deltas: Deltas,
    interrupt: &AtomicBool,
    mut take: impl FnMut(PackEntry) -> Result<(), E>,
) -> Result<bool, E> {
    let bases = match deltas {
        Deltas::None => Vec::new(),
        Deltas::Thin => limited(plan),
    };
    let next = AtomicUsize::new(0);
    std::thread::scope(|threads| {
        let (sender, receiver) = sync_channel(WAITING);
        for _ in 0..workers(plan.objects.len()) {
            let sender = sender.clone();
            let repo = without_replacements(repo);
            let (next, bases) = (&next, &bases);
            threads.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(id) = plan.objects.get(at) else { return };
                    let base = bases.get(at).copied().flatten();
                    // after an error the receiver is gone
                    if sender.send(encode(&repo.objects, *id, base)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for entry in receiver {
            if interrupt.load(Ordering::Relaxed) {
                return Ok(false);
            }
            take(entry?)?;
        }
        Ok(true)
    })
}

/// The bases of the plan, without those that would make a chain too long.
fn limited(plan: &SendPlan) -> Vec<Option<ObjectId>> {
    // only a base can be in the middle of a chain
    let mut lengths: HashMap<ObjectId, u8> = plan.bases.iter().flatten().map(|base| (*base, 0)).collect();
    let mut bases = Vec::with_capacity(plan.bases.len());
    for (id, base) in plan.objects.iter().zip(&plan.bases) {
        let length = base.and_then(|base| lengths.get(&base)).map_or(0, |length| length + 1);
        let base = base.filter(|_| length <= LONGEST_CHAIN);
        if let (Some(own), Some(_)) = (lengths.get_mut(id), base) {
            *own = length;
        }
        bases.push(base);
    }
    bases
}

fn encode(store: &gix::OdbHandle, id: ObjectId, base: Option<ObjectId>) -> Result<PackEntry, Error> {
    let act = || format!("read object {id}");
    let mut buffer = Vec::new();
    let object = store.find(&id, &mut buffer).during(act())?;
    let level = Compression::default();
    let whole = PackEntry::whole(id, ObjectKind::from_gix(object.kind), object.data, level);
    let Some(base) = base.filter(|_| object.data.len() <= LARGEST_FOR_DELTA) else { return Ok(whole) };
    let mut buffer = Vec::new();
    let before = store.find(&base, &mut buffer).during(act())?;
    if before.kind != object.kind || before.data.len() > LARGEST_FOR_DELTA {
        return Ok(whole);
    }
    let delta = delta::encode(before.data, object.data);
    if delta.len() >= object.data.len() {
        return Ok(whole);
    }
    let bytes = encoded(Header::RefDelta { base_id: base }, &delta, level).during(act())?;
    Ok(if bytes.len() < whole.bytes.len() { PackEntry { id, bytes } } else { whole })
}
