//! Collect what each word of a question says for pieces, items and folders: BM25 term at a time.
//!
//! BM25 is that of S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with
//! the fields summed by weight before saturation (BM25F); idf is `ln(1 + (N + P - n + 0.5) / (n + 0.5))` over items.

use std::io;

use super::super::item::FIELDS;
use super::super::question::{Asking, Question};
use super::super::view::{IndexView, NOTHING};
use super::find::{WordMatches, find};
use super::postings::{Lists, Matched};
use crate::constants as c;
use brv_text::words::stems::Stems;

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
    /// The median idf of the words that an item has.
    typical: f64,
    /// The weight of the words that no item has, and of the identifiers that none has as a whole.
    pub unknown: f64,
    /// The weight of these identifiers alone.
    wholes: f64,
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
    /// The items that only have a substitute for the word, with its weight, in order.
    less: Vec<(u32, f32)>,
    /// By segment where it is.
    lists: Vec<Lists>,
}

impl WordEvidence {
    /// The weight of the word for an item that has it or a substitute.
    fn credit_of(&self, item: u32) -> f64 {
        self.less.binary_search_by_key(&item, |(item, _)| *item).map_or(1.0, |at| self.less[at].1.into())
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

/// The median idf of the words that an item has: what a word counts that none has. That of the rarest possible word, which
/// it would have, makes one such word outweigh all that is found. Without any, that of the rarest word.
fn typical_idf(view: &IndexView, found: &[WordMatches]) -> f64 {
    let known = found.iter().filter(|word| word.own > 0);
    let mut known: Vec<f64> = known.map(|word| idf(view.items, word.own)).collect();
    known.sort_unstable_by(f64::total_cmp);
    match known[..] {
        [] => idf(view.items, 0),
        _ => f64::midpoint(known[(known.len() - 1) / 2], known[known.len() / 2]),
    }
}

impl Evidence {
    /// The evidence of all words of a question; see [`find`].
    ///
    /// # Errors
    /// If a part on disk is damaged.
    pub fn collect(view: &IndexView, question: &mut Question, stems: &mut Stems) -> io::Result<Self> {
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
            typical: 0.0,
            unknown: 0.0,
            wholes: 0.0,
        };
        let found = find(view, question, stems)?;
        let typical = typical_idf(view, &found);
        evidence.typical = typical;
        for (number, (word, found)) in question.words.iter().zip(found).enumerate() {
            evidence.add(view, number, (word, typical), found);
        }
        evidence.unknown = evidence.words.iter().filter(|word| word.items == 0).map(|word| word.weight).sum();
        evidence.add_unknown(question.unknown.len());
        Ok(evidence)
    }

    /// Note that no item has so many identifiers of the question as a whole.
    pub fn add_unknown(&mut self, identifiers: usize) {
        self.unknown += self.typical * identifiers as f64;
        self.wholes += self.typical * identifiers as f64;
    }

    fn add(&mut self, view: &IndexView, number: usize, (word, typical): (&Asking, f64), found: WordMatches) {
        let any = if found.items > 0 { idf(view.items, found.items) } else { typical };
        // a substitute makes the word itself no less rare
        let idf = if found.own > 0 { idf(view.items, found.own) } else { any };
        // a word that only others stand for is missing
        let weight = if found.own > 0 { idf } else { typical } * covering(word, found.items);
        let common = if word.is_common { c::COMMON_RANK } else { 1.0 };
        let (any, idf) = (any * common, idf * common);
        self.mass += idf;
        self.most += idf * (1.0 + c::PIECE + c::FOLDER + 2.0 * c::NEIGHBOURS[0]);
        let lead = if word.is_name { c::NAME_LEAD * lead_idf(view.pieces, found.leads) } else { 0.0 };
        let mut folders = vec![[0.0_f32; 4]; if found.items > 0 { view.folders.len() } else { 0 }];
        let mut less = Vec::new();
        for (segment, lists) in found.lists.iter().enumerate() {
            let weights = WordWeights { word: number, idf, any, lead };
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
        let WordMatches { lists, terms, items, credit, leads, .. } = found;
        let leads = leads as f64 / view.pieces.max(1) as f64;
        self.words.push(WordEvidence { terms, items, idf, credit, weight, leads, less, lists });
    }

    fn add_segment(
        &mut self,
        view: &IndexView,
        segment: usize,
        lists: &Lists,
        weights: &WordWeights,
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
    pub fn best_words(&self, view: &IndexView, item: u32) -> u64 {
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

    /// The weight of all that the question asks for.
    pub fn asked(&self) -> f64 {
        self.words.iter().map(|word| word.weight).sum::<f64>() + self.wholes
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
struct WordWeights {
    /// Its number in the question.
    word: usize,
    idf: f64,
    /// The idf of whatever stands for it.
    any: f64,
    /// What it counts more in a lead.
    lead: f64,
}

impl WordWeights {
    fn of(&self, credit: f32) -> f64 {
        f64::from(credit) * if credit < 1.0 { self.any } else { self.idf }
    }
}
