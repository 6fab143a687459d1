//! Extract the terms of a text, by which two texts are compared.
//!
//! Words in lower case without the plural's s and without function words; the parts of identifiers; pairs of characters
//! for scripts without spaces between words. A term is a 64-bit hash, fixed for all time (FNV-1a), so that order and
//! sums are the same on every machine. Knows no weights.

use unicode_normalization::char::is_combining_mark;

use super::stop_words;
use brv_base::content::{FNV_START, fnv, fnv_step};

/// A term, as the hash of its normalised word.
pub type Term = u64;

/// The maximum length of a word, in characters; the rest of a longer one is dropped.
const LONGEST: usize = 40;

/// The terms of `text`, in order and as often as they occur.
pub fn terms_of(text: &str) -> Vec<Term> {
    let mut terms = Vec::with_capacity(text.len() / 6);
    if text.is_ascii() {
        push_ascii_words(text.as_bytes(), &mut terms);
        return terms;
    }
    let mut word = WordBuffer::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c.is_ascii() {
            let end = rest.bytes().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let (ascii, after) = rest.split_at(end);
            rest = after;
            if word.chars == 0 && after.bytes().next().is_none_or(|byte| byte.is_ascii()) {
                push_ascii(ascii.as_bytes(), &mut terms);
            } else {
                ascii.bytes().for_each(|byte| word.push(char::from(byte.to_ascii_lowercase())));
            }
            let between =
                rest.bytes().take_while(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric()).count();
            if between > 0 {
                word.finish(&mut terms);
                rest = &rest[between..];
            }
            word.before = None;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        if is_unspaced(c) {
            word.finish(&mut terms);
            word.pair(c, &mut terms);
            continue;
        } else if c.is_alphanumeric() || is_combining_mark(c) {
            c.to_lowercase().for_each(|c| word.push(c));
        } else {
            word.finish(&mut terms);
        }
        word.before = None;
    }
    word.finish(&mut terms);
    terms
}

/// Letters and digits of ASCII in lower case; 0 for all other bytes.
pub(super) const LOWER: [u8; 256] = {
    let mut lower = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        if (byte as u8).is_ascii_alphanumeric() {
            lower[byte] = (byte as u8).to_ascii_lowercase();
        }
        byte += 1;
    }
    lower
};

/// Add the terms of a text in ASCII.
fn push_ascii_words(text: &[u8], terms: &mut Vec<Term>) {
    let mut at = 0;
    while at < text.len() {
        let (start, mut whole) = (at, FNV_START);
        while let Some(byte) = text.get(at).map(|byte| LOWER[usize::from(*byte)]).filter(|byte| *byte != 0) {
            whole = fnv_step(whole, byte);
            at += 1;
        }
        match at - start {
            0 => at += 1,
            1 => {}
            2..=LONGEST => push_ascii_word(&text[start..at], whole, terms),
            _ => push_ascii(&text[start..at], terms),
        }
    }
}

/// Add the term of a whole word in ASCII.
fn push_ascii(word: &[u8], terms: &mut Vec<Term>) {
    let word = &word[..word.len().min(LONGEST)];
    if word.len() > 1 {
        push_ascii_word(word, fnv(word.iter().map(u8::to_ascii_lowercase)), terms);
    }
}

/// `whole` is the hash of the word in lower case.
fn push_ascii_word(word: &[u8], whole: u64, terms: &mut Vec<Term>) {
    if stop_words::contains(whole) {
        return;
    }
    terms.push(match word.last() {
        Some(b's' | b'S') => {
            let mut lower = [0; LONGEST];
            let lower = &mut lower[..word.len()];
            lower.copy_from_slice(word);
            lower.make_ascii_lowercase();
            hash(singular(lower))
        }
        _ => whole,
    });
}

/// Scripts written without spaces between words: Han, kana, Thai, Lao, Khmer, Burmese.
pub const fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{323af}')
}

struct WordBuffer {
    /// Its bytes, in lower case.
    text: [u8; LONGEST * 4],
    length: usize,
    chars: usize,
    /// The previous character, if both belong to a run without spaces.
    before: Option<char>,
}

impl WordBuffer {
    const fn new() -> Self {
        Self { text: [0; LONGEST * 4], length: 0, chars: 0, before: None }
    }

    fn push(&mut self, c: char) {
        if self.chars < LONGEST {
            self.length += c.encode_utf8(&mut self.text[self.length..]).len();
            self.chars += 1;
        }
    }

    fn finish(&mut self, terms: &mut Vec<Term>) {
        if self.chars > 1 {
            let word = &self.text[..self.length];
            let whole = fnv(word.iter().copied());
            if !stop_words::contains(whole) {
                terms.push(if word.ends_with(b"s") { hash(singular(word)) } else { whole });
            }
        }
        (self.length, self.chars) = (0, 0);
    }

    fn pair(&mut self, c: char, terms: &mut Vec<Term>) {
        // pairs of hiragana are mostly endings and particles
        if let Some(before) = self.before
            && !(is_hiragana(before) && is_hiragana(c))
        {
            let mut pair = [0; 8];
            let first = before.encode_utf8(&mut pair).len();
            let both = first + c.encode_utf8(&mut pair[first..]).len();
            terms.push(fnv(pair[..both].iter().copied()));
        }
        self.before = Some(c);
    }
}

const fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}')
}

/// The S-stemmer: it removes only the plural's ending, so that no two different English words become equal.
///
/// Source: D. Harman, "How effective is suffixing?", JASIS 42(1), 1991, table 1.
fn singular(word: &[u8]) -> (&[u8], &'static [u8]) {
    match word {
        _ if word.len() <= 3 || !word.is_ascii() => (word, b""),
        [stem @ .., b'i', b'e', b's'] if !stem.ends_with(b"e") && !stem.ends_with(b"a") => (stem, b"y"),
        [.., b'u' | b's', b's'] | [.., b'a' | b'e' | b'o', b'e', b's'] => (word, b""),
        [stem @ .., b's'] => (stem, b""),
        _ => (word, b""),
    }
}

fn hash((stem, ending): (&[u8], &[u8])) -> Term {
    fnv(stem.iter().chain(ending).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_one_term() {
        for (a, b) in [
            ("Tokens", "token"),
            ("queries", "query"),
            ("aies eies", "aie eie"),
            ("toes bees virus", "TOES BEES VIRUS"),
            ("files", "file"),
            ("snake_case-Name", "snake case name"),
            ("the index of a tree", "index tree"),
            ("ПУШ", "пуш"),
            ("One x two-Three's STATUS queries", "one é x two three s status query"),
        ] {
            assert_eq!(terms_of(a), terms_of(b), "{a}");
        }
        for (a, b) in [("status", "statu"), ("class", "clas"), ("push", "pull"), ("heroes", "heroe")] {
            assert_ne!(terms_of(a), terms_of(b), "{a}");
        }
    }

    #[test]
    fn unspaced_scripts_are_pairs_of_characters() {
        assert_eq!(terms_of("観測計画").len(), 3);
        assert_eq!(terms_of("観測").first(), terms_of("夜の観測").last());
        assert_eq!(terms_of("観測 計画").len(), 2);
        assert!(terms_of("ですます").is_empty());
        assert_eq!(terms_of("RA観測を").len(), 3);
    }
}
