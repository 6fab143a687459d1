//! The table of a part: its items, their pieces and folders, in fixed columns that are read in place.
//!
//! All numbers are little-endian. Layout: the counts of items, pieces, folders, hashes and bytes of paths (u32 each), then
//! the rows of items ([`ITEM`] bytes), pieces ([`PIECE`]), folders ([`FOLDER`]), the hashes (u64), the bytes of the items'
//! paths and those of the folders'. A row has where its path, pieces or hashes end; they begin where those of the row
//! before end. Nothing is parsed when a table is opened.

use std::collections::HashMap;
use std::ops::Range;

use tantivy::directory::OwnedBytes;

use super::super::item::{Item, Searched};
use super::super::text::Language;
use super::super::text::dates::Day;
use super::super::text::stems::Stems;
use super::super::text::{stop_words, tokens};
use crate::content::{ContentId, fnv};

/// The bytes of an item: end of path, end of pieces, folder, words of the body (u32 each), words of title and meta (u16),
/// day (u32), kind, language, terms of the title, nothing (u8), content id (20), time of the last change (u32).
const ITEM: usize = 52;
/// The bytes of a piece: item, line (u32), words, lines with [`FACT`] (u16).
const PIECE: usize = 12;
/// The bytes of a folder: end of path, end of hashes, folder above (u32).
const FOLDER: usize = 12;
/// The bit of a piece that is a fact.
const FACT: u16 = 1 << 15;
/// The bytes before the first row.
const HEAD: usize = 24;

/// "None" for numbers of folders.
pub const NOTHING: u32 = u32::MAX;

/// The table of a part.
#[derive(Clone)]
pub struct Table {
    bytes: OwnedBytes,
    items: usize,
    pieces: usize,
    folders: usize,
    hashes: usize,
    item_paths: usize,
}

/// A piece of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    /// Its first line in the file, counted from 1.
    pub line: usize,
    /// The number of its lines; 0 for an entry without text.
    pub lines: usize,
    /// Whether it is one item under `## Facts`.
    pub is_fact: bool,
}

impl Table {
    /// Open a table; `None` if its length does not agree with its counts.
    pub fn open(bytes: OwnedBytes) -> Option<Self> {
        let count = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?) as usize);
        let (items, pieces, folders) = (count(0)?, count(4)?, count(8)?);
        let (hashes, item_paths, folder_paths) = (count(12)?, count(16)?, count(20)?);
        let rows = HEAD + items * ITEM + pieces * PIECE + folders * FOLDER + hashes * 8;
        (rows + item_paths + folder_paths == bytes.len()).then_some(Self {
            bytes,
            items,
            pieces,
            folders,
            hashes,
            item_paths,
        })
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.items
    }

    /// The number of pieces.
    pub fn pieces(&self) -> usize {
        self.pieces
    }

    /// The number of folders, those without items of their own included.
    pub fn folders(&self) -> usize {
        self.folders
    }

    /// The path of an item.
    pub fn path(&self, item: usize) -> &str {
        let start = HEAD + self.items * ITEM + self.pieces * PIECE + self.folders * FOLDER + self.hashes * 8;
        self.text(start, self.ends(HEAD, ITEM, item, 0))
    }

    /// The content id of an item.
    pub fn id(&self, item: usize) -> ContentId {
        ContentId::from_bytes(&self.item(item)[28..48])
    }

    /// The pieces of an item.
    pub fn pieces_of(&self, item: usize) -> Range<usize> {
        let end = |item: usize| u32_at(self.item(item), 4) as usize;
        item.checked_sub(1).map_or(0, end)..end(item)
    }

    /// The folder of an item.
    pub fn folder_of(&self, item: usize) -> usize {
        u32_at(self.item(item), 8) as usize
    }

    /// The words of the title, the body and the meta field of an item.
    pub fn words(&self, item: usize) -> [u32; 3] {
        let row = self.item(item);
        [u16_at(row, 16).into(), u32_at(row, 12), u16_at(row, 18).into()]
    }

    /// The day of an item.
    pub fn day(&self, item: usize) -> Option<Day> {
        Day::from_number(u32_at(self.item(item), 20))
    }

    /// The time of the last change that an item tells, in seconds since 1970.
    pub fn changed(&self, item: usize) -> Option<i64> {
        Some(u32_at(self.item(item), 48)).filter(|time| *time > 0).map(i64::from)
    }

    /// The kind of an item.
    pub fn kind(&self, item: usize) -> Searched {
        match self.item(item)[24] {
            0 => Searched::Entry,
            1 => Searched::Overview,
            _ => Searched::Stub,
        }
    }

    /// The language of an item.
    pub fn language(&self, item: usize) -> Language {
        Language::from_number(self.item(item)[25])
    }

    /// The number of distinct terms of an item's title that are no function words; 255 for more.
    pub fn title_terms(&self, item: usize) -> u8 {
        self.item(item)[26]
    }

    /// The item of a piece.
    pub fn item_of(&self, piece: u32) -> usize {
        u32_at(self.piece(piece as usize), 0) as usize
    }

    /// The words of a piece.
    pub fn piece_words(&self, piece: u32) -> u16 {
        u16_at(self.piece(piece as usize), 8)
    }

    /// Where a piece is in its file.
    pub fn passage(&self, piece: usize) -> Passage {
        let row = self.piece(piece);
        let lines = u16_at(row, 10);
        Passage {
            line: u32_at(row, 4) as usize,
            lines: usize::from(lines & !FACT),
            is_fact: lines & FACT > 0,
        }
    }

    /// The path of a folder: `""` for the root.
    pub fn folder_path(&self, folder: usize) -> &str {
        let rows = HEAD + self.items * ITEM + self.pieces * PIECE;
        let start = rows + self.folders * FOLDER + self.hashes * 8 + self.item_paths;
        self.text(start, self.ends(rows, FOLDER, folder, 0))
    }

    /// The folder above a folder.
    pub fn folder_above(&self, folder: usize) -> Option<usize> {
        let above = u32_at(&self.bytes, HEAD + self.items * ITEM + self.pieces * PIECE + folder * FOLDER + 8);
        (above != NOTHING).then_some(above as usize)
    }

    /// The hashes of the distinct terms of a folder's own name, function words left out.
    pub fn name_terms(&self, folder: usize) -> impl ExactSizeIterator<Item = u64> {
        let rows = HEAD + self.items * ITEM + self.pieces * PIECE;
        let start = rows + self.folders * FOLDER;
        self.ends(rows, FOLDER, folder, 4).map(move |at| {
            let at = start + at * 8;
            u64::from_le_bytes(*self.bytes[at..].first_chunk().expect("the length was checked"))
        })
    }

    /// The range that ends where the column of this row says, and begins where that of the row before does.
    fn ends(&self, rows: usize, size: usize, row: usize, column: usize) -> Range<usize> {
        let end = |row: usize| u32_at(&self.bytes[rows + row * size..], column) as usize;
        row.checked_sub(1).map_or(0, end)..end(row)
    }

    fn item(&self, item: usize) -> &[u8; ITEM] {
        self.bytes[HEAD + item * ITEM..].first_chunk().expect("the length was checked")
    }

    fn piece(&self, piece: usize) -> &[u8; PIECE] {
        let at = HEAD + self.items * ITEM + piece * PIECE;
        self.bytes[at..].first_chunk().expect("the length was checked")
    }

    fn text(&self, start: usize, range: Range<usize>) -> &str {
        let bytes = &self.bytes[start + range.start..start + range.end];
        std::str::from_utf8(bytes).expect("paths are text, and the part's checksum is right")
    }
}

/// The number in the four bytes at `at`.
fn u32_at(row: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(*row[at..].first_chunk().expect("the length was checked"))
}

/// The number in the two bytes at `at`.
fn u16_at(row: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(*row[at..].first_chunk().expect("the length was checked"))
}

/// The term of a folder's name by which a question finds it.
pub fn name_hash(term: &str) -> u64 {
    fnv(term.bytes())
}

/// Writes a table, item by item, in the order of their paths.
#[derive(Default)]
pub struct TableWriter {
    items: Vec<u8>,
    pieces: Vec<u8>,
    folders: Vec<u8>,
    hashes: Vec<u8>,
    item_paths: Vec<u8>,
    folder_paths: Vec<u8>,
    known: HashMap<String, u32>,
    counts: [u32; 3],
}

impl TableWriter {
    /// Add an item.
    pub fn push(&mut self, item: &Item, stems: &mut Stems) {
        let folder = self.folder(item.path.folder(), stems);
        self.item_paths.extend(item.path.as_bytes());
        let number = self.counts[0];
        self.counts[0] += 1;
        self.counts[1] += small(item.pieces.len());
        let words: usize = item.pieces.iter().map(|piece| piece.words).sum();
        for number in [small(self.item_paths.len()), self.counts[1], folder, small(words)] {
            self.items.extend(number.to_le_bytes());
        }
        self.items.extend(tiny(item.title_words).to_le_bytes());
        self.items.extend(tiny(item.meta_words).to_le_bytes());
        self.items.extend(item.day.map_or(0, Day::number).to_le_bytes());
        let title_terms = u8::try_from(item.title_terms).unwrap_or(u8::MAX);
        self.items.extend([item.kind as u8, item.language as u8, title_terms, 0]);
        self.items.extend(item.id.as_bytes());
        let changed = item.changed.and_then(|time| u32::try_from(time).ok()).unwrap_or(0);
        self.items.extend(changed.to_le_bytes());
        for piece in &item.pieces {
            self.pieces.extend(number.to_le_bytes());
            self.pieces.extend(small(piece.line).to_le_bytes());
            self.pieces.extend(tiny(piece.words).to_le_bytes());
            let lines = tiny(piece.lines).min(FACT - 1) | if piece.is_fact { FACT } else { 0 };
            self.pieces.extend(lines.to_le_bytes());
        }
    }

    /// The number of a folder, which is added with the folders above it if it is new.
    fn folder(&mut self, path: &str, stems: &mut Stems) -> u32 {
        if let Some(&number) = self.known.get(path) {
            return number;
        }
        let above = match path.rsplit_once('/') {
            Some((above, _)) => self.folder(above, stems),
            None => NOTHING,
        };
        let mut terms = Vec::new();
        tokens::each(path.rsplit('/').next().unwrap_or(path), |token| {
            if token.kind != tokens::Kind::Tail && !stop_words::contains(token.low, Language::English) {
                terms.push(name_hash(stems.of(token.low, Language::English)));
            }
        });
        terms.sort_unstable();
        terms.dedup();
        self.hashes.extend(terms.iter().flat_map(|term| term.to_le_bytes()));
        self.folder_paths.extend(path.as_bytes());
        for number in [small(self.folder_paths.len()), small(self.hashes.len() / 8), above] {
            self.folders.extend(number.to_le_bytes());
        }
        let number = self.counts[2];
        self.counts[2] += 1;
        self.known.insert(path.to_owned(), number);
        number
    }

    /// The bytes of the table.
    pub fn finish(self) -> Vec<u8> {
        let sizes = [self.hashes.len() / 8, self.item_paths.len(), self.folder_paths.len()].map(small);
        let mut bytes: Vec<u8> = self.counts.into_iter().chain(sizes).flat_map(u32::to_le_bytes).collect();
        for column in [self.items, self.pieces, self.folders, self.hashes, self.item_paths, self.folder_paths]
        {
            bytes.extend(column);
        }
        bytes
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn tiny(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::TreePath;
    use crate::search::item::analyse;

    #[test]
    fn what_is_written_is_read() {
        let mut stems = Stems::new();
        let mut writer = TableWriter::default();
        let texts = [("a/b/one.md", "---\ncreatedAt: 2024-05-03\n---\nx y\n\n## Facts\n- z\n"), ("c.md", "")];
        for (path, text) in texts {
            let path = TreePath::parse(path.as_bytes()).unwrap();
            writer.push(&analyse(&path, text.as_bytes(), &mut stems).unwrap(), &mut stems);
        }
        let bytes = writer.finish();
        let table = Table::open(OwnedBytes::new(bytes.clone())).unwrap();
        assert_eq!((table.len(), table.pieces(), table.folders()), (2, 3, 3));
        assert_eq!((table.path(0), table.path(1)), ("a/b/one.md", "c.md"));
        assert_eq!((table.pieces_of(0), table.pieces_of(1)), (0..2, 2..3));
        assert_eq!(table.id(1), ContentId::of(b""));
        assert_eq!(table.folder_path(table.folder_of(0)), "a/b");
        assert_eq!(table.folder_above(table.folder_of(0)).map(|above| table.folder_path(above)), Some("a"));
        assert_eq!(table.folder_path(table.folder_of(1)), "");
        assert_eq!(table.name_terms(table.folder_of(0)).collect::<Vec<_>>(), [name_hash("b")]);
        assert_eq!(table.passage(1), Passage { line: 7, lines: 1, is_fact: true });
        assert_eq!((table.item_of(2), table.words(0), table.day(0)), (1, [1, 3, 2], Day::of("2024-05-03")));
        assert!(Table::open(OwnedBytes::new(bytes[..bytes.len() - 1].to_vec())).is_none());
    }
}
