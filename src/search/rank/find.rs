//! The terms of the index that stand for a word of a question.

use std::io;

use super::super::item::Field;
use super::super::longer::Longer;
use super::super::question::{self, Asking, Question};
use super::super::text::typing;
use super::super::view::{IndexView, NOTHING};
use super::postings::{Lists, Matched, lists};
use crate::constants as c;
use brv_text::words::stems::Stems;

/// At most so many terms stand for a word without a match.
const MOST_NEAR: usize = 50;

/// So many words without a match are looked for among others: a pasted log is not a question with typing errors.
const MOST_GUESSED: usize = 12;

/// Words of fewer letters are near to words with another meaning: `bread` to `break`.
const FEWEST_MISTYPED: usize = 7;

/// Words of fewer letters begin too many others.
const FEWEST_BEGUN: usize = 4;

/// So many letters at least, and bytes at most, are missing of a word that is only begun: `quic` is not `quick`.
const UNTYPED: (usize, usize) = (2, 4);

/// At most so many pairs stand for one character of a script without spaces.
const MOST_PAIRS: usize = 1000;

/// Where a word occurs, or its substitute.
#[derive(Default)]
pub struct WordMatches {
    pub lists: Vec<Lists>,
    pub terms: Vec<String>,
    /// What the best of the terms counts.
    pub credit: f64,
    pub items: usize,
    /// The items that have the word itself.
    pub own: usize,
    /// The pieces that begin with it.
    pub leads: usize,
}

/// Find each word of a question, in their order. A word in `camelCase` that no item has is split in its parts, and an
/// optional word that no item has goes.
///
/// # Errors
/// If a part on disk is damaged.
pub fn find(view: &IndexView, question: &mut Question, stems: &mut Stems) -> io::Result<Vec<WordMatches>> {
    let (mut all, mut guesses) = (Vec::new(), MOST_GUESSED);
    while let Some(word) = question.words.get(all.len()) {
        let mut found = of_terms(view, terms(view, word)?)?;
        if found.items == 0 && guesses > 0 && word.may_stand_for_another() {
            guesses -= 1;
            found = near(view, word, stems)?;
        }
        if found.items == 0 && word.is_optional {
            question.words.remove(all.len());
        } else if found.items == 0 && word.parts.len() > 1 {
            question.split(all.len());
        } else {
            all.push(found);
        }
    }
    Ok(all)
}

/// The terms of a word and those that stand for it, with what each counts.
fn terms(view: &IndexView, word: &Asking) -> io::Result<Vec<(String, f64)>> {
    let mut own = word.stems.clone();
    if is_unspaced(&own[0]) && own[0].chars().count() == 1 {
        // one character of a script without spaces is the beginning of pairs
        own.extend(accepted(view, &Longer::new(&own[0], 4), MOST_PAIRS)?);
    }
    Ok(own.into_iter().map(|term| (term, 1.0)).chain(word.others.iter().cloned()).collect())
}

impl Asking {
    /// Whether a word that nothing has may be meant for another, or is only begun.
    fn may_stand_for_another(&self) -> bool {
        let stem = &self.stems[0];
        !stem.chars().any(char::is_numeric) && !is_unspaced(stem) && self.letters() >= FEWEST_BEGUN
    }

    fn letters(&self) -> usize {
        self.word.chars().count()
    }
}

fn is_unspaced(term: &str) -> bool {
    term.chars().all(brv_text::words::is_unspaced)
}

/// Find a word that no item has by the words from which it comes by one error of typing; else by those that begin with it,
/// which never stand for a name (`Tran` is not in `transport`).
fn near(view: &IndexView, word: &Asking, stems: &mut Stems) -> io::Result<WordMatches> {
    let near =
        |terms: Vec<String>| of_terms(view, terms.into_iter().map(|term| (term, c::NEAR_CREDIT)).collect());
    if word.letters() >= FEWEST_MISTYPED {
        // a word that is its own stem stands in the index as it is; of others only the stem does
        let (mut own, mut stemmed) = (Vec::new(), Vec::new());
        for meant in typing::neighbours(&word.word) {
            for stem in question::stems_of(&meant, view.languages, stems) {
                match stem == meant {
                    true => own.push(stem),
                    false if is_inflected(&meant, &stem) => stemmed.push(stem),
                    false => {}
                }
            }
        }
        for mut terms in [own, stemmed] {
            terms.sort_unstable();
            terms.dedup();
            let terms = living(view, terms, MOST_NEAR)?;
            if !terms.is_empty() {
                return near(terms);
            }
        }
    }
    let (fewest, most) = UNTYPED;
    let stem = &word.stems[0];
    let mut begun =
        if word.is_whole { Vec::new() } else { accepted(view, &Longer::new(stem, most), MOST_NEAR)? };
    begun.retain(|term| term.chars().count() >= stem.chars().count() + fewest);
    near(begun)
}

/// Whether a word may be a form of its stem: a short one doubles its last letter before an ending (`logging`, not `loging`).
fn is_inflected(word: &str, stem: &str) -> bool {
    let doubled =
        || word.strip_prefix(stem).is_some_and(|ending| ending.chars().next() == stem.chars().last());
    stem.chars().nth(3).is_some() || doubled()
}

/// The first `most` terms, in order, that the automaton accepts and that an item has.
fn accepted<A: tantivy_fst::Automaton>(
    view: &IndexView,
    automaton: &A,
    most: usize,
) -> io::Result<Vec<String>>
where
    A::State: Clone,
{
    let mut terms = Vec::new();
    for segment in &view.segments {
        segment.accepted(automaton, &mut terms)?;
    }
    terms.sort_unstable();
    terms.dedup();
    living(view, terms, most)
}

/// The first `most` of these terms that an item has.
fn living(view: &IndexView, terms: Vec<String>, most: usize) -> io::Result<Vec<String>> {
    let mut living = Vec::new();
    for term in terms {
        if of_terms(view, vec![(term.clone(), 1.0)])?.items > 0 {
            living.push(term);
        }
        if living.len() == most {
            break;
        }
    }
    Ok(living)
}

fn of_terms(view: &IndexView, terms: Vec<(String, f64)>) -> io::Result<WordMatches> {
    let mut found = WordMatches::default();
    for (number, segment) in view.segments.iter().enumerate() {
        let lists = lists(segment, &terms)?;
        let (table, numbers) = (&segment.table, &view.numbers[number]);
        let (mut end, mut is_living, mut is_own) = (0, false, false);
        for Matched { piece, counts, credit } in lists.pieces() {
            if piece >= end {
                let item = table.item_of(piece);
                end = table.pieces_of(item).end as u32;
                is_living = numbers[item] != NOTHING;
                is_own = false;
                found.items += usize::from(is_living);
            }
            if is_living {
                found.leads += usize::from(counts[Field::Lead as usize] > 0.0);
                found.credit = found.credit.max(credit.into());
                found.own += usize::from(credit >= 1.0 && !is_own);
                is_own |= credit >= 1.0;
            }
        }
        found.lists.push(lists);
    }
    found.terms = terms.into_iter().map(|(term, _)| term).collect();
    Ok(found)
}
