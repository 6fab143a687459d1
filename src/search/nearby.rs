//! Find terms that differ from a word by a few letters, in a dictionary of terms.
//!
//! The distance is optimal string alignment: insertions, deletions, replacements, and swaps of two neighbours count one
//! each (F. Damerau, "A technique for computer detection and correction of spelling errors", CACM 7(3), 1964). The first
//! letter must be right, which keeps the search in a small part of the dictionary.

use tantivy_fst::Automaton;

/// Accepts the terms within `most` edits of a word.
pub struct Nearby {
    word: Vec<char>,
    most: u8,
}

impl Nearby {
    /// The terms within `most` edits of `word`.
    pub fn new(word: &str, most: u8) -> Self {
        Self { word: word.chars().collect(), most }
    }
}

/// The last two rows of the table of distances, for what was read so far.
#[derive(Clone)]
pub struct Row {
    /// The distance to each prefix of the word, cut off above `most`; empty once nothing can match.
    now: Vec<u8>,
    before: Vec<u8>,
    last: char,
    read: usize,
    /// The bits of a character of which `missing` bytes are still to come.
    partial: u32,
    missing: u8,
}

impl Automaton for Nearby {
    type State = Row;

    fn start(&self) -> Row {
        let now = (0..=self.word.len()).map(|at| u8::try_from(at).unwrap_or(u8::MAX)).collect();
        Row { now, before: Vec::new(), last: '\0', read: 0, partial: 0, missing: 0 }
    }

    fn is_match(&self, row: &Row) -> bool {
        row.missing == 0 && row.now.last().is_some_and(|&distance| distance <= self.most)
    }

    fn can_match(&self, row: &Row) -> bool {
        row.now.iter().any(|&distance| distance <= self.most)
    }

    fn accept(&self, row: &Row, byte: u8) -> Row {
        let mut next = row.clone();
        let is_continued = byte & 0xc0 == 0x80;
        match byte {
            _ if is_continued && row.missing > 0 => {
                next.partial = row.partial << 6 | u32::from(byte & 0x3f);
                next.missing = row.missing - 1;
            }
            0..=0x7f => (next.partial, next.missing) = (u32::from(byte), 0),
            0xc0..=0xdf => (next.partial, next.missing) = (u32::from(byte & 0x1f), 1),
            0xe0..=0xef => (next.partial, next.missing) = (u32::from(byte & 0x0f), 2),
            _ => (next.partial, next.missing) = (u32::from(byte & 0x07), 3),
        }
        if next.missing == 0 {
            match char::from_u32(next.partial) {
                Some(letter) => self.step(&mut next, letter),
                None => next.now.clear(),
            }
        }
        next
    }
}

impl Nearby {
    fn step(&self, row: &mut Row, letter: char) {
        if row.read == 0 && self.word.first() != Some(&letter) {
            row.now.clear();
        }
        if row.now.is_empty() {
            return;
        }
        let mut next = Vec::with_capacity(row.now.len());
        next.push(row.now[0].saturating_add(1));
        for (at, &own) in self.word.iter().enumerate() {
            let replaced = row.now[at].saturating_add(u8::from(own != letter));
            let shifted = row.now[at + 1].min(next[at]).saturating_add(1);
            let mut distance = replaced.min(shifted);
            if at > 0 && row.read > 0 && own == row.last && self.word[at - 1] == letter {
                distance = distance.min(row.before[at - 1].saturating_add(1));
            }
            next.push(distance);
        }
        row.before = std::mem::replace(&mut row.now, next);
        row.last = letter;
        row.read += 1;
    }
}

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
    fn a_few_edits_are_near() {
        for (word, most, term, is_near) in [
            ("postgress", 2, "postgres", true),
            ("conection", 1, "connection", true),
            ("recieve", 1, "receive", true),
            ("token", 1, "token", true),
            ("token", 1, "taken", true),
            ("token", 1, "broken", false),
            ("token", 1, "oken", false),
            ("größe", 1, "grösse", false),
            ("größe", 1, "große", true),
            ("токен", 1, "токин", true),
        ] {
            assert_eq!(accepts(&Nearby::new(word, most), term), is_near, "{word} {term}");
        }
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
