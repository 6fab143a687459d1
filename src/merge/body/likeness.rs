//! How alike two texts are, in words.

use std::hash::{DefaultHasher, Hash, Hasher};

/// The words of a text without their order.
pub(in crate::merge) struct Bag(Vec<u64>);

impl Bag {
    pub fn of(text: &str) -> Bag {
        let mut words: Vec<u64> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(|word| {
                let mut hasher = DefaultHasher::new();
                word.hash(&mut hasher);
                hasher.finish()
            })
            .collect();
        words.sort_unstable();
        Bag(words)
    }

    /// Dice's coefficient: twice the words in common, over the words of both. 0 to 1; 0 if one has none.
    #[allow(clippy::cast_precision_loss, reason = "counts of words are far below 2^52")]
    pub fn likeness(&self, other: &Bag) -> f64 {
        let (mut left, mut right, mut common) = (0, 0, 0_usize);
        while let (Some(a), Some(b)) = (self.0.get(left), other.0.get(right)) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => left += 1,
                std::cmp::Ordering::Greater => right += 1,
                std::cmp::Ordering::Equal => {
                    common += 1;
                    left += 1;
                    right += 1;
                }
            }
        }
        let all = self.0.len() + other.0.len();
        if common == 0 { 0.0 } else { 2.0 * common as f64 / all as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likeness_counts_words_in_common() {
        let likeness = |a: &str, b: &str| Bag::of(a).likeness(&Bag::of(b));
        assert!((likeness("one two three", "three, two: one") - 1.0).abs() < 1e-9);
        assert!((likeness("one two", "one three") - 0.5).abs() < 1e-9);
        assert_eq!(likeness("", "one"), 0.0);
    }
}
