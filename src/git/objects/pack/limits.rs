//! Limits the memory and time that a received pack may need, by the sizes that its entries declare, before it is
//! unpacked.
//!
//! A few bytes of a delta or of zlib can stand for gigabytes. Reads no streams.

use gix::ObjectId;
use std::collections::BTreeMap;

/// The most objects in a pack: twice those of a big remote, and their table and index still fit in [`MEMORY`].
pub(crate) const MOST_OBJECTS: u32 = 2_000_000;
/// The biggest object: what the big hosts accept as a file. Objects are unpacked in memory.
pub(crate) const LARGEST_OBJECT: u64 = 100 << 20;
/// The longest chain of deltas: git writes none that is longer.
const LONGEST_CHAIN: u16 = 4095;
/// How many deltas may name their base by id when its position is unknown: their chains cannot be measured beforehand,
/// and their length is counted in 16 bits. Servers that support offset deltas, as all do, send none.
const MOST_BY_NAME: usize = 50_000;
/// The most memory that unpacking may use at once.
const MEMORY: u64 = 320 << 20;
/// Bytes that every pack may unpack to, all objects together …
const FREE_BYTES: u64 = 4 << 30;
/// … and this many more for each byte sent. A delta of 60 bytes makes a folder of 240 KiB: no honest history reaches
/// it, and the time it takes is in proportion to what the sender spent.
const BYTES_PER_BYTE: u64 = 4000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// None in this pack: it is not a delta, or its base exists here.
    None,
    /// Another entry, by its number.
    Entry(u32),
    Name(ObjectId),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Excess(String);

impl Excess {
    pub fn objects(count: u32) -> Self {
        Self(format!("a pack of {count} objects (limit {MOST_OBJECTS})"))
    }

    pub fn object(size: u64) -> Self {
        Self(format!("an object of {size} bytes (limit {LARGEST_OBJECT})"))
    }
}

/// The sums of what was declared so far.
#[derive(Debug, Default)]
pub(super) struct Account {
    nodes: Vec<DeltaNode>,
    /// Bases with an unknown position: their size, and how many deltas use them.
    names: BTreeMap<ObjectId, (u64, u32)>,
    by_name: usize,
    unpacked: u64,
    largest: u64,
    largest_delta: u64,
}

#[derive(Debug)]
struct DeltaNode {
    /// The size of the object, at most [`LARGEST_OBJECT`].
    size: u32,
    base: u32,
    depth: u16,
    /// Whether it is the base of more than one delta: then it stays in memory for all of them.
    children: u8,
}

const NO_BASE: u32 = u32::MAX;

impl Account {
    /// Adds an entry: `size` of the object, `delta` size of its delta (0 if it is not one); `base_size` as the delta
    /// declares it; `sent` bytes so far.
    pub fn add(
        &mut self,
        base: Base,
        size: u64,
        delta: u64,
        base_size: u64,
        sent: u64,
    ) -> Result<(), Excess> {
        for size in [size, delta, base_size] {
            if size > LARGEST_OBJECT {
                return Err(Excess::object(size));
            }
        }
        self.unpacked += size + delta;
        if self.unpacked > FREE_BYTES + BYTES_PER_BYTE * sent {
            return Err(Excess(format!(
                "a pack of {sent} bytes that unpacks to more than {}",
                self.unpacked
            )));
        }
        self.largest = self.largest.max(size).max(base_size);
        self.largest_delta = self.largest_delta.max(delta);
        let mut node = DeltaNode { size: narrow(size), base: NO_BASE, depth: 0, children: 0 };
        match base {
            Base::None => {}
            Base::Entry(at) => {
                let parent = &mut self.nodes[at as usize];
                parent.children = parent.children.saturating_add(1);
                node.base = at;
                node.depth = parent.depth + 1;
                if node.depth > LONGEST_CHAIN {
                    return Err(Excess(format!("a chain of more than {LONGEST_CHAIN} deltas")));
                }
            }
            Base::Name(id) => {
                self.by_name += 1;
                if self.by_name > MOST_BY_NAME {
                    return Err(Excess(format!(
                        "more than {MOST_BY_NAME} deltas that name their base by id"
                    )));
                }
                let (size, children) = self.names.entry(id).or_default();
                *size = base_size.max(*size);
                *children += 1;
            }
        }
        self.nodes.push(node);
        Ok(())
    }

    /// The number of threads, up to `cores`, that keeps unpacking within [`MEMORY`].
    pub fn threads(&self, cores: usize) -> Result<usize, Excess> {
        // the memory held on the longest way from a whole object to its last delta; a base comes before its deltas
        let mut waiting: Vec<u64> = Vec::with_capacity(self.nodes.len());
        let mut most = 0;
        for node in &self.nodes {
            let held = match self.nodes.get(node.base as usize) {
                Some(base) if base.children > 1 => waiting[node.base as usize] + u64::from(base.size),
                Some(_) => waiting[node.base as usize],
                None => 0,
            };
            most = most.max(held);
            waiting.push(held);
        }
        let named: u64 =
            self.names.values().filter(|(_, children)| *children > 1).map(|(size, _)| size).sum();
        // a base, its result, and the delta
        let each = most + 2 * self.largest + self.largest_delta;
        match MEMORY.checked_sub(named).map(|left| left / each.max(1)) {
            None | Some(0) => Err(Excess(format!(
                "a pack that needs {} bytes of memory to unpack (limit {MEMORY})",
                named + each
            ))),
            Some(threads) => Ok(cores.clamp(1, usize::try_from(threads).unwrap_or(usize::MAX))),
        }
    }
}

fn narrow(size: u64) -> u32 {
    u32::try_from(size).expect("it was compared with the largest that is taken")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn name(byte: u8) -> Base {
        Base::Name(ObjectId::from_bytes_or_panic(&[byte; 20]))
    }

    #[test]
    fn an_ordinary_pack_is_unpacked_on_all_cores() {
        let mut account = Account::default();
        account.add(Base::None, MIB, 0, 0, MIB).unwrap();
        for at in 0..50 {
            account.add(Base::Entry(at), MIB, 100, MIB, MIB).unwrap();
            account.add(Base::Entry(at), MIB, 100, MIB, MIB).unwrap();
        }
        assert_eq!(account.threads(8), Ok(8));
    }

    #[test]
    fn what_waits_in_memory_takes_threads_away_and_then_refuses() {
        let mut account = Account::default();
        account.add(Base::None, 40 * MIB, 0, 0, MIB).unwrap();
        assert_eq!(account.threads(8), Ok(4));
        // the last delta of a base releases it
        for at in 0..20 {
            account.add(Base::Entry(at), 40 * MIB, 100, 40 * MIB, MIB).unwrap();
        }
        assert_eq!(account.threads(8), Ok(3));
        for at in 0..20 {
            account.add(Base::Entry(at), 1, 100, 40 * MIB, MIB).unwrap();
        }
        assert!(account.threads(8).unwrap_err().0.contains("bytes of memory to unpack"));
    }

    #[test]
    fn a_bomb_is_refused_by_what_it_declares() {
        let add = |base, size, delta| Account::default().add(base, size, delta, size, 20);
        assert_eq!(add(Base::None, 2 << 30, 0), Err(Excess::object(2 << 30)));
        assert_eq!(add(name(1), 1 << 40, 10), Err(Excess::object(1 << 40)));
        let mut account = Account::default();
        account.add(Base::None, 90 * MIB, 0, 0, 100).unwrap();
        let bomb = (0..100).find_map(|at| account.add(Base::Entry(at), 90 * MIB, 30, 90 * MIB, 200).err());
        assert!(bomb.unwrap().0.starts_with("a pack of 200 bytes that unpacks to more"));
        let mut account = Account::default();
        account.add(Base::None, 1, 0, 0, 100).unwrap();
        let long = (0..5000).find_map(|at| account.add(Base::Entry(at), 1, 4, 1, 200).err());
        assert!(long.unwrap().0.starts_with("a chain"));
        let mut account = Account::default();
        let named = (0..60_000).find_map(|_| account.add(name(3), 1, 4, 1, 200).err());
        assert!(named.unwrap().0.contains("name their base"));
    }
}
