//! Collect what each word of a question says for pieces, items and folders: BM25 term at a time.
//!
//! BM25 is that of S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with
//! the fields summed by weight before saturation (BM25F); idf is `ln(1 + (N + P - n + 0.5) / (n + 0.5))` over items.

use std::io;

use super::super::disk::segment::Segment;
use super::super::item::{FIELDS, Field};
use super::super::nearby::{Longer, Nearby};
use super::super::question::{self, Asking, Question};
use super::super::text::typing;
use super::super::view::{NOTHING, View};
use crate::constants as c;
use brv_text::words::stems::Stems;

/// At most so many terms stand for a word without a match.
const MOST_NEAR: usize = 50;

/// So many words without a match are looked for among others: a pasted log is no question with typing errors.
const MOST_GUESSED: usize = 12;

/// Words of fewer letters are near to too many others.
const FEWEST_MISTYPED: usize = 5;

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
    /// What a match counts: less than 1 if no item has the word itself.
    pub credit: f64,
    /// What the word counts where it is judged whether an item covers the question: its idf, less for a common word.
    pub weight: f64,
    /// The share of all pieces that begin with the word; see [`Field::Lead`].
    pub leads: f64,
    /// The items that have no more than what stands for the word, with what that counts, in order.
    less: Vec<(u32, f32)>,
    /// By segment where it is.
    lists: Vec<Lists>,
}

impl WordEvidence {
    /// What the word counts for an item that has it, or what stands for it.
    fn credit_of(&self, item: u32) -> f64 {
        self.less.binary_search_by_key(&item, |(item, _)| *item).map_or(1.0, |at| self.less[at].1.into())
    }
}

/// Where a word is in a segment.
#[derive(Default)]
struct Lists(Vec<Tier>);

/// Where the terms are that count the same.
struct Tier {
    credit: f32,
    /// For each field the pieces, in order, and how often.
    fields: [Vec<(u32, u32)>; FIELDS],
}

/// A piece with what a word is in it.
struct Matched {
    piece: u32,
    /// How often it is in each field.
    counts: [f32; FIELDS],
    /// What the best of its terms counts.
    credit: f32,
}

impl Lists {
    /// Each piece in any of the lists, in order.
    fn pieces(&self) -> Pieces<'_> {
        Pieces(self.0.iter().map(|tier| (tier.credit, tier.fields.each_ref().map(Vec::as_slice))).collect())
    }

    /// What the word counts for a piece that has it in its text; 0 without it.
    fn credit_in_text(&self, piece: u32) -> f32 {
        let has = |tier: &&Tier| {
            let body = &tier.fields[Field::Body as usize];
            body.binary_search_by_key(&piece, |(piece, _)| *piece).is_ok()
        };
        self.0.iter().filter(has).map(|tier| tier.credit).fold(0.0, f32::max)
    }
}

/// What is still to be read of the lists of terms that count the same.
type Rest<'a> = [&'a [(u32, u32)]; FIELDS];

/// The tiers with what is still to be read of them.
struct Pieces<'a>(Vec<(f32, Rest<'a>)>);

impl Iterator for Pieces<'_> {
    type Item = Matched;

    fn next(&mut self) -> Option<Matched> {
        let heads = self.0.iter().flat_map(|(_, lists)| lists);
        let piece = heads.filter_map(|list| Some(list.first()?.0)).min()?;
        let mut matched = Matched { piece, counts: [0.0; FIELDS], credit: 0.0 };
        for (credit, lists) in &mut self.0 {
            for (list, count) in lists.iter_mut().zip(&mut matched.counts) {
                if let [(own, times), rest @ ..] = list
                    && *own == piece
                {
                    *count += *times as f32;
                    *list = rest;
                    matched.credit = matched.credit.max(*credit);
                }
            }
        }
        Some(matched)
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
    pub fn collect(view: &View, question: &mut Question, stems: &mut Stems) -> io::Result<Self> {
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
        let (mut number, mut guesses) = (0, MOST_GUESSED);
        while let Some(word) = question.words.get(number) {
            let mut found = of_terms(view, terms(view, word)?)?;
            if found.items == 0 && guesses > 0 && word.may_be_mistyped() {
                guesses -= 1;
                found = near(view, word, stems)?;
            }
            if found.items == 0 && word.is_optional {
                question.words.remove(number);
                continue;
            }
            if found.items == 0 && word.parts.len() > 1 {
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
        // what stands for a word makes the word itself no less rare
        let any = idf(view.len(), found.items);
        let idf = if found.own > 0 { idf(view.len(), found.own) } else { any };
        // a word that only others stand for is missing
        let weight = self::idf(view.len(), found.own) * covering(word, found.items);
        let common = if word.is_common { c::COMMON_RANK } else { 1.0 };
        let (any, idf) = (any * common, idf * common);
        self.mass += idf;
        self.most += idf * (1.0 + c::PIECE + c::FOLDER + 2.0 * c::NEIGHBOURS[0]);
        let lead = if word.is_name { c::NAME_LEAD * lead_idf(view.pieces, found.leads) } else { 0.0 };
        let mut folders = vec![[0.0_f32; 4]; if found.items > 0 { view.folders.len() } else { 0 }];
        let mut less = Vec::new();
        for (segment, lists) in found.lists.iter().enumerate() {
            let weights = Weights { word: number, idf, any, lead };
            self.add_segment(view, segment, lists, &weights, &mut folders, &mut less);
        }
        less.sort_unstable_by_key(|(item, _)| *item);
        for (folder, counts) in folders.iter().enumerate().filter(|(_, counts)| **counts != [0.0; 4]) {
            let [title, body, meta, credit] = counts.map(f64::from);
            let count = body + c::FOLDER_TITLE * title + c::FOLDER_META * meta;
            let length = view.folders[folder].length.into();
            let idf = if credit < 1.0 { any } else { idf };
            self.folder[folder] += (credit * idf * saturated(count, c::FOLDER_BM25, length)) as f32;
        }
        let Found { lists, terms, items, credit, leads, .. } = found;
        let leads = leads as f64 / view.pieces.max(1) as f64;
        self.words.push(WordEvidence { terms, items, idf, credit, weight, leads, less, lists });
    }

    fn add_segment(
        &mut self,
        view: &View,
        segment: usize,
        lists: &Lists,
        weights: &Weights,
        folders: &mut [[f32; 4]],
        less: &mut Vec<(u32, f32)>,
    ) {
        let table = &view.segments[segment].table;
        let pieces = &mut self.piece[segment];
        let mean = view.piece_words.max(1.0);
        let mut found = lists.pieces().peekable();
        while let Some(&Matched { piece: first, .. }) = found.peek() {
            let item = table.item_of(first);
            // a damaged table must not stop the loop
            let end = (table.pieces_of(item).end as u32).max(first + 1);
            let number = view.numbers[segment][item];
            let (mut sums, mut best) = ([0.0_f32; FIELDS], 0.0_f32);
            while let Some(Matched { piece, counts, credit }) = found.next_if(|next| next.piece < end) {
                if number == NOTHING {
                    continue;
                }
                let [_, body, _, lead] = counts;
                let score = &mut pieces[piece as usize];
                if weights.lead > 0.0 && lead > 0.0 {
                    let weight = weights.lead * f64::from(credit);
                    *score += (weight * f64::from(lead) / (f64::from(lead) + c::LEAD_K)) as f32;
                }
                if body > 0.0 {
                    let length = f64::from(table.piece_words(piece)) / mean;
                    let weight = weights.of(credit);
                    *score += (weight * saturated(body.into(), c::PIECE_BM25, length)) as f32;
                }
                best = best.max(credit);
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
            let weight = weights.of(best);
            self.item[number] += (weight * saturated(count, c::ENTRY_BM25, length)) as f32;
            self.has[number] |= 1 << weights.word;
            self.title[number] |= u64::from(title > 0.0) << weights.word;
            self.head[number] |= u64::from(title > 0.0 || meta > 0.0) << weights.word;
            if best < 1.0 {
                less.push((number as u32, best));
            }
            let folder = &mut folders[view.folder[number] as usize];
            for (sum, count) in folder.iter_mut().zip([title, body, meta]) {
                *sum += count;
            }
            folder[3] = folder[3].max(best);
        }
    }

    /// What the least certain word counts for an item that has all.
    pub fn least_credit(&self, item: u32) -> f64 {
        self.words.iter().map(|word| word.credit_of(item)).fold(1.0, f64::min)
    }

    /// The share of the question's idf that a piece has by itself.
    pub fn piece_coverage(&self, segment: usize, piece: u32) -> f64 {
        let credit = |word: &WordEvidence| f64::from(word.lists[segment].credit_in_text(piece));
        let own: f64 = self.words.iter().map(|word| credit(word) * word.idf).sum();
        if self.mass > 0.0 { own / self.mass } else { 0.0 }
    }

    /// The words that a piece of an item, its title and its meta field have together, as bits: of the piece with which
    /// that is most.
    pub fn best_words(&self, view: &View, item: u32) -> u64 {
        let place = view.places[item as usize];
        let range = view.segments[place.segment as usize].table.pieces_of(place.item as usize);
        let head = self.head[item as usize];
        let words = range.map(|piece| head | self.words_of(place.segment as usize, piece as u32));
        let weight = |bits: u64| self.weight(item, bits);
        words.max_by(|one, other| weight(*one).total_cmp(&weight(*other))).unwrap_or(head)
    }

    fn words_of(&self, segment: usize, piece: u32) -> u64 {
        let has = |word: &WordEvidence| word.lists[segment].credit_in_text(piece) > 0.0;
        let words = self.words.iter().enumerate().filter(|(_, word)| has(word));
        words.fold(0, |bits, (number, _)| bits | 1 << number)
    }

    /// The weight of the words in `bits`, by what they count for an item.
    pub fn weight(&self, item: u32, bits: u64) -> f64 {
        let words = self.words.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
        words.map(|(_, word)| word.credit_of(item) * word.weight).sum()
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

/// What a word counts.
struct Weights {
    /// Its number in the question.
    word: usize,
    idf: f64,
    /// The idf of whatever stands for it.
    any: f64,
    /// What it counts more in a lead.
    lead: f64,
}

impl Weights {
    fn of(&self, credit: f32) -> f64 {
        f64::from(credit) * if credit < 1.0 { self.any } else { self.idf }
    }
}

#[derive(Default)]
struct Found {
    lists: Vec<Lists>,
    terms: Vec<String>,
    credit: f64,
    items: usize,
    /// The items that have the word itself.
    own: usize,
    leads: usize,
}

/// The terms of a word and those that stand for it, with what each counts.
fn terms(view: &View, word: &Asking) -> io::Result<Vec<(String, f64)>> {
    let mut own = word.stems.clone();
    if is_unspaced(&own[0]) && own[0].chars().count() == 1 {
        // one character of a script without spaces is the beginning of pairs
        own.extend(accepted(view, &Longer::new(&own[0], 4), MOST_PAIRS)?);
    }
    Ok(own.into_iter().map(|term| (term, 1.0)).chain(word.others.iter().cloned()).collect())
}

impl Asking {
    /// Whether a word that nothing has may be meant for another, or is only begun.
    fn may_be_mistyped(&self) -> bool {
        let stem = &self.stems[0];
        !stem.chars().any(char::is_numeric) && !is_unspaced(stem) && self.word.chars().nth(3).is_some()
    }
}

fn is_unspaced(term: &str) -> bool {
    term.chars().all(brv_text::words::is_unspaced)
}

/// Find a word that no item has by the words from which it comes by an error of typing; else by the terms near to its
/// stem; else by those that begin with it, which never stand for a name (`Tran` is not in `transport`).
fn near(view: &View, word: &Asking, stems: &mut Stems) -> io::Result<Found> {
    let near =
        |terms: Vec<String>| of_terms(view, terms.into_iter().map(|term| (term, c::NEAR_CREDIT)).collect());
    let stem = &word.stems[0];
    let letters = word.word.chars().count();
    if letters >= FEWEST_MISTYPED {
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
        let most = if stem.chars().nth(8).is_some() { 2 } else { 1 };
        let terms = accepted(view, &Nearby::new(stem, most), MOST_NEAR)?;
        if !terms.is_empty() {
            return near(terms);
        }
    }
    near(if word.is_whole { Vec::new() } else { accepted(view, &Longer::new(stem, 4), MOST_NEAR)? })
}

/// Whether a word may be a form of its stem: a short one doubles its last letter before an ending (`logging`, not `loging`).
fn is_inflected(word: &str, stem: &str) -> bool {
    let doubled =
        || word.strip_prefix(stem).is_some_and(|ending| ending.chars().next() == stem.chars().last());
    stem.chars().nth(3).is_some() || doubled()
}

/// The first `most` terms, in order, that the automaton accepts and that an item has.
fn accepted<A: tantivy_fst::Automaton>(view: &View, automaton: &A, most: usize) -> io::Result<Vec<String>>
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
fn living(view: &View, terms: Vec<String>, most: usize) -> io::Result<Vec<String>> {
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

fn of_terms(view: &View, terms: Vec<(String, f64)>) -> io::Result<Found> {
    let mut found = Found::default();
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

/// Where terms are in a segment, those together that count the same.
fn lists(segment: &Segment, terms: &[(String, f64)]) -> io::Result<Lists> {
    let mut tiers: Vec<Tier> = Vec::new();
    for alike in terms.chunk_by(|(_, a), (_, b)| a == b) {
        let mut tier = Tier { credit: alike[0].1 as f32, fields: Default::default() };
        for (field, list) in tier.fields.iter_mut().enumerate() {
            let mut several = false;
            for (term, _) in alike {
                several |= !list.is_empty();
                segment.read(term, field, list)?;
            }
            if several {
                sum_up(list);
            }
        }
        if tier.fields.iter().any(|list| !list.is_empty()) {
            tiers.push(tier);
        }
    }
    Ok(Lists(tiers))
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
