//! Sort short lists: one copy of the algorithm for all types of items.
//!
//! The sorts of the standard library are compiled anew for each type and order, several kilobytes each time. They are
//! faster, so they stay where lists are long.

use std::cmp::Ordering;

/// As [`slice::sort`].
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, Ord::cmp);
}

/// As [`slice::sort_by_key`].
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |one, other| key(one).cmp(&key(other)));
}

/// As [`slice::sort_by`].
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    for (one, other) in swaps(items.len(), &|one, other| compare(&items[one], &items[other])) {
        items.swap(one, other);
    }
}

/// The swaps that bring so many items into order, one after the other; equal items keep their order.
fn swaps(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|one, other| compare(*one, *other));
    // where the item belongs that is at each place now
    let mut places = vec![0; count];
    order.into_iter().enumerate().for_each(|(to, from)| places[from] = to);
    let mut swaps = Vec::new();
    for at in 0..count {
        while places[at] != at {
            let to = places[at];
            swaps.push((at, to));
            places.swap(at, to);
        }
    }
    swaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn items_come_into_the_order_of_the_standard_library(items in prop::collection::vec((0u8..5, any::<u8>()), 0..60)) {
            let (mut own, mut std) = (items.clone(), items);
            sort_by_key(&mut own, |(key, _)| *key);
            std.sort_by_key(|(key, _)| *key);
            prop_assert_eq!(&own, &std);
            sort(&mut own);
            std.sort();
            prop_assert_eq!(own, std);
        }
    }
}
