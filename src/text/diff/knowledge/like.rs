//! Pair similar texts of both sides, in any place.
//!
//! An index of words keeps it near-linear: only texts that share a word which is not everywhere are compared. Knows
//! bags of words, but not where they come from.

use crate::diff::bag::Bag;
use std::collections::HashMap;

/// A word in more bags of one side than this does not show which of them to pair.
const COMMON: usize = 32;

/// The number of candidates compared for each text.
const CANDIDATES: usize = 8;

/// Pairs of texts with a similarity of at least `least`, each text in at most one pair, the most similar first.
pub(super) fn pairs(before: &[Bag], after: &[Bag], least: f64) -> Vec<(usize, usize)> {
    let mut index: HashMap<u64, Vec<usize>> = HashMap::new();
    for (place, bag) in before.iter().enumerate() {
        bag.distinct().for_each(|word| index.entry(word).or_default().push(place));
    }
    let mut found: Vec<(f64, usize, usize)> = Vec::new();
    let mut shared: HashMap<usize, usize> = HashMap::new();
    for (place, bag) in after.iter().enumerate() {
        shared.clear();
        for word in bag.distinct() {
            let places = index.get(&word).map_or(&[][..], Vec::as_slice);
            if places.len() <= COMMON {
                places.iter().for_each(|place| *shared.entry(*place).or_default() += 1);
            }
        }
        let mut candidates: Vec<(usize, usize)> =
            shared.iter().map(|(place, count)| (*count, *place)).collect();
        candidates.sort_unstable_by_key(|(count, place)| (std::cmp::Reverse(*count), *place));
        for (_, candidate) in candidates.into_iter().take(CANDIDATES) {
            let score = before[candidate].likeness(bag);
            if score >= least {
                found.push((score, candidate, place));
            }
        }
    }
    found.sort_by(|left, right| {
        right.0.total_cmp(&left.0).then_with(|| (left.1, left.2).cmp(&(right.1, right.2)))
    });
    let (mut used_before, mut used_after) = (vec![false; before.len()], vec![false; after.len()]);
    found.retain(|(_, b, a)| {
        let is_free = !used_before[*b] && !used_after[*a];
        if is_free {
            (used_before[*b], used_after[*a]) = (true, true);
        }
        is_free
    });
    found.into_iter().map(|(_, b, a)| (b, a)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bags(texts: &[&str]) -> Vec<Bag> {
        texts.iter().map(|text| Bag::of(text.split(' '))).collect()
    }

    #[test]
    fn the_most_alike_are_paired_first() {
        let before = bags(&["a b c d", "x y z", "e f g h"]);
        let after = bags(&["e f g i", "a b c d e", "a b c d"]);
        assert_eq!(pairs(&before, &after, 0.5), [(0, 2), (2, 0)]);
    }

    #[test]
    fn what_shares_nothing_is_never_paired() {
        assert_eq!(pairs(&bags(&["a", ""]), &bags(&["b", ""]), 0.0), [(1, 1)]);
        assert_eq!(pairs(&[], &bags(&["b"]), 0.0), []);
    }
}
