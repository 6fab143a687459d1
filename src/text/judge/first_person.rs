//! Whether a sentence speaks in the first person.

use super::characters::{after, before, is_edge, is_space, is_word, run};

/// Whether `I`, `I'm`, `my`, `mine` or `myself` is a word between blanks (a parenthesis may open before it, a mark of a
/// sentence may follow), or `me` is one that ends no sentence. With case.
pub(super) fn is_first(sentence: &str) -> bool {
    let starts = sentence.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'I' | b'm'));
    starts.map(|(at, _)| at).any(|at| is_subject(sentence, at) || is_object(sentence, at))
}

fn is_subject(sentence: &str, at: usize) -> bool {
    if !before(sentence, at).is_none_or(|char| char == '(' || is_space(char)) {
        return false;
    }
    let own = &sentence[at..];
    let word = run(own, is_word);
    let end = match (&own[..word], own[word..].strip_prefix('\'')) {
        ("I", Some(rest)) => word + 1 + run(rest, |char| char.is_ascii_lowercase()),
        ("I" | "my" | "mine" | "myself", None) => word,
        _ => return false,
    };
    !own[..end].ends_with('\'')
        && after(own, end).is_none_or(|char| is_space(char) || matches!(char, ',' | '.' | ';' | ')'))
}

fn is_object(sentence: &str, at: usize) -> bool {
    let end = at + 2;
    sentence[at..].starts_with("me")
        && is_edge(sentence, at)
        && is_edge(sentence, end)
        && after(sentence, end) != Some('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_stand_alone_and_with_case() {
        for text in ["I do", "so I'm, too", "(my) x", "it is mine", "myself.", "tell me", "me-too", "I"] {
            assert!(is_first(text), "{text}");
        }
        for text in
            ["i do", "I/O", "I'", "I'M x", "\"I do", "My x", "tell me.", "mew", "come", "my-x", "I: x"]
        {
            assert!(!is_first(text), "{text}");
        }
    }
}
