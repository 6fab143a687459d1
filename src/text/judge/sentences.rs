//! The sentences of a text.

use super::characters::{before, is_space, is_word};
use brv_base::english::list;

/// The words after which a full stop ends no sentence. A capital alone is none, either.
static ABBREVIATIONS: list::Set = list::Set::of_words(include_str!("lists/abbreviations.txt"));

/// The sentences of a text on one line. One ends at `.`, `!` or `?` (and what closes quotes and brackets) before a blank
/// and a capital, a digit, a quote or a code span, but not in a code span, nor after an abbreviation.
pub fn sentences(text: &str) -> Vec<&str> {
    let (all, is_open) = split(text, true);
    // a backtick that nothing closes is a character
    if is_open { split(text, false).0 } else { all }
}

/// The sentences, and whether the text is one that ends within a code span. `spans`: whether there are code spans.
fn split(text: &str, spans: bool) -> (Vec<&str>, bool) {
    let mut all = Vec::new();
    let (mut start, mut at, mut is_code) = (0, 0, false);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'`' if spans => is_code = !is_code,
            b'.' | b'!' | b'?' if !is_code => {
                let end = at + closing(&text[at..]);
                if end == text.len() {
                    break;
                }
                if bytes[end] == b' ' && begins(&text[end + 1..], spans) && !is_abbreviated(text, start, at) {
                    all.push(text[start..end].trim_matches(is_space));
                    (start, at) = (end + 1, end + 1);
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    let rest = text[start..].trim_matches(is_space);
    let is_open = is_code && text.bytes().filter(|byte| *byte == b'`').count() % 2 == 1;
    let is_first = all.is_empty();
    all.extend((!rest.is_empty()).then_some(rest));
    (all, is_open && is_first)
}

/// The length of the marks that end a sentence, and of what closes quotes and brackets after them.
fn closing(text: &str) -> usize {
    super::characters::run(text, |char| ".!?)\"'\u{201d}*_".contains(char))
}

/// Whether a sentence can begin so.
fn begins(text: &str, spans: bool) -> bool {
    text.chars().next().is_some_and(|char| {
        char.is_uppercase()
            || char.is_ascii_digit()
            || "\"(*[_\u{201c}@'".contains(char)
            || char == '`' && spans
    })
}

/// Whether the full stop at a position belongs to an abbreviation of the sentence that begins at another.
fn is_abbreviated(text: &str, start: usize, at: usize) -> bool {
    if text.as_bytes()[at] != b'.' {
        return false;
    }
    let head = &text[start..at];
    let ends = |word: &str| {
        head.strip_suffix(word).is_some_and(|rest| !before(rest, rest.len()).is_some_and(is_word))
    };
    ABBREVIATIONS.iter().any(ends)
        || head.chars().next_back().is_some_and(|char| {
            char.is_ascii_uppercase() && !before(head, head.len() - 1).is_some_and(is_word)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_before_what_begins_one() {
        for (text, expected) in [
            ("One. Two", &["One.", "Two"][..]),
            ("One! 2 is it? `three` (see it.) *Four*", &["One!", "2 is it?", "`three` (see it.)", "*Four*"]),
            ("One.) “Two.” Three", &["One.)", "“Two.”", "Three"]),
            ("one. two. Three", &["one. two.", "Three"]),
            (
                "e.g. One, i.e. Two, etc. Three vs. Four by J. Doe",
                &["e.g. One, i.e. Two, etc. Three vs. Four by J. Doe"],
            ),
            ("fetch. Two. Three in UTC. Four", &["fetch.", "Two.", "Three in UTC.", "Four"]),
            ("`a. B` c. Done...  Two", &["`a. B` c.", "Done...  Two"]),
            ("a `b. Cd. E", &["a `b.", "Cd.", "E"]),
            ("A. B `c. D", &["A. B `c.", "D"]),
            ("Done. B `c. D", &["Done.", "B `c. D"]),
            ("", &[]),
            (" . ", &["."]),
        ] {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }
}
