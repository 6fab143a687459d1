//! Cached results for each folder, so that its index and its parent's can be made without reading its files again.
//!
//! All folders share one file below `.brv/cache/derived/`, and new results are appended; the ledger has the place of
//! each folder's results. The file may be deleted or damaged at any time: results with a wrong checksum are ignored and
//! computed again. Results for earlier states of a folder stay in the file, too, so that switching back and forth
//! computes nothing twice; when old results outweigh current ones, the file is rewritten under another name without
//! them.

use crate::derive::brain;
use crate::derive::ledger::{self, Ledger, ShardPlace};
use crate::open::records::read_at;
use crate::open::sweep::{OldCaches, is_other, sweep};
use brv_base::fs::{self, Error};
use brv_text::derive::{Condensate, Digest, FORMAT, Key};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The results of one folder, to be cached.
#[derive(Debug, Default)]
pub(in crate::derive) struct Shard {
    /// The digests of its own curated files, by name.
    pub digests: BTreeMap<String, Digest>,
    pub condensate: Option<Condensate>,
    /// Its derived files by name, with the key of each.
    pub made: BTreeMap<String, Key>,
    /// The items of `archived` in its `context.md`.
    pub archived: Vec<String>,
    pub index: String,
}

/// The cached results of one folder: each part is parsed when somebody asks for it.
#[derive(Debug, Default)]
pub(in crate::derive) struct StoredShard {
    bytes: Vec<u8>,
    /// Where each of [`PARTS`] is.
    parts: [Range<usize>; PARTS],
}

/// Condensate, derived files, archived items, digests, index: the index is text, the others are in postcard's format.
const PARTS: usize = 5;

/// In a folder with fewer files than this, digests are made again from the files, which takes a millisecond, and are not
/// cached: they are most of the bytes.
const FILES_WITH_DIGESTS: usize = 100;

/// The bytes of old results that may stay in the file, in addition to as many bytes as are in use.
const PAST: u64 = 1 << 22;

/// The size of the write buffer.
const WAITING: usize = 1 << 20;

/// The version of the form.
const VERSION: u32 = 2;

fn folder(cache: &Path) -> PathBuf {
    cache.join("derived")
}

pub(in crate::derive) fn file(cache: &Path, generation: u64) -> PathBuf {
    folder(cache).join(format!("{}{generation}", prefix()))
}

/// What the names of the files begin with: those of another version of brv are left to it.
fn prefix() -> String {
    format!("shards-{FORMAT}.{VERSION}-")
}

fn newest(ledger: &Ledger) -> Option<u64> {
    ledger.folders.values().filter_map(|folder| Some(folder.place?.generation)).max()
}

/// The cached results, for reading.
pub(in crate::derive) struct Shards {
    generation: u64,
    file: Option<File>,
}

impl Shards {
    /// The shard file that the ledger names.
    pub fn of(cache: &Path, ledger: &Ledger) -> Self {
        let generation = newest(ledger).unwrap_or_default();
        Self { generation, file: fs::open_regular(&file(cache, generation)).ok().map(|(file, _)| file) }
    }

    /// The cached results of a folder with this ledger state; `None` if they cannot be read.
    pub fn load(&self, known: &ledger::Folder) -> Option<StoredShard> {
        self.at(known.place?)
    }

    /// The cached results at a place; `None` if they cannot be read.
    pub fn at(&self, place: ShardPlace) -> Option<StoredShard> {
        StoredShard::parse(self.bytes(place)?)
    }

    fn bytes(&self, place: ShardPlace) -> Option<Vec<u8>> {
        // a ledger that somebody else wrote may name any length
        let length = usize::try_from(place.length).ok().filter(|length| *length <= fs::MOST_OF_CACHE)?;
        let mut bytes = vec![0; length];
        read_at(self.file.as_ref().filter(|_| place.generation == self.generation)?, &mut bytes, place.at)
            .ok()?;
        (crc32fast::hash(&bytes) == place.sum).then_some(bytes)
    }
}

/// The format version on the first line; then the length of each part in four bytes, little-endian, and the parts.
fn header() -> String {
    format!("brv shard {FORMAT}.{VERSION}\n")
}

impl StoredShard {
    pub fn parse(bytes: Vec<u8>) -> Option<Self> {
        let mut rest = bytes.strip_prefix(header().as_bytes())?;
        let mut lengths = [0; PARTS];
        for length in &mut lengths {
            let (taken, behind) = rest.split_first_chunk::<4>()?;
            (*length, rest) = (u32::from_le_bytes(*taken) as usize, behind);
        }
        let mut at = bytes.len() - rest.len();
        let parts = lengths.map(|length| {
            let start = at;
            at = at.saturating_add(length);
            start..at
        });
        (at == bytes.len()).then_some(Self { bytes, parts })
    }

    fn part<T: DeserializeOwned + Default>(&self, part: usize) -> T {
        // checked as a whole before: what cannot be read is of another version, and is made again
        postcard::from_bytes(&self.bytes[self.parts[part].clone()]).unwrap_or_default()
    }

    pub fn condensate(&self) -> Option<Condensate> {
        self.part(0)
    }

    pub fn made(&self) -> BTreeMap<String, Key> {
        self.part(1)
    }

    pub fn archived(&self) -> Vec<String> {
        self.part(2)
    }

    /// The digests of its own curated files, by name, if they are cached.
    pub fn digests(&self) -> BTreeMap<String, Digest> {
        self.part(3)
    }

    pub fn index(&self) -> String {
        String::from_utf8_lossy(&self.bytes[self.parts[4].clone()]).into_owned()
    }

    /// All parts.
    pub fn into_shard(self) -> Shard {
        let (condensate, made, archived) = (self.condensate(), self.made(), self.archived());
        Shard { digests: self.digests(), condensate, made, archived, index: self.index() }
    }
}

impl Shard {
    pub fn to_bytes(&self) -> Vec<u8> {
        let none = BTreeMap::new();
        let digests = if self.digests.len() < FILES_WITH_DIGESTS { &none } else { &self.digests };
        let parts = [
            postcard::to_allocvec(&self.condensate),
            postcard::to_allocvec(&self.made),
            postcard::to_allocvec(&self.archived),
            postcard::to_allocvec(digests),
        ];
        // results that cannot be written cannot be read either, and are ignored
        let parts = parts.map(Result::unwrap_or_default);
        let all = || parts.iter().map(Vec::as_slice).chain([self.index.as_bytes()]);
        let mut bytes = header().into_bytes();
        all().for_each(|part| bytes.extend((part.len() as u32).to_le_bytes()));
        all().for_each(|part| bytes.extend_from_slice(part));
        bytes
    }
}

/// The cached results, for appending. The caller holds the lock and writes the ledger afterwards.
pub(in crate::derive) struct ShardAppender {
    cache: PathBuf,
    generation: u64,
    /// Whether the ledger named no file.
    is_new: bool,
    file: File,
    end: u64,
    /// Bytes not yet written.
    waiting: Vec<u8>,
}

/// Whether old files may be left that the ledger no longer names: see [`tidy`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::derive) enum Past {
    None,
    LeftOver,
}

impl ShardAppender {
    /// Append to the file that the ledger names, or to a new one if it names none.
    pub fn to(cache: &Path, ledger: &Ledger) -> Result<Self, Error> {
        let newest = newest(ledger);
        Self::open(cache, newest.unwrap_or_default(), newest.is_none())
    }

    fn open(cache: &Path, generation: u64, is_new: bool) -> Result<Self, Error> {
        let path = file(cache, generation);
        fs::create_folder(&folder(cache))?;
        let opened = std::fs::OpenOptions::new().write(true).create(true).truncate(is_new).open(&path);
        let end = opened.and_then(|mut file| Ok((file.seek(SeekFrom::End(0))?, file)));
        let (end, file) = end.map_err(Error::during("write", path))?;
        Ok(Self { cache: cache.to_owned(), generation, is_new, file, end, waiting: Vec::new() })
    }

    /// Append the results of a folder, as [`Shard::to_bytes`] returns them.
    pub fn add(&mut self, shard: &[u8]) -> Result<Option<ShardPlace>, Error> {
        let Ok(length) = u32::try_from(shard.len()) else { return Ok(None) };
        let (at, sum) = (self.end, crc32fast::hash(shard));
        self.waiting.extend_from_slice(shard);
        self.end += u64::from(length);
        if self.waiting.len() > WAITING {
            self.write()?;
        }
        Ok(Some(ShardPlace { generation: self.generation, at, length, sum }))
    }

    fn write(&mut self) -> Result<(), Error> {
        let written = self.file.write_all(&self.waiting);
        self.waiting.clear();
        written.map_err(Error::during("write", file(&self.cache, self.generation)))
    }

    /// Write the buffer, and rewrite the file without old results if there are too many.
    pub fn finish(mut self, ledger: &mut Ledger) -> Result<Past, Error> {
        self.write()?;
        let places = ledger.folders.values().filter_map(|folder| folder.place);
        let of_use: u64 = places.map(|place| u64::from(place.length)).sum();
        if self.end <= 2 * of_use + PAST {
            return Ok(if self.is_new { Past::LeftOver } else { Past::None });
        }
        ledger.past.clear();
        let old = Shards::of(&self.cache, ledger);
        let mut new = Self::open(&self.cache, self.generation + 1, true)?;
        for folder in ledger.folders.values_mut() {
            let bytes = folder.place.and_then(|place| old.bytes(place));
            folder.place = bytes.map(|bytes| new.add(&bytes)).transpose()?.flatten();
        }
        new.write()?;
        Ok(Past::LeftOver)
    }
}

/// Remove files that the written ledger does not name. Files that cannot be removed stay until the next time.
pub(in crate::derive) fn tidy(cache: &Path, ledger: &Ledger) {
    let kept = newest(ledger).map(|generation| file(cache, generation));
    let names = fs::names(&folder(cache)).unwrap_or_default();
    for name in names.iter().filter(|name| name.starts_with(&prefix())) {
        let file = folder(cache).join(name);
        if Some(&file) != kept.as_ref() {
            let _ = fs::remove_file(&file);
        }
    }
}

/// Remove what other versions of brv left, once they have not touched it for a while.
pub(in crate::derive) fn sweep_others(cache: &Path) {
    let number = format!("-{}", ledger::format_number());
    let is_ours = |name: &str| name.starts_with(&prefix()) || name.ends_with(&number);
    sweep(&folder(cache), OldCaches::Files, |name| {
        is_other(name, &["ledger", "shards", "folders"], &[]) && !is_ours(name)
    });
    brain::sweep(cache);
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_base::content::ContentId;

    fn shard(key: &str) -> Shard {
        Shard { index: key.to_owned(), ..Shard::default() }
    }

    /// A ledger of this many folders, each with cached results.
    fn keep(cache: &Path, ledger: &mut Ledger, shards: &[(&str, &str)]) -> Past {
        let mut added = ShardAppender::to(cache, ledger).unwrap();
        for (folder, key) in shards {
            let place = added.add(&shard(key).to_bytes()).unwrap();
            let (hash, entries) = (ContentId::of(key.as_bytes()), ledger::Entries::default());
            let entry = ledger::Folder { hash, index_tokens: 0, entries, place };
            ledger.folders.insert((*folder).to_owned(), entry);
        }
        added.finish(ledger).unwrap()
    }

    fn key(cache: &Path, ledger: &Ledger, folder: &str) -> Option<String> {
        Some(Shards::of(cache, ledger).load(&ledger.folders[folder])?.index())
    }

    #[test]
    fn what_is_kept_reads_back_and_what_was_damaged_is_not_known() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, mut ledger) = (folder.path(), Ledger::default());
        assert_eq!(
            keep(cache, &mut ledger, &[("a", "one"), ("b", "two")]),
            Past::LeftOver,
            "there may be others"
        );
        assert_eq!(keep(cache, &mut ledger, &[("b", "three")]), Past::None);
        assert_eq!(key(cache, &ledger, "a").as_deref(), Some("one"));
        assert_eq!(key(cache, &ledger, "b").as_deref(), Some("three"));
        let whole = std::fs::read(file(cache, 0)).unwrap();
        let first = ledger.folders["a"].place.unwrap().length as usize;
        for at in 0..first {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::replace(&file(cache, 0), &damaged, fs::Durability::Later).unwrap();
            assert_eq!(key(cache, &ledger, "a"), None, "{at}");
            assert_eq!(key(cache, &ledger, "b").as_deref(), Some("three"));
        }
        fs::replace(&file(cache, 0), &whole[..first - 1], fs::Durability::Later).unwrap();
        assert!(key(cache, &ledger, "a").is_none() && key(cache, &ledger, "b").is_none());
        fs::remove_file(&file(cache, 0)).unwrap();
        assert!(key(cache, &ledger, "a").is_none());
    }

    #[test]
    fn the_past_is_left_behind_and_all_that_is_of_use_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, mut ledger) = (folder.path(), Ledger::default());
        fs::create_folder(&cache.join("derived")).unwrap();
        let of_others = ["shards-0", "shards-1.1-0"].map(|name| cache.join("derived").join(name));
        of_others.iter().for_each(|file| fs::replace(file, b"x", fs::Durability::Later).unwrap());
        keep(cache, &mut ledger, &[("a", "of use")]);
        let long = "x".repeat(PAST as usize / 2);
        let mut pasts = Vec::new();
        for round in 0..4 {
            pasts.push(keep(cache, &mut ledger, &[("b", &format!("{round}{long}"))]));
        }
        assert_eq!(pasts, [Past::None, Past::None, Past::None, Past::LeftOver]);
        assert_eq!(key(cache, &ledger, "a").as_deref(), Some("of use"));
        assert_eq!(key(cache, &ledger, "b"), Some(format!("3{long}")));
        tidy(cache, &ledger);
        let mut left: Vec<_> = std::fs::read_dir(cache.join("derived"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        left.sort();
        let own = file(cache, 1).file_name().unwrap().to_owned();
        assert_eq!(left, ["shards-0".into(), "shards-1.1-0".into(), own]);
        assert_eq!(file(cache, 1).metadata().unwrap().len(), {
            let places = ledger.folders.values().map(|folder| folder.place.unwrap());
            places.map(|place| u64::from(place.length)).sum::<u64>()
        });
    }
}
