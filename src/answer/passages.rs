//! Passages for a model: how many, and how long.

use super::Lines;
use crate::search::Weights;

/// The most characters of all passages together.
pub const MOST_CHARS: usize = 4_000;

/// The least that a passage adds, of what the first one is worth.
const LEAST_ADDED: f64 = 0.05;

/// How many of these passages, in their order, are within [`MOST_CHARS`] together and add something: words of the question
/// that the ones before them lack, or have less often. The first one always counts.
pub fn adding<'l>(passages: impl IntoIterator<Item = &'l Lines>, weights: &Weights) -> usize {
    let (mut left, mut count, mut first) = (MOST_CHARS, 0, 0.0);
    let mut counts: Vec<f64> = Vec::new();
    for lines in passages {
        let before = weights.worth(&counts);
        counts.resize(lines.counts.len(), 0.0);
        counts.iter_mut().zip(&lines.counts).for_each(|(sum, count)| *sum += count);
        let added = weights.worth(&counts) - before;
        let rest = left.checked_sub(lines.text.chars().count());
        match rest.filter(|_| count == 0 || added >= LEAST_ADDED * first) {
            Some(rest) => left = rest,
            None => break,
        }
        first = if count == 0 { added } else { first };
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(chars: usize, counts: &[f64]) -> Lines {
        Lines { line: 1, text: "x".repeat(chars), is_whole: true, counts: counts.to_vec() }
    }

    #[test]
    fn passages_end_where_the_room_or_the_gain_does() {
        let weights = Weights::new([(vec!["key".to_owned()], 2.0), (vec!["night".to_owned()], 3.0)]);
        let count = |passages: &[Lines]| adding(passages, &weights);
        assert_eq!(count(&[passage(600, &[1.0, 0.0]), passage(600, &[0.0, 1.0])]), 2);
        assert_eq!(count(&[passage(600, &[1.0, 0.0]), passage(600, &[0.0, 0.0])]), 1);
        assert_eq!(count(&vec![passage(1500, &[1.0, 1.0]); 5]), 2);
        assert_eq!(count(&vec![passage(10, &[2.0, 2.0]); 50]), 3);
        assert_eq!(count(&[]), 0);
    }
}
