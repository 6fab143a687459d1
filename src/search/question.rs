//! Read a question: its words, the dates in it, `"phrases"` and `tag:name`.
//!
//! There is no other syntax: operators, brackets, wildcards and whatever stands in a pasted log are text. Of long
//! questions the first [`MOST_TERMS`] distinct words with a meaning count, those of codes before others, and the first
//! [`MOST_PHRASES`] phrases.
//! Knows no index.

use std::collections::HashSet;

use super::anchors;
use super::item::{tag_term, title_term};
use super::text::asking::{self, WordRole};
use super::text::common;
use super::text::dates::{self, PartialDate};
use super::text::language;
use super::text::tokens::{self, TokenKind};
use super::text::{folding, stop_words, synonyms};
use crate::constants as c;
use brv_text::words::stems::{Language, Stems};

/// How many distinct words count: as many as a `u64` has bits, by which ranking notes what an entry has.
pub const MOST_TERMS: usize = 64;

/// How many phrases count, and how many tags.
const MOST_PHRASES: usize = 8;

/// How many words of a phrase count.
const LONGEST_PHRASE: usize = 32;

/// A question, read.
#[derive(Debug, Default)]
pub struct Question {
    /// Its distinct words with a meaning, in order.
    pub words: Vec<Asking>,
    pub dates: Vec<PartialDate>,
    /// The term of an item that has the whole question as its title.
    pub title: Option<String>,
    /// Word sequences that an entry must have, in lower case.
    pub phrases: Vec<Vec<String>>,
    /// The terms of tags that an entry must have.
    pub tags: Vec<String>,
    /// Whether it has function words only; then they count.
    pub is_vague: bool,
    /// The words in `camelCase` that were split because no item has them as a whole, as written.
    pub unknown: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Asking {
    /// In lower case.
    pub word: String,
    /// As written.
    pub raw: String,
    /// Its stems in the languages of the index.
    pub stems: Vec<String>,
    /// Terms that stand for it and count less, with what they count.
    pub others: Vec<(String, f64)>,
    /// Its parts if it is in `camelCase`, as words of their own.
    pub parts: Vec<Asking>,
    /// Whether it seems to be a name: it has a capital letter where none is needed.
    pub is_name: bool,
    /// Whether it is neither a function word nor a date.
    pub is_content: bool,
    /// Whether it should occur in what answers the question: it has at least four letters and is neither a function word
    /// nor a date, nor optional.
    pub is_significant: bool,
    /// Whether it counts only where something has it: it says what kind of answer is wanted (`how long`), is a single
    /// capital letter, or a sign beside words.
    pub is_optional: bool,
    /// Whether only a whole word is meant: a name, or a part of an identifier. What begins with it is something else.
    pub is_whole: bool,
    /// Whether it is a word of everyday speech, for which a text may well have another one; see [`common`].
    pub is_common: bool,
    /// Whether the question is in a language in which nothing is stored: a word without a match may be a word for what is
    /// there.
    pub is_foreign: bool,
}

/// A token of a question with what is needed of it.
struct QuestionToken {
    raw: String,
    low: String,
    opens: bool,
    kind: TokenKind,
}

/// What a token is for the meaning of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// A word that asks for a number: nothing.
    Nothing,
    /// A function word: nothing, unless it is written as a name.
    Stop,
    Letter,
    /// A pictograph, or a word again with its signs.
    Sign,
    Measure,
    Content,
}

impl QuestionToken {
    /// Whether a sign is part of it: `c++`, `c#`.
    fn is_signed(&self) -> bool {
        self.low.ends_with(['+', '#'])
    }

    /// What it is after the token `before`, in a question in the language `own`.
    fn weight(&self, before: &str, own: Language) -> Weight {
        let is_letter = self.low.len() == 1 && !self.low.as_bytes()[0].is_ascii_digit();
        let is_stop = match self.kind {
            TokenKind::Word => {
                stop_words::contains(&self.low, own) || stop_words::contains(&self.low, Language::Russian)
            }
            // pairs of hiragana are mostly endings and particles
            TokenKind::Pair => {
                let is_hiragana = |c| matches!(c, '\u{3041}'..='\u{309f}');
                self.low.chars().count() > 1 && self.low.chars().all(is_hiragana)
            }
            TokenKind::Variant | TokenKind::Mark | TokenKind::Tail => return Weight::Sign,
        };
        match asking::part(before, &self.low) {
            WordRole::Number => Weight::Nothing,
            _ if is_stop => Weight::Stop,
            WordRole::Measure => Weight::Measure,
            WordRole::Content if is_letter => Weight::Letter,
            WordRole::Content => Weight::Content,
        }
    }
}

/// Read a question for an index with items in these languages (bits by number).
pub fn read(text: &str, languages: u8, stems: &mut Stems) -> Question {
    let mut question = Question::default();
    let text = take_tags(text, &mut question.tags);
    question.phrases = phrases(&text);
    question.title = title_term(&text);
    let tokens = match read_tokens(&asking::without_asking(&text)) {
        none if none.is_empty() => read_tokens(&text),
        tokens => tokens,
    };
    let words: Vec<dates::DateWord<'_>> = tokens
        .iter()
        .map(|token| dates::DateWord {
            low: &token.low,
            is_capital: token.raw.starts_with(char::is_uppercase),
        })
        .collect();
    let (dates, is_date) = dates::find(&words);
    question.dates = dates;
    let own = language::language_of_question(&text, languages);
    let is_elsewhere = (languages | 1) >> (own as u8) & 1 == 0;
    let before = std::iter::once("").chain(tokens.iter().map(|token| &*token.low));
    let weights: Vec<Weight> =
        tokens.iter().zip(before).map(|(token, before)| token.weight(before, own)).collect();
    let has = |none: &[Weight]| weights.iter().any(|weight| !none.contains(weight));
    question.is_vague = !has(&[Weight::Nothing, Weight::Stop, Weight::Measure]);
    let has_words = has(&[Weight::Nothing, Weight::Stop, Weight::Letter]);
    let has_plain = has(&[Weight::Nothing, Weight::Stop, Weight::Sign]);
    let identifiers = identifiers(&text);
    let flags = flags(&text);
    let literal = literal(&text);
    // in a question in capitals they mean nothing
    let shouts = !text.chars().any(char::is_lowercase);
    let mut seen = HashSet::new();
    let mut codes = codes(&text, tokens.len());
    for (at, (token, weight)) in tokens.iter().zip(&weights).enumerate() {
        if !codes.remove(&token.low) && question.words.len() + codes.len() >= MOST_TERMS {
            continue;
        }
        let is_capital = !shouts && token.raw.starts_with(char::is_uppercase);
        let is_name_like = at > 0 && !token.opens && is_capital && token.raw.chars().nth(1).is_some();
        let counts = match weight {
            Weight::Nothing => false,
            Weight::Stop => is_name_like || literal.contains(&token.low),
            Weight::Letter => is_capital || !has_words || flags.contains(&token.low),
            Weight::Sign | Weight::Measure | Weight::Content => true,
        };
        if !question.is_vague && !is_date[at] && !counts {
            continue;
        }
        let is_name = is_capital && (!token.opens || at > 0 || tokens.len() == 1) && !is_date[at];
        let is_optional = match weight {
            Weight::Measure => true,
            Weight::Letter => has_words && !flags.contains(&token.low),
            Weight::Sign => has_plain,
            Weight::Nothing | Weight::Stop | Weight::Content => false,
        };
        let is_long =
            token.kind == TokenKind::Pair || token.is_signed() || token.low.chars().nth(3).is_some();
        let parts = parts(&token.raw, languages, stems);
        let is_identifier = !parts.is_empty() || identifiers.contains(&token.low);
        let mut asking = Asking {
            is_name,
            is_optional,
            is_whole: is_name || is_identifier,
            is_common: token.kind == TokenKind::Word && common::contains(&token.low),
            is_foreign: is_elsewhere || token.kind == TokenKind::Pair,
            is_significant: *weight == Weight::Content && !is_date[at] && is_long,
            is_content: *weight == Weight::Content && !is_date[at],
            parts,
            raw: token.raw.clone(),
            ..Asking::of(token.low.clone(), languages, stems)
        };
        if is_identifier {
            // `--rollback` is not `undo`
            asking.others.retain(|(_, credit)| *credit >= c::FOLDED);
        }
        if seen.insert(asking.stems[0].clone()) {
            question.words.push(asking);
        }
        if question.words.len() == MOST_TERMS {
            break;
        }
    }
    question
}

/// The words of the codes in a long text, which count wherever they stand; none of a text all of whose words count.
fn codes(text: &str, words: usize) -> HashSet<String> {
    let mut found = HashSet::new();
    for code in anchors::codes(text).filter(|_| words > MOST_TERMS) {
        tokens::each(code, |token| {
            // most of the words are for the rest
            if found.len() < MOST_TERMS / 2 {
                found.insert(token.low.to_owned());
            }
        });
    }
    found
}

impl Asking {
    /// A word in lower case that is nothing but a word.
    fn of(word: String, languages: u8, stems: &mut Stems) -> Self {
        let own = stems_of(&word, languages, stems);
        Self {
            others: others(&word, &own, languages, stems),
            stems: own,
            raw: word.clone(),
            word,
            parts: Vec::new(),
            is_name: false,
            is_significant: false,
            is_content: false,
            is_optional: false,
            is_whole: false,
            is_common: false,
            is_foreign: false,
        }
    }
}

/// The parts of a word in `camelCase`, as words.
fn parts(raw: &str, languages: u8, stems: &mut Stems) -> Vec<Asking> {
    let part = |part: &str| {
        let word = tokens::lower(part).into_owned();
        let is_significant = word.chars().nth(3).is_some();
        Asking { is_significant, is_whole: true, ..Asking::of(word, languages, stems) }
    };
    tokens::parts(raw).map(part).collect()
}

/// The terms of a word without its marks, of words that have marks where it has none, and of its synonyms.
fn others(word: &str, own: &[String], languages: u8, stems: &mut Stems) -> Vec<(String, f64)> {
    let mut others: Vec<(String, f64)> = Vec::new();
    for form in folding::forms(word) {
        others.extend(stems_of(&form, languages, stems).into_iter().map(|stem| (stem, c::FOLDED)));
    }
    others.extend(own.iter().map(|stem| (format!("{}{stem}", folding::FOLDED), c::FOLDED)));
    others.extend(synonyms::of(&own[0]).iter().map(|stem| (stem.clone(), c::SYNONYM)));
    others.retain(|(term, _)| !own.contains(term));
    others
}

/// The distinct stems of a word, that of English first.
pub fn stems_of(word: &str, languages: u8, stems: &mut Stems) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for language in Language::ALL.into_iter().filter(|&one| (languages | 1) >> (one as u8) & 1 == 1) {
        let stem = stems.of(word, language);
        if !found.iter().any(|found| found == stem) {
            found.push(stem.to_owned());
        }
    }
    found
}

impl Question {
    /// The words of a code among those of the question, as bits by number; none if one of them is missing that is not a
    /// function word.
    pub fn words_of(&self, code: &str) -> u64 {
        let (mut bits, mut is_whole) = (0, true);
        tokens::each(code, |token| {
            let at = self.words.iter().position(|word| word.word == token.low);
            is_whole &= at.is_some() || stop_words::contains(token.low, Language::English);
            bits |= at.map_or(0, |at| 1 << at);
        });
        if is_whole { bits } else { 0 }
    }

    /// Replace a word by those of its parts that the question does not have yet, as far as there is room.
    pub fn split(&mut self, number: usize) {
        let Asking { parts, raw, .. } = self.words.remove(number);
        self.unknown.push(raw);
        let is_new = |part: &Asking| !self.words.iter().any(|word| word.stems[0] == part.stems[0]);
        let mut new: Vec<Asking> = parts.into_iter().filter(is_new).collect();
        new.dedup_by(|a, b| a.stems[0] == b.stems[0]);
        new.truncate(MOST_TERMS - self.words.len());
        self.words.splice(number..number, new);
    }
}

fn read_tokens(text: &str) -> Vec<QuestionToken> {
    let mut tokens = Vec::new();
    tokens::each(text, |token| {
        if token.kind != TokenKind::Tail {
            let (raw, low) = (token.raw.to_owned(), token.low.to_owned());
            tokens.push(QuestionToken { raw, low, opens: token.opens, kind: token.kind });
        }
    });
    tokens
}

/// The words, in lower case, of what is written with `_` or `.`, function words included: `NO_COLOR` is not about colors.
fn literal(text: &str) -> HashSet<String> {
    let is_joint = |c: char| matches!(c, '_' | '.');
    let inner = |chunk: &'_ str| chunk.trim_matches(|c: char| !c.is_alphanumeric()).contains(is_joint);
    text.split_whitespace()
        .filter(|chunk| inner(chunk))
        .flat_map(read_tokens)
        .map(|token| token.low)
        .collect()
}

/// The letters of flags such as `-x`, in lower case.
fn flags(text: &str) -> HashSet<String> {
    let chunks = text.split_whitespace().map(|chunk| chunk.trim_matches(['`', '"', '\'', '?', ',', '.']));
    let flags = chunks.filter_map(|chunk| chunk.strip_prefix('-').filter(|flag| flag.chars().count() == 1));
    flags.map(str::to_lowercase).collect()
}

/// The words of the text's identifiers, flags and paths, in lower case: of `max_age`, `--max-age`, `a::b`, `a/b`, `a.b`.
fn identifiers(text: &str) -> HashSet<String> {
    let is_joint = |c: char| matches!(c, '_' | '/' | '.' | ':');
    let is_identifier = |chunk: &&str| {
        let inner = chunk.trim_matches(|c: char| !c.is_alphanumeric());
        chunk.trim_start_matches(['`', '"', '(']).starts_with('-') || inner.contains(is_joint)
    };
    let chunks = text.split_whitespace().filter(is_identifier);
    chunks.flat_map(read_tokens).map(|token| token.low).collect()
}

/// Take `tag:name` and `tag:"two words"` out of a question.
fn take_tags(text: &str, tags: &mut Vec<String>) -> String {
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    while let Some(at) = rest.find("tag:") {
        let (before, after) = (&rest[..at], &rest[at + 4..]);
        let begins = before.chars().next_back().is_none_or(char::is_whitespace);
        let (name, end) = match after.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
            Some((name, _)) => (name, name.len() + 2),
            None => {
                let end = after.find(char::is_whitespace).unwrap_or(after.len());
                (&after[..end], end)
            }
        };
        let term = tag_term(&name[..name.floor_char_boundary(200)]);
        kept.push_str(before);
        if begins && term.len() > 1 && tags.len() < MOST_PHRASES {
            tags.push(term);
            rest = &after[end..];
        } else {
            kept.push_str("tag:");
            rest = after;
        }
    }
    kept.push_str(rest);
    kept
}

/// The words of each `"…"`; a quote that is not closed is text.
fn phrases(text: &str) -> Vec<Vec<String>> {
    let pieces: Vec<&str> = text.split('"').collect();
    // an even number of quotes closes them all
    let closed = &pieces[..(pieces.len() - 1) / 2 * 2];
    let inside = closed
        .iter()
        .skip(1)
        .step_by(2)
        .map(|piece| words_of(piece).take(LONGEST_PHRASE).collect::<Vec<_>>());
    inside.filter(|words| !words.is_empty()).take(MOST_PHRASES).collect()
}

/// The words of a text, without signs beside words.
fn words_of(text: &str) -> impl Iterator<Item = String> {
    read_tokens(text).into_iter().filter(|token| token.kind.is_plain()).map(|token| token.low)
}

/// Whether a text has these words one after the other.
pub fn has_phrase(text: &str, phrase: &[String]) -> bool {
    let words: Vec<String> = words_of(text).collect();
    words.windows(phrase.len().max(1)).any(|window| window == phrase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        read(text, 1, &mut Stems::default()).words.into_iter().map(|word| word.stems[0].clone()).collect()
    }

    #[test]
    fn function_words_go_unless_there_is_nothing_else() {
        assert_eq!(words("How long do the refresh tokens live?"), ["long", "refresh", "token", "live"]);
        assert_eq!(words("to be or not to be"), ["to", "be", "or", "not"]);
        assert_eq!(words("bands like The Who"), ["band", "like", "the", "who"]);
        assert!(words("").is_empty() && words("?!\u{7}").is_empty());
    }

    #[test]
    fn what_how_asks_the_measure_of_is_optional() {
        let optional = |text: &str| -> Vec<bool> {
            read(text, 1, &mut Stems::default()).words.iter().map(|word| word.is_optional).collect()
        };
        assert_eq!(optional("How long do tokens live?"), [true, false, false]);
        assert_eq!(optional("How tokens live long"), [false, false, false]);
    }

    #[test]
    fn capitals_inside_a_question_are_names() {
        let names = |text: &str| -> Vec<bool> {
            read(text, 1, &mut Stems::default()).words.iter().map(|word| word.is_name).collect()
        };
        assert_eq!(names("Does Anna like Rust reviews"), [true, false, true, false]);
        assert_eq!(names("DOES ANNA LIKE"), [false, false]);
    }

    #[test]
    fn phrases_and_tags_are_the_only_syntax() {
        let question = read(
            "tag:jwt \"access token\" AND (x OR *) -y tag:\"two words\" 5\" \"",
            1,
            &mut Stems::default(),
        );
        assert_eq!(question.tags, ["#jwt", "#two-words"]);
        assert_eq!(question.phrases, [["access", "token"].map(str::to_owned).to_vec()]);
        assert!(has_phrase("the Access-Token is", &question.phrases[0]));
        assert!(!has_phrase("token access", &question.phrases[0]));
        assert_eq!(read("metatag:x tag:", 1, &mut Stems::default()).tags, Vec::<String>::new());
    }

    #[test]
    fn a_word_has_a_stem_for_each_language() {
        let question = read("Laufzeiten", 0b11, &mut Stems::default());
        assert_eq!(question.words[0].stems.len(), 2);
    }

    #[test]
    fn a_very_long_question_is_cut() {
        let long: String = (0..20_000).map(|number| format!("word{number} \"")).collect();
        let question = read(&long, 63, &mut Stems::default());
        assert_eq!((question.words.len(), question.phrases.len()), (MOST_TERMS, MOST_PHRASES));
    }
}
