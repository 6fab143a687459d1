//! Whether a sentence is about tests, or tells how something was tested.

use super::characters::{is_edge, is_space, is_word, run};
use super::scanner::{Border, List, Scanner};
use std::sync::OnceLock;

/// The lists, all for the start of a part of a sentence.
struct TestPhraseLists {
    openings: Scanner,
    things: Scanner,
    reports: Scanner,
}

fn lists() -> &'static TestPhraseLists {
    static LISTS: OnceLock<TestPhraseLists> = OnceLock::new();
    LISTS.get_or_init(|| TestPhraseLists {
        openings: Scanner::new([List::new(0, Border::Finish, include_str!("lists/test_openings.txt"))]),
        things: Scanner::new([List::new(0, Border::Finish, include_str!("lists/test_things.txt"))]),
        reports: Scanner::new([List::new(0, Border::Free, include_str!("lists/test_reports.txt"))]),
    })
}

/// Whether it begins with the name of a test after some openings (and at most two other words), begins with a report, or
/// ends with `pass`.
pub(super) fn is_about_tests(sentence: &str) -> bool {
    begins_with_tests(sentence) || lists().reports.is_at(sentence, 0) || ends_with_pass(sentence)
}

fn begins_with_tests(sentence: &str) -> bool {
    let mut at = 0;
    loop {
        if names_tests(sentence, at) {
            return true;
        }
        let word = at + run(&sentence[at..], |char| !is_word(char));
        let end = word + run(&sentence[word..], is_word);
        let blank = run(&sentence[end..], is_space);
        let is_opening = lists().openings.at(sentence, word).iter().any(|(_, own)| *own == end);
        if blank == 0 || !is_opening {
            return false;
        }
        at = end + blank;
    }
}

/// Whether the name of a test begins at a position, or after one or two words that mention no failure.
fn names_tests(sentence: &str, mut at: usize) -> bool {
    for _ in 0..2 {
        if lists().things.is_at(sentence, at) {
            return true;
        }
        let word = &sentence[at..at + run(&sentence[at..], is_word)];
        let blank = run(&sentence[at + word.len()..], is_space);
        if word.is_empty() || blank == 0 || tells_of_failure(word) {
            return false;
        }
        at += word.len() + blank;
    }
    lists().things.is_at(sentence, at)
}

fn tells_of_failure(word: &str) -> bool {
    ["broke", "fail"]
        .iter()
        .any(|start| word.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start)))
}

fn ends_with_pass(sentence: &str) -> bool {
    let text = sentence.strip_suffix('.').unwrap_or(sentence);
    ["pass", "passes", "passed"].iter().any(|word| {
        let Some(start) = text.len().checked_sub(word.len()) else {
            return false;
        };
        text.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(word)) && is_edge(text, start)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_named_early_or_reported() {
        for text in [
            "Tests for it",
            "Add a unit test.",
            "- added the regression tests",
            "This adds coverage",
            "Verified with x",
            "ran against y",
            "and all of them pass.",
            "It passed",
            "New test cases",
            "The two new fixtures-x",
            "Clippy",
        ] {
            assert!(is_about_tests(text), "{text}");
        }
        for text in [
            "Failing broke tests",
            "It is what the tests do",
            "(one two tests",
            "The broken tests",
            "bypass",
            "A testing ground",
            "Verified, with",
            "",
            "pass it",
            "Add-on three four tests",
        ] {
            assert!(!is_about_tests(text), "{text}");
        }
    }
}
