//! Words that name nothing, though a capital letter may begin them.
//!
//! At the start of a sentence any word has a capital letter. One that is not in the source is taken for a name there, unless
//! it is one of these, which are what people begin a statement with.

use brv_base::english::list;

/// Beginnings of words, in lower case: a word with one of these, and an ending of grammar, is ordinary.
static STEMS: list::Set = list::Set::of_words(include_str!("lists/ordinary_stems.txt"));

/// Endings that grammar adds; a word may have none.
static ENDINGS: list::Set = list::Set::of_words(include_str!("lists/endings.txt"));

/// Whether a word, in lower case, names nothing.
pub(super) fn is_ordinary(word: &str) -> bool {
    STEMS
        .iter()
        .any(|stem| word.strip_prefix(stem).is_some_and(|end| end.is_empty() || ENDINGS.contains(end)))
}

#[cfg(test)]
mod tests {
    use super::is_ordinary;

    #[test]
    fn what_begins_a_statement_is_ordinary_and_a_name_is_not() {
        for word in [
            "requires",
            "stored",
            "requests",
            "running",
            "applies",
            "developers",
            "must",
            "retries",
            "generated",
        ] {
            assert!(is_ordinary(word), "{word}");
        }
        for word in
            ["redis", "kafka", "postgres", "frankfurt", "kubernetes", "oracle", "monday", "ada", "terraform"]
        {
            assert!(!is_ordinary(word), "{word}");
        }
    }
}
