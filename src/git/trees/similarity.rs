//! How much of one file is in another, counted as git counts it: the same scores, so that the same file is taken for the
//! one that was renamed.
//!
//! Bytes in pieces that end with a line, or after 64 bytes; how often each piece is there is compared. Knows no trees.

use std::cmp::Ordering;

/// Everything is the same.
pub(super) const ALL: u64 = 60_000;
/// Least that makes one file the other: half of it.
pub(super) const HALF: u64 = ALL / 2;

/// The longest piece.
const PIECE: usize = 64;
/// Pieces are told apart by so many numbers.
const NUMBERS: u32 = 107_927;
/// Of a file that has a zero byte in so many bytes, line ends are as they are.
const SNIFFED: usize = 8000;

/// The pieces of one file.
#[derive(Debug, Clone)]
pub(super) struct Pieces {
    /// Number and bytes of each, sorted.
    counts: Vec<(u32, u64)>,
    size: u64,
}

impl Pieces {
    pub fn of(bytes: &[u8]) -> Self {
        let is_text = !bytes[..bytes.len().min(SNIFFED)].contains(&0);
        let mut found: Vec<(u32, u64)> = Vec::new();
        let (mut high, mut low, mut length) = (0_u32, 0_u32, 0_usize);
        let mut rest = bytes.iter().copied().peekable();
        while let Some(byte) = rest.next() {
            if is_text && byte == b'\r' && rest.peek() == Some(&b'\n') {
                continue;
            }
            (high, low) = ((high << 7) ^ (low >> 25), (low << 7) ^ (high >> 25));
            high = high.wrapping_add(u32::from(byte));
            length += 1;
            if length < PIECE && byte != b'\n' && rest.peek().is_some() {
                continue;
            }
            let number = high.wrapping_add(low.wrapping_mul(0x61)) % NUMBERS;
            found.push((number, length as u64));
            (high, low, length) = (0, 0, 0);
        }
        found.sort_unstable_by_key(|(number, _)| *number);
        found.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 += next.1;
            }
            is_same
        });
        found.shrink_to_fit();
        Self { counts: found, size: bytes.len() as u64 }
    }

    /// How many different pieces there are: what this takes of memory.
    pub const fn count(&self) -> usize {
        self.counts.len()
    }

    /// How much of the bigger one of the two is in both, of [`ALL`].
    pub fn score(&self, other: &Self) -> u64 {
        let largest = self.size.max(other.size);
        if largest == 0 || self.size.min(other.size) == 0 {
            return 0;
        }
        self.common(other) * ALL / largest
    }

    /// The bytes of the pieces that are in both.
    fn common(&self, other: &Self) -> u64 {
        let (mut ours, mut theirs) = (self.counts.iter().peekable(), other.counts.iter().peekable());
        let mut common = 0;
        while let (Some((our, bytes)), Some((their, others))) = (ours.peek(), theirs.peek()) {
            let order = our.cmp(their);
            if order == Ordering::Equal {
                common += bytes.min(others);
            }
            if order.is_le() {
                ours.next();
            }
            if order.is_ge() {
                theirs.next();
            }
        }
        common
    }
}

/// How much two files have in common, in percent, as git tells it of one that was renamed.
#[must_use]
pub fn similarity(before: &[u8], after: &[u8]) -> u8 {
    if before == after {
        return 100;
    }
    let score = Pieces::of(before).score(&Pieces::of(after));
    u8::try_from(score * 100 / ALL).unwrap_or(100)
}

/// Whether files of these sizes may have `least` of [`ALL`] in common.
pub(super) fn is_possible(one: u64, other: u64, least: u64) -> bool {
    one.max(other) * (ALL - least) >= one.abs_diff(other) * ALL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_same_counts_by_bytes_of_whole_lines() {
        let score = |one: &str, other: &str| Pieces::of(one.as_bytes()).score(&Pieces::of(other.as_bytes()));
        assert_eq!(score("a\nb\nc\nd\n", "a\nb\nc\nd\n"), ALL);
        assert_eq!(score("a\nb\nc\nd\n", "d\nc\nx\ny\n"), HALF);
        assert_eq!(score("a\na\na\na\n", "a\na\nx\ny\n"), HALF);
        assert_eq!(score("a\nb\n", ""), 0);
        assert_eq!(score("a\r\nb\r\n", "a\nb\n"), 4 * ALL / 6);
        assert!(is_possible(10, 20, HALF) && !is_possible(10, 21, HALF));
        assert_eq!((similarity(b"a\nb\nc\n", b"a\nb\nx\n"), similarity(b"", b"")), (66, 100));
    }
}
