//! Divide limited room fairly between lists of different lengths.
//!
//! Knows neither the content of the lists nor the size of a place.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(super) struct ShareList {
    pub size: u64,
    /// The maximum number of places it can use.
    pub places: usize,
    /// Whether it gets its first place before all shares.
    pub first: bool,
}

/// Hand out places one by one, and return how many each list has: the next goes to the list with the greatest
/// `size / (had + 1)²`, the first of equals, so that a list four times as long gets twice as many. A list whose next
/// `take(list, had)` finds no room gets no more.
///
/// Source: a highest averages method (as D'Hondt's) over the square roots of the sizes; proportional shares would leave
/// small folders with nothing.
pub(super) fn shares(lists: Vec<ShareList>, mut take: impl FnMut(usize, usize) -> bool) -> Vec<usize> {
    let claim = |at: usize, had: usize| {
        let list = &lists[at];
        let quotient = (list.size.min(1 << 32) << 24) / ((had + 1) * (had + 1)) as u64;
        (if list.first && had == 0 { u64::MAX } else { quotient }, Reverse(at))
    };
    let mut given = vec![0; lists.len()];
    let mut claims: BinaryHeap<_> =
        (0..lists.len()).filter(|at| lists[*at].places > 0).map(|at| claim(at, 0)).collect();
    while let Some((_, Reverse(at))) = claims.pop() {
        if take(at, given[at]) {
            given[at] += 1;
            if given[at] < lists[at].places {
                claims.push(claim(at, given[at]));
            }
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_times_as_long_is_twice_as_many_and_the_first_of_equals_comes_first() {
        let list = |size, first| ShareList { size, places: 100, first };
        let given = |lists: Vec<ShareList>, room: usize| {
            let mut left = room;
            shares(lists, |_, _| {
                let fits = left > 0;
                left -= usize::from(fits);
                fits
            })
        };
        assert_eq!(given(vec![list(40, false), list(10, false)], 9), [6, 3]);
        assert_eq!(given(vec![list(5, false), list(5, false)], 1), [1, 0]);
        assert_eq!(given(vec![list(900, true), list(1, true), list(1, true)], 4), [2, 1, 1]);
    }
}
