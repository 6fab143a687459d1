//! One automaton for many patterns: where in a text one of them occurs, and which list it belongs to.

use super::characters::{before, is_apart, is_edge};
use super::pattern::{Element, Sequence, end_of, expand};
use aho_corasick::automaton::OverlappingState;
use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};
use brv_base::english::list::lines;
use std::collections::HashMap;

/// What stands before and after a pattern of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Border {
    /// Neither a character of a word nor a hyphen, on both sides.
    Whole,
    /// A word begins or ends, on both sides.
    Word,
    /// A word begins or ends before it; anything after it.
    Start,
    /// Anything before it; a word begins or ends after it.
    Finish,
    /// It begins a line.
    Line,
    /// Anything.
    Free,
}

/// Patterns, one a line, with lines of comment that begin with `#`.
#[derive(Debug, Clone, Copy)]
pub(super) struct List {
    pub text: &'static str,
    /// Which list it is: below 32.
    pub id: u8,
    pub border: Border,
    /// Whether letters match with case.
    pub cased: bool,
}

impl List {
    pub(super) const fn new(id: u8, border: Border, text: &'static str) -> Self {
        Self { text, id, border, cased: false }
    }
}

/// Many lists, found at once.
pub(super) struct Scanner {
    automaton: AhoCorasick,
    /// What begins with each literal of the automaton.
    entries: Vec<Vec<ScannerEntry>>,
}

/// A sequence that begins with a literal.
struct ScannerEntry {
    id: u8,
    border: Border,
    /// The literal as written, where case counts.
    cased: Option<String>,
    /// What follows the literal, with the border.
    rest: Sequence,
}

impl Scanner {
    /// Builds the automaton. A pattern that begins with a class is for [`Scanner::at`] only.
    pub(super) fn new(lists: impl IntoIterator<Item = List>) -> Self {
        let mut literals: Vec<String> = Vec::new();
        let mut entries: Vec<Vec<ScannerEntry>> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for list in lists {
            for sequence in lines(list.text).flat_map(expand) {
                let (literal, entry) = ScannerEntry::new(list, sequence);
                let place = *places.entry(literal).or_insert_with_key(|literal| {
                    literals.push(literal.clone());
                    entries.push(Vec::new());
                    literals.len() - 1
                });
                entries[place].push(entry);
            }
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .start_kind(StartKind::Both)
            .build(&literals)
            .expect("the lists are short enough for an automaton");
        Self { automaton, entries }
    }

    /// The lists with a pattern that occurs somewhere in a text: the bit of each id.
    pub(super) fn found(&self, text: &str) -> u32 {
        let mut found = 0;
        for place in self.automaton.find_overlapping_iter(text) {
            for entry in &self.entries[place.pattern().as_usize()] {
                let bit = 1 << entry.id;
                if found & bit == 0 && entry.end(text, place.start(), place.end()).is_some() {
                    found |= bit;
                }
            }
        }
        found
    }

    /// The id and the end of each pattern that begins at a position.
    pub(super) fn at(&self, text: &str, at: usize) -> Vec<(u8, usize)> {
        let input = Input::new(text).range(at..).anchored(Anchored::Yes);
        let mut state = OverlappingState::start();
        let mut ends = Vec::new();
        while self.automaton.try_find_overlapping(input.clone(), &mut state).is_ok() {
            let Some(place) = state.get_match() else {
                break;
            };
            // the state of a literal also has the ends of others that begin within it
            if place.start() != at {
                continue;
            }
            let entries = self.entries[place.pattern().as_usize()].iter();
            ends.extend(entries.filter_map(|entry| Some((entry.id, entry.end(text, at, place.end())?))));
        }
        ends
    }

    /// Whether a pattern begins at a position.
    pub(super) fn is_at(&self, text: &str, at: usize) -> bool {
        !self.at(text, at).is_empty()
    }
}

impl ScannerEntry {
    /// The literal in lower case, and the entry.
    fn new(list: List, mut sequence: Sequence) -> (String, Self) {
        let literal = match sequence.first_mut() {
            Some(Element::Literal(literal)) => std::mem::take(literal),
            _ => String::new(),
        };
        if !literal.is_empty() {
            sequence.remove(0);
        }
        match list.border {
            Border::Whole => sequence.push(Element::Apart),
            Border::Word | Border::Finish => sequence.push(Element::Edge),
            Border::Start | Border::Line | Border::Free => {}
        }
        let lower = literal.to_ascii_lowercase();
        let cased = list.cased.then_some(literal);
        (lower, Self { id: list.id, border: list.border, cased, rest: sequence })
    }

    /// The end of the sequence whose literal spans two positions, if it occurs there.
    fn end(&self, text: &str, start: usize, end: usize) -> Option<usize> {
        let begins = match self.border {
            Border::Whole => is_apart(before(text, start)),
            Border::Word | Border::Start => is_edge(text, start),
            Border::Line => matches!(before(text, start), None | Some('\n')),
            Border::Finish | Border::Free => true,
        };
        let is_literal = self.cased.as_ref().is_none_or(|literal| text[start..end] == **literal);
        (begins && is_literal).then(|| end_of(&self.rest, text, end, self.cased.is_some())).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_count_hyphens_or_not() {
        let whole = Scanner::new([List::new(3, Border::Whole, "# words\nall\ncan.t\nlimit\\w*")]);
        for text in ["all", "(All)", "can't", "can’t.", "limitations", "é all"] {
            assert_eq!(whole.found(text), 1 << 3, "{text}");
        }
        for text in ["wall", "all-in", "un-all", "cant", "can't-do", "limit-less", "allé", "words", ""] {
            assert_eq!(whole.found(text), 0, "{text}");
        }
        let word = Scanner::new([List::new(0, Border::Word, "all\nto be \n\\(see #")]);
        for text in ["all-in", "un-all", "to be x", "x(see #1"] {
            assert_eq!(word.found(text), 1, "{text}");
        }
        for text in ["alle", "to be (", " (see #1", "x(see #-"] {
            assert_eq!(word.found(text), 0, "{text}");
        }
    }

    #[test]
    fn followers_ends_and_case_are_seen() {
        let list =
            List { cased: true, ..List::new(1, Border::Free, "Since(?! v?\\d| (?:\\w+ )?then)\nx\\S+$") };
        let scanner = Scanner::new([list]);
        for text in ["Since v", "Since", "axe", "xyz\nb"] {
            assert_eq!(scanner.found(text), 2, "{text}");
        }
        for text in ["Since v1", "Since 2", "Since then", "Since about then", "since", "x", "xe b", "Xe"] {
            assert_eq!(scanner.found(text), 0, "{text}");
        }
        assert_eq!(Scanner::new([List::new(0, Border::Line, "a.* b")]).found("x\nac  b"), 1);
        assert_eq!(Scanner::new([List::new(0, Border::Line, "a.* b")]).found("xac  b\na\n b"), 0);
    }

    #[test]
    fn patterns_at_a_position_tell_their_ends() {
        let scanner = Scanner::new([
            List::new(0, Border::Free, "this (?:also )?"),
            List::new(7, Border::Free, "\\d+x?"),
        ]);
        assert_eq!(scanner.at("this also", 0), [(0, 5)]);
        assert_eq!(scanner.at("so this also ", 3), [(0, 8), (0, 13)]);
        assert_eq!(scanner.at("12x", 0), [(7, 3), (7, 2)]);
        assert!(!scanner.is_at("this also", 1) && scanner.is_at("12", 2 - 1));
    }
}
