//! Check whether a statement can be shown outside its entry: far above, it must be understood without its context.
//!
//! Knows words and roles, not the worth of statements.

use super::roles::{Role, WordList, is_marked, leans};
use crate::words::terms_of;
use brv_base::english::list;
use std::sync::LazyLock;

/// Words of a report of past events, which needs its context; sorted.
static NARRATIVE: list::Set = list::Set::of_words(include_str!("lists/narrative.txt"));

/// Whether `text` is true or binding on its own.
///
/// A statement that is not set apart as a rule, decision, fact or the like is shown only in its entry, unless it
/// expresses an obligation and neither depends on the sentence before nor tells a story.
pub(super) fn stands_alone(role: Role, text: &str) -> bool {
    if leans(text) {
        return false;
    }
    match role {
        Role::Rule | Role::Fact | Role::Concept => !opens_in_the_middle(text),
        Role::Decision | Role::Highlight | Role::Statement => {
            !opens_in_the_middle(text) && !narrates(text) && (role != Role::Statement || is_marked(text))
        }
        Role::Part | Role::Pattern | Role::Task | Role::Todo | Role::Change | Role::Row => false,
    }
}

/// Prose that begins in lower case, or with a mark other than that of a name: its beginning is missing.
fn opens_in_the_middle(text: &str) -> bool {
    text.starts_with(|c: char| c.is_lowercase() || matches!(c, '(' | ')' | '…' | '→' | '=' | ',' | ';'))
        && !text.contains(": ")
}

fn narrates(text: &str) -> bool {
    static WORDS: LazyLock<WordList> = LazyLock::new(|| WordList::of(&NARRATIVE));
    if text.is_ascii() {
        return WORDS.has_one_of(text, |byte| byte.is_ascii_alphanumeric());
    }
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| NARRATIVE.contains(word))
}

/// Whether a reader who does not see the title of its entry knows what `text` is about: it has a subject set apart, or
/// a word of the title.
pub(super) fn names_subject(text: &str, title: &str) -> bool {
    let title = terms_of(title);
    text.starts_with("**") || title.is_empty() || terms_of(text).iter().any(|term| title.contains(term))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_and_facts_leave_their_entry_and_leaning_or_told_sentences_do_not() {
        for (role, text, alone) in [
            (Role::Rule, "Tokens must rotate on every use", true),
            (Role::Rule, "This must be so on every use", false),
            (Role::Fact, "**ttl**: Tokens live one day", true),
            (Role::Fact, "It lives one day", false),
            (Role::Decision, "Tokens are signed with RS256, because keys are public", true),
            (Role::Decision, "We tried HMAC first and it took a week", false),
            (Role::Statement, "Tokens come in pairs", false),
            (Role::Statement, "Tokens must never be stored in the browser", true),
            (Role::Statement, "Tokens were only ever lost in March", false),
            (Role::Statement, "観測者は必ず記録する。", true),
            (Role::Change, "Tokens must rotate on every use", false),
        ] {
            assert_eq!(stands_alone(role, text), alone, "{role:?} {text}");
        }
    }

    #[test]
    fn a_subject_is_named_by_a_word_of_the_title_or_set_apart() {
        assert!(names_subject("A token is used once", "Lifetime of tokens"));
        assert!(names_subject("**clock**: may differ", "Lifetime of tokens"));
        assert!(!names_subject("Any name works", "Lifetime of tokens"));
    }
}
