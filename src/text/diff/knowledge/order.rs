//! Find items that kept their order, and list both sides in one order.
//!
//! Knows positions only.

/// A row of the combined list: an item of the side after, or one that only the side before has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CombinedRow {
    After(usize),
    Before(usize),
}

/// The items of the side after in order; each item of the side before without a partner comes after the partner of its
/// predecessor. `partners`: for each item before, the one after.
pub(super) fn together(partners: &[Option<usize>], after: usize) -> Vec<CombinedRow> {
    let mut behind: Vec<Vec<usize>> = vec![Vec::new(); after + 1];
    let mut anchor = 0;
    for (place, partner) in partners.iter().enumerate() {
        match partner {
            Some(partner) => anchor = partner + 1,
            None => behind[anchor].push(place),
        }
    }
    let mut rows: Vec<CombinedRow> = behind[0].iter().copied().map(CombinedRow::Before).collect();
    for (place, gone) in behind[1..].iter().enumerate() {
        rows.push(CombinedRow::After(place));
        rows.extend(gone.iter().copied().map(CombinedRow::Before));
    }
    rows
}

/// Whether each item belongs to a longest increasing run of numbers: the others have moved.
pub(super) fn in_order(numbers: &[usize]) -> Vec<bool> {
    // ends[n]: the position of the smallest number that ends a run of n + 1
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(numbers.len());
    for (place, number) in numbers.iter().enumerate() {
        let length = ends.partition_point(|end| numbers[*end] < *number);
        previous.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = place,
            None => ends.push(place),
        }
    }
    let mut kept = vec![false; numbers.len()];
    let mut at = ends.last().copied();
    while let Some(place) = at {
        kept[place] = true;
        at = previous[place];
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gone_stands_where_it_was() {
        use CombinedRow::{After, Before};
        assert_eq!(
            together(&[None, Some(1), None, None], 3),
            [Before(0), After(0), After(1), Before(2), Before(3), After(2)]
        );
        assert_eq!(together(&[], 1), [After(0)]);
    }

    #[test]
    fn the_fewest_are_said_to_have_moved() {
        assert_eq!(in_order(&[3, 0, 1, 2]), [false, true, true, true]);
        assert_eq!(in_order(&[0, 1, 5, 2]), [true, true, false, true]);
        assert_eq!(in_order(&[]), [false; 0]);
    }
}
