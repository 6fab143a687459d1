//! The runs of three words of an entry, and those of them that are compared; also as bytes.

use crate::diff::knowledge::runs;

/// So many of an entry's runs look for candidates: the ones with the smallest hashes. A near-duplicate has each of them with
/// a chance of 0.8 or more, so that one is missed only if all its runs are common.
const PROBES: usize = 24;

/// The runs of three words of an entry: hashes, sorted, cut to 32 bits because a tree has millions of them. In fewer than
/// one of 10,000 pairs of entries with 400 runs each, one run is mistaken for another (400² / 2³²).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Runs {
    /// Those that are compared: all, or what [`Runs::unpacked`] was asked for.
    hashes: Box<[u32]>,
    /// How many the entry has.
    count: usize,
    /// The largest hash that looks for candidates.
    last_probe: u32,
}

/// A set of hashes that is asked far more often for one that it does not have.
#[derive(Debug, Default)]
pub struct RunSet {
    sorted: Vec<u32>,
    /// A bit for each hash, cut short: most questions need no search.
    bits: Vec<u64>,
    is_everything: bool,
}

impl Runs {
    /// The runs of a body, headings aside.
    pub fn of(body: &str) -> Self {
        let mut cut: Vec<u32> =
            runs(body).iter().map(|hash| u32::try_from(hash >> 32).unwrap_or_default()).collect();
        cut.sort_unstable();
        cut.dedup();
        let last_probe = cut[..cut.len().min(PROBES)].last().copied().unwrap_or_default();
        Self { count: cut.len(), last_probe, hashes: cut.into() }
    }

    /// How many the entry has, compared or not.
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Those that are compared, sorted.
    pub fn hashes(&self) -> &[u32] {
        &self.hashes
    }

    /// Those of [`Runs::hashes`] that look for candidates.
    pub fn probes(&self) -> impl Iterator<Item = u32> {
        self.hashes.iter().copied().take_while(|hash| *hash <= self.last_probe)
    }

    /// All of them as bytes: the count in four, little-endian, then the distance of each hash to the one before in Golomb's code with
    /// a power of two (Rice 1979): the quotient as so many ones and a zero, then the bits of the remainder, lowest first. That
    /// takes within a tenth of a bit of what is possible for hashes, 3.2 bytes each of 300.
    ///
    /// # Panics
    /// Where only some of the runs are there.
    pub fn packed(&self) -> Vec<u8> {
        assert_eq!(self.hashes.len(), self.count, "all runs of the entry");
        let count = u32::try_from(self.count).unwrap_or(u32::MAX);
        let mut out = BitWriter { bytes: count.to_le_bytes().to_vec(), waiting: 0, length: 0 };
        let width = width(self.count);
        let mut before = 0;
        for hash in &self.hashes {
            let distance = hash - before;
            for _ in 0..distance >> width {
                out.put(1, 1);
            }
            out.put(0, 1);
            out.put(distance & ((1 << width) - 1), width);
            before = *hash;
        }
        out.finish()
    }

    /// What [`Runs::packed`] made, with the hashes that are `sought`; `None` for other bytes.
    pub fn unpacked(bytes: &[u8], sought: &RunSet) -> Option<Self> {
        let (count, bytes) = bytes.split_first_chunk::<4>()?;
        let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
        let mut bits = BitReader { bytes, at: 0, held: 0, length: 0 };
        let width = width(count);
        let (mut hash, mut last_probe, mut hashes) = (0u32, 0, Vec::new());
        for at in 0..count {
            let distance = bits.ones()?.checked_shl(width).filter(|high| high >> width << width == *high)?;
            hash = hash.checked_add(u32::try_from(distance).ok()?)?.checked_add(bits.take(width)?)?;
            if at < PROBES {
                last_probe = hash;
            }
            if sought.has(hash) {
                hashes.push(hash);
            }
        }
        Some(Self { hashes: hashes.into(), count, last_probe })
    }
}

/// The bits of a remainder: so that a quotient has about one.
fn width(count: usize) -> u32 {
    let mean = (1u64 << 32) / count.max(1) as u64;
    (mean * 7 / 10).max(1).ilog2().min(31)
}

struct BitWriter {
    bytes: Vec<u8>,
    waiting: u64,
    length: u32,
}

impl BitWriter {
    fn put(&mut self, value: u32, width: u32) {
        self.waiting |= u64::from(value) << self.length;
        self.length += width;
        while self.length >= 8 {
            self.bytes.push(self.waiting as u8);
            self.waiting >>= 8;
            self.length -= 8;
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.length > 0 {
            self.bytes.push(self.waiting as u8);
        }
        self.bytes
    }
}

struct BitReader<'b> {
    bytes: &'b [u8],
    at: usize,
    held: u64,
    length: u32,
}

impl BitReader<'_> {
    fn fill(&mut self) {
        while self.length <= 56
            && let Some(byte) = self.bytes.get(self.at)
        {
            self.held |= u64::from(*byte) << self.length;
            self.length += 8;
            self.at += 1;
        }
    }

    fn take(&mut self, width: u32) -> Option<u32> {
        self.fill();
        let found = u32::try_from(self.held & ((1 << width) - 1)).ok()?;
        self.length = self.length.checked_sub(width)?;
        self.held >>= width;
        Some(found)
    }

    /// How many ones there are before the next zero, which is taken, too.
    fn ones(&mut self) -> Option<u64> {
        let mut all = 0;
        loop {
            self.fill();
            let ones = self.held.trailing_ones().min(self.length);
            all += u64::from(ones);
            if ones < self.length {
                self.length -= ones + 1;
                self.held = self.held.checked_shr(ones + 1).unwrap_or(0);
                return Some(all);
            }
            if self.at == self.bytes.len() {
                return None;
            }
            (self.length, self.held) = (0, 0);
        }
    }
}

impl RunSet {
    pub fn of(mut sorted: Vec<u32>) -> Self {
        sorted.sort_unstable();
        sorted.dedup();
        let mut bits = vec![0; (sorted.len() * 16).next_power_of_two().max(64) / 64];
        for hash in &sorted {
            let (word, bit) = place(&bits, *hash);
            bits[word] |= bit;
        }
        Self { sorted, bits, is_everything: false }
    }

    /// The set of all hashes.
    pub const fn everything() -> Self {
        Self { sorted: Vec::new(), bits: Vec::new(), is_everything: true }
    }

    pub fn has(&self, hash: u32) -> bool {
        if self.bits.is_empty() {
            return self.is_everything;
        }
        let (word, bit) = place(&self.bits, hash);
        self.bits[word] & bit != 0 && self.sorted.binary_search(&hash).is_ok()
    }
}

/// The word and the bit of a hash.
fn place(bits: &[u64], hash: u32) -> (usize, u64) {
    let at = hash as usize % (bits.len() * 64);
    (at / 64, 1 << (at % 64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn runs(mut hashes: Vec<u32>) -> Runs {
        hashes.sort_unstable();
        hashes.dedup();
        let last_probe = hashes[..hashes.len().min(PROBES)].last().copied().unwrap_or_default();
        Runs { count: hashes.len(), last_probe, hashes: hashes.into() }
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn packed_runs_are_the_same_when_unpacked(
            hashes in prop::collection::vec(any::<u32>(), 0..400), few in prop::collection::vec(0..50u32, 0..20),
        ) {
            let all = runs([hashes.clone(), few.clone()].concat());
            let packed = all.packed();
            let every = RunSet::of(all.hashes.to_vec());
            let found = Runs::unpacked(&packed, &every);
            prop_assert_eq!(found.as_ref(), Some(&all));
            let sought = RunSet::of([few, vec![7, u32::MAX]].concat());
            let some = Runs::unpacked(&packed, &sought).unwrap();
            let expected: Vec<u32> = all.hashes.iter().copied().filter(|hash| sought.has(*hash)).collect();
            prop_assert_eq!((some.hashes(), some.count, some.last_probe), (&*expected, all.count, all.last_probe));
        }

        #[test]
        fn other_bytes_are_none_or_some_runs(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Runs::unpacked(&bytes, &RunSet::of(vec![1, 2, 3]));
        }
    }

    #[test]
    fn bytes_that_end_too_early_are_none() {
        let packed = runs((0..300).map(|at| at * 14_000_000 + 5).collect()).packed();
        assert!(packed.len() < 300 * 33 / 10, "{}", packed.len());
        for length in [0, 3, 4, packed.len() / 2, packed.len() - 1] {
            assert_eq!(Runs::unpacked(&packed[..length], &RunSet::default()), None, "{length}");
        }
    }
}
