//! Records by key in an append-only file that several processes share, and that may be lost or damaged at any time.
//!
//! Two files: `NAME` has the bytes of the records, `NAME.index` a line of 36 bytes for each: 20 bytes of key, then offset (8),
//! length (4) and CRC-32 of key and bytes (4), little-endian. A record is appended before its line, so whoever reads a line
//! finds the record, or a sum that does not fit: then there is no such record. One process appends at a time; readers wait
//! for nobody. When the file is half as large as it may become, it is renamed to `NAME.old`, and another one begins; what
//! was in the file before is gone then.

use brv_base::fs::{self, WriteGuard};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a record is found by.
pub type RecordKey = [u8; 20];

/// The bytes of a line of the index.
const LINE: usize = 36;

/// Bytes that wait to be written.
const WAITING: usize = 1 << 20;

/// Where the files are.
#[derive(Debug, Clone)]
pub struct RecordFile {
    file: PathBuf,
    /// How large the file and the old one may become together, in bytes.
    most: u64,
}

#[derive(Debug, Clone, Copy)]
struct RecordPlace {
    at: u64,
    length: u32,
    sum: u32,
}

/// The records of both files, for reading.
#[derive(Debug, Default)]
pub struct Records {
    parts: Vec<(RecordBytes, HashMap<RecordKey, RecordPlace>)>,
}

/// Where the bytes of records are.
#[derive(Debug)]
enum RecordBytes {
    Disk(File),
    Memory(Vec<u8>),
}

/// The file, for appending, with the lock of those who append.
pub struct RecordAppender {
    data: File,
    index: File,
    end: u64,
    waiting: Vec<u8>,
    lines: Vec<u8>,
    most: u64,
    _guard: WriteGuard,
}

impl RecordFile {
    /// The file `name` in `folder`, which is made; `None` if the folder or a file is not this user's alone.
    pub fn below(folder: &Path, name: &str, most: u64) -> Option<Self> {
        let made = Self { file: folder.join(name), most };
        (make_private(folder) && made.files().iter().all(|file| is_private(file))).then_some(made)
    }

    /// The file `name` in a folder of a tree's own cache, which is made.
    pub fn of_tree(folder: &Path, name: &str, most: u64) -> Option<Self> {
        fs::create_folder(folder).ok()?;
        // a folder behind a symlink belongs to someone else
        std::fs::symlink_metadata(folder).ok().filter(std::fs::Metadata::is_dir)?;
        Some(Self { file: folder.join(name), most })
    }

    /// The folder that the file is in.
    pub fn folder(&self) -> Option<&Path> {
        self.file.parent()
    }

    fn files(&self) -> [PathBuf; 4] {
        let [data, old] = [self.file.clone(), with_suffix(&self.file, ".old")];
        [with_suffix(&data, ".index"), with_suffix(&old, ".index"), data, old]
    }

    /// The records that there are now.
    pub fn read(&self) -> Records {
        let [index, old_index, data, old] = self.files();
        let parts = [(data, index), (old, old_index)];
        Records { parts: parts.iter().filter_map(|(data, index)| part(data, index)).collect() }
    }

    /// The same, in memory: for those who ask for most of them.
    pub fn load(&self) -> Records {
        let Records { parts } = self.read();
        let most = self.most;
        let loaded = parts.into_iter().filter_map(|(bytes, index)| match bytes {
            RecordBytes::Disk(file) => {
                let mut all = Vec::new();
                file.take(most).read_to_end(&mut all).ok()?;
                Some((RecordBytes::Memory(all), index))
            }
            RecordBytes::Memory(_) => Some((bytes, index)),
        });
        Records { parts: loaded.collect() }
    }

    /// Begin to append; `None` if another process does for longer than `patience`, or nothing can be written.
    pub fn append(&self, patience: Duration) -> Option<RecordAppender> {
        let guard = WriteGuard::acquire(&lock_file(&self.file), patience).ok()?;
        let [index, old_index, data, old] = self.files();
        if data.metadata().is_ok_and(|found| found.len() > self.most / 2) {
            std::fs::rename(&data, old).ok()?;
            std::fs::rename(&index, old_index).ok()?;
        }
        let (mut data, mut index) = (open(&data)?, open(&index)?);
        let end = data.seek(SeekFrom::End(0)).ok()?;
        // a line that a killed process left in part would shift those behind it
        let lines = index.seek(SeekFrom::End(0)).ok()?;
        index.set_len(lines - lines % LINE as u64).ok()?;
        index.seek(SeekFrom::End(0)).ok()?;
        let (waiting, lines) = Default::default();
        Some(RecordAppender { data, index, end, waiting, lines, most: self.most, _guard: guard })
    }
}

impl Records {
    /// The bytes of a record, whose sum is right.
    pub fn get(&self, key: &RecordKey) -> Option<Cow<'_, [u8]>> {
        self.parts.iter().find_map(|(all, index)| {
            let place = index.get(key)?;
            let length = usize::try_from(place.length).ok().filter(|length| *length <= fs::MOST_OF_CACHE)?;
            let bytes = match all {
                RecordBytes::Disk(file) => {
                    let mut bytes = vec![0; length];
                    read_at(file, &mut bytes, place.at).ok()?;
                    Cow::Owned(bytes)
                }
                RecordBytes::Memory(all) => {
                    let at = usize::try_from(place.at).ok()?;
                    Cow::Borrowed(all.get(at..at.checked_add(length)?)?)
                }
            };
            (sum(key, &bytes) == place.sum).then_some(bytes)
        })
    }
}

impl RecordAppender {
    /// Append a record. One that is too long, or for which there is no room any more, is left out.
    pub fn add(&mut self, key: RecordKey, bytes: &[u8]) {
        let Ok(length) = u32::try_from(bytes.len()) else { return };
        if self.end + u64::from(length) > self.most {
            return;
        }
        self.lines.extend(key);
        self.lines.extend(self.end.to_le_bytes());
        self.lines.extend(length.to_le_bytes());
        self.lines.extend(sum(&key, bytes).to_le_bytes());
        self.waiting.extend_from_slice(bytes);
        self.end += u64::from(length);
        if self.waiting.len() > WAITING {
            self.write();
        }
    }

    fn write(&mut self) {
        if self.data.write_all(&self.waiting).is_err() {
            // the disk is full: nothing more is appended, and what was not written is not found
            (self.most, self.lines) = (0, Vec::new());
        }
        self.waiting.clear();
    }

    /// Write what waits, and then the lines by which the records are found; whether that worked.
    pub fn finish(mut self) -> bool {
        self.write();
        self.index.write_all(&self.lines).is_ok() && self.most > 0
    }
}

/// The lock of those who append to the file, or remove it.
pub fn lock_file(file: &Path) -> PathBuf {
    with_suffix(file, LOCK)
}

pub fn is_lock(name: &str) -> bool {
    name.ends_with(LOCK)
}

const LOCK: &str = ".lock";

fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn part(data: &Path, index: &Path) -> Option<(RecordBytes, HashMap<RecordKey, RecordPlace>)> {
    let lines = fs::read_if_there(index).ok()??;
    let (file, _) = fs::open_regular(data).ok()?;
    let mut places = HashMap::with_capacity(lines.len() / LINE);
    for line in lines.chunks_exact(LINE) {
        let (key, rest) = line.split_first_chunk::<20>()?;
        let (at, rest) = rest.split_first_chunk::<8>()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let sum = rest.first_chunk::<4>()?;
        let [length, sum] = [length, sum].map(|bytes| u32::from_le_bytes(*bytes));
        places.insert(*key, RecordPlace { at: u64::from_le_bytes(*at), length, sum });
    }
    Some((RecordBytes::Disk(file), places))
}

/// Fill `bytes` from a place in a file.
///
/// # Errors
/// The file cannot be read, or ends before.
#[cfg(unix)]
pub fn read_at(file: &File, bytes: &mut [u8], at: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

/// Fill `bytes` from a place in a file.
///
/// # Errors
/// The file cannot be read, or ends before.
#[cfg(windows)]
pub fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> std::io::Result<()> {
    use std::os::windows::fs::FileExt as _;
    while !bytes.is_empty() {
        match file.seek_read(bytes, at)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            read => (bytes, at) = (&mut bytes[read..], at + read as u64),
        }
    }
    Ok(())
}

fn sum(key: &RecordKey, bytes: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(key);
    sum.update(bytes);
    sum.finalize()
}

#[cfg(unix)]
fn open(file: &Path) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = std::fs::OpenOptions::new();
    let no_link = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    options.write(true).create(true).truncate(false).mode(0o600).custom_flags(no_link).open(file).ok()
}

#[cfg(not(unix))]
fn open(file: &Path) -> Option<File> {
    std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(file).ok()
}

/// Make a folder that only its user may enter; whether it is one, and nobody else may write above it.
#[cfg(unix)]
fn make_private(folder: &Path) -> bool {
    use std::os::unix::fs::DirBuilderExt as _;
    let Some(above) = folder.parent() else { return false };
    if fs::create_folder(above).is_err() {
        return false;
    }
    let _ = std::fs::DirBuilder::new().mode(0o700).create(folder);
    is_of_user(folder, 0o077) && is_of_user(above, 0o022)
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> bool {
    fs::create_folder(folder).is_ok()
}

/// Whether a file that is there is a regular one of this user's, for nobody else.
#[cfg(unix)]
fn is_private(file: &Path) -> bool {
    let is_missing = std::fs::symlink_metadata(file).is_err_and(|error| fs::is_absence(&error));
    is_missing || (file.symlink_metadata().is_ok_and(|found| found.is_file()) && is_of_user(file, 0o077))
}

#[cfg(not(unix))]
fn is_private(_: &Path) -> bool {
    true
}

/// Whether this user owns a file or folder, and others have none of these rights.
#[cfg(unix)]
fn is_of_user(path: &Path, others: u32) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let user = rustix::process::geteuid().as_raw();
    std::fs::symlink_metadata(path).is_ok_and(|found| found.uid() == user && found.mode() & others == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_base::fs::Durability;

    const fn key(number: u8) -> RecordKey {
        [number; 20]
    }

    fn open_in(folder: &Path, most: u64) -> RecordFile {
        RecordFile::below(&folder.join("own"), "records-1", most).unwrap()
    }

    fn keep(file: &RecordFile, records: &[(u8, &str)]) -> bool {
        let mut appender = file.append(Duration::ZERO).unwrap();
        records.iter().for_each(|(number, text)| appender.add(key(*number), text.as_bytes()));
        appender.finish()
    }

    fn found(file: &RecordFile, number: u8) -> Option<String> {
        let read = file.read().get(&key(number)).map(Cow::into_owned);
        assert_eq!(file.load().get(&key(number)).map(Cow::into_owned), read);
        Some(String::from_utf8(read?).unwrap())
    }

    #[test]
    fn what_is_appended_is_found_and_the_later_one_counts() {
        let folder = tempfile::tempdir().unwrap();
        let file = open_in(folder.path(), 1 << 20);
        assert_eq!(found(&file, 1), None);
        let one = file.append(Duration::ZERO).unwrap();
        assert!(file.append(Duration::ZERO).is_none(), "one process appends");
        assert!(one.finish());
        assert!(keep(&file, &[(1, "one"), (2, "two")]) && keep(&file, &[(1, "again")]));
        let numbers = [1, 2, 3].map(|number| found(&file, number));
        assert_eq!(numbers, [Some("again".into()), Some("two".into()), None]);
    }

    #[test]
    fn a_damaged_or_torn_file_has_fewer_records_and_no_other_ones() {
        let folder = tempfile::tempdir().unwrap();
        let file = open_in(folder.path(), 1 << 20);
        keep(&file, &[(1, "one"), (2, "two")]);
        let paths = ["records-1", "records-1.index"].map(|name| folder.path().join("own").join(name));
        for path in &paths {
            let whole = std::fs::read(path).unwrap();
            for at in 0..whole.len() {
                let mut damaged = whole.clone();
                damaged[at] ^= 1;
                for bytes in [&damaged[..], &whole[..at]] {
                    fs::replace(path, bytes, Durability::Later).unwrap();
                    for (number, text) in [(1, "one"), (2, "two")] {
                        assert!(found(&file, number).is_none_or(|found| found == text), "{path:?} {at}");
                    }
                }
            }
            fs::replace(path, &whole, Durability::Later).unwrap();
        }
        // a writer that was killed left part of a line and bytes without one
        std::fs::OpenOptions::new().append(true).open(&paths[1]).unwrap().write_all(&[7; 11]).unwrap();
        std::fs::OpenOptions::new().append(true).open(&paths[0]).unwrap().write_all(b"lost").unwrap();
        assert!(keep(&file, &[(3, "three")]));
        assert_eq!([1, 3].map(|number| found(&file, number)), [Some("one".into()), Some("three".into())]);
    }

    #[test]
    fn the_file_stays_below_its_limit_and_the_oldest_goes() {
        let folder = tempfile::tempdir().unwrap();
        let file = open_in(folder.path(), 100);
        let text = "x".repeat(30);
        for number in 1..=7 {
            keep(&file, &[(number, &text)]);
            let size: u64 = ["records-1", "records-1.old"]
                .iter()
                .filter_map(|name| folder.path().join("own").join(name).metadata().ok())
                .map(|found| found.len())
                .sum();
            assert!(size <= 150, "{size}");
        }
        assert!(found(&file, 1).is_none() && found(&file, 7).is_some());
        keep(&file, &[(8, &"y".repeat(200))]);
        assert!(found(&file, 8).is_none(), "it is larger than all there may be");
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_or_file_that_others_may_use_is_not_used() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        let set = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        let is_used = || RecordFile::below(&own, "records-1", 100).is_some();
        assert!(is_used());
        keep(&open_in(folder.path(), 100), &[(1, "one")]);
        for name in ["records-1", "records-1.index"] {
            assert_eq!(own.join(name).metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        for (path, bad, good) in [
            (own.clone(), 0o750, 0o700),
            (own.join("records-1"), 0o644, 0o600),
            (folder.path().to_owned(), 0o777, 0o700),
        ] {
            set(&path, bad);
            assert!(!is_used(), "{path:?}");
            set(&path, good);
        }
        std::fs::remove_file(own.join("records-1")).unwrap();
        std::os::unix::fs::symlink("records-1.index", own.join("records-1")).unwrap();
        assert!(!is_used(), "a link leads elsewhere");
    }
}
