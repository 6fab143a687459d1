//! A sentence in the words of another one that says something else: two numbers or names change places, or one word is its
//! opposite.

use super::opposites::are_opposed;

/// A word of a sentence, in lower case but for code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Word {
    text: String,
    /// Whether it is a number, code, or written with a capital.
    is_slot: bool,
}

/// Marks around a word that do not tell it from another one.
const AROUND: [char; 19] =
    ['.', ',', ';', ':', '!', '?', '"', '\'', '(', ')', '[', ']', '“', '”', '*', '|', '—', '–', '_'];

/// Words between the items of a list in a sentence.
const BETWEEN: [&str; 6] = ["and", "or", "und", "oder", "&", "+"];

/// The words of a text in their order; a code span is one.
pub fn in_order(text: &str) -> Vec<Word> {
    let mut is_code = false;
    let mut words: Vec<Word> = Vec::new();
    for written in text.split_whitespace() {
        let bare = written.trim_matches(AROUND);
        let has_code = is_code || bare.contains('`');
        match words.last_mut().filter(|_| is_code) {
            Some(last) => last.text.extend([" ", bare]),
            None if bare.is_empty() => {}
            None => words.push(Word {
                text: if has_code { bare.to_owned() } else { bare.to_lowercase() },
                is_slot: has_code || bare.contains(|c: char| c.is_ascii_digit() || c.is_uppercase()),
            }),
        }
        is_code ^= written.matches('`').count() % 2 == 1;
    }
    words
}

/// Whether two sentences have the same words, but for numbers or names that changed places or one word that is the opposite.
pub fn are_turned(one: &[Word], other: &[Word]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let pairs = || one.iter().zip(other).enumerate().filter(|(_, (own, other))| own.text != other.text);
    let differing: Vec<usize> = pairs().map(|(at, _)| at).collect();
    match differing[..] {
        [] => false,
        [at] => are_opposed(&one[at].text, &other[at].text),
        [first, .., last] => {
            let are_slots = pairs().all(|(_, (own, other))| own.is_slot || other.is_slot);
            are_slots && have_same(one, other, &differing) && !is_listing(one, first..=last)
        }
    }
}

/// Whether both have the same words at these places, in whatever order.
fn have_same(one: &[Word], other: &[Word], places: &[usize]) -> bool {
    let sorted = |words: &[Word]| {
        let mut found: Vec<String> = places.iter().map(|at| words[*at].text.clone()).collect();
        found.sort();
        found
    };
    sorted(one) == sorted(other)
}

/// Whether these words only list names, in whatever order: `Kafka, Redis and Postgres`.
fn is_listing(words: &[Word], span: std::ops::RangeInclusive<usize>) -> bool {
    let is_item = |word: &Word| word.is_slot && !word.text.starts_with(|c: char| c.is_ascii_digit());
    let is_free = |word: &Word| is_item(word) || BETWEEN.contains(&word.text.as_str());
    words[span].iter().all(is_free) && !words.iter().any(|word| word.text == "respectively")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(one: &str, other: &str) -> bool {
        are_turned(&in_order(one), &in_order(other))
    }

    #[test]
    fn numbers_and_names_that_change_places_turn_a_sentence() {
        for (one, other) in [
            ("It waits 30 s, then 60 s.", "It waits 60 s, then 30 s."),
            ("Anna owns payments and Bert owns search.", "Bert owns payments and Anna owns search."),
            ("Set `a` before `b`.", "Set `b` before `a`."),
            ("Run `make ship` after `make test`.", "Run `make test` after `make ship`."),
            (
                "Kafka and Redis hold jobs and logs respectively.",
                "Redis and Kafka hold jobs and logs respectively.",
            ),
            ("Both limits are 30 and 60.", "Both limits are 60 and 30."),
        ] {
            assert!(turned(one, other), "{one}");
        }
        for (one, other) in [
            ("It waits 30 s.", "It **waits** 30 s"),
            ("It waits 30 s, then 60 s.", "It waits 30 s, then 90 s."),
            ("Kafka, Redis and Postgres run.", "Postgres, Kafka and Redis run."),
            ("The queue and the cache are full.", "The cache and the queue are full."),
        ] {
            assert!(!turned(one, other), "{one}");
        }
    }

    #[test]
    fn one_word_turns_a_sentence() {
        for (one, other) in [
            ("must", "may"),
            ("fails", "succeeds"),
            ("forbidden", "permitted"),
            ("forbidden", "allowed"),
            ("when", "unless"),
            ("before", "after"),
            ("always", "sometimes"),
            ("at least", "at most"),
            ("minimum", "maximum"),
            ("enabled", "disabled"),
            ("increase", "decrease"),
        ] {
            let [one, other] = [one, other].map(|word| format!("The job {word} here."));
            assert!(turned(&one, &other) && turned(&other, &one), "{one}");
        }
        assert!(!turned("The job may run.", "The job can run.") && !turned("It runs when.", "It runs if."));
    }
}
