//! The words of code and of texts about it, as stems: which of them are rare in a code, so that two texts that share
//! some are about one thing.

use crate::words::is_function_word;
use crate::words::stems::{Language, Stems};
use brv_base::content::fnv;
use brv_base::english::list;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The shortest word that tells something, in letters.
const SHORTEST: usize = 4;

/// A word in one of this many files, or in fewer, is rare.
const RARE: usize = 100;

/// A word in as few files is rare in a small code as well.
const FEW: usize = 2;

/// Words of languages, and of every text about code.
static KEYWORDS: list::Set = list::Set::of_words(include_str!("lists/keywords.txt"));

/// Finds the words of texts.
#[derive(Default)]
pub struct Counter {
    stems: Stems,
    files: usize,
    counts: HashMap<u64, usize>,
}

/// The words of a code that are not rare, as hashes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeWords(HashSet<u64>);

impl Counter {
    /// The stems of a text's words that tell something; identifiers are taken apart.
    pub(super) fn words(&mut self, text: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for word in text.split(|char: char| !char.is_alphabetic()) {
            for part in parts(word).filter(|part| part.len() >= SHORTEST) {
                let part = part.to_lowercase();
                if !KEYWORDS.contains(&part) && !is_function_word(&part) {
                    found.insert(self.stems.of(&part, Language::English).to_owned());
                }
            }
        }
        found
    }

    /// Count the words of a file of the code.
    pub fn add(&mut self, text: &str) {
        self.files += 1;
        for word in self.words(text) {
            *self.counts.entry(hash(&word)).or_default() += 1;
        }
    }

    pub fn finish(self) -> CodeWords {
        let is_common = |count: usize| count > FEW && count * RARE >= self.files;
        CodeWords(
            self.counts.into_iter().filter(|(_, count)| is_common(*count)).map(|(word, _)| word).collect(),
        )
    }
}

impl CodeWords {
    pub(super) fn is_rare(&self, stem: &str) -> bool {
        !self.0.contains(&hash(stem))
    }

    /// As they are kept.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    pub fn from_bytes(bytes: &[u8]) -> Self {
        let (words, _) = bytes.as_chunks::<8>();
        Self(words.iter().map(|word| u64::from_le_bytes(*word)).collect())
    }
}

fn hash(word: &str) -> u64 {
    fnv(word.bytes())
}

/// The words that an identifier consists of: `HttpServer`, `maxOpen`.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let mut before = None;
        let end = rest.char_indices().find(|(_, char)| {
            let is_end = char.is_uppercase() && before.is_some_and(char::is_lowercase);
            before = Some(*char);
            is_end
        });
        let (part, behind) = rest.split_at(end.map_or(rest.len(), |(at, _)| at));
        rest = behind;
        (!part.is_empty()).then_some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_stems_of_parts_without_keywords() {
        let words: Vec<String> = Counter::default()
            .words("pub struct StrandedPassengers { max_retries: u32 } // of the ferry")
            .into_iter()
            .collect();
        assert_eq!(words, ["ferri", "passeng", "retri", "strand"]);
    }

    #[test]
    fn what_stands_in_many_files_is_common_and_is_kept_so() {
        let mut counter = Counter::default();
        for at in 0..300 {
            let rare = if at < 2 { "orchids" } else { "plants" };
            let often = if at % 60 == 0 { "dusk" } else { "" };
            counter.add(&format!("{rare} {often}"));
        }
        let words = CodeWords::from_bytes(&counter.finish().to_bytes());
        let is_rare = ["orchid", "plant", "dusk", "fog"].map(|word| words.is_rare(word));
        assert_eq!(is_rare, [true, false, false, true]);
    }
}
