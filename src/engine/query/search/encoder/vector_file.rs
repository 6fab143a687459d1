//! The vectors that this machine keeps: one file of the cache, which may be deleted at any time.
//!
//! A head (the form, the hash of the encoder's name, the size of the vectors) and records of one length in the order in
//! which they were made: key (16 bytes), check (4), scale (4), a byte for each number. A record whose check fails is none.
//! Of one encoder only: with another name or size everything begins anew.

use super::Vector;
use brv_base::content::fnv;
use brv_base::fs::{self, Busy, Durability, Form, WriteGuard};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most bytes of the file: of 24,000 entries with three passages each, all of 384 numbers fit in half of it.
const MOST_BYTES: usize = 60_000_000;

/// How long another process that writes is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

const FORM: [u8; 8] = *b"brvvec1\n";
const HEAD: usize = 8 + 8 + 4;
/// The bytes of a record beside its steps.
const BESIDE: usize = 16 + 4 + 4;

/// What a vector is kept by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VectorKey([u8; 16]);

impl VectorKey {
    /// The key of a passage without secrets, for vectors of so many numbers of the encoder with this name.
    pub fn of(name: &str, size: usize, passage: &str) -> Self {
        let digest = Sha256::digest(format!("{name}\0{size}\0{passage}"));
        let mut key = [0; 16];
        key.copy_from_slice(&digest[..16]);
        Self(key)
    }
}

/// The vectors of one encoder.
#[derive(Debug)]
pub struct VectorFile {
    file: PathBuf,
    name: String,
    /// The numbers of each vector; `None` as long as there are none.
    size: Option<usize>,
    records: Vec<u8>,
    places: HashMap<VectorKey, usize>,
}

impl VectorFile {
    /// Read the vectors of the encoder with this name. What cannot be read means that there are none.
    pub fn read(file: &Path, name: &str) -> Self {
        let mut kept = Self {
            file: file.to_owned(),
            name: name.to_owned(),
            size: None,
            records: Vec::new(),
            places: HashMap::new(),
        };
        kept.load();
        kept
    }

    fn load(&mut self) {
        let mut bytes = fs::read_shipped(&self.file, Form::Table).ok().flatten().unwrap_or_default();
        let head = bytes
            .get(..HEAD)
            .filter(|head| head[..8] == FORM && head[8..16] == fnv(self.name.bytes()).to_le_bytes());
        let size =
            head.and_then(|head| head[16..].first_chunk()).map(|size| u32::from_le_bytes(*size) as usize);
        self.size = size.filter(|size| (1..=MOST_BYTES).contains(size));
        bytes.drain(..if self.size.is_some() { HEAD } else { bytes.len() });
        self.records = bytes;
        self.list();
    }

    /// Note where each whole record is; of two with one key the later.
    fn list(&mut self) {
        self.places.clear();
        let Some(length) = self.size.map(|size| BESIDE + size) else { return };
        let whole = self.records.len() / length * length;
        self.records.truncate(whole);
        for (at, record) in self.records.chunks_exact(length).enumerate() {
            if let Some(key) = record.first_chunk() {
                self.places.insert(VectorKey(*key), at * length);
            }
        }
    }

    /// How many numbers each vector has; `None` if there are none.
    pub const fn size(&self) -> Option<usize> {
        self.size
    }

    /// How many vectors there are.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> usize {
        self.size.map_or(0, |_| HEAD + self.records.len())
    }

    /// The vector with this key, if there is one as it was written.
    pub fn get(&self, key: &VectorKey) -> Option<Vector> {
        let (start, size) = (*self.places.get(key)?, self.size?);
        let record = self.records.get(start..start + BESIDE + size)?;
        let (check, vector) = (record.get(16..20)?, record.get(20..)?);
        (check == check_of(key, vector)).then(|| Vector::from_bytes(vector))?
    }

    /// Remove all.
    ///
    /// # Errors
    /// Another process writes; the disk.
    pub fn clear(&mut self) -> Result<(), Busy> {
        let _guard = self.alone()?;
        fs::remove_file(&self.file)?;
        self.load();
        Ok(())
    }

    fn alone(&self) -> Result<WriteGuard, Busy> {
        WriteGuard::acquire(&self.file.with_extension("lock"), PATIENCE)
    }

    /// Add vectors, all of one size, beside those that other processes wrote meanwhile; the oldest give way. Vectors of
    /// another size than the kept ones replace them all.
    ///
    /// # Errors
    /// Another process writes; the disk.
    pub fn add(&mut self, vectors: &[(VectorKey, Vector)]) -> Result<(), Busy> {
        let Some(size) = vectors.first().map(|(_, vector)| vector.size()) else { return Ok(()) };
        let _guard = self.alone()?;
        self.load();
        if self.size != Some(size) {
            (self.size, self.records) = (Some(size), Vec::new());
        }
        for (key, vector) in vectors.iter().filter(|(_, vector)| vector.size() == size) {
            let bytes = vector.to_bytes();
            self.records.extend(key.0.into_iter().chain(check_of(key, &bytes)).chain(bytes));
        }
        let length = BESIDE + size;
        let most = (MOST_BYTES - HEAD) / length * length;
        let over = self.records.len().saturating_sub(most);
        self.records.drain(..over);
        self.list();
        let head =
            FORM.into_iter().chain(fnv(self.name.bytes()).to_le_bytes()).chain((size as u32).to_le_bytes());
        let bytes: Vec<u8> = head.chain(self.records.iter().copied()).collect();
        fs::replace(&self.file, &bytes, Durability::Later).map_err(Busy::File)
    }
}

/// What tells whether a record is as it was written.
fn check_of(key: &VectorKey, vector: &[u8]) -> [u8; 4] {
    let digest = Sha256::digest([&key.0, vector].concat());
    [digest[0], digest[1], digest[2], digest[3]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> VectorKey {
        VectorKey::of("small", 2, text)
    }

    fn one(text: &str) -> (VectorKey, Vector) {
        (key(text), Vector::of(&[0.6, 0.8]))
    }

    #[test]
    fn the_key_has_the_passage_the_encoder_and_the_size() {
        let keys = [key("a"), key("b"), VectorKey::of("large", 2, "a"), VectorKey::of("small", 3, "a")];
        let different: std::collections::HashSet<_> = keys.iter().collect();
        assert_eq!(different.len(), 4);
        assert_eq!(key("a"), VectorKey::of("small", 2, "a"));
    }

    #[test]
    fn what_is_added_is_there_and_only_for_its_encoder() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("vectors");
        let mut kept = VectorFile::read(&file, "small");
        assert_eq!((kept.size(), kept.count(), kept.bytes()), (None, 0, 0));
        kept.add(&[one("a"), one("b")]).unwrap();
        let mut other = VectorFile::read(&file, "small");
        other.add(&[one("c")]).unwrap();
        // the first process did not see that yet
        kept.add(&[one("d")]).unwrap();
        let kept = VectorFile::read(&file, "small");
        assert_eq!((kept.size(), kept.count()), (Some(2), 4));
        assert_eq!(kept.bytes() as u64, std::fs::metadata(&file).unwrap().len());
        assert_eq!(kept.get(&key("c")), Some(Vector::of(&[0.6, 0.8])));
        assert_eq!(kept.get(&key("e")), None);
        assert_eq!(VectorFile::read(&file, "large").count(), 0);
        let mut grown = VectorFile::read(&file, "small");
        grown.add(&[(VectorKey::of("small", 3, "a"), Vector::of(&[1.0, 0.0, 0.0]))]).unwrap();
        assert_eq!((grown.size(), grown.count()), (Some(3), 1));
        grown.clear().unwrap();
        assert_eq!((grown.size(), VectorFile::read(&file, "small").count()), (None, 0));
    }

    #[test]
    fn a_damaged_file_gives_no_vector_that_was_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("vectors");
        VectorFile::read(&file, "small").add(&[one("a"), one("b")]).unwrap();
        let whole = std::fs::read(&file).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x41;
            fs::replace(&file, &bytes, Durability::Later).unwrap();
            let kept = VectorFile::read(&file, "small");
            for text in ["a", "b"] {
                assert!(kept.get(&key(text)).is_none_or(|found| found == one(text).1), "byte {at}");
            }
            fs::replace(&file, &whole[..at], Durability::Later).unwrap();
            let mut cut = VectorFile::read(&file, "small");
            assert!(cut.get(&key("b")).is_none());
            cut.add(&[one("c")]).unwrap();
            assert_eq!(VectorFile::read(&file, "small").get(&key("c")), Some(one("c").1), "cut at {at}");
        }
    }

    #[test]
    fn the_oldest_give_way() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("vectors");
        let mut kept = VectorFile::read(&file, "small");
        let size = 8_192;
        let vector = Vector::of(&vec![0.01; size]);
        let room = (MOST_BYTES - HEAD) / (BESIDE + size);
        let some = |from: usize, count: usize| -> Vec<(VectorKey, Vector)> {
            (from..from + count)
                .map(|at| (VectorKey::of("small", size, &at.to_string()), vector.clone()))
                .collect()
        };
        kept.add(&some(0, room)).unwrap();
        kept.add(&some(room, 2)).unwrap();
        let kept = VectorFile::read(&file, "small");
        assert_eq!(kept.count(), room);
        assert!(kept.bytes() <= MOST_BYTES);
        let has = |at: usize| kept.get(&VectorKey::of("small", size, &at.to_string())).is_some();
        assert!(!has(0) && !has(1) && has(2) && has(room + 1));
    }
}
