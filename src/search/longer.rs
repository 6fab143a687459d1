//! Find terms that begin with a word, in a dictionary of terms.

use tantivy_fst::Automaton;

/// Accepts the terms that begin with a word and have at most `more` bytes after it.
pub struct Longer<'a> {
    word: &'a [u8],
    more: usize,
}

impl<'a> Longer<'a> {
    /// The terms that begin with `word` and have 1 to `more` bytes after it.
    pub fn new(word: &'a str, more: usize) -> Self {
        Self { word: word.as_bytes(), more }
    }
}

impl Automaton for Longer<'_> {
    /// The number of bytes read; `None` once they differ.
    type State = Option<usize>;

    fn start(&self) -> Option<usize> {
        Some(0)
    }

    fn is_match(&self, read: &Option<usize>) -> bool {
        read.is_some_and(|read| read > self.word.len())
    }

    fn can_match(&self, read: &Option<usize>) -> bool {
        read.is_some()
    }

    fn accept(&self, read: &Option<usize>, byte: u8) -> Option<usize> {
        let read = (*read)?;
        let fits = self.word.get(read).map_or(read < self.word.len() + self.more, |&own| own == byte);
        fits.then_some(read + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts<A: Automaton>(automaton: &A, term: &str) -> bool {
        let end = term.bytes().fold(automaton.start(), |state, byte| automaton.accept(&state, byte));
        automaton.is_match(&end)
    }

    #[test]
    fn a_longer_term_begins_with_the_word() {
        let longer = Longer::new("conf", 4);
        assert!(accepts(&longer, "config") && accepts(&longer, "configur"));
        for term in ["conf", "configura", "cont", "con"] {
            assert!(!accepts(&longer, term), "{term}");
        }
    }
}
