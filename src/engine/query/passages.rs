//! Passages for a model: how many, and how long.

use super::Lines;
use brv_search::Weights;

/// The most characters of all passages together.
pub const MOST_CHARS: usize = 4_000;

/// The most characters of a passage after the first.
pub const MOST_OF_OTHERS: usize = 350;

/// The least that a passage adds, of what the first one is worth.
const LEAST_ADDED: f64 = 0.01;

/// Which of these passages, in their order, are within [`MOST_CHARS`] together and add something: words of the question
/// that the ones before them lack, or have less often. The first one always does.
pub fn adding<'l>(passages: impl IntoIterator<Item = &'l Lines>, weights: &Weights) -> Vec<bool> {
    let (mut left, mut first, mut worth) = (MOST_CHARS, None, 0.0);
    let mut counts: Vec<f64> = Vec::new();
    let adds = |lines: &'l Lines| {
        let with: Vec<f64> = match counts.is_empty() {
            true => lines.counts.clone(),
            false => counts.iter().zip(&lines.counts).map(|(sum, count)| sum + count).collect(),
        };
        let added = weights.worth(&with) - worth;
        let is_little = first.is_some_and(|first| added < LEAST_ADDED * first);
        let Some(rest) = left.checked_sub(lines.text.chars().count()).filter(|_| !is_little) else {
            return false;
        };
        (left, worth, counts) = (rest, worth + added, with);
        first = first.or(Some(added));
        true
    };
    passages.into_iter().map(adds).collect()
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
        let count = |passages: &[Lines]| adding(passages, &weights).iter().filter(|adds| **adds).count();
        assert_eq!(count(&[passage(600, &[1.0, 0.0]), passage(600, &[0.0, 1.0])]), 2);
        assert_eq!(count(&[passage(600, &[1.0, 0.0]), passage(600, &[0.0, 0.0])]), 1);
        assert_eq!(count(&vec![passage(1500, &[1.0, 1.0]); 5]), 2);
        assert!((2..10).contains(&count(&vec![passage(10, &[2.0, 2.0]); 50])));
        let [one, empty] = [passage(600, &[1.0, 0.0]), passage(600, &[0.0, 0.0])];
        assert_eq!(adding([&one, &empty, &passage(600, &[0.0, 1.0])], &weights), [true, false, true]);
        assert_eq!(count(&[]), 0);
    }
}
