//! Function words of the six languages: they show a text's language, and carry no meaning in a question.
//!
//! Negations of English are among them because ranking gains nothing from `not`; whether two questions mean the same is
//! decided elsewhere, with other lists. Texts are indexed with all their words, so that a question of nothing but
//! function words still finds what has them. Comparing texts ([`brv_text::words`]) needs no languages, and has a list of its
//! own.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::OnceLock;

use brv_base::english::list;
use brv_text::words::stems::{Fnv, Language};

/// The languages in which a word (in lower case) is a function word, as bits by the numbers of [`Language::ALL`].
pub fn languages(word: &str) -> u8 {
    static WORDS: OnceLock<HashMap<&str, u8, BuildHasherDefault<Fnv>>> = OnceLock::new();
    let words = WORDS.get_or_init(|| {
        let mut words: HashMap<_, u8, _> = HashMap::default();
        for (number, list) in LISTS.iter().enumerate() {
            for word in list.iter() {
                *words.entry(word).or_default() |= 1 << number;
            }
        }
        words
    });
    words.get(word).copied().unwrap_or(0)
}

/// Whether a word (in lower case) is a function word of this language.
pub fn contains(word: &str, language: Language) -> bool {
    languages(word) >> (language as u8) & 1 == 1
}

/// By the numbers of [`Language::ALL`]. English also has the verbs with which one asks (`describe`, `explain`).
static LISTS: [list::Set; 6] = [
    list::Set::of_words(include_str!("lists/stop_words_english.txt")),
    list::Set::of_words(include_str!("lists/stop_words_german.txt")),
    list::Set::of_words(include_str!("lists/stop_words_french.txt")),
    list::Set::of_words(include_str!("lists/stop_words_spanish.txt")),
    list::Set::of_words(include_str!("lists/stop_words_portuguese.txt")),
    list::Set::of_words(include_str!("lists/stop_words_russian.txt")),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_knows_its_languages() {
        assert!(contains("the", Language::English) && !contains("the", Language::German));
        assert!(contains("für", Language::German) && contains("чтобы", Language::Russian));
        assert_eq!(languages("token"), 0);
        assert_eq!(languages("que"), 0b01_1100);
    }
}
