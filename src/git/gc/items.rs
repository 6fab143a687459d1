//! The objects to pack, each with its current location; existing deltas are reused.
//!
//! Reads headers only.

use super::reach::ReachedObject;
use super::stock::{Pack, Stock};
use crate::error::{During, Error};
use brv_base::sorting;
use gix::hashtable::HashMap;
use gix::odb::pack::data::Offset;
use gix::odb::pack::data::entry::Header;
use gix::prelude::HeaderExt as _;
use gix::{ObjectId, Repository};

#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    /// The object, its kind and its name.
    pub found: ReachedObject,
    /// The size of its content in bytes.
    pub size: u64,
    /// Where its data comes from.
    pub source: ObjectSource,
    /// The base of its delta: the number of another item.
    pub base: Option<u32>,
}

/// Where an object's data comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectSource {
    /// Read and compressed again.
    Anew,
    /// Read and compressed again; its pack (a number in the stock) was already searched for deltas without success.
    Searched(usize),
    /// The bytes of an entry are copied: a number in the stock, and the offset. If the entry is a delta, its base is
    /// among the items.
    Copied(usize, Offset),
}

/// Locations of the objects in the stock that this repository may pack.
pub(super) struct PackLocations<'s> {
    stock: &'s Stock,
    packed: HashMap<ObjectId, (u16, Offset)>,
    /// Whether each pack holds deltas, so that it was searched for them.
    searched: Vec<bool>,
}

impl<'s> PackLocations<'s> {
    /// Indexes the packs. If two hold the same object, the later one in `order` wins.
    pub fn of(stock: &'s Stock) -> Result<Self, Error> {
        let mut order: Vec<_> = (0..stock.packs.len()).filter(|at| !stock.packs[*at].is_kept()).collect();
        // the biggest pack has the most deltas whose bases are in it too
        sorting::sort_by_key(&mut order, |at| stock.packs[*at].len());
        let mut places = Self { stock, packed: HashMap::default(), searched: vec![false; stock.packs.len()] };
        for at in order {
            let pack = &stock.packs[at];
            let number = u16::try_from(at).during("count the packs")?;
            for entry in pack.bundle.index.iter() {
                places.packed.insert(entry.oid, (number, entry.pack_offset));
                let is_delta = |offset| Ok::<_, Error>(header(pack, offset)?.0.is_delta());
                places.searched[at] = places.searched[at] || is_delta(entry.pack_offset)?;
            }
        }
        Ok(places)
    }

    /// The items for `found`, in its order. All must be in the stock.
    pub fn items(&self, repo: &Repository, found: &[ReachedObject]) -> Result<Vec<Item>, Error> {
        let numbers: HashMap<ObjectId, u32> =
            found.iter().zip(0..).map(|(found, at)| (found.id, at)).collect();
        found.iter().map(|found| self.item(repo, *found, &numbers)).collect()
    }

    fn item(
        &self,
        repo: &Repository,
        found: ReachedObject,
        numbers: &HashMap<ObjectId, u32>,
    ) -> Result<Item, Error> {
        let item = |size, source, base| Item { found, size, source, base };
        let size = || {
            let header = repo.objects.header(found.id).during(|| format!("read object {}", found.id))?;
            Ok::<_, Error>(header.size())
        };
        let Some((number, offset)) = self.packed.get(&found.id).copied() else {
            return Ok(item(size()?, ObjectSource::Anew, None));
        };
        let number = usize::from(number);
        let pack = &self.stock.packs[number];
        let (entry, entry_size) = header(pack, offset)?;
        let base = match entry {
            Header::OfsDelta { base_distance } => {
                offset.checked_sub(base_distance).and_then(|offset| pack.id_of_entry(offset))
            }
            Header::RefDelta { base_id } => Some(base_id),
            _ if self.searched[number] => {
                return Ok(item(entry_size, ObjectSource::Copied(number, offset), None));
            }
            _ => return Ok(item(entry_size, ObjectSource::Anew, None)),
        };
        // deltas within one pack have no cycles; across packs they may
        let base =
            base.filter(|base| self.packed.get(base).is_some_and(|(at, _)| usize::from(*at) == number));
        match base.and_then(|base| numbers.get(&base).copied()) {
            Some(base) => Ok(item(entry_size, ObjectSource::Copied(number, offset), Some(base))),
            None => Ok(item(size()?, ObjectSource::Searched(number), None)),
        }
    }
}

/// The header of the entry at `offset`, and the size of its content (or delta).
fn header(pack: &Pack, offset: Offset) -> Result<(Header, u64), Error> {
    let act = || format!("read the pack `{}`", pack.path("pack").display());
    let entry = pack.bundle.pack.entry(offset).during(act)?;
    Ok((entry.header, entry.decompressed_size))
}
