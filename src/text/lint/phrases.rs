//! The phrases with which texts steer an agent, and where a text has one.
//!
//! Each pattern is a sequence of words; `|` separates alternatives, a leading `?` marks one that may be
//! missing, a leading `!` the place that is searched for. Does not know code, documents, nor how a text is encoded.

use super::folding::FoldedTextKind;
use crate::words::Literals;
use brv_base::english::list;
use std::ops::Range;
use std::sync::OnceLock;

/// The list. What is searched for is the place that is rarest in texts; the first one if none is marked.
static PATTERNS: list::Set = list::Set::of_lines(include_str!("lists/steering.txt"));

/// Signs with which chat models mark who speaks: in prose they are out of place.
static TOKENS: list::Set = list::Set::of_lines(include_str!("lists/chat_tokens.txt"));

/// One place of a pattern: alternative words, or nothing.
struct PhraseSlot {
    words: Vec<&'static str>,
    is_optional: bool,
}

struct PhrasePattern {
    places: Vec<PhraseSlot>,
    sought: usize,
}

struct Phrases {
    patterns: Vec<PhrasePattern>,
    /// Finds the words that are searched for, then the tokens.
    search: Literals,
    /// The pattern of each word; `None` for a token.
    patterns_of: Vec<Option<usize>>,
}

fn phrases() -> &'static Phrases {
    static PHRASES: OnceLock<Phrases> = OnceLock::new();
    PHRASES.get_or_init(|| {
        let patterns: Vec<PhrasePattern> = PATTERNS.iter().map(pattern).collect();
        let mut words: Vec<&str> = Vec::new();
        let mut patterns_of = Vec::new();
        for (number, pattern) in patterns.iter().enumerate() {
            for word in &pattern.places[pattern.sought].words {
                words.push(word);
                patterns_of.push(Some(number));
            }
        }
        for token in TOKENS.iter() {
            words.push(token);
            patterns_of.push(None);
        }
        Phrases { patterns, search: Literals::of(words), patterns_of }
    })
}

fn pattern(text: &'static str) -> PhrasePattern {
    let place = |written: &'static str| {
        let is_optional = written.split('|').all(|word| word.starts_with('?'));
        let words = written.split('|').map(|word| word.trim_start_matches(['?', '!'])).collect();
        PhraseSlot { words, is_optional }
    };
    let sought = text.split(' ').position(|place| place.starts_with('!')).unwrap_or_default();
    PhrasePattern { places: text.split(' ').map(place).collect(), sought }
}

/// Where a text has a pattern or a token, by the place where its word that is searched for begins.
pub(super) fn said(text: &str, form: FoldedTextKind) -> impl Iterator<Item = Range<usize>> {
    let phrases = phrases();
    let words = phrases.search.find(text).filter(|(_, range)| begins_word(text, range.start));
    words.filter_map(move |(word, range)| match phrases.patterns_of[word] {
        None => Some(range).filter(|range| !is_link(text, range)),
        Some(pattern) => phrases.patterns[pattern].around(text, range.start, form),
    })
}

fn begins_word(text: &str, offset: usize) -> bool {
    !text[..offset].chars().next_back().is_some_and(char::is_alphanumeric)
}

/// Whether a token in brackets is the text of a link, or the label of one: `[INST](url)`, `[INST][1]`, `[INST]: url`.
fn is_link(text: &str, token: &Range<usize>) -> bool {
    let after = text[token.end..].lines().next().unwrap_or_default();
    let before = text[..token.start].rsplit('\n').next().unwrap_or_default();
    if !text[token.clone()].ends_with(']') {
        return false;
    }
    if let Some(label) = after.strip_prefix('[') {
        let is_token =
            TOKENS.iter().any(|one| after.get(..one.len()).is_some_and(|it| it.eq_ignore_ascii_case(one)));
        return label.contains(']') && !is_token;
    }
    if let Some(target) = after.strip_prefix(':') {
        // one word, and perhaps a title
        let rest = target.trim().split_once([' ', '\t']).map_or("", |(_, rest)| rest.trim_start());
        let is_target = !target.trim().is_empty() && (rest.is_empty() || rest.starts_with(['"', '\'', '(']));
        return is_target && before.trim_matches([' ', '\t', '>']).is_empty();
    }
    after.starts_with('(') && after.contains(')')
}

impl PhrasePattern {
    /// Where the pattern stands whose place that is searched for begins at `offset`.
    fn around(&self, text: &str, offset: usize, form: FoldedTextKind) -> Option<Range<usize>> {
        let (before, after) = self.places.split_at(self.sought);
        let end = matches(after.iter(), offset, &|offset| next_word(text, offset, form))?;
        let start = matches(before.iter().rev(), offset, &|offset| previous_word(text, offset, form))?;
        Some(start..end)
    }
}

/// Where the places end that are matched from `offset` on, in the direction of `step`.
fn matches<'p, 't>(
    mut places: impl Iterator<Item = &'p PhraseSlot> + Clone,
    offset: usize,
    step: &impl Fn(usize) -> (&'t str, usize),
) -> Option<usize> {
    let Some(place) = places.next() else { return Some(offset) };
    let (word, end) = step(offset);
    let is_there = place.words.iter().any(|one| is_same(one, word));
    let taken = is_there.then(|| matches(places.clone(), end, step)).flatten();
    taken.or_else(|| place.is_optional.then(|| matches(places, offset, step)).flatten())
}

fn is_same(one: &str, word: &str) -> bool {
    let is_typographic = || {
        !word.is_ascii()
            && word.contains('\u{2019}')
            && word.replace('\u{2019}', "'").eq_ignore_ascii_case(one)
    };
    one.eq_ignore_ascii_case(word) || is_typographic()
}

/// What may stand between words: white space, emphasis, quotes.
const BETWEEN: [char; 9] = [' ', '\t', '\r', '\n', '*', '_', '>', '"', '`'];

const fn is_mark(c: char) -> bool {
    matches!(c, ',' | '.' | ':')
}

fn in_word(c: char, form: FoldedTextKind) -> bool {
    c.is_alphanumeric() || matches!(c, '\'' | '\u{2019}') || (c == '-' && form == FoldedTextKind::Prose)
}

/// Whether the byte at `at` joins two words of data: a hyphen inside, or the mark of a comment that goes on.
fn joins(text: &str, at: usize, form: FoldedTextKind) -> bool {
    if form == FoldedTextKind::Prose {
        return false;
    }
    let before = &text[..at];
    match text.as_bytes().get(at) {
        Some(b'-') => {
            before.ends_with(char::is_alphanumeric) && text[at + 1..].starts_with(char::is_alphanumeric)
        }
        Some(b'#') => before.trim_end_matches([' ', '\t']).ends_with('\n'),
        _ => false,
    }
}

/// The word before, and where it begins; see [`next_word`].
fn previous_word(text: &str, offset: usize, form: FoldedTextKind) -> (&str, usize) {
    let mut before = text[..offset].trim_end_matches(BETWEEN);
    while before.ends_with(['-', '#']) && joins(text, before.len() - 1, form) {
        before = before[..before.len() - 1].trim_end_matches(BETWEEN);
    }
    if text[before.len()..offset].matches('\n').count() > 1 {
        return ("", offset);
    }
    let rest = match before.ends_with(is_mark) {
        true => &before[..before.len() - 1],
        false => before.trim_end_matches(|c| in_word(c, form)),
    };
    (&before[rest.len()..], rest.len())
}

/// The next word, and where it ends: letters, digits, hyphens and apostrophes, or a comma, a full stop or a colon
/// alone. No words beyond the end of a paragraph.
fn next_word(text: &str, offset: usize, form: FoldedTextKind) -> (&str, usize) {
    let mut word = text[offset..].trim_start_matches(BETWEEN);
    while word.starts_with(['-', '#']) && joins(text, text.len() - word.len(), form) {
        word = word[1..].trim_start_matches(BETWEEN);
    }
    let start = text.len() - word.len();
    if text[offset..start].matches('\n').count() > 1 {
        return ("", offset);
    }
    let length = match word.starts_with(is_mark) {
        true => 1,
        false => word.find(|c| !in_word(c, form)).unwrap_or(word.len()),
    };
    (&word[..length], start + length)
}
