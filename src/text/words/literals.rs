//! Find the words of a list wherever a word of a text begins.
//!
//! The first two bytes of a word say where it is looked for: a table has them for all words of the list, so that most
//! words of a text take one look at it. Letters of ASCII match in any case. Does not know where words end.

use super::terms::LOWER;
use std::ops::Range;

/// Words in ASCII, by their place in the list.
pub struct Literals {
    words: Vec<&'static str>,
    /// The group of each pair of bytes; 0 if no word begins with it.
    groups: Box<[u8; PAIRS]>,
    /// The places of words with their heads, the shorter words first.
    heads: Vec<Vec<(LiteralHead, usize)>>,
}

/// So many pairs are told apart, by five bits of each byte: letters in any case are one.
const PAIRS: usize = 1 << 10;

const fn pair(first: u8, second: u8) -> usize {
    ((first & 31) as usize) << 5 | (second & 31) as usize
}

/// The first bytes of a word, and which of their bits count. Only words with an equal head are compared.
struct LiteralHead {
    bits: u32,
    mask: u32,
}

impl LiteralHead {
    const SIZE: usize = size_of::<u32>();

    fn of(word: &str) -> Self {
        // the bit that tells capitals apart does not count
        let mask = Self::bits(&[0xdf; Self::SIZE][..word.len().min(Self::SIZE)]);
        Self { bits: Self::bits(word.as_bytes()) & mask, mask }
    }

    /// The bits of the first bytes of a text.
    fn bits(text: &[u8]) -> u32 {
        match text.first_chunk::<{ Self::SIZE }>() {
            Some(head) => u32::from_le_bytes(*head),
            None => text.iter().rev().fold(0, |bits, byte| bits << 8 | u32::from(*byte)),
        }
    }
}

impl Literals {
    /// Words with a byte beyond ASCII are left out.
    pub fn of(words: Vec<&'static str>) -> Self {
        let (mut groups, mut heads) = (Box::new([0; PAIRS]), vec![Vec::new()]);
        let mut order: Vec<usize> = (0..words.len()).filter(|at| words[*at].is_ascii()).collect();
        order.sort_by_key(|at| words[*at].len());
        for at in order {
            let pairs = match *words[at].as_bytes() {
                [] => 0..0,
                [only] => pair(only, 0)..pair(only, 31) + 1,
                [first, second, ..] => pair(first, second)..pair(first, second) + 1,
            };
            for group in &mut groups[pairs] {
                if *group == 0 {
                    *group = u8::try_from(heads.len()).expect("a list has few beginnings");
                    heads.push(Vec::new());
                }
                heads[usize::from(*group)].push((LiteralHead::of(words[at]), at));
            }
        }
        Self { words, groups, heads }
    }

    /// The place in the list and the range of every word of it, in the order in which they begin; of those that begin
    /// together the shorter first. None begins behind a letter or digit of ASCII.
    pub fn find<'a>(&'a self, text: &'a str) -> FoundLiterals<'a> {
        FoundLiterals { all: self, text: text.as_bytes(), next: 0, start: 0, bits: 0, open: [].iter() }
    }
}

/// See [`Literals::find`].
pub struct FoundLiterals<'a> {
    all: &'a Literals,
    text: &'a [u8],
    /// Where to go on.
    next: usize,
    /// Where the words begin that are looked for, and the head of the text there.
    start: usize,
    bits: u32,
    /// Those that may begin there.
    open: std::slice::Iter<'a, (LiteralHead, usize)>,
}

impl Iterator for FoundLiterals<'_> {
    type Item = (usize, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while let Some((head, place)) = self.open.next() {
                if self.bits & head.mask == head.bits
                    && let Some(range) = self.whole(*place)
                {
                    return Some((*place, range));
                }
            }
            self.open = self.next_group()?.iter();
        }
    }
}

impl<'a> FoundLiterals<'a> {
    /// The range of a word if it stands where the words begin that are looked for.
    fn whole(&self, place: usize) -> Option<Range<usize>> {
        let word = self.all.words[place].as_bytes();
        let range = self.start..self.start + word.len();
        self.text.get(range.clone())?.eq_ignore_ascii_case(word).then_some(range)
    }

    /// Goes on to the next place where a word of the list may begin.
    fn next_group(&mut self) -> Option<&'a [(LiteralHead, usize)]> {
        let is_letter = |byte: u8| LOWER[usize::from(byte)] != 0;
        let mut is_inside = self.next > 0 && is_letter(self.text[self.next - 1]);
        for (at, byte) in self.text.iter().copied().enumerate().skip(self.next) {
            if !is_inside {
                let second = self.text.get(at + 1).copied().unwrap_or_default();
                let group = self.all.groups[pair(byte, second)];
                if group != 0 {
                    (self.next, self.start, self.bits) = (at + 1, at, LiteralHead::bits(&self.text[at..]));
                    return Some(&self.all.heads[usize::from(group)]);
                }
            }
            is_inside = is_letter(byte);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 8] = ["now", "nowhere", "<|end|>", "i", "here", "now", "né", "[|x"];

    fn found(text: &str) -> Vec<(usize, usize)> {
        Literals::of(WORDS.to_vec()).find(text).map(|(place, range)| (range.start, place)).collect()
    }

    #[test]
    fn words_are_found_where_they_begin_the_shorter_first() {
        let all = [(0, 0), (0, 5), (0, 1), (8, 2), (15, 3)];
        assert_eq!(found("nowhere <|end|>i"), all);
        assert_eq!(found("NOWhere <|END|>I"), all);
        assert_eq!(found("unow 1here né no"), []);
        assert_eq!(found("I"), [(0, 3)]);
        assert_eq!(found(""), []);
    }

    #[test]
    fn every_word_is_found_in_any_text_as_by_comparing_all() {
        let text = "iNow, nowhere hereNOW<|end|><|en né I hé\u{130}i énow {|x [|X [|";
        let mut expected = Vec::new();
        for (at, _) in text.char_indices() {
            let before = text.as_bytes()[..at].last();
            for (place, word) in WORDS.iter().enumerate().filter(|(_, word)| word.is_ascii()) {
                let own = text.get(at..at + word.len());
                let is_start = before.is_none_or(|byte| !byte.is_ascii_alphanumeric());
                if is_start && own.is_some_and(|own| own.eq_ignore_ascii_case(word)) {
                    expected.push((at, place));
                }
            }
        }
        let mut found = found(text);
        found.sort_unstable();
        assert_eq!(found, expected);
    }
}
