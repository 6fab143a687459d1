//! Measures how much of one file is in another: the extent of changes in gitdiffcore(7), used for rename detection.
//!
//! A file is the bag of its lines, the long ones cut into pieces; the shared content counts in bytes. The size of a
//! piece, and that in text line ends are compared without their carriage returns, are as observed in git, so that the
//! percentages are the same. Reads no trees.

use std::borrow::Cow;

/// The score of equal files. The scale is fine enough to distinguish files of equal percentages.
pub(super) const ALL: u64 = 1_000_000;
/// The lowest score of a rename.
pub(super) const HALF: u64 = ALL / 2;

/// Lines are cut after this many bytes.
const LONGEST: usize = 64;
/// A zero byte in this many first bytes makes a file binary, as everywhere in git.
const HEAD: usize = 8_000;

/// The number of bytes of a file in each piece.
pub(super) struct FilePieces {
    size: u64,
    /// The checksum of a piece, and the total bytes of its occurrences. Sorted, each piece once.
    weights: Vec<(u32, u64)>,
}

impl FilePieces {
    pub fn of(bytes: &[u8]) -> Self {
        let is_text = !bytes[..bytes.len().min(HEAD)].contains(&0);
        let mut weights = Vec::with_capacity(bytes.len() / LONGEST + 1);
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let line = if is_text { with_plain_end(line) } else { Cow::Borrowed(line) };
            weights.extend(line.chunks(LONGEST).map(|piece| (crc32fast::hash(piece), piece.len() as u64)));
        }
        weights.sort_unstable();
        weights.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        Self { size: bytes.len() as u64, weights }
    }

    pub fn weights(&self) -> &[(u32, u64)] {
        &self.weights
    }

    /// The share of the common content, out of [`ALL`].
    pub fn score(&self, other: &Self) -> u64 {
        let shared = self.weights.iter().filter_map(|(piece, weight)| {
            let at = other.weights.binary_search_by_key(piece, |(piece, _)| *piece).ok()?;
            Some(other.weights[at].1.min(*weight))
        });
        score(shared.sum(), self.size, other.size)
    }
}

fn with_plain_end(line: &[u8]) -> Cow<'_, [u8]> {
    line.strip_suffix(b"\r\n").map_or(Cow::Borrowed(line), |text| Cow::Owned([text, b"\n"].concat()))
}

/// For files of these sizes that share this many bytes.
pub(super) fn score(shared: u64, one: u64, other: u64) -> u64 {
    shared * ALL / one.max(other).max(1)
}

/// The similarity of two files in percent, as git reports it for renames.
pub fn similarity(before: &[u8], after: &[u8]) -> u8 {
    if before == after {
        return 100;
    }
    let score = FilePieces::of(before).score(&FilePieces::of(after));
    u8::try_from(score * 100 / ALL).unwrap_or(100)
}

/// Whether files of these sizes can reach the score `least`.
pub(super) fn is_possible(one: u64, other: u64, least: u64) -> bool {
    score(one.min(other), one, other) >= least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_same_counts_by_bytes_of_whole_lines() {
        let score =
            |one: &str, other: &str| FilePieces::of(one.as_bytes()).score(&FilePieces::of(other.as_bytes()));
        assert_eq!(score("a\nb\nc\nd\n", "a\nb\nc\nd\n"), ALL);
        assert_eq!(score("a\nb\nc\nd\n", "d\nc\nx\ny\n"), HALF);
        assert_eq!(score("a\na\na\na\n", "a\na\nx\ny\n"), HALF);
        assert_eq!(score("a\nb\n", ""), 0);
        assert_eq!(score("a\r\nb\r\n", "a\nb\n"), 4 * ALL / 6);
        assert!(is_possible(10, 20, HALF) && !is_possible(10, 21, HALF));
        assert_eq!((similarity(b"a\nb\nc\n", b"a\nb\nx\n"), similarity(b"", b"")), (66, 100));
    }
}
