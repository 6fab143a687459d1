//! How a sentence begins: like the subject of a commit, leaning on the one before, or with a word that connects them.

use super::characters::{is_word, run};
use super::scanner::{Border, List, Scanner};
use brv_base::english::list::lines;
use std::collections::HashSet;
use std::sync::OnceLock;

/// The lists of beginnings.
struct StepLists {
    verbs: HashSet<String>,
    openings: Scanner,
    lean: Scanner,
    connectives: Scanner,
}

fn lists() -> &'static StepLists {
    static LISTS: OnceLock<StepLists> = OnceLock::new();
    LISTS.get_or_init(|| StepLists {
        verbs: lines(include_str!("lists/steps.txt")).flat_map(forms).collect(),
        openings: Scanner::new([
            List::new(0, Border::Free, include_str!("lists/step_subjects.txt")),
            List::new(0, Border::Free, include_str!("lists/step_leads.txt")),
        ]),
        lean: Scanner::new([List::new(0, Border::Finish, include_str!("lists/lean.txt"))]),
        connectives: Scanner::new([List::new(0, Border::Free, include_str!("lists/connectives.txt"))]),
    })
}

/// The forms of a verb, and some that nobody writes.
fn forms(verb: &str) -> Vec<String> {
    let last = verb.chars().next_back().map(String::from).unwrap_or_default();
    let stem = verb.strip_suffix('e').unwrap_or(verb);
    let mut forms = vec![verb.to_string(), format!("{stem}ing")];
    forms.extend(["s", "es", "d", "ed"].map(|ending| format!("{verb}{ending}")));
    forms.extend(["ed", "ing"].map(|ending| format!("{verb}{last}{ending}")));
    if let Some(stem) = verb.strip_suffix('y') {
        forms.extend(["ies", "ied"].map(|ending| format!("{stem}{ending}")));
    }
    forms
}

/// Whether a sentence begins with the verb of a step, also after `this commit` and after words that lead to it.
pub(super) fn is_step(sentence: &str) -> bool {
    let start = start(sentence);
    is_verb(&sentence[start..])
        || lists().openings.at(sentence, start).into_iter().any(|(_, end)| is_verb(&sentence[end..]))
}

/// Where the first word of a sentence begins.
fn start(sentence: &str) -> usize {
    run(sentence, |char| !is_word(char))
}

fn is_verb(text: &str) -> bool {
    let word = &text[..run(text, is_word)];
    if word.eq_ignore_ascii_case("re") && text[word.len()..].starts_with('-') {
        let end = word.len() + 1;
        return lists().verbs.contains(&text[..end + run(&text[end..], is_word)].to_ascii_lowercase());
    }
    word.is_ascii() && lists().verbs.contains(&word.to_ascii_lowercase())
}

/// Whether a sentence leans on the one before.
pub(super) fn leans(sentence: &str) -> bool {
    lists().lean.is_at(sentence, start(sentence))
}

/// The length of the word that connects a sentence with the one before, with its comma and blanks.
pub(super) fn connective(sentence: &str) -> Option<usize> {
    lists().connectives.at(sentence, 0).first().map(|(_, end)| *end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_begin_with_a_verb() {
        for text in [
            "Add it",
            "- fixes",
            "This commit also re-enables x",
            "Then, now splitting it",
            "We applied",
            "Copying",
            "here we just use it",
            "the pull requests added",
            "re-enabled",
            "`Use` of it",
            "Wraped",
        ] {
            assert_eq!(is_step(text), text != "Copying", "{text}");
        }
        for text in [
            "It is",
            "This commit then now adds",
            "We then add",
            "Additional",
            "re-used",
            "",
            "addition",
            "Ré-use",
        ] {
            assert!(!is_step(text), "{text}");
        }
    }

    #[test]
    fn leaning_and_connecting_words_are_at_the_start() {
        for text in ["This is", "- e.g. that", "`it` is", "In such cases", "Note that x", "If not-"] {
            assert!(leans(text), "{text}");
        }
        assert!(!leans("Thistle") && !leans("A this") && !leans("If nothing"));
        assert_eq!(connective("However, it"), Some(9));
        assert_eq!(connective("in particular: it"), Some(15));
        assert_eq!(connective("So,  it"), Some(5));
        assert_eq!(connective("Also note that, if it"), Some(16));
        for text in ["So it", "Sole", "So,", " so, it", "Instead of it"] {
            assert_eq!(connective(text), None, "{text}");
        }
    }
}
