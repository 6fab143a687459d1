//! Negations: whether a text negates, and what it is about.
//!
//! Knows the words of a few languages; a negation in another one is an ordinary word.

use brv_base::english::list;
use std::collections::BTreeSet;

/// Words that negate what they stand beside.
static NEGATIONS: list::Set = list::Set::of_words(include_str!("lists/negations.txt"));

/// Whether a word in lower case negates.
pub(super) fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(word) || word.ends_with("n't") || word.ends_with("n’t") || word.starts_with("non-")
}

pub(super) fn has_negation(text: &str) -> bool {
    let word = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    text.split_whitespace().any(|written| is_negation(&word(written)))
}

/// The terms of a text but for those that negate.
pub(super) fn content_words(text: &str) -> BTreeSet<u64> {
    let kept = text.split_whitespace().filter(|word| !has_negation(word));
    kept.flat_map(crate::words::terms_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negation_is_known_in_any_case_and_its_words_are_left_out() {
        assert!(has_negation("Never log tokens.") && has_negation("Don’t") && !has_negation("Log tokens."));
        assert_eq!(content_words("Don't log tokens"), content_words("log tokens"));
    }
}
