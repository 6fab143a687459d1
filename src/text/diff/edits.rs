//! Find where two sequences differ: the only place that calls the `similar` crate.
//!
//! Knows nothing of what the items are.

use similar::{Algorithm, capture_diff_slices};
use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

/// A place where the items of the two sides differ; one of the ranges may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffRange {
    pub before: Range<usize>,
    pub after: Range<usize>,
}

/// With more items than this between the common ends, the middle counts as replaced whole, so that the time stays
/// linear on input made to be slow. (Myers' search with `similar`'s work limit grows with about the 1.4th power.)
const MAX_SEARCHED: usize = 400_000;

/// The changes that turn `before` into `after`, in order, with at least one equal item between neighbours.
pub fn changes<T: Eq + Hash>(before: &[T], after: &[T]) -> Vec<DiffRange> {
    let head = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let tail =
        before[head..].iter().rev().zip(after[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let before = &before[head..before.len() - tail];
    let after = &after[head..after.len() - tail];
    let place = |before: Range<usize>, after: Range<usize>| DiffRange {
        before: before.start + head..before.end + head,
        after: after.start + head..after.end + head,
    };
    if before.is_empty() && after.is_empty() {
        return Vec::new();
    }
    if before.is_empty() || after.is_empty() || before.len() + after.len() > MAX_SEARCHED {
        return vec![place(0..before.len(), 0..after.len())];
    }
    let mut ids = HashMap::new();
    let before = intern(&mut ids, before);
    let after = intern(&mut ids, after);
    let mut changes: Vec<DiffRange> = Vec::new();
    for operation in capture_diff_slices(Algorithm::Myers, &before, &after) {
        if matches!(operation, similar::DiffOp::Equal { .. }) {
            continue;
        }
        let change = place(operation.old_range(), operation.new_range());
        match changes.last_mut() {
            Some(last) if last.before.end == change.before.start && last.after.end == change.after.start => {
                last.before.end = change.before.end;
                last.after.end = change.after.end;
            }
            _ => changes.push(change),
        }
    }
    changes
}

/// Give equal items equal numbers, so that the search compares numbers only.
fn intern<'a, T: Eq + Hash>(ids: &mut HashMap<&'a T, u32>, items: &'a [T]) -> Vec<u32> {
    items
        .iter()
        .map(|item| {
            let next = u32::try_from(ids.len()).expect("fewer items than the limit of the search");
            *ids.entry(item).or_insert(next)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sides_have_no_changes() {
        assert_eq!(changes(&[1, 2, 3], &[1, 2, 3]), []);
        assert_eq!(changes::<u8>(&[], &[]), []);
    }

    #[test]
    fn a_change_has_its_place_on_both_sides() {
        assert_eq!(
            changes(&[1, 2, 3, 4], &[1, 9, 8, 3, 4, 5]),
            [DiffRange { before: 1..2, after: 1..3 }, DiffRange { before: 4..4, after: 5..6 },]
        );
    }

    #[test]
    fn too_long_a_middle_is_replaced_whole() {
        let before: Vec<usize> = (0..MAX_SEARCHED).collect();
        let mut after = before.clone();
        after[1..MAX_SEARCHED - 1].reverse();
        let middle = 1..MAX_SEARCHED - 1;
        assert_eq!(changes(&before, &after), [DiffRange { before: middle.clone(), after: middle }]);
    }
}
