//! From text to terms: words, their language, stems, function words, words that ask, dates.
//!
//! Pure. A text and a question pass through the same functions, so that equal words become equal terms.

pub mod asking;
pub mod common;
pub mod dates;
pub mod folding;
pub mod language;
pub mod stems;
pub mod stop_words;
pub mod synonyms;
pub mod tokens;
pub mod typing;

use std::hash::Hasher;

use crate::content::fnv;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    English,
    German,
    French,
    Spanish,
    Portuguese,
    Russian,
}

impl Language {
    /// All of them, by number.
    pub const ALL: [Self; 6] =
        [Self::English, Self::German, Self::French, Self::Spanish, Self::Portuguese, Self::Russian];

    /// The language of this number; English for a number without one.
    pub fn from_number(number: u8) -> Self {
        Self::ALL.get(usize::from(number)).copied().unwrap_or(Self::English)
    }
}

/// FNV-1a: words are short, and nobody gains by making them collide here.
#[derive(Default)]
pub struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = self.0.rotate_left(5) ^ fnv(bytes.iter().copied());
    }
}

/// The stem of a word in lower case, by the rules of English: the form in which questions are compared.
pub fn stem(word: &str) -> String {
    stems::Stems::new().of(word, Language::English).to_owned()
}
