//! What a sentence denies: the words of each clause with a negation, and the one that the negation is about.

use super::super::negations::{has_negation, is_negation};
use super::stemmed::{StemSet, words};
use crate::words::stems::Stems;
use brv_base::english::list;

/// A clause that negates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    pub words: StemSet,
    /// The first word with a meaning behind the negation. What does not have it does not say the opposite.
    denied: Option<u64>,
}

/// Turns that have the word of a negation and deny nothing.
static AFFIRMING: list::Set = list::Set::of_lines(include_str!("lists/affirming.txt"));

/// Words behind a negation that only say how far it goes, beside adverbs in `-ly`.
const DEGREES: [&str; 8] = ["longer", "always", "even", "yet", "also", "quite", "just", "very"];

/// The beginnings of words that deny something, though they are not negations.
static WARY: list::Set = list::Set::of_words(include_str!("lists/wary.txt"));

impl Clause {
    /// All of a statement that stands below a label that denies.
    pub const fn below_denial(words: StemSet) -> Self {
        Self { words, denied: None }
    }

    fn of(text: &str, stems: &mut Stems) -> Self {
        Self { words: words(text, stems), denied: denied(text, stems) }
    }

    /// Whether words without a negation can say the opposite of it.
    pub fn is_about(&self, affirmed: &StemSet) -> bool {
        self.denied.is_none_or(|word| affirmed.contains(&word))
    }
}

/// The clauses of a text that negate.
pub fn negated(text: &str, stems: &mut Stems) -> Vec<Clause> {
    let mut plain = format!(" {} ", text.to_lowercase());
    for turn in AFFIRMING.iter() {
        if plain.contains(turn) {
            plain = plain.replace(&format!(" {turn} "), " ");
        }
    }
    let clauses = plain.split([',', ';', ':', '—', '|', '(']);
    let clauses = clauses.flat_map(|clause| clause.split(" but ")).flat_map(|clause| clause.split(" and "));
    clauses.filter(|clause| has_negation(clause)).map(|clause| Clause::of(clause, stems)).collect()
}

/// Whether a word of a text denies something without a negation.
pub fn is_wary(text: &str) -> bool {
    let mut words = text.split_whitespace().map(str::to_lowercase);
    words.any(|word| WARY.iter().any(|start| word.starts_with(start)))
}

fn denied(clause: &str, stems: &mut Stems) -> Option<u64> {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let mut behind = clause.split_whitespace().map(bare).skip_while(|word| !is_negation(word));
    let negation = behind.next()?;
    let own = negation.strip_prefix("non-").map(str::to_owned);
    let counts = |word: &String| !word.ends_with("ly") && !DEGREES.contains(&word.as_str());
    own.into_iter().chain(behind.filter(counts)).find_map(|word| words(&word, stems).first().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(text: &str, affirmed: &str) -> Vec<bool> {
        let mut stems = Stems::default();
        let affirmed = words(affirmed, &mut stems);
        negated(text, &mut stems).iter().map(|clause| clause.is_about(&affirmed)).collect()
    }

    #[test]
    fn a_negation_is_about_the_word_behind_it() {
        assert_eq!(about("Symbolic links aren't followed.", "The file is behind a symbolic link."), [false]);
        assert_eq!(about("Symbolic links aren't followed.", "It follows a symbolic link."), [true]);
        assert_eq!(about("It no longer retries jobs, as it is non-blocking.", "retries jobs"), [true, false]);
        assert_eq!(about("Aufträge wiederholt er nicht.", "anderes"), [true]);
    }

    #[test]
    fn a_turn_with_a_negation_in_it_may_deny_nothing() {
        for text in ["Not only is it slow, it fails.", "No doubt it is slow.", "Das ist nicht nur langsam."] {
            assert_eq!(about(text, "slow"), [true; 0], "{text}");
        }
        assert_eq!(about("It is not slow.", "slow"), [true]);
        assert!(is_wary("Some are left out.") && is_wary("Das geht nur nachts.") && !is_wary("It is slow."));
    }
}
