//! A part: one immutable file with the table of some items and tantivy's files of their postings.
//!
//! Layout: [`MAGIC`], the length of a header (u32), the header (JSON: names and lengths), the bytes of each file in this
//! order, and the CRC-32 of everything before it (u32). The file is mapped into memory by tantivy's own directory, and
//! tantivy reads its files as slices of it: opening a part reads only what a question needs.
//!
//! The checksum of a large part takes longer than a search. It is only computed if the file's stat is not the one that
//! the writer recorded: then something else has touched it.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brv_base::fs;
use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
use tantivy::directory::{FileHandle, MmapDirectory, OwnedBytes, WatchCallback, WatchHandle, WritePtr};
use tantivy::{Directory, Index, SegmentReader};

use super::super::item::FIELDS;
use super::segment::Segment;
use super::table::ItemTable;

/// The first bytes: raise the number with every change of the layout, of the analysis, or of tantivy's version.
const MAGIC: &[u8; 8] = b"brvpart\x06";

/// The name of the table among the files.
pub const TABLE: &str = "table";

/// The bytes of a part of these files.
pub fn pack(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let names: Vec<(&str, usize)> = files.iter().map(|(name, bytes)| (&**name, bytes.len())).collect();
    let header = serde_json::to_vec(&names).expect("names and numbers");
    let size = files.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
    let mut packed = Vec::with_capacity(MAGIC.len() + 8 + header.len() + size);
    packed.extend(MAGIC);
    packed.extend(u32::try_from(header.len()).unwrap_or(u32::MAX).to_le_bytes());
    packed.extend(header);
    for (_, bytes) in files {
        packed.extend(bytes);
    }
    let sum = crc32fast::hash(&packed);
    packed.extend(sum.to_le_bytes());
    packed
}

/// Whether the whole checksum of a part must be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartTrust {
    /// The file is as its writer left it.
    Untouched,
    /// Anything may have happened to it.
    Unknown,
}

/// Open the part `name` in `folder`; `None` if it is not there or damaged.
pub fn open(folder: &Path, name: &str, trust: PartTrust) -> Option<Segment> {
    // a pipe would keep tantivy waiting
    fs::open_regular(&folder.join(name)).ok()?;
    let directory = MmapDirectory::open(folder).ok()?;
    let handle = directory.get_file_handle(Path::new(name)).ok()?;
    let bytes = handle.read_bytes(0..handle.len()).ok()?;
    let (content, sum) = bytes.split_last_chunk::<4>()?;
    if trust == PartTrust::Unknown && crc32fast::hash(content) != u32::from_le_bytes(*sum) {
        return None;
    }
    let files = unpack(&bytes)?;
    let table = ItemTable::open(files.get(Path::new(TABLE))?.clone())?;
    let index = Index::open(Packed { files: Arc::new(files) }).ok()?;
    let segments = index.searchable_segments().ok()?;
    let reader = SegmentReader::open(segments.first()?).ok()?;
    if reader.max_doc() as usize != table.pieces() {
        return None;
    }
    let mut readers = Vec::with_capacity(FIELDS);
    for (field, _) in index.schema().fields() {
        readers.push(reader.inverted_index(field).ok()?);
    }
    Some(Segment::on_disk(table, readers.try_into().ok()?))
}

/// The files of a part by name; `None` if the lengths do not agree.
fn unpack(bytes: &OwnedBytes) -> Option<HashMap<PathBuf, OwnedBytes>> {
    let start = MAGIC.len() + 4;
    if bytes.get(..MAGIC.len())? != MAGIC {
        return None;
    }
    let length = u32::from_le_bytes(*bytes.get(MAGIC.len()..)?.first_chunk()?) as usize;
    let names: Vec<(String, usize)> =
        serde_json::from_slice(bytes.get(start..start.checked_add(length)?)?).ok()?;
    let mut at = start + length;
    let mut files = HashMap::with_capacity(names.len());
    for (name, length) in names {
        let end = at.checked_add(length).filter(|&end| end + 4 <= bytes.len())?;
        files.insert(PathBuf::from(name), bytes.slice(at..end));
        at = end;
    }
    (at + 4 == bytes.len()).then_some(files)
}

/// The files of a part as tantivy's directory, read only.
#[derive(Clone)]
struct Packed {
    files: Arc<HashMap<PathBuf, OwnedBytes>>,
}

impl Packed {
    fn file(&self, path: &Path) -> Result<&OwnedBytes, OpenReadError> {
        self.files.get(path).ok_or_else(|| OpenReadError::FileDoesNotExist(path.to_path_buf()))
    }
}

impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.files.keys()).finish()
    }
}

fn read_only() -> io::Error {
    io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "a part never changes")
}

impl Directory for Packed {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.file(path).map(|bytes| Arc::new(bytes.clone()) as Arc<dyn FileHandle>)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        Err(DeleteError::IoError { io_error: Arc::new(read_only()), filepath: path.to_path_buf() })
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        Ok(self.files.contains_key(path))
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::IoError { io_error: Arc::new(read_only()), filepath: path.to_path_buf() })
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.file(path).map(|bytes| bytes.to_vec())
    }

    fn atomic_write(&self, _path: &Path, _data: &[u8]) -> io::Result<()> {
        Err(read_only())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn watch(&self, _callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}
