//! Whether two questions are the same, or nearly.

use brv_base::english::list;
use brv_search::asks_a_measure;
use md5::{Digest as _, Md5};
use std::collections::BTreeSet;
use unicode_segmentation::UnicodeSegmentation as _;

/// The least share of common words: the sources' threshold for the fuzzy cache.
const ALIKE: f64 = 0.6;

/// Words without which a question means the same. Question words, negations and words of order, place or
/// quantity (`who`, `not`, `before`, `all`) are not among them: they decide what the question is about.
static LIGHT: list::Set = list::Set::of_words(include_str!("lists/light_words.txt"));

/// A question in the form in which questions are compared: lower case, single spaces, no control characters, no mark at
/// its end.
pub fn normal(question: &str) -> String {
    let lower = question.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    words.join(" ").trim_end_matches(['?', '!', '.', ' ']).to_owned()
}

/// The key of a [`normal`] question asked with these options: an MD5 in hex, as the sources name it. It protects
/// nothing.
pub fn key(normal: &str, options: &str) -> String {
    let digest = Md5::new().chain_update(options).chain_update([0]).chain_update(normal).finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A longer question, in bytes, is a log or a text that somebody pasted: it is like no other.
pub const LONGEST: usize = 1_000;

/// A [`normal`] question, ready to be compared with many others.
pub struct Likeness<'a> {
    question: &'a str,
    stem: &'a dyn Fn(&str) -> String,
    light: BTreeSet<String>,
    stems: BTreeSet<String>,
    heavy: Vec<String>,
}

impl<'a> Likeness<'a> {
    /// `None`: it is like no other. One with a `"phrase"` is so, and a long one.
    pub fn of(question: &'a str, stem: &'a dyn Fn(&str) -> String) -> Option<Self> {
        if question.len() > LONGEST || question.contains('"') {
            return None;
        }
        let light = LIGHT.iter().map(stem).collect();
        let all: Vec<String> = words(question).map(stem).collect();
        let (stems, heavy) = (all.iter().cloned().collect(), heavy(all, &light));
        Some(Self { question, stem, light, stems, heavy })
    }

    /// Whether an answer to the other question is an answer to this one: they have at least 0.6 of their words in common
    /// (Jaccard), differ in nothing but light words and inflections, and have the other words in one order, and the same
    /// signs (`C#`, `!=`).
    pub fn is_like(&self, other: &str) -> bool {
        if other.len() > LONGEST || other.contains('"') || !signs(self.question).eq(signs(other)) {
            return false;
        }
        let theirs: Vec<String> = words(other).map(self.stem).collect();
        let set: BTreeSet<String> = theirs.iter().cloned().collect();
        let common = self.stems.intersection(&set).count();
        let all = self.stems.union(&set).count();
        all > 0
            && common as f64 >= ALIKE * all as f64
            && self.stems.symmetric_difference(&set).all(|word| self.light.contains(word))
            && self.heavy == heavy(theirs, &self.light)
    }
}

/// The stems that are not light, in order.
fn heavy(mut stems: Vec<String>, light: &BTreeSet<String>) -> Vec<String> {
    stems.retain(|stem| !light.contains(stem));
    stems
}

/// Whether a [`normal`] question asks for more than one fact can say: a time, a reason or a way.
pub fn asks_for_more(normal: &str) -> bool {
    let mut words = words(normal);
    match words.next() {
        Some("when" | "why") => true,
        Some("how") => {
            words.next().is_none_or(|word| !matches!(word, "many" | "much") && !asks_a_measure(word))
        }
        _ => false,
    }
}

/// Whether a [`normal`] question asks for a text and nothing else: both have the same words, light words and `what`, `which`
/// and `who` left out.
pub fn asks_for(normal: &str, text: &str, stem: &dyn Fn(&str) -> String) -> bool {
    let is_heavy = |word: &&str| !LIGHT.contains(word) && !matches!(*word, "what" | "which" | "who");
    let lower = text.to_lowercase();
    let asked: BTreeSet<String> = words(normal).filter(is_heavy).map(stem).collect();
    let named: BTreeSet<String> = words(&lower).filter(is_heavy).map(stem).collect();
    !named.is_empty() && asked == named
}

/// Whether a [`normal`] question has every word of a text that is not light, by their stems.
pub fn has_words_of(normal: &str, text: &str, stem: &dyn Fn(&str) -> String) -> bool {
    let asked: BTreeSet<String> = words(normal).map(stem).collect();
    let lower = text.to_lowercase();
    let mut needed = words(&lower).filter(|word| !LIGHT.contains(word));
    needed.all(|word| asked.contains(&stem(word)))
}

/// The words of a text, those of `snake_case` apart; characters of scripts without spaces are words.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.unicode_words().flat_map(|word| word.split('_')).filter(|word| !word.is_empty())
}

/// The signs of a text that are not punctuation of a sentence.
fn signs(text: &str) -> impl Iterator<Item = char> {
    let is_sign = |c: &char| !c.is_alphanumeric() && !c.is_whitespace() && !".,;:?!'\"’“”„()_-".contains(*c);
    text.chars().filter(is_sign)
}

/// Whether a text has every name of a question that ends in signs which a search does not see, such as `C#` or `C++`.
pub fn has_signed_names(question: &str, text: &str) -> bool {
    let lower = text.to_lowercase();
    let question = question.to_lowercase();
    let mut signed = question
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| ".,;:?!'\"()".contains(c)))
        .filter(|word| word.starts_with(char::is_alphanumeric) && word.ends_with(['#', '+']));
    signed.all(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stem(word: &str) -> String {
        word.trim_end_matches('s').to_owned()
    }

    fn is_alike(one: &str, other: &str) -> bool {
        Likeness::of(one, &stem).is_some_and(|one| one.is_like(other))
    }

    #[test]
    fn light_words_are_sorted_once() {}

    #[test]
    fn spelling_blanks_and_marks_make_no_other_question() {
        assert_eq!(normal("  How long\tdo Tokens live?? "), "how long do tokens live");
        assert_eq!(key("a", ""), key("a", ""));
        assert_ne!(key("a", ""), key("a", "auth"));
        assert_eq!(key("a", "").len(), 32);
    }

    #[test]
    fn light_words_and_inflections_make_no_other_question() {
        for (one, other) in [
            ("how long do access tokens live", "how long does an access token live"),
            ("what is the retry limit", "what is our retry limit"),
            ("which database do we use in production", "which databases did we use in production"),
        ] {
            assert!(is_alike(one, other), "{one} | {other}");
        }
        assert!(is_alike("how long do tokens live", "how long do tokens live"));
    }

    #[test]
    fn a_long_text_is_like_no_other_and_no_word_of_it_is_looked_at() {
        let long = "tokens ".repeat(3_000);
        let count = std::cell::Cell::new(0);
        let counting = |word: &str| {
            count.set(count.get() + 1);
            stem(word)
        };
        assert!(Likeness::of(&long, &counting).is_none());
        let short = Likeness::of("how long do tokens live", &counting).unwrap();
        let before = count.get();
        assert!(before <= LIGHT.iter().count() + 5 && !short.is_like(&long));
        assert!(short.is_like("how long does token live"));
        assert_eq!(count.get() - before, 5);
    }

    #[test]
    fn signs_of_names_must_be_in_an_answer() {
        assert!(has_signed_names("Which style does C# follow?", "c# follows ours"));
        assert!(!has_signed_names("Which style does C# follow?", "C++ follows theirs"));
        assert!(has_signed_names("Why + how?", "because"));
    }

    #[test]
    fn a_word_that_decides_makes_another_question() {
        for (one, other) in [
            ("when do we rotate the signing keys", "why do we rotate the signing keys"),
            ("may agents push to the main branch", "may agents not push to the main branch"),
            ("what runs before the nightly backup job", "what runs after the nightly backup job"),
            ("how long do access tokens live", "how long do refresh tokens live"),
            ("does the parser call the lexer", "does the lexer call the parser"),
            ("which style does c# code follow", "which style does c++ code follow"),
            ("rotate \"signing keys\"", "rotate \"signing keys\""),
            ("", ""),
        ] {
            assert!(!is_alike(one, other), "{one} | {other}");
        }
    }
}
