//! Collect what each word of a question says for pieces, items and folders: BM25 term at a time.
//!
//! BM25 is that of S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with
//! the fields summed by weight before saturation (BM25F); idf is `ln(1 + (N + P - n + 0.5) / (n + 0.5))` over items.

use std::io;

use super::super::item::{FIELDS, Field};
use super::super::nearby::{Longer, Nearby};
use super::super::question::{Asking, Question};
use super::super::view::{NOTHING, View};
use crate::search::constants as c;

/// At most so many terms stand for a word without a match.
const MOST_NEAR: usize = 50;

/// At most so many pairs stand for one character of a script without spaces.
const MOST_PAIRS: usize = 1000;

/// The evidence for one question. Items are numbered as in the view.
pub struct Evidence {
    /// For each segment and piece the score of the piece.
    pub piece: Vec<Vec<f32>>,
    /// The score of each item by itself.
    pub item: Vec<f32>,
    pub folder: Vec<f32>,
    /// For each item the words it has, as bits by their index.
    pub has: Vec<u64>,
    /// For each item the words its title has.
    pub title: Vec<u64>,
    /// For each item the words that its title or its meta field has.
    pub head: Vec<u64>,
    pub words: Vec<WordEvidence>,
    /// The sum of the words' idf.
    pub mass: f64,
    /// A score that no item exceeds by its own words and those of its neighbours.
    pub most: f64,
}

/// A word of the question in the tree.
#[derive(Default)]
pub struct WordEvidence {
    pub terms: Vec<String>,
    pub items: usize,
    pub idf: f64,
    /// What a match counts: less than 1 if the terms are only near to the word.
    pub credit: f64,
    /// What the word counts where it is judged whether an entry covers the question: its idf, less for a common word.
    pub weight: f64,
    /// By segment where it is.
    lists: Vec<Lists>,
}

impl WordEvidence {
    /// Whether items have the word itself.
    pub fn is_exact(&self) -> bool {
        self.items > 0 && self.credit >= 1.0
    }
}

/// For each field the pieces that have a word, in order, and how often.
#[derive(Default)]
struct Lists([Vec<(u32, u32)>; FIELDS]);

impl Lists {
    /// Each piece in any of the lists, in order, with its count in each.
    fn pieces(&self) -> Pieces<'_> {
        Pieces(self.0.each_ref().map(Vec::as_slice))
    }
}

/// The heads of the lists that are still to be read.
struct Pieces<'a>([&'a [(u32, u32)]; FIELDS]);

impl Iterator for Pieces<'_> {
    type Item = (u32, [f32; FIELDS]);

    fn next(&mut self) -> Option<Self::Item> {
        let piece = self.0.iter().filter_map(|list| Some(list.first()?.0)).min()?;
        let mut counts = [0.0; FIELDS];
        for (list, count) in self.0.iter_mut().zip(&mut counts) {
            if let [(own, times), rest @ ..] = list
                && *own == piece
            {
                *count = *times as f32;
                *list = rest;
            }
        }
        Some((piece, counts))
    }
}

/// BM25's saturation of `count`, where `length` is the length over the mean.
fn saturated(count: f64, (k, b): (f64, f64), length: f64) -> f64 {
    if count > 0.0 { count / (count + k * (1.0 - b + b * length)) } else { 0.0 }
}

/// The idf of what `items` of `all` have.
pub fn idf(all: usize, items: usize) -> f64 {
    let (all, items) = (all as f64, items as f64);
    (1.0 + (all + c::PRIOR_ITEMS - items + 0.5) / (items + 0.5)).ln()
}

impl Evidence {
    /// The evidence of all words of a question. A word in `camelCase` that no item has is split in its parts.
    ///
    /// # Errors
    /// If a part on disk is damaged.
    pub fn collect(view: &View, question: &mut Question) -> io::Result<Self> {
        let mut evidence = Self {
            piece: view.segments.iter().map(|segment| vec![0.0; segment.table.pieces()]).collect(),
            item: vec![0.0; view.len()],
            folder: vec![0.0; view.folders.len()],
            has: vec![0; view.len()],
            title: vec![0; view.len()],
            head: vec![0; view.len()],
            words: Vec::new(),
            mass: 0.0,
            most: 0.0,
        };
        let mut number = 0;
        while let Some(word) = question.words.get(number) {
            let found = find(view, word)?;
            if found.items == 0 && word.is_optional {
                question.words.remove(number);
                continue;
            }
            if !found.is_exact() && word.parts.len() > 1 {
                // `camelCase` that is not in the tree as a whole
                question.split(number);
                continue;
            }
            evidence.add(view, number, word, found);
            number += 1;
        }
        Ok(evidence)
    }

    fn add(&mut self, view: &View, number: usize, word: &Asking, found: Found) {
        let own_idf = idf(view.len(), found.items);
        let weight = own_idf * covering(word, found.items);
        let idf = if word.is_common { own_idf * c::COMMON_RANK } else { own_idf };
        self.mass += idf;
        self.most += idf * (1.0 + c::PIECE + c::FOLDER + 2.0 * c::NEIGHBOURS[0]);
        let credit = found.credit;
        let lead = if word.is_name { c::NAME_LEAD * lead_idf(view.pieces, found.leads) } else { 0.0 };
        let mut folders = vec![[0.0_f32; 3]; if found.items > 0 { view.folders.len() } else { 0 }];
        for (segment, lists) in found.lists.iter().enumerate() {
            self.add_segment(view, segment, lists, number, credit * idf, credit * lead, &mut folders);
        }
        for (folder, counts) in folders.iter().enumerate().filter(|(_, counts)| **counts != [0.0; 3]) {
            let [title, body, meta] = counts.map(f64::from);
            let count = body + c::FOLDER_TITLE * title + c::FOLDER_META * meta;
            let length = view.folders[folder].length.into();
            self.folder[folder] += (credit * idf * saturated(count, c::FOLDER_BM25, length)) as f32;
        }
        let Found { lists, terms, items, .. } = found;
        self.words.push(WordEvidence { terms, items, idf, credit, weight, lists });
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the inner loop of scoring, split from the one over segments"
    )]
    fn add_segment(
        &mut self,
        view: &View,
        segment: usize,
        lists: &Lists,
        word: usize,
        weight: f64,
        lead_weight: f64,
        folders: &mut [[f32; 3]],
    ) {
        let table = &view.segments[segment].table;
        let pieces = &mut self.piece[segment];
        let mean = view.piece_words.max(1.0);
        let mut found = lists.pieces().peekable();
        while let Some(&(first, _)) = found.peek() {
            let item = table.item_of(first);
            // a damaged table must not stop the loop
            let end = (table.pieces_of(item).end as u32).max(first + 1);
            let number = view.numbers[segment][item];
            let mut sums = [0.0_f32; FIELDS];
            while let Some((piece, counts)) = found.next_if(|(piece, _)| *piece < end) {
                if number == NOTHING {
                    continue;
                }
                let [_, body, _, lead] = counts;
                let score = &mut pieces[piece as usize];
                if lead_weight > 0.0 && lead > 0.0 {
                    *score += (lead_weight * f64::from(lead) / (f64::from(lead) + c::LEAD_K)) as f32;
                }
                if body > 0.0 {
                    let length = f64::from(table.piece_words(piece)) / mean;
                    *score += (weight * saturated(body.into(), c::PIECE_BM25, length)) as f32;
                }
                for (sum, count) in sums.iter_mut().zip(counts) {
                    *sum += count;
                }
            }
            if number == NOTHING {
                continue;
            }
            let number = number as usize;
            let [title, body, meta, _] = sums;
            let count = f64::from(body) + c::ENTRY_TITLE * f64::from(title) + c::ENTRY_META * f64::from(meta);
            let length = view.length[number].into();
            self.item[number] += (weight * saturated(count, c::ENTRY_BM25, length)) as f32;
            self.has[number] |= 1 << word;
            self.title[number] |= u64::from(title > 0.0) << word;
            self.head[number] |= u64::from(title > 0.0 || meta > 0.0) << word;
            for (sum, count) in folders[view.folder[number] as usize].iter_mut().zip([title, body, meta]) {
                *sum += count;
            }
        }
    }

    /// The share of the question's idf that a piece has by itself.
    pub fn piece_coverage(&self, segment: usize, piece: u32) -> f64 {
        let has = self.words_of(segment, piece);
        let words = self.words.iter().enumerate().filter(|(number, _)| has >> number & 1 == 1);
        let own: f64 = words.map(|(_, word)| word.credit * word.idf).sum();
        if self.mass > 0.0 { own / self.mass } else { 0.0 }
    }

    /// The words that a piece of an item, its title and its meta field have together, as bits: of the piece with which
    /// that is most.
    pub fn best_words(&self, view: &View, item: u32) -> u64 {
        let place = view.places[item as usize];
        let range = view.segments[place.segment as usize].table.pieces_of(place.item as usize);
        let head = self.head[item as usize];
        let words = range.map(|piece| head | self.words_of(place.segment as usize, piece as u32));
        words.max_by(|one, other| self.weight(*one).total_cmp(&self.weight(*other))).unwrap_or(head)
    }

    fn words_of(&self, segment: usize, piece: u32) -> u64 {
        let has = |word: &WordEvidence| {
            let body = &word.lists[segment].0[Field::Body as usize];
            body.binary_search_by_key(&piece, |(piece, _)| *piece).is_ok()
        };
        let words = self.words.iter().enumerate().filter(|(_, word)| has(word));
        words.fold(0, |bits, (number, _)| bits | 1 << number)
    }

    /// The weight of the words in `bits`, by what their matches count.
    pub fn weight(&self, bits: u64) -> f64 {
        let words = self.words.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
        words.map(|(_, word)| word.credit * word.weight).sum()
    }
}

/// The share of its idf that a word counts where it is judged whether an entry covers the question.
fn covering(word: &Asking, items: usize) -> f64 {
    if word.is_common {
        c::COMMON_COVERS
    } else if word.is_foreign && items == 0 {
        c::FOREIGN_COVERS
    } else {
        1.0
    }
}

/// The idf of a lead, up to a limit.
fn lead_idf(pieces: usize, leads: usize) -> f64 {
    idf(pieces, leads).min(c::LEAD_MOST)
}

#[derive(Default)]
struct Found {
    lists: Vec<Lists>,
    terms: Vec<String>,
    credit: f64,
    items: usize,
    leads: usize,
}

impl Found {
    fn is_exact(&self) -> bool {
        self.items > 0 && self.credit >= 1.0
    }
}

/// Find a word by its stems; if no item has it, by the terms near to it, or that begin with it: those never stand for a
/// name (`Tran` is not in `transport`).
fn find(view: &View, word: &Asking) -> io::Result<Found> {
    let found = of_terms(view, word.stems.clone(), 1.0)?;
    let stem = &word.stems[0];
    let letters = stem.chars().count();
    let is_unspaced = stem.chars().all(crate::words::is_unspaced);
    if is_unspaced && letters == 1 {
        // one character of a script without spaces is the beginning of pairs
        let mut terms = word.stems.clone();
        terms.extend(living(view, &Longer::new(stem, 4), MOST_PAIRS)?);
        return of_terms(view, terms, 1.0);
    }
    if found.items > 0 || is_unspaced || letters < 4 || stem.chars().any(char::is_numeric) {
        return Ok(found);
    }
    let most = match letters {
        ..5 => 0,
        5..9 => 1,
        _ => 2,
    };
    let mut near = if most > 0 { living(view, &Nearby::new(stem, most), MOST_NEAR)? } else { Vec::new() };
    if near.is_empty() && !word.is_whole {
        near = living(view, &Longer::new(stem, 4), MOST_NEAR)?;
    }
    if near.is_empty() { Ok(found) } else { of_terms(view, near, c::NEAR_CREDIT) }
}

/// The first `most` terms, in order, that the automaton accepts and that an item has.
fn living<A: tantivy_fst::Automaton>(view: &View, automaton: &A, most: usize) -> io::Result<Vec<String>>
where
    A::State: Clone,
{
    let mut terms = Vec::new();
    for segment in &view.segments {
        segment.accepted(automaton, &mut terms)?;
    }
    terms.sort_unstable();
    terms.dedup();
    let mut living = Vec::new();
    for term in terms {
        if of_terms(view, vec![term.clone()], 1.0)?.items > 0 {
            living.push(term);
        }
        if living.len() == most {
            break;
        }
    }
    Ok(living)
}

fn of_terms(view: &View, terms: Vec<String>, credit: f64) -> io::Result<Found> {
    let mut found = Found { credit, ..Found::default() };
    for (number, segment) in view.segments.iter().enumerate() {
        let mut lists = Lists::default();
        for (field, list) in lists.0.iter_mut().enumerate() {
            let mut several = false;
            for term in &terms {
                several |= !list.is_empty();
                segment.read(term, field, list)?;
            }
            if several {
                sum_up(list);
            }
        }
        let (table, numbers) = (&segment.table, &view.numbers[number]);
        let (mut end, mut is_living) = (0, false);
        for (piece, counts) in lists.pieces() {
            if piece >= end {
                let item = table.item_of(piece);
                end = table.pieces_of(item).end as u32;
                is_living = numbers[item] != NOTHING;
                found.items += usize::from(is_living);
            }
            found.leads += usize::from(is_living && counts[Field::Lead as usize] > 0.0);
        }
        found.lists.push(lists);
    }
    found.terms = terms;
    Ok(found)
}

/// Make one list of several.
fn sum_up(list: &mut Vec<(u32, u32)>) {
    list.sort_by_key(|(piece, _)| *piece);
    list.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        kept.1 += if is_same { next.1 } else { 0 };
        is_same
    });
}
