//! What is kept of one folder, so that its index and its parent's can be made without reading its files again.
//!
//! One file a folder below `.brv/cache/derived/`, named by the hash of the folder's path. It may be deleted at any time.

use crate::content::ContentId;
use crate::derive::{Condensate, Digest, FORMAT};
use crate::fs::{self, Durability};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is kept of one folder.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Shard {
    /// The form of everything here.
    format: u32,
    /// Of its own curated files, by name.
    pub digests: BTreeMap<String, Digest>,
    /// What its parent needs.
    pub condensate: Option<Condensate>,
    /// Its derived files by name: the key that each was made with.
    pub made: BTreeMap<String, String>,
}

fn file(cache: &Path, folder: &str) -> PathBuf {
    let name = ContentId::of(folder.as_bytes()).to_string();
    cache.join("derived").join(&name[..2]).join(&name[2..])
}

/// What is kept of the folder at this path; nothing if it was never derived, or by another version.
pub(super) fn load(cache: &Path, folder: &str) -> Shard {
    let bytes = fs::read_if_there(&file(cache, folder)).ok().flatten();
    let shard: Option<Shard> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    shard.filter(|shard| shard.format == FORMAT).unwrap_or_default()
}

/// Keep it.
pub(super) fn save(cache: &Path, folder: &str, shard: &mut Shard) -> Result<(), fs::Error> {
    shard.format = FORMAT;
    let bytes = serde_json::to_vec(shard).unwrap_or_default();
    fs::replace(&file(cache, folder), &bytes, Durability::Later)
}

/// Forget it.
pub(super) fn remove(cache: &Path, folder: &str) -> Result<(), fs::Error> {
    fs::remove_file(&file(cache, folder)).map(drop)
}
