//! The terms of the index that stand for a word of a question.

use std::io;

use super::super::figures::{self, Collection};
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
pub const MOST_GUESSED: usize = 12;

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
    if word.is_character() {
        own.extend(accepted(view, &Longer::new(&own[0], 4), MOST_PAIRS)?);
    }
    Ok(own.into_iter().map(|term| (term, 1.0)).chain(word.others.iter().cloned()).collect())
}

impl Asking {
    /// Whether it is one character of a script without spaces, which is the beginning of pairs.
    pub fn is_character(&self) -> bool {
        is_unspaced(&self.stems[0]) && self.stems[0].chars().count() == 1
    }

    /// Whether a word that nothing has may be meant for another, or is only begun.
    pub fn may_stand_for_another(&self) -> bool {
        let stem = &self.stems[0];
        !stem.chars().any(char::is_numeric) && !is_unspaced(stem) && self.letters() >= FEWEST_BEGUN
    }

    fn letters(&self) -> usize {
        self.word.chars().count()
    }

    /// The terms of the words from which it comes by one error of typing, in order: first those of words that are their own
    /// stems and stand in the index as they are; of others only the stem does. None if it is short.
    pub fn meant(&self, languages: u8, stems: &mut Stems) -> [Vec<String>; 2] {
        let (mut own, mut stemmed) = (Vec::new(), Vec::new());
        if self.letters() >= FEWEST_MISTYPED {
            for meant in typing::neighbours(&self.word) {
                for stem in question::stems_of(&meant, languages, stems) {
                    match stem == meant {
                        true => own.push(stem),
                        false if is_inflected(&meant, &stem) => stemmed.push(stem),
                        false => {}
                    }
                }
            }
        }
        [own, stemmed].map(|mut terms| {
            terms.sort_unstable();
            terms.dedup();
            terms
        })
    }

    /// What terms begin with for which it may stand; `None` for a name (`Tran` is not in `transport`).
    pub fn beginning(&self) -> Option<&str> {
        (!self.is_whole).then_some(&*self.stems[0])
    }
}

fn is_unspaced(term: &str) -> bool {
    term.chars().all(brv_text::words::is_unspaced)
}

/// Find a word that no item has by the words from which it comes by one error of typing; else by those that begin with it.
fn near(view: &IndexView, word: &Asking, stems: &mut Stems) -> io::Result<WordMatches> {
    let near =
        |terms: Vec<String>| of_terms(view, terms.into_iter().map(|term| (term, c::NEAR_CREDIT)).collect());
    for terms in word.meant(view.languages, stems) {
        let terms = living(view, terms, MOST_NEAR)?;
        if !terms.is_empty() {
            return near(terms);
        }
    }
    let (fewest, most) = UNTYPED;
    let Some(stem) = word.beginning() else { return near(Vec::new()) };
    let mut begun = accepted(view, &Longer::new(stem, most), MOST_NEAR)?;
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
    if let Some(collection) = &view.collection {
        found.extend_to(collection, view, &terms);
    }
    found.terms = terms.into_iter().map(|(term, _)| term).collect();
    Ok(found)
}

impl WordMatches {
    /// Make of what is counted in the view what the collection has. Of several terms the most frequent tells how often any
    /// of them is there: it is so often at least, and where all of its files are in the view, what is counted is right.
    fn extend_to(&mut self, collection: &Collection, view: &IndexView, terms: &[(String, f64)]) {
        let [files, own_files] = self.files(view);
        let known = || terms.iter().filter(|(term, _)| collection.frequency(term) > 0);
        let frequency = |least: f64| {
            let of_credit = known().filter(|(_, credit)| *credit >= least);
            of_credit.map(|(term, _)| collection.frequency(term)).max().unwrap_or(0)
        };
        let (any, own) = (frequency(0.0), frequency(1.0));
        self.own = figures::extended(self.own, own_files, own);
        self.items = figures::extended(self.items, files, any).max(self.own);
        if files > 0 {
            self.leads = figures::extended(self.leads, files, any);
        } else {
            self.credit = known().map(|(_, credit)| *credit).fold(0.0, f64::max);
        }
    }

    /// The number of files that have a term, and of those that have the word itself.
    fn files(&self, view: &IndexView) -> [usize; 2] {
        let mut files = [0, 0];
        for ((segment, numbers), lists) in view.segments.iter().zip(&view.numbers).zip(&self.lists) {
            let (mut last, mut is_own) = ("", false);
            for Matched { piece, credit, .. } in lists.pieces() {
                let item = segment.table.item_of(piece);
                if numbers[item] == NOTHING {
                    continue;
                }
                let path = segment.table.path(item);
                if path != last {
                    files[0] += 1;
                    (last, is_own) = (path, false);
                }
                files[1] += usize::from(credit >= 1.0 && !is_own);
                is_own |= credit >= 1.0;
            }
        }
        files
    }
}
