//! The runs of three words of a text, by which two texts are compared.
//!
//! Words are compared in lower case and without the punctuation around them, so that wrapping, list markers and emphasis
//! make no difference. Headings do not count, since templates share them.

use super::terms::LOWER;
use brv_base::content::{FNV_START, fnv, fnv_step};

/// The hashes of the runs, sorted, each once; cut to 32 bits because a tree has millions of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Runs(Box<[u32]>);

impl Runs {
    /// The runs of a body.
    pub fn of(text: &str) -> Self {
        let (mut runs, mut last) = (Vec::with_capacity(text.len() / 6), [None; 2]);
        let mut add = |word| {
            if let [Some(first), Some(second)] = last {
                runs.push(joined([first, second, word]));
            }
            last = [last[1], Some(word)];
        };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            match line.is_ascii() {
                true => ascii_words(line.as_bytes(), &mut add),
                false => line.split_whitespace().filter_map(word).for_each(&mut add),
            }
        }
        runs.sort_unstable();
        runs.dedup();
        Self(runs.into())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The share of these runs that the other text has, 0 to 1.
    pub fn contained_in(&self, other: &Self) -> f64 {
        share(self.common(other), self.len())
    }

    /// The share of the shorter text's runs that the longer one has, 0 to 1.
    pub fn overlap(&self, other: &Self) -> f64 {
        share(self.common(other), self.len().min(other.len()))
    }

    /// The hashes, sorted.
    pub fn hashes(&self) -> &[u32] {
        &self.0
    }

    /// Forget the others.
    pub fn retain(&mut self, mut is_kept: impl FnMut(u32) -> bool) {
        let mut kept = std::mem::take(&mut self.0).into_vec();
        kept.retain(|run| is_kept(*run));
        self.0 = kept.into();
    }

    /// The share of the longer text's runs that both have, 0 to 1.
    pub fn likeness(&self, other: &Self) -> f64 {
        share(self.common(other), self.len().max(other.len()))
    }

    fn common(&self, other: &Self) -> usize {
        common(&self.0, &other.0, |_| true)
    }
}

/// How many hashes two sorted lists have in common, of those that count.
pub fn common(one: &[u32], other: &[u32], counts: impl Fn(u32) -> bool) -> usize {
    let (mut left, mut right, mut found) = (0, 0, 0);
    while let (Some(a), Some(b)) = (one.get(left), other.get(right)) {
        match a.cmp(b) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => {
                found += usize::from(counts(*a));
                left += 1;
                right += 1;
            }
        }
    }
    found
}

/// `0` of nothing.
pub fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn word(text: &str) -> Option<u64> {
    let word = text.trim_matches(|c: char| !c.is_alphanumeric());
    (!word.is_empty()).then(|| fnv(word.to_lowercase().bytes()))
}

/// The hashes of the words of an ASCII text, without the punctuation around each.
fn ascii_words(text: &[u8], mut found: impl FnMut(u64)) {
    // the hash of what was read of a word, and that up to its last letter
    let (mut hash, mut word) = (FNV_START, None);
    for byte in text {
        match LOWER[usize::from(*byte)] {
            // white space as for `split_whitespace`
            0 if matches!(byte, b' ' | b'\t'..=b'\r') => {
                word.take().into_iter().for_each(&mut found);
                hash = FNV_START;
            }
            0 if word.is_none() => {}
            0 => hash = fnv_step(hash, *byte),
            lower => {
                hash = fnv_step(hash, lower);
                word = Some(hash);
            }
        }
    }
    word.into_iter().for_each(found);
}

fn joined(words: [u64; 3]) -> u32 {
    let hash = words
        .iter()
        .fold(7, |run: u64, word| (run.rotate_left(21) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    u32::try_from(hash >> 32).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_of_words_not_of_form() {
        let plain = Runs::of("One two three four five.");
        assert_eq!(plain.len(), 3);
        for text in [
            "# Heading\n\n- **one** two\n  three (four) FIVE",
            "one two three four five",
            "one — two three four: five!",
            "one\u{b}two\u{c}three\tfour\u{a0}five",
        ] {
            assert_eq!(Runs::of(text), plain, "{text}");
        }
        assert!(Runs::of("one two").is_empty());
        assert_eq!(Runs::of("a b c a b c").len(), 3);
    }

    #[test]
    fn shares_are_of_the_one_or_of_the_shorter() {
        let [short, long] = ["a b c d e", "a b c d x y z q r"].map(Runs::of);
        assert_eq!((short.len(), long.len()), (3, 7));
        assert_eq!((short.contained_in(&long), long.contained_in(&short)), (2.0 / 3.0, 2.0 / 7.0));
        assert_eq!((long.overlap(&short), short.overlap(&long)), (2.0 / 3.0, 2.0 / 3.0));
        assert_eq!((long.likeness(&short), short.likeness(&long)), (2.0 / 7.0, 2.0 / 7.0));
        assert_eq!((Runs::default().overlap(&long), Runs::default().contained_in(&long)), (0.0, 0.0));
    }
}
