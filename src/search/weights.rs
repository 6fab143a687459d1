//! The words of a question with their weights, by which any text can be weighed.
//!
//! Knows neither the index nor documents.

use super::text::language;
use super::text::tokens::{self, TokenKind};
use brv_text::words::stems::{Fnv, Language, Stems};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// What a word counts that only begins as a word of the question does, where that word itself is missing.
const BEGINS: f64 = 0.4;

/// How many letters such a beginning has at least, and how many of the stem's last letters it leaves out at most.
const BEGINNING: (usize, usize) = (4, 2);

/// The words of a question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Weights {
    words: Vec<WeightedWord>,
}

#[derive(Debug, Clone, PartialEq)]
struct WeightedWord {
    /// What stands for it in a text; its own stem is the first.
    terms: Vec<String>,
    /// Its idf; less if only words near to it were found.
    weight: f64,
}

impl Weights {
    /// The weights of words: the terms that stand for each, its own stem first, and its weight.
    pub fn new(words: impl IntoIterator<Item = (Vec<String>, f64)>) -> Self {
        let words = words.into_iter().map(|(terms, weight)| WeightedWord { terms, weight });
        Self { words: words.collect() }
    }

    /// What counts are worth: the weight of each word, the less the more often it was there before.
    pub fn worth(&self, counts: &[f64]) -> f64 {
        self.words.iter().zip(counts).map(|(word, count)| word.weight * count / (count + 1.0)).sum()
    }

    /// What counts the words in the parts of this text.
    pub fn counter(&self, whole: &str) -> WordCounter<'_> {
        let mut numbers: HashMap<&str, Vec<usize>, _> = HashMap::default();
        for (number, word) in self.words.iter().enumerate() {
            word.terms.iter().for_each(|term| numbers.entry(term.as_str()).or_default().push(number));
        }
        let beginnings = self.words.iter().map(|word| beginning(word.terms.first()?)).collect();
        WordCounter { numbers, beginnings, stems: Stems::default(), language: language::language_of(whole) }
    }
}

/// The beginning that a stem has in common with words of its family; `None` if it is too short for that.
fn beginning(stem: &str) -> Option<&str> {
    let letters = stem.chars().count();
    let (fewest, left_out) = BEGINNING;
    let kept = letters.saturating_sub(left_out).max(fewest);
    let end = stem.char_indices().nth(kept).map_or(stem.len(), |(at, _)| at);
    (letters >= fewest).then(|| &stem[..end])
}

/// Counts the words of a question in parts of one text.
pub struct WordCounter<'w> {
    /// For each term the words for which it stands.
    numbers: HashMap<&'w str, Vec<usize>, BuildHasherDefault<Fnv>>,
    beginnings: Vec<Option<&'w str>>,
    stems: Stems,
    language: Language,
}

impl WordCounter<'_> {
    /// How often `text` has each word of the question.
    pub fn counts(&mut self, text: &str) -> Vec<f64> {
        let Self { numbers, beginnings, stems, language } = self;
        let mut counts = vec![0.0; beginnings.len()];
        let mut begins = vec![false; beginnings.len()];
        let mut count = |word: &str| {
            let stem = stems.of(word, *language);
            match numbers.get(stem) {
                Some(own) => own.iter().for_each(|number| counts[*number] += 1.0),
                None => {
                    for (begins, beginning) in begins.iter_mut().zip(&*beginnings) {
                        *begins |= beginning.is_some_and(|beginning| stem.starts_with(beginning));
                    }
                }
            }
        };
        tokens::each(text, |token| {
            if token.kind != TokenKind::Tail {
                count(token.low);
                tokens::parts(token.raw).for_each(|part| count(&tokens::lower(part)));
            }
        });
        let missing = counts.iter_mut().zip(begins).filter(|(count, begins)| *begins && **count == 0.0);
        missing.for_each(|(count, _)| *count = BEGINS);
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_by_their_stems_parts_and_beginnings() {
        let words = ["token", "rotat", "id"].map(|stem| (vec![stem.to_owned()], 2.0));
        let weights = Weights::new(words);
        let mut counter = weights.counter("");
        assert_eq!(counter.counts("Tokens and a tokenId"), [2.0, 0.0, 1.0]);
        assert_eq!(counter.counts("rotor, rotates and rotating"), [0.0, 2.0, 0.0]);
        assert_eq!(counter.counts("a rotator"), [0.0, 1.0, 0.0]);
        assert_eq!(counter.counts("rotas and ideas"), [0.0, BEGINS, 0.0]);
        assert_eq!(weights.worth(&[1.0, 0.0, 3.0]), 1.0 + 1.5);
    }
}
