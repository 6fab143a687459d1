//! The results of whole folders in the user's cache, for the next clone on this machine: what is derived from the same files
//! is made once.
//!
//! A record holds all that a refresh makes of a folder, by its path and the hash of the files at and below it; that
//! hash and the version of the maker say which bytes come out. Nothing is kept of a file with a secret (BRV006), nor of the
//! folders above it. A pull or commit with few files neither reads nor writes it.

use super::shard::{Shard, StoredShard};
use crate::Stop;
use crate::derive::brain;
use crate::derive::ledger::Measures;
use crate::open::records::{RecordAppender, RecordFile, RecordKey, Records, is_lock, lock_file};
use crate::open::sweep::{OldCaches, is_other, sweep};
use brv_base::config::{self, Config};
use brv_base::content::ContentId;
use brv_base::environment::Environment;
use brv_base::fs::{self, WriteGuard};
use brv_text::brain::Digest as BrainDigest;
use brv_text::derive::FORMAT;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The version of the record's form.
const VERSION: u32 = 1;

/// How large the files may become together, in bytes.
const MOST: u64 = 512 << 20;

/// From this number of files on the cache is asked: fewer are made sooner than the cache is read.
pub(in crate::derive) const FROM_FILES: u64 = 500;

/// What was made of a folder.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::derive) struct SharedFolder {
    shard: Vec<u8>,
    brain: Vec<u8>,
    /// The texts of its derived files but its index, by name.
    pub texts: BTreeMap<String, String>,
    /// What the ledger keeps of its entries, by name: tokens, tokens of the abstract, worth.
    measures: BTreeMap<String, (u64, u64, u32)>,
}

impl SharedFolder {
    /// What was made of a folder, apart from its texts and measures.
    pub fn of(shard: &Shard, brain: &[BrainDigest]) -> Self {
        Self { shard: shard.to_bytes(), brain: brain::to_record(brain), ..Self::default() }
    }

    pub fn measure(&mut self, name: &str, measures: Measures) {
        let Measures { tokens, abstract_tokens, worth } = measures;
        self.measures.insert(name.to_owned(), (tokens, abstract_tokens, worth));
    }

    pub fn measures(&self, name: &str) -> Option<Measures> {
        let (tokens, abstract_tokens, worth) = *self.measures.get(name)?;
        Some(Measures { tokens, abstract_tokens, worth })
    }

    /// The cached results and what the brain keeps.
    pub fn results(&self) -> Option<(Shard, Vec<BrainDigest>)> {
        let shard = StoredShard::parse(self.shard.clone())?.into_shard();
        Some((shard, brain::from_record(&self.brain)?))
    }
}

/// The cache, for one refresh.
pub(in crate::derive) struct SharedFolders {
    records: Records,
    added: Option<Mutex<RecordAppender>>,
}

/// The folder of the cache.
fn folder(environment: &Environment) -> Option<PathBuf> {
    Some(config::user_cache(environment)?.join("shared"))
}

/// What the names of its files begin with, in every version.
const PREFIX: &str = "derived-";

fn name() -> String {
    format!("{PREFIX}{FORMAT}.{VERSION}")
}

/// Where the cache is; `None`: it is switched off, there is no such folder, or it is not this user's alone.
pub(in crate::derive) fn file(environment: &Environment, config: &Config) -> Option<RecordFile> {
    let folder = folder(environment).filter(|_| config.cache_shared.value)?;
    RecordFile::below(&folder, &name(), MOST)
}

/// Remove the cache, of other versions of brv too, since a file has to be forgotten: its text may stand in the index of any
/// folder above it. That it is switched off now does not mean that it is empty.
///
/// # Errors
/// Another process adds to it, or a file cannot be removed.
pub fn forget(environment: &Environment, config: &Config) -> Result<(), Stop> {
    let Some(folder) = folder(environment).filter(|folder| folder.exists()) else { return Ok(()) };
    let _guard = WriteGuard::acquire(&lock_file(&folder.join(name())), config.lock_timeout.value)?;
    let names = fs::names(&folder)?;
    let is_of_cache = |name: &&String| name.starts_with(PREFIX) && !is_lock(name);
    for name in names.iter().filter(is_of_cache) {
        fs::remove_file(&folder.join(name))?;
    }
    Ok(())
}

impl SharedFolders {
    pub fn open(file: &RecordFile) -> Self {
        if let Some(folder) = file.folder() {
            sweep(folder, OldCaches::Files, |of| is_other(of, &["derived"], &[&name()]));
        }
        Self { records: file.read(), added: file.append(Duration::ZERO).map(Mutex::new) }
    }

    /// The path is part of the key since what the brain keeps depends on it.
    fn key(path: &str, hash: ContentId) -> Option<RecordKey> {
        let text = format!("brv folder {FORMAT}.{VERSION} {hash} {path}");
        ContentId::of(text.as_bytes()).as_bytes().first_chunk().copied()
    }

    pub fn get(&self, path: &str, hash: ContentId) -> Option<SharedFolder> {
        postcard::from_bytes(&self.records.get(&Self::key(path, hash)?)?).ok()
    }

    /// Whether records can be added.
    pub fn is_writable(&self) -> bool {
        self.added.is_some()
    }

    pub fn add(&self, path: &str, hash: ContentId, folder: &SharedFolder) {
        let (Some(added), Some(key), Ok(bytes)) =
            (&self.added, Self::key(path, hash), postcard::to_allocvec(folder))
        else {
            return;
        };
        added.lock().unwrap_or_else(PoisonError::into_inner).add(key, &bytes);
    }

    /// Write what was added. That it cannot be written only costs time later.
    pub fn finish(self) {
        if let Some(added) = self.added {
            added.into_inner().unwrap_or_else(PoisonError::into_inner).finish();
        }
    }
}
