//! What a search sees: the items of all segments that count, in the order of their paths, with their statistics.
//!
//! Changes that are not in the index yet are a segment in memory, so that frequencies, lengths and neighbours are those
//! of an index built anew. Everything here is linear in the number of items, never in that of their pieces.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use super::disk::segment::Segment;
use super::figures::Collection;
use super::item::ItemRole;
use crate::constants as rank;
use brv_text::words::stems::Fnv;

/// "None" for numbers of items and folders.
pub const NOTHING: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentPlace {
    pub segment: u32,
    pub item: u32,
}

pub struct IndexView {
    /// The segments; the last may be one in memory.
    pub segments: Vec<Arc<Segment>>,
    /// Each item, in the order of paths. Its index is the item's number in this view.
    pub places: Vec<SegmentPlace>,
    /// For each segment and item the number in this view, or [`NOTHING`].
    pub numbers: Vec<Vec<u32>>,
    /// For each file the next one in its folder, or [`NOTHING`]; highlights are not neighbours.
    pub next: Vec<u32>,
    /// For each file the one before it in its folder, or [`NOTHING`].
    pub previous: Vec<u32>,
    pub folder: Vec<u32>,
    /// For each item the length that damps its score: words by weight over the mean.
    pub length: Vec<f32>,
    /// The folders of all segments; those without items count for nothing.
    pub folders: Vec<IndexedFolder>,
    pub files: usize,
    /// How many items there are, of those of a collection all.
    pub items: usize,
    /// Likewise.
    pub pieces: usize,
    /// The mean number of words of a piece.
    pub piece_words: f64,
    /// The languages of the items, as bits by number.
    pub languages: u8,
    /// What the items are only a part of, if they are not all.
    pub collection: Option<Collection>,
}

#[derive(Debug, Clone, Copy)]
pub struct IndexedFolder {
    /// A segment that has it, and its number there.
    pub place: SegmentPlace,
    /// The folder above, or [`NOTHING`].
    pub above: u32,
    pub own: u32,
    pub items: u32,
    /// The length that damps its score, as that of an item.
    pub length: f32,
}

impl IndexView {
    /// The view of these items of these segments, in the order of their paths. They are all there are, or a part of a
    /// collection.
    pub fn new(
        segments: Vec<Arc<Segment>>,
        places: Vec<SegmentPlace>,
        collection: Option<Collection>,
    ) -> Self {
        let (mut folders, folder_numbers) = folders(&segments);
        let mut numbers: Vec<Vec<u32>> =
            segments.iter().map(|segment| vec![NOTHING; segment.table.len()]).collect();
        let count = places.len();
        let (mut next, mut previous) = (vec![NOTHING; count], vec![NOTHING; count]);
        let mut last = vec![NOTHING; folders.len()];
        let mut folder = Vec::with_capacity(count);
        let mut length = Vec::with_capacity(count);
        let mut folder_lengths = vec![0.0_f64; folders.len()];
        let (mut files, mut pieces, mut words, mut languages) = (0, 0, [0_u64; 3], 0);
        for (number, place) in places.iter().enumerate() {
            let (segment, item) = (place.segment as usize, place.item as usize);
            let table = &segments[segment].table;
            let own = folder_numbers[segment][table.folder_of(item)];
            numbers[segment][item] = number as u32;
            folder.push(own);
            if table.role(item).is_file() {
                files += 1;
                let before = std::mem::replace(&mut last[own as usize], number as u32);
                if before != NOTHING {
                    previous[number] = before;
                    next[before as usize] = number as u32;
                }
            }
            let [title, body, meta] = table.words(item);
            for (sum, count) in words.iter_mut().zip([title, body, meta]) {
                *sum += u64::from(count);
            }
            let [title, body, meta] = [title, body, meta].map(f64::from);
            length.push((body + rank::ENTRY_TITLE * title + rank::ENTRY_META * meta) as f32);
            folder_lengths[own as usize] += body + rank::FOLDER_TITLE * title + rank::FOLDER_META * meta;
            folders[own as usize].own += 1;
            pieces += table.pieces_of(item).len();
            languages |= 1 << table.language(item) as u8;
        }
        let (mut items, mut used_folders) = (count, folders.iter().filter(|folder| folder.own > 0).count());
        if let Some(all) = &collection {
            [items, pieces, used_folders] = [all.items, all.pieces, all.folders].map(|count| count as usize);
            (words, languages) = (all.words, all.languages);
        }
        let [title, body, meta] = words.map(|sum| sum as f64);
        let mean = (body + rank::ENTRY_TITLE * title + rank::ENTRY_META * meta) / items.max(1) as f64;
        for length in &mut length {
            *length /= mean.max(1.0) as f32;
        }
        let all = body + rank::FOLDER_TITLE * title + rank::FOLDER_META * meta;
        let mean = all / used_folders.max(1) as f64;
        for (folder, length) in folders.iter_mut().zip(folder_lengths) {
            folder.length = (length / mean.max(1.0)) as f32;
            folder.items = folder.own;
        }
        // a folder has a higher number than the one above it
        for number in (0..folders.len()).rev() {
            let (above, items) = (folders[number].above, folders[number].items);
            if above != NOTHING {
                folders[above as usize].items += items;
            }
        }
        let piece_words = body / pieces.max(1) as f64;
        Self {
            segments,
            places,
            numbers,
            next,
            previous,
            folder,
            length,
            folders,
            files,
            items,
            pieces,
            piece_words,
            languages,
            collection,
        }
    }

    pub fn role(&self, number: u32) -> ItemRole {
        let (segment, item) = self.place(number);
        segment.table.role(item)
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The segment of an item, and its number there.
    pub fn place(&self, number: u32) -> (&Segment, usize) {
        let place = self.places[number as usize];
        (&self.segments[place.segment as usize], place.item as usize)
    }

    pub fn path(&self, number: u32) -> &str {
        let (segment, item) = self.place(number);
        segment.table.path(item)
    }

    pub fn folder_path(&self, folder: u32) -> &str {
        let place = self.folders[folder as usize].place;
        self.segments[place.segment as usize].table.folder_path(place.item as usize)
    }

    /// The hashes of the terms of a folder's own name.
    pub fn folder_terms(&self, folder: u32) -> impl ExactSizeIterator<Item = u64> {
        let place = self.folders[folder as usize].place;
        self.segments[place.segment as usize].table.name_terms(place.item as usize)
    }
}

/// The folders of all segments, each once, and for each segment the numbers of its folders among them.
fn folders(segments: &[Arc<Segment>]) -> (Vec<IndexedFolder>, Vec<Vec<u32>>) {
    let mut folders = Vec::new();
    let mut known: HashMap<&str, u32, BuildHasherDefault<Fnv>> = HashMap::default();
    let mut numbers: Vec<Vec<u32>> = Vec::with_capacity(segments.len());
    for (at, segment) in segments.iter().enumerate() {
        let mut own: Vec<u32> = Vec::with_capacity(segment.table.folders());
        for folder in 0..segment.table.folders() {
            let new = folders.len() as u32;
            // the folders of one segment are distinct
            let number = if segments.len() == 1 {
                new
            } else {
                *known.entry(segment.table.folder_path(folder)).or_insert(new)
            };
            if number == new {
                let above = segment.table.folder_above(folder).map_or(NOTHING, |above| own[above]);
                let place = SegmentPlace { segment: at as u32, item: folder as u32 };
                folders.push(IndexedFolder { place, above, own: 0, items: 0, length: 0.0 });
            }
            own.push(number);
        }
        numbers.push(own);
    }
    (folders, numbers)
}
