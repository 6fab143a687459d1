//! How much of one file is in another, counted as git counts it: the same scores, so that the same file is taken for the
//! one that was renamed.
//!
//! Bytes in pieces that end with a line, or after 64 bytes; how often each piece is there is compared. Knows no trees.

use std::collections::HashMap;

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
    /// Number → bytes.
    counts: HashMap<u32, u64>,
    size: u64,
}

impl Pieces {
    pub fn of(bytes: &[u8]) -> Self {
        let is_text = !bytes[..bytes.len().min(SNIFFED)].contains(&0);
        let mut counts: HashMap<u32, u64> = HashMap::new();
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
            *counts.entry(number).or_default() += length as u64;
            (high, low, length) = (0, 0, 0);
        }
        Self { counts, size: bytes.len() as u64 }
    }

    /// How much of the bigger one of the two is in both, of [`ALL`].
    pub fn score(&self, other: &Self) -> u64 {
        let largest = self.size.max(other.size);
        if largest == 0 || self.size.min(other.size) == 0 {
            return 0;
        }
        let common: u64 = self
            .counts
            .iter()
            .filter_map(|(number, bytes)| Some((*bytes).min(*other.counts.get(number)?)))
            .sum();
        common * ALL / largest
    }
}

/// Whether files of these sizes may be half the same.
pub(super) fn is_possible(one: u64, other: u64) -> bool {
    one.max(other) * (ALL - HALF) >= one.abs_diff(other) * ALL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_same_counts_by_bytes_of_whole_lines() {
        let score = |one: &str, other: &str| Pieces::of(one.as_bytes()).score(&Pieces::of(other.as_bytes()));
        assert_eq!(score("a\nb\nc\nd\n", "a\nb\nc\nd\n"), ALL);
        assert_eq!(score("a\nb\nc\nd\n", "d\nc\nx\ny\n"), HALF);
        assert_eq!(score("a\nb\n", ""), 0);
        assert_eq!(score("a\r\nb\r\n", "a\nb\n"), 4 * ALL / 6);
        assert!(is_possible(10, 20) && !is_possible(10, 21));
    }
}
