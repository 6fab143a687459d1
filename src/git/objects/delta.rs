//! Encodes one byte string as a delta of another, in the format of git's packs: copies from the base, and new bytes.
//!
//! Pure. The format is in `gitformat-pack`, "Deltified representation".

/// The shortest match that is copied.
const WINDOW: usize = 16;
const LONGEST_COPY: usize = 0xffff;
/// Longer runs of new bytes are split.
const LONGEST_INSERT: usize = 0x7f;
/// The multiplier of the rolling hash (odd, from the golden ratio).
const FACTOR: u32 = 0x9e37_79b1;
/// The factor of the oldest byte in the hash of a window.
const OLDEST: u32 = FACTOR.wrapping_pow(WINDOW as u32 - 1);

/// A delta that turns `base` into `target`. It may be longer than `target`: the caller compares.
pub(crate) fn encode(base: &[u8], target: &[u8]) -> Vec<u8> {
    encode_within(base, &Blocks::of(base), target, usize::MAX).expect("without a limit there is one")
}

/// As [`encode`], with the blocks of a base that is used more than once. `None` when the delta gets longer than
/// `limit`.
pub(crate) fn encode_within(base: &[u8], blocks: &Blocks, target: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut delta = Vec::with_capacity(target.len() / 4 + 16);
    length(base.len(), &mut delta);
    length(target.len(), &mut delta);
    // a match that does not begin at a block boundary is found up to a window late
    let last = |written: usize, delta: &Vec<u8>| {
        let left = limit.checked_sub(delta.len())?;
        Some(written.saturating_add(left).saturating_add(WINDOW))
    };
    let (mut written, mut at) = (0, 0);
    let mut stop = last(written, &delta)?;
    let mut hash = Rolling::default();
    while at + WINDOW <= target.len() {
        let Some((found, run)) = blocks.longest(base, hash.at(target, at), &target[at..]) else {
            at += 1;
            if at > stop {
                return None;
            }
            continue;
        };
        let before = common_suffix(&base[..found], &target[written..at]);
        insert(&target[written..at - before], &mut delta);
        copy(found - before, before + run, &mut delta);
        at += run;
        written = at;
        stop = last(written, &delta)?;
    }
    insert(&target[written..], &mut delta);
    (delta.len() <= limit).then_some(delta)
}

/// The positions of the blocks of a base, found by the hash of their bytes.
pub(crate) struct Blocks {
    /// Number of the last block with this hash, plus one; zero: none.
    last: Vec<u32>,
    /// For each block, the one before it with the same hash, in the same form.
    previous: Vec<u32>,
    shift: u32,
}

/// At most this many positions of a repeated block are tried, and a match of this length is good enough.
const CANDIDATES: usize = 32;
const LONG_ENOUGH: usize = 4096;

impl Blocks {
    pub fn of(base: &[u8]) -> Self {
        let count = base.len() / WINDOW;
        let bits = (count.max(1) * 2).next_power_of_two().trailing_zeros().max(4);
        let mut blocks = Self { last: vec![0; 1 << bits], previous: vec![0; count], shift: 32 - bits };
        for (number, block) in base.chunks_exact(WINDOW).enumerate() {
            let slot = blocks.slot(hash(block));
            blocks.previous[number] = blocks.last[slot];
            // a base of 64 GiB is rejected long before
            blocks.last[slot] = u32::try_from(number + 1).unwrap_or(0);
        }
        blocks
    }

    const fn slot(&self, hash: u32) -> usize {
        (hash.wrapping_mul(FACTOR) >> self.shift) as usize
    }

    /// The position and length of the longest match for the beginning of `rest` in the base: at least a window.
    fn longest(&self, base: &[u8], hash: u32, rest: &[u8]) -> Option<(usize, usize)> {
        let mut best = None;
        let mut next = self.last[self.slot(hash)];
        for _ in 0..CANDIDATES {
            let Some(number) = next.checked_sub(1) else { break };
            next = self.previous[number as usize];
            let at = number as usize * WINDOW;
            let run = common_prefix(&base[at..], rest);
            if run >= WINDOW && best.is_none_or(|(_, longest)| run > longest) {
                best = Some((at, run));
                if run >= LONG_ENOUGH {
                    break;
                }
            }
        }
        best
    }
}

fn hash(window: &[u8]) -> u32 {
    window.iter().fold(0, |hash: u32, byte| hash.wrapping_mul(FACTOR).wrapping_add(u32::from(*byte)))
}

/// Moves the hash of a window by one byte, without reading all of it again.
#[derive(Default)]
struct Rolling {
    last: Option<(usize, u32)>,
}

impl Rolling {
    fn at(&mut self, bytes: &[u8], at: usize) -> u32 {
        let value = match self.last {
            Some((last, value)) if last + 1 == at => {
                let gone = u32::from(bytes[last]).wrapping_mul(OLDEST);
                let come = u32::from(bytes[at + WINDOW - 1]);
                value.wrapping_sub(gone).wrapping_mul(FACTOR).wrapping_add(come)
            }
            _ => hash(&bytes[at..at + WINDOW]),
        };
        self.last = Some((at, value));
        value
    }
}

fn common_prefix(one: &[u8], two: &[u8]) -> usize {
    one.iter().zip(two).take_while(|(a, b)| a == b).count()
}

fn common_suffix(one: &[u8], two: &[u8]) -> usize {
    one.iter().rev().zip(two.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// Seven bits per byte, lowest first.
fn length(mut number: usize, delta: &mut Vec<u8>) {
    while number > 0x7f {
        delta.push(0x80 | (number & 0x7f) as u8);
        number >>= 7;
    }
    delta.push(number as u8);
}

fn insert(bytes: &[u8], delta: &mut Vec<u8>) {
    for run in bytes.chunks(LONGEST_INSERT) {
        delta.push(run.len() as u8);
        delta.extend_from_slice(run);
    }
}

/// The command byte has a bit for each byte of offset and length that follows: zero bytes are omitted.
fn copy(mut offset: usize, mut rest: usize, delta: &mut Vec<u8>) {
    while rest > 0 {
        let run = rest.min(LONGEST_COPY);
        let command = delta.len();
        delta.push(0x80);
        let offset_bytes = (offset as u32).to_le_bytes();
        let run_bytes = (run as u16).to_le_bytes();
        for (bit, byte) in offset_bytes.into_iter().chain(run_bytes).enumerate() {
            if byte != 0 {
                delta.push(byte);
                delta[command] |= 1 << bit;
            }
        }
        offset += run;
        rest -= run;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Applies a delta as readers of packs do.
    fn apply(base: &[u8], mut delta: &[u8]) -> Vec<u8> {
        let mut next = || {
            let (first, rest) = delta.split_first()?;
            delta = rest;
            Some(*first)
        };
        let number = |next: &mut dyn FnMut() -> Option<u8>| {
            let (mut value, mut shift) = (0usize, 0);
            loop {
                let byte = next().unwrap();
                value |= usize::from(byte & 0x7f) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    return value;
                }
            }
        };
        assert_eq!(number(&mut next), base.len());
        let length = number(&mut next);
        let mut target = Vec::new();
        while let Some(command) = next() {
            if command & 0x80 == 0 {
                assert_ne!(command, 0);
                target.extend((0..command).map(|_| next().unwrap()));
                continue;
            }
            let mut field = |bits: std::ops::Range<u8>| {
                bits.clone().fold(0usize, |value, bit| match command & (1 << bit) {
                    0 => value,
                    _ => value | usize::from(next().unwrap()) << (8 * (bit - bits.start)),
                })
            };
            let offset = field(0..4);
            let run = field(4..7);
            target.extend_from_slice(&base[offset..offset + run]);
        }
        assert_eq!(target.len(), length);
        target
    }

    #[test]
    fn an_edit_of_a_long_text_is_small() {
        let base: Vec<u8> =
            (0..4000).flat_map(|line| format!("line {line} of a note\n").into_bytes()).collect();
        let mut target = base.clone();
        target.splice(40_000..40_010, b"something else".iter().copied());
        let delta = encode(&base, &target);
        assert_eq!(apply(&base, &delta), target);
        assert!(delta.len() < 64, "{}", delta.len());
    }

    #[test]
    fn edges_are_right() {
        let long = vec![7u8; 200_000];
        for (base, target) in
            [(&b""[..], &b""[..]), (b"", b"x"), (b"x", b""), (b"0123456789abcdef", b"0123456789abcdef")]
        {
            assert_eq!(apply(base, &encode(base, target)), target);
        }
        assert_eq!(apply(&long, &encode(&long, &long)), long);
        assert_eq!(apply(b"a", &encode(b"a", &long)), long);
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn applying_the_delta_gives_the_target(
            base in proptest::collection::vec(0u8..4, 0..600),
            edits in proptest::collection::vec((0usize..600, 0usize..80, proptest::collection::vec(any::<u8>(), 0..60)), 0..6),
        ) {
            let mut target = base.clone();
            for (at, gone, new) in edits {
                let at = at.min(target.len());
                let end = (at + gone).min(target.len());
                target.splice(at..end, new);
            }
            let delta = encode(&base, &target);
            prop_assert_eq!(apply(&base, &delta), target.clone());
            // a limit that is kept changes nothing, a lower one makes it fail
            let blocks = Blocks::of(&base);
            let length = delta.len();
            prop_assert_eq!(encode_within(&base, &blocks, &target, length), Some(delta));
            prop_assert_eq!(encode_within(&base, &blocks, &target, length - 1), None);
        }
    }
}
