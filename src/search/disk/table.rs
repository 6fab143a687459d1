//! The table of a part: its items, their pieces and folders, in columns that are read in place.
//!
//! All numbers are little-endian. Layout: the counts of items, pieces, folders, hashes and bytes of paths (u32 each), then
//! the columns ([`COLUMNS`]), the bytes of the items' paths and those of the folders'. Where a row has the end of its path,
//! pieces or hashes, they begin where those of the row before end. Nothing is parsed when a table is opened, and a search
//! touches few of the columns.

use std::collections::HashMap;
use std::ops::Range;

use tantivy::directory::OwnedBytes;

use super::super::item::{Item, ItemRole, Searched};
use super::super::text::dates::Day;
use super::super::text::{stop_words, tokens};
use brv_base::content::{ContentId, fnv};
use brv_text::words::stems::{Language, Stems};

#[derive(Debug, Clone, Copy)]
enum Rows {
    Items,
    Pieces,
    Folders,
    Hashes,
}

/// A column. What most searches read comes first.
#[derive(Debug, Clone, Copy)]
enum Column {
    /// Where the pieces of an item end.
    PiecesEnd,
    FolderOf,
    /// The words of an item's body (u32), title and meta field (u16).
    Words,
    /// Kind, language, terms of the title, role (u8).
    Traits,
    ItemOf,
    /// The words of a piece (u16).
    PieceWords,
    /// Where the path of an item ends.
    PathEnd,
    Day,
    /// The time of the last change of an item.
    Changed,
    Id,
    /// The line of a piece (u32), its lines with [`FACT`] and [`CONCEPT`] (u16).
    Place,
    FolderPathEnd,
    /// Where the hashes of a folder end.
    HashesEnd,
    Above,
    /// A hash (u64).
    Hash,
}

/// The rows of each [`Column`], and the bytes of each of them.
const COLUMNS: [(Rows, usize); 15] = [
    (Rows::Items, 4),
    (Rows::Items, 4),
    (Rows::Items, 8),
    (Rows::Items, 4),
    (Rows::Pieces, 4),
    (Rows::Pieces, 2),
    (Rows::Items, 4),
    (Rows::Items, 4),
    (Rows::Items, 4),
    (Rows::Items, 20),
    (Rows::Pieces, 6),
    (Rows::Folders, 4),
    (Rows::Folders, 4),
    (Rows::Folders, 4),
    (Rows::Hashes, 8),
];

/// The bit of a piece that is a fact.
const FACT: u16 = 1 << 15;
/// The bit of a piece in `## Raw Concept`.
const CONCEPT: u16 = 1 << 14;
/// The bytes before the first column.
const HEAD: usize = 24;

/// "None" for numbers of folders.
pub const NOTHING: u32 = u32::MAX;

#[derive(Clone)]
pub struct ItemTable {
    bytes: OwnedBytes,
    counts: [usize; 4],
    columns: [usize; COLUMNS.len()],
    /// Where the paths of the items begin, and those of the folders.
    paths: [usize; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    /// Its first line in the file, counted from 1.
    pub line: usize,
    /// The number of its lines; 0 for an entry without text.
    pub lines: usize,
    /// Whether it is one item under `## Facts`.
    pub is_fact: bool,
    /// Whether it is one item of Highlights or Rules.
    pub is_highlight: bool,
}

impl ItemTable {
    /// Open a table; `None` if its length does not agree with its counts.
    pub fn open(bytes: OwnedBytes) -> Option<Self> {
        let count = |at: usize| Some(u32::from_le_bytes(*bytes.get(at * 4..)?.first_chunk()?) as usize);
        let counts = [count(0)?, count(1)?, count(2)?, count(3)?];
        let (mut columns, mut end) = ([0; COLUMNS.len()], HEAD);
        for (column, (rows, size)) in columns.iter_mut().zip(COLUMNS) {
            *column = end;
            end = counts[rows as usize].checked_mul(size)?.checked_add(end)?;
        }
        let folder_paths = end.checked_add(count(4)?)?;
        (folder_paths.checked_add(count(5)?)? == bytes.len()).then_some(Self {
            bytes,
            counts,
            columns,
            paths: [end, folder_paths],
        })
    }

    pub fn len(&self) -> usize {
        self.counts[Rows::Items as usize]
    }

    pub fn pieces(&self) -> usize {
        self.counts[Rows::Pieces as usize]
    }

    /// The number of folders, those without items of their own included.
    pub fn folders(&self) -> usize {
        self.counts[Rows::Folders as usize]
    }

    pub fn path(&self, item: usize) -> &str {
        self.text(self.paths[0], self.range(Column::PathEnd, item))
    }

    pub fn id(&self, item: usize) -> ContentId {
        ContentId::from_bytes(&self.get::<20>(Column::Id, item))
    }

    pub fn pieces_of(&self, item: usize) -> Range<usize> {
        self.range(Column::PiecesEnd, item)
    }

    pub fn folder_of(&self, item: usize) -> usize {
        self.number(Column::FolderOf, item) as usize
    }

    /// The words of the title, the body and the meta field of an item.
    pub fn words(&self, item: usize) -> [u32; 3] {
        let [a, b, c, d, title @ .., e, f] = self.get::<8>(Column::Words, item);
        [
            u16::from_le_bytes(title).into(),
            u32::from_le_bytes([a, b, c, d]),
            u16::from_le_bytes([e, f]).into(),
        ]
    }

    pub fn day(&self, item: usize) -> Option<Day> {
        Day::from_number(self.number(Column::Day, item))
    }

    /// The time of the last change that an item tells, in seconds since 1970.
    pub fn changed(&self, item: usize) -> Option<i64> {
        Some(self.number(Column::Changed, item)).filter(|time| *time > 0).map(i64::from)
    }

    pub fn kind(&self, item: usize) -> Searched {
        match self.get::<4>(Column::Traits, item)[0] {
            0 => Searched::Entry,
            1 => Searched::Overview,
            _ => Searched::Stub,
        }
    }

    pub fn role(&self, item: usize) -> ItemRole {
        match self.get::<4>(Column::Traits, item)[3] {
            0 => ItemRole::File,
            1 => ItemRole::Highlight,
            2 => ItemRole::Marked,
            _ => ItemRole::Bare,
        }
    }

    pub fn language(&self, item: usize) -> Language {
        Language::from_number(self.get::<4>(Column::Traits, item)[1])
    }

    /// The number of distinct terms of an item's title that are not function words; 255 for more.
    pub fn title_terms(&self, item: usize) -> u8 {
        self.get::<4>(Column::Traits, item)[2]
    }

    pub fn item_of(&self, piece: u32) -> usize {
        self.number(Column::ItemOf, piece as usize) as usize
    }

    pub fn piece_words(&self, piece: u32) -> u16 {
        u16::from_le_bytes(self.get(Column::PieceWords, piece as usize))
    }

    /// Where a piece is in its file.
    pub fn passage(&self, piece: usize) -> Passage {
        let [line @ .., a, b] = self.get::<6>(Column::Place, piece);
        let lines = u16::from_le_bytes([a, b]);
        Passage {
            line: u32::from_le_bytes(line) as usize,
            lines: usize::from(lines & !(FACT | CONCEPT)),
            is_fact: lines & FACT > 0,
            is_highlight: !self.role(self.item_of(piece as u32)).is_file(),
        }
    }

    /// Whether a piece is in `## Raw Concept`, which is never shown.
    pub fn is_concept(&self, piece: usize) -> bool {
        let [.., a, b] = self.get::<6>(Column::Place, piece);
        u16::from_le_bytes([a, b]) & CONCEPT > 0
    }

    /// The path of a folder: `""` for the root.
    pub fn folder_path(&self, folder: usize) -> &str {
        self.text(self.paths[1], self.range(Column::FolderPathEnd, folder))
    }

    pub fn folder_above(&self, folder: usize) -> Option<usize> {
        let above = self.number(Column::Above, folder);
        (above != NOTHING).then_some(above as usize)
    }

    /// The hashes of the distinct terms of a folder's own name, function words left out.
    pub fn name_terms(&self, folder: usize) -> impl ExactSizeIterator<Item = u64> {
        self.range(Column::HashesEnd, folder).map(|hash| u64::from_le_bytes(self.get(Column::Hash, hash)))
    }

    /// The range that ends where the column of this row says, and begins where that of the row before does.
    fn range(&self, column: Column, row: usize) -> Range<usize> {
        let end = |row: usize| self.number(column, row) as usize;
        row.checked_sub(1).map_or(0, end)..end(row)
    }

    fn number(&self, column: Column, row: usize) -> u32 {
        u32::from_le_bytes(self.get(column, row))
    }

    /// A value of a column whose values have `SIZE` bytes.
    fn get<const SIZE: usize>(&self, column: Column, row: usize) -> [u8; SIZE] {
        debug_assert_eq!(COLUMNS[column as usize].1, SIZE, "{column:?}");
        let at = self.columns[column as usize] + row * SIZE;
        *self.bytes[at..].first_chunk().expect("rows are those of a part as it was written")
    }

    fn text(&self, start: usize, range: Range<usize>) -> &str {
        let bytes = &self.bytes[start + range.start..start + range.end];
        std::str::from_utf8(bytes).expect("paths are text, and the part's checksum is right")
    }
}

/// The term of a folder's name by which a question finds it.
pub fn name_hash(term: &str) -> u64 {
    fnv(term.bytes())
}

/// Writes a table, item by item, in the order of their paths.
#[derive(Default)]
pub struct TableWriter {
    columns: [Vec<u8>; COLUMNS.len()],
    item_paths: Vec<u8>,
    folder_paths: Vec<u8>,
    known: HashMap<String, u32>,
    counts: [u32; 4],
}

impl TableWriter {
    pub fn push(&mut self, item: &Item, stems: &mut Stems) {
        self.push_into(item.path.folder(), item, stems);
    }

    /// Add an item of this folder, whatever its path.
    pub fn push_into(&mut self, folder: &str, item: &Item, stems: &mut Stems) {
        let folder = self.folder(folder, stems);
        self.item_paths.extend(item.path.as_bytes());
        let number = self.counts[Rows::Items as usize];
        self.counts[Rows::Items as usize] += 1;
        self.counts[Rows::Pieces as usize] += small(item.pieces.len());
        self.put(Column::PiecesEnd, self.counts[Rows::Pieces as usize]);
        self.put(Column::FolderOf, folder);
        let words: usize = item.pieces.iter().map(|piece| piece.words).sum();
        self.put(Column::Words, small(words));
        self.put_short(Column::Words, tiny(item.title_words));
        self.put_short(Column::Words, tiny(item.meta_words));
        let title_terms = u8::try_from(item.title_terms).unwrap_or(u8::MAX);
        let traits = [item.kind as u8, item.language as u8, title_terms, item.role as u8];
        self.columns[Column::Traits as usize].extend(traits);
        self.put(Column::PathEnd, small(self.item_paths.len()));
        self.put(Column::Day, item.day.map_or(0, Day::number));
        self.put(Column::Changed, item.changed.and_then(|time| u32::try_from(time).ok()).unwrap_or(0));
        self.columns[Column::Id as usize].extend(item.id.as_bytes());
        for piece in &item.pieces {
            self.put(Column::ItemOf, number);
            self.put_short(Column::PieceWords, tiny(piece.words));
            let lines = tiny(piece.lines).min(CONCEPT - 1)
                | if piece.is_fact { FACT } else { 0 }
                | if piece.is_concept { CONCEPT } else { 0 };
            self.put(Column::Place, small(piece.line));
            self.put_short(Column::Place, lines);
        }
    }

    fn put(&mut self, column: Column, number: u32) {
        self.columns[column as usize].extend(number.to_le_bytes());
    }

    fn put_short(&mut self, column: Column, number: u16) {
        self.columns[column as usize].extend(number.to_le_bytes());
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
            if token.kind.is_plain() && !stop_words::contains(token.low, Language::English) {
                terms.push(name_hash(stems.of(token.low, Language::English)));
            }
        });
        terms.sort_unstable();
        terms.dedup();
        self.counts[Rows::Hashes as usize] += small(terms.len());
        self.columns[Column::Hash as usize].extend(terms.iter().flat_map(|term| term.to_le_bytes()));
        self.folder_paths.extend(path.as_bytes());
        self.put(Column::FolderPathEnd, small(self.folder_paths.len()));
        self.put(Column::HashesEnd, self.counts[Rows::Hashes as usize]);
        self.put(Column::Above, above);
        let number = self.counts[Rows::Folders as usize];
        self.counts[Rows::Folders as usize] += 1;
        self.known.insert(path.to_owned(), number);
        number
    }

    pub fn finish(self) -> Vec<u8> {
        let sizes = [self.item_paths.len(), self.folder_paths.len()].map(small);
        let mut bytes: Vec<u8> = self.counts.into_iter().chain(sizes).flat_map(u32::to_le_bytes).collect();
        for column in self.columns.into_iter().chain([self.item_paths, self.folder_paths]) {
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
    use crate::item::analyse;
    use brv_base::path::TreePath;

    #[test]
    fn what_is_written_is_read() {
        let mut stems = Stems::default();
        let mut writer = TableWriter::default();
        let texts = [("a/b/one.md", "---\ncreatedAt: 2024-05-03\n---\nx y\n\n## Facts\n- z\n"), ("c.md", "")];
        for (path, text) in texts {
            let path = TreePath::parse(path.as_bytes()).unwrap();
            for item in analyse(&path, text.as_bytes(), &mut stems) {
                writer.push(&item, &mut stems);
            }
        }
        let bytes = writer.finish();
        let table = ItemTable::open(OwnedBytes::new(bytes.clone())).unwrap();
        assert_eq!((table.len(), table.pieces(), table.folders()), (2, 3, 3));
        assert_eq!((table.path(0), table.path(1)), ("a/b/one.md", "c.md"));
        assert_eq!((table.pieces_of(0), table.pieces_of(1)), (0..2, 2..3));
        assert_eq!(table.id(1), ContentId::of(b""));
        assert_eq!(table.folder_path(table.folder_of(0)), "a/b");
        assert_eq!(table.folder_above(table.folder_of(0)).map(|above| table.folder_path(above)), Some("a"));
        assert_eq!(table.folder_path(table.folder_of(1)), "");
        assert_eq!(table.name_terms(table.folder_of(0)).collect::<Vec<_>>(), [name_hash("b")]);
        assert_eq!(table.passage(1), Passage { line: 7, lines: 1, is_fact: true, is_highlight: false });
        assert_eq!((table.item_of(2), table.words(0), table.day(0)), (1, [1, 3, 2], Day::of("2024-05-03")));
        assert!(ItemTable::open(OwnedBytes::new(bytes[..bytes.len() - 1].to_vec())).is_none());
    }
}
