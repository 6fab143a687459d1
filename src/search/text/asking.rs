//! Words that only say what kind of answer is wanted: `how many`, `wie viele`, `cuánto`, `多少`.
//!
//! The answer is a number, a name or a reason, and rarely has these words. Function words that ask (`what`, `wann`) stand
//! in [`super::stop_words`] with the others of their language; those here count for nothing in a question of any language,
//! because no other language has them as words with a meaning.

use std::borrow::Cow;

use brv_base::english::list;
use brv_text::words::is_unspaced;

/// What `how` asks the measure of. The answer is a measure, and rarely has these words.
static MEASURES: list::Set = list::Set::of_words(include_str!("lists/measures.txt"));

/// The same after German `wie`.
static GERMAN_MEASURES: list::Set = list::Set::of_words(include_str!("lists/german_measures.txt"));

/// Words that ask for a number by themselves.
static NUMBERS: list::Set = list::Set::of_words(include_str!("lists/asking_numbers.txt"));

/// Words that ask in scripts without spaces. The verb beside one is taken with it, so that no pair of it and the next word
/// is left.
static UNSPACED: list::Set = list::Set::of_words(include_str!("lists/asking_unspaced.txt"));

/// Whether `how` with this word after it (in lower case) asks for a measure.
pub fn asks_a_measure(word: &str) -> bool {
    MEASURES.contains(word)
}

/// What a word is for the meaning of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordRole {
    /// It says what the question is about.
    Content,
    /// It names what is measured (`how long`): it counts where something has it.
    Measure,
    /// It asks for a number (`how many`), and counts for nothing.
    Number,
}

/// The part of a word after another, both in lower case.
pub fn part(before: &str, word: &str) -> WordRole {
    match (before, word) {
        _ if NUMBERS.contains(word) => WordRole::Number,
        ("how", "many" | "much" | "few" | "little") => WordRole::Number,
        ("wie", "viel" | "viele" | "vielen" | "vieler") => WordRole::Number,
        ("how", word) if asks_a_measure(word) => WordRole::Measure,
        ("wie", word) if GERMAN_MEASURES.contains(word) => WordRole::Measure,
        _ => WordRole::Content,
    }
}

/// A question with blanks in place of the words that ask in scripts without spaces.
pub fn without_asking(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unspaced) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let asking = UNSPACED.iter().filter(|word| rest.starts_with(*word)).map(|word| word.len()).max();
        match asking.filter(|_| is_unspaced(c)) {
            Some(length) => {
                kept.push(' ');
                rest = &rest[length..];
            }
            None => {
                kept.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    Cow::Owned(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_asks_for_a_number_is_no_content() {
        for (before, word) in [
            ("how", "many"),
            ("wie", "viele"),
            ("", "cuánto"),
            ("", "combien"),
            ("", "сколько"),
            ("", "quantos"),
        ] {
            assert_eq!(part(before, word), WordRole::Number, "{before} {word}");
        }
        for (before, word, expected) in [
            ("how", "long", WordRole::Measure),
            ("wie", "lange", WordRole::Measure),
            ("too", "many", WordRole::Content),
            ("so", "long", WordRole::Content),
        ] {
            assert_eq!(part(before, word), expected, "{before} {word}");
        }
    }

    #[test]
    fn words_that_ask_leave_no_pairs() {
        assert_eq!(without_asking("令牌有效期是多少？"), "令牌有效期 ？");
        assert_eq!(without_asking("什么是令牌"), " 令牌");
        assert_eq!(without_asking("トークンの期限は何ですか"), "トークンの期限 ");
        assert_eq!(without_asking("how many"), "how many");
        // geometry and "any" only look like them
        assert_eq!(without_asking("几何 任何 幾何学"), "几何 任何 幾何学");
    }
}
