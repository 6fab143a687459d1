//! Writes items as one pack: each base before its deltas, compressed on all cores.
//!
//! Does not choose items or bases.

use super::items::{Item, ObjectSource};
use super::search::{DeltaMap, search};
use super::{Workshop, ages};
use crate::error::{During, Error};
use crate::objects::delta;
use crate::objects::object::{NewObject, ObjectKind};
use crate::objects::pack::{PackEntry, PackFile, deflate};
use brv_base::parallel::try_map;
use brv_base::progress::Stage;
use flate2::Compression;
use gix::ObjectId;
use gix::odb::pack::data::Offset;
use gix::odb::pack::data::entry::Header;
use gix::prelude::FindExt as _;
use std::borrow::Cow;
use std::sync::atomic::Ordering;

/// This many items are compressed at a time …
const BATCH: usize = 512;
/// … or fewer, if their contents are longer than this.
const BATCH_BYTES: u64 = 8 << 20;

/// An item ready to write, except for the distance to its base.
struct Encoded {
    /// The size of the content, or of the delta, before compression.
    size: u64,
    compressed: Vec<u8>,
}

/// Writes a pack of `items`; with `ages` (one for each) as a cruft pack. `None` when interrupted: then nothing was
/// written.
pub(super) fn write(
    shop: &Workshop<'_>,
    mut items: Vec<Item>,
    ages: Option<&gix::hashtable::HashMap<ObjectId, i64>>,
) -> Result<Option<ObjectId>, Error> {
    let Some(deltas) = search(shop, &mut items)? else { return Ok(None) };
    let order = order(&items);
    let mut pack = PackFile::begin(&shop.stock.objects)?;
    let mut offsets: Vec<Offset> = vec![0; items.len()];
    let mut rest = &order[..];
    while !rest.is_empty() {
        if shop.interrupt.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let (batch, after) = rest.split_at(batch(&items, rest));
        let encoded =
            try_map(batch, || shop.store(), |store, number| encode(shop, store, &items, *number, &deltas))?;
        for (number, encoded) in batch.iter().zip(encoded) {
            let item = &items[*number as usize];
            offsets[*number as usize] = pack.offset();
            let base = item.base.map(|base| offsets[base as usize]);
            pack.add(&entry(item, base, pack.offset(), encoded)?)?;
        }
        rest = after;
        let done = (order.len() - rest.len()) as u64;
        shop.progress.update(Stage::Pack, done, Some(order.len() as u64));
    }
    let name = pack.finish_beside(|ids, checksum| {
        // the format has a 32-bit number of seconds
        let age = |id: &ObjectId, ages: &gix::hashtable::HashMap<ObjectId, i64>| {
            u32::try_from(ages.get(id).copied().unwrap_or(0).max(0)).unwrap_or(u32::MAX)
        };
        let ages = ages?;
        Some(("mtimes", ages::encode(ids.iter().map(|id| age(id, ages)), checksum)))
    })?;
    Ok(Some(name))
}

/// Commits first, then tags, trees and blobs, each in the order of the walk; a base before its deltas.
fn order(items: &[Item]) -> Vec<u32> {
    let mut by_kind: Vec<u32> = (0..).take(items.len()).collect();
    by_kind.sort_by_key(|number| match items[*number as usize].found.kind {
        ObjectKind::Commit => 0,
        ObjectKind::Tag => 1,
        ObjectKind::Tree => 2,
        ObjectKind::Blob => 3,
    });
    let mut order = Vec::with_capacity(items.len());
    let mut is_placed = vec![false; items.len()];
    let mut chain = Vec::new();
    for number in by_kind {
        let mut next = Some(number);
        while let Some(number) = next.filter(|number| !is_placed[*number as usize]) {
            is_placed[number as usize] = true;
            chain.push(number);
            next = items[number as usize].base;
        }
        order.extend(chain.drain(..).rev());
    }
    order
}

/// How many of the next items are compressed at once.
fn batch(items: &[Item], rest: &[u32]) -> usize {
    let mut bytes = 0;
    let fits = |number: &&u32| {
        bytes += items[**number as usize].size;
        bytes <= BATCH_BYTES
    };
    rest.iter().take(BATCH).take_while(fits).count().max(1)
}

fn encode(
    shop: &Workshop<'_>,
    store: &gix::OdbHandle,
    items: &[Item],
    number: u32,
    deltas: &DeltaMap,
) -> Result<Encoded, Error> {
    let item = &items[number as usize];
    let id = item.found.id;
    if let ObjectSource::Copied(pack, offset) = item.source {
        let pack = &shop.stock.packs[pack];
        let act = || format!("copy {id} out of the pack `{}`", pack.path("pack").display());
        let bytes = pack.checked_entry(offset).ok_or(DamagedObject).during(act)?;
        let header = pack.bundle.pack.entry(offset).during(act)?.header_size();
        return Ok(Encoded { size: item.size, compressed: bytes[header..].to_vec() });
    }
    if let (Some(_), Some((size, compressed))) = (item.base, deltas.get(&number)) {
        return Ok(Encoded { size: *size, compressed: compressed.clone() });
    }
    let content = read(store, item)?;
    let content = match item.base {
        None => content,
        Some(base) => delta::encode(&read(store, &items[base as usize])?, &content),
    };
    let level = Compression::default();
    let compressed = deflate(Vec::new(), &content, level).during(|| format!("compress {id}"))?;
    Ok(Encoded { size: content.len() as u64, compressed })
}

/// The content, checked against its id: the old copy will be removed.
fn read(store: &gix::OdbHandle, item: &Item) -> Result<Vec<u8>, Error> {
    let id = item.found.id;
    let act = || format!("read object {id}");
    let mut content = Vec::new();
    store.find(&id, &mut content).during(act)?;
    let object = NewObject { kind: item.found.kind, bytes: Cow::Borrowed(&content) };
    if object.id()? != id {
        return Err(DamagedObject).during(act);
    }
    Ok(content)
}

#[derive(Debug, thiserror::Error)]
#[error("it is damaged; run `git fsck` for details")]
struct DamagedObject;

fn entry(item: &Item, base: Option<Offset>, offset: Offset, encoded: Encoded) -> Result<PackEntry, Error> {
    let header = match (base, item.found.kind) {
        (Some(base), _) => Header::OfsDelta { base_distance: offset - base },
        (None, ObjectKind::Blob) => Header::Blob,
        (None, ObjectKind::Tree) => Header::Tree,
        (None, ObjectKind::Commit) => Header::Commit,
        (None, ObjectKind::Tag) => Header::Tag,
    };
    let mut bytes = Vec::with_capacity(encoded.compressed.len() + 16);
    header.write_to(encoded.size, &mut bytes).during("write a pack")?;
    bytes.extend_from_slice(&encoded.compressed);
    Ok(PackEntry { id: item.found.id, bytes })
}
