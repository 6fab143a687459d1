//! The words of a text that carry meaning.

use super::super::negations::has_negation;
use crate::words::stems::{Language, Stems};
use crate::words::{is_function_word, is_unspaced, terms_of};
use brv_base::content::fnv;
use std::collections::BTreeSet;

/// The words of a text that carry meaning, by their stems.
pub type StemSet = BTreeSet<u64>;

pub fn words(text: &str, stems: &mut Stems) -> StemSet {
    let mut found = StemSet::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’') {
        let word = word.trim_matches(['\'', '’']).to_lowercase();
        if word.contains(is_unspaced) {
            found.extend(terms_of(&word));
            continue;
        }
        let is_short = word.chars().count() < 2 && !word.contains(|c: char| c.is_ascii_digit());
        if !is_short && !is_function_word(&word) && !has_negation(&word) {
            found.insert(fnv(stems.of(&word, Language::English).bytes()));
        }
    }
    found
}
