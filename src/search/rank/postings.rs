//! Where the terms of one word of a question are in a segment, those together that count the same.

use std::io;

use super::super::disk::segment::Segment;
use super::super::item::{FIELDS, Field};

/// Where a word is in a segment.
#[derive(Default)]
pub struct Lists(Vec<Tier>);

/// Where the terms are that count the same.
struct Tier {
    credit: f32,
    /// For each field the pieces, in order, and how often.
    fields: [Vec<(u32, u32)>; FIELDS],
}

/// A piece with what a word is in it.
pub struct Matched {
    pub piece: u32,
    /// How often it is in each field.
    pub counts: [f32; FIELDS],
    /// What the best of its terms counts.
    pub credit: f32,
}

impl Lists {
    /// Each piece in any of the lists, in order.
    pub fn pieces(&self) -> PieceMatches<'_> {
        PieceMatches(
            self.0.iter().map(|tier| (tier.credit, tier.fields.each_ref().map(Vec::as_slice))).collect(),
        )
    }

    /// What the word counts for a piece that has it in its text; 0 without it.
    pub fn credit_in_text(&self, piece: u32) -> f32 {
        let has = |tier: &&Tier| {
            let body = &tier.fields[Field::Body as usize];
            body.binary_search_by_key(&piece, |(piece, _)| *piece).is_ok()
        };
        self.0.iter().filter(has).map(|tier| tier.credit).fold(0.0, f32::max)
    }
}

/// What is still to be read of the lists of terms that count the same.
type PostingsCursor<'a> = [&'a [(u32, u32)]; FIELDS];

/// The tiers with what is still to be read of them.
pub struct PieceMatches<'a>(Vec<(f32, PostingsCursor<'a>)>);

impl Iterator for PieceMatches<'_> {
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

/// Where terms are in a segment, those together that count the same.
pub fn lists(segment: &Segment, terms: &[(String, f64)]) -> io::Result<Lists> {
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
