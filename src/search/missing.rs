//! The parts of a question that no entry has.

use super::anchors;
use super::question::{Asking, Question};
use super::rank::evidence::Evidence;
use super::rank::order::{self, Scored};
use super::text::{stop_words, tokens};
use brv_text::words::is_unspaced;
use brv_text::words::stems::Language;

/// So many of the items with the words of an identifier are read to look for it as a whole. Where more have them, nothing is
/// said about it.
const MOST_READ: usize = 64;

/// The identifiers of several words, such as `max_age` or `--max-age`, that no item has as a whole, as written. `text` gives
/// the text of an item.
pub fn identifiers(
    question: &str,
    read: &Question,
    evidence: &Evidence,
    text: &dyn Fn(u32) -> Option<String>,
) -> Vec<String> {
    let is_nowhere = |name: &&str| {
        let needed = read.words_of(name);
        let has = |item: &u32| needed != 0 && evidence.has[*item as usize] & needed == needed;
        let items = (0..evidence.has.len() as u32).filter(has);
        let score = |item: u32| Scored { item, score: evidence.item[item as usize].into() };
        let mut items: Vec<Scored> = items.map(score).collect();
        order::best_first(&mut items, MOST_READ);
        let whole = spaced(name);
        let has_whole =
            |one: &Scored| text(one.item).is_none_or(|text| anchors::stands_in(&whole, &spaced(&text)));
        needed != 0 && items.len() <= MOST_READ && !items.iter().any(has_whole)
    };
    let mut names: Vec<&str> = anchors::joined(question).filter(is_nowhere).collect();
    names.dedup();
    names.into_iter().map(str::to_owned).collect()
}

/// In lower case, with a blank for each mark that joins words.
fn spaced(text: &str) -> String {
    text.to_lowercase().replace(['_', '-'], " ")
}

/// The parts of the question that no item has, in its order and spelling: plain words, and identifiers as a whole.
/// Numbers and words of everyday speech are none: what answers may well have others. Nor are pairs of characters.
pub fn missing(question: &str, read: &Question, evidence: &Evidence) -> Vec<String> {
    let is_number = |word: &str| !word.chars().any(char::is_alphabetic);
    let is_function = |word: &str| Language::ALL.iter().any(|own| stop_words::contains(word, *own));
    let is_pair = |word: &str| word.chars().all(is_unspaced);
    let is_named = |word: &Asking| {
        word.is_content
            && !word.is_common
            && !is_pair(&word.word)
            && !is_number(&word.word)
            && !is_function(&word.word)
    };
    let words = read.words.iter().zip(&evidence.words);
    let words = words.filter(|(word, found)| found.items == 0 && is_named(word)).map(|(word, _)| word);
    let is_part = |word: &Asking| read.unknown.iter().any(|whole| has_word(whole, &word.word));
    let mut missing: Vec<String> = words.filter(|word| !is_part(word)).map(|word| word.raw.clone()).collect();
    missing.extend(read.unknown.iter().cloned());
    missing.sort_by_key(|word| question.find(word.as_str()));
    missing
}

fn has_word(text: &str, word: &str) -> bool {
    let mut has = false;
    tokens::each(text, |token| has |= token.low == word);
    has
}
