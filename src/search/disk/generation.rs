//! A generation: which parts there are, and which of their items count, in the order of their paths.
//!
//! The items are given as runs: consecutive items of one part that are neighbours in the order of paths. An item that is
//! in no run was removed or replaced. One small file holds it and is replaced atomically, so that a reader has the old
//! generation or the new one. Layout, all numbers little-endian: [`MAGIC`]; the number of parts; for each its length of
//! name, name and stamp; the number of runs; for each part, start and count (u32); the CRC-32 of everything before.

use std::path::Path;

use brv_base::fs::{self, FileStat};

pub const CURRENT: &str = "current";

const MAGIC: &[u8; 8] = b"brvgens\x01";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Generation {
    /// The parts, by number.
    pub parts: Vec<PartFile>,
    /// The items that count, in the order of their paths.
    pub runs: Vec<ItemRun>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartFile {
    pub name: String,
    /// The stat that its writer saw.
    pub stamp: PartStamp,
}

/// Consecutive items of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemRun {
    pub part: u32,
    pub start: u32,
    pub count: u32,
}

/// What changes when a file is written to or replaced: size, times of modification and of change, device and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartStamp([u64; 7]);

impl PartStamp {
    /// The stamp of a file; `None` if it is not there.
    pub fn of(path: &Path) -> Option<Self> {
        let stat: FileStat = fs::stat(path).ok()??;
        let (modified, changed) = (stat.modified, stat.changed);
        Some(Self([
            stat.size,
            modified.0 as u64,
            modified.1.into(),
            changed.0 as u64,
            changed.1.into(),
            stat.device,
            stat.inode,
        ]))
    }
}

impl Generation {
    /// The number of items that count.
    pub fn len(&self) -> usize {
        self.runs.iter().map(|run| run.count as usize).sum()
    }

    /// Add an item at the end; it joins the last run if it is the next of its part.
    pub fn push(&mut self, part: u32, item: u32) {
        match self.runs.last_mut() {
            Some(run) if run.part == part && run.start + run.count == item => run.count += 1,
            _ => self.runs.push(ItemRun { part, start: item, count: 1 }),
        }
    }

    pub fn write(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let number = |bytes: &mut Vec<u8>, number: usize| {
            bytes.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
        };
        number(&mut bytes, self.parts.len());
        for part in &self.parts {
            number(&mut bytes, part.name.len());
            bytes.extend(part.name.as_bytes());
            bytes.extend(part.stamp.0.iter().flat_map(|number| number.to_le_bytes()));
        }
        number(&mut bytes, self.runs.len());
        for run in &self.runs {
            bytes.extend([run.part, run.start, run.count].into_iter().flat_map(u32::to_le_bytes));
        }
        let sum = crc32fast::hash(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// The generation that these bytes hold; `None` if they are damaged or of another version.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (content, sum) = bytes.split_last_chunk::<4>()?;
        if crc32fast::hash(content) != u32::from_le_bytes(*sum) {
            return None;
        }
        let mut rest = GenerationCursor(content.strip_prefix(MAGIC)?);
        let mut generation = Self::default();
        for _ in 0..rest.number()? {
            let length = rest.number()? as usize;
            let name = String::from_utf8(rest.take(length)?.to_vec()).ok()?;
            let mut stamp = [0; 7];
            for number in &mut stamp {
                *number = u64::from_le_bytes(*rest.take(8)?.first_chunk()?);
            }
            generation.parts.push(PartFile { name, stamp: PartStamp(stamp) });
        }
        for _ in 0..rest.number()? {
            generation.runs.push(ItemRun {
                part: rest.number()?,
                start: rest.number()?,
                count: rest.number()?,
            });
        }
        rest.0.is_empty().then_some(generation)
    }
}

struct GenerationCursor<'a>(&'a [u8]);

impl<'a> GenerationCursor<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(*self.take(4)?.first_chunk()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_damage_is_seen() {
        let mut generation = Generation::default();
        let stamp = PartStamp([1, 2, 3, 4, 5, 6, 7]);
        generation.parts =
            vec![PartFile { name: "a.part".into(), stamp }, PartFile { name: "b".into(), stamp }];
        for (part, item) in [(0, 0), (0, 1), (1, 0), (0, 3)] {
            generation.push(part, item);
        }
        assert_eq!((generation.runs.len(), generation.len()), (3, 4));
        let bytes = generation.write();
        assert_eq!(Generation::read(&bytes).as_ref(), Some(&generation));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(Generation::read(&damaged), None, "{at}");
            assert_eq!(Generation::read(&bytes[..at]), None, "{at}");
        }
    }
}
