//! Bags of words: the words of a text without their order, to measure the similarity of two texts.

use brv_base::content::fnv;

/// The words of a text, as sorted hashes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Bag(Vec<u64>);

impl Bag {
    pub(crate) fn of<'a>(words: impl IntoIterator<Item = &'a str>) -> Bag {
        let mut hashes: Vec<u64> = words.into_iter().map(|word| fnv(word.bytes())).collect();
        hashes.sort_unstable();
        Bag(hashes)
    }

    /// The bag of a text's runs of letters and digits.
    pub(crate) fn of_text(text: &str) -> Bag {
        Bag::of(text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Twice the words in common, over the words of both: 0 to 1.
    pub(crate) fn likeness(&self, other: &Bag) -> f64 {
        likeness(&self.0, &other.0)
    }

    pub(crate) fn distinct(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.chunk_by(|left, right| left == right).map(|run| run[0])
    }
}

/// Dice's coefficient of two sorted bags: twice the common words over all words; 0 when a side has none.
pub(super) fn likeness<T: Ord>(before: &[T], after: &[T]) -> f64 {
    let (mut b, mut a, mut common) = (0, 0, 0u32);
    while let (Some(left), Some(right)) = (before.get(b), after.get(a)) {
        match left.cmp(right) {
            std::cmp::Ordering::Less => b += 1,
            std::cmp::Ordering::Greater => a += 1,
            std::cmp::Ordering::Equal => {
                common += 1;
                b += 1;
                a += 1;
            }
        }
    }
    let all = before.len() + after.len();
    if all == 0 { 0.0 } else { 2.0 * f64::from(common) / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likeness_counts_words_in_common() {
        let likeness = |a: &str, b: &str| Bag::of_text(a).likeness(&Bag::of_text(b));
        assert!((likeness("one two three", "three, two: one") - 1.0).abs() < 1e-9);
        assert!((likeness("one two", "one three") - 0.5).abs() < 1e-9);
        assert_eq!(likeness("", "one"), 0.0);
    }
}
