//! What is kept between calls, beside the digests: the hashes that were served, the documents that sessions got, and the
//! last documents with what they were made from. All of it may be lost at any time.

use crate::brief::Outcome;
use crate::content::fnv;
use crate::fs::{self, Durability};
use crate::ops::context::Opened;
use crate::ops::steps::digests::{self, Version};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How many documents are remembered as served, and kept for sessions.
const SERVED: usize = 50;

/// How many documents are kept to be repeated.
const LAST: usize = 8;

const FORMAT: u32 = 1;

/// A document that was served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Served {
    pub hash: String,
    pub session: Option<String>,
    pub version: Version,
}

/// The document that a session got first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Frozen {
    /// The session with the options, in full: file names have a hash of it.
    key: String,
    pub version: Version,
    pub outcome: Outcome,
}

/// A document, with what it was made from beside the code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Made {
    pub key: String,
    pub outcome: Outcome,
}

#[derive(Serialize, Deserialize)]
struct File<T> {
    format: u32,
    rows: Vec<T>,
}

fn file(opened: &Opened, name: &str) -> PathBuf {
    digests::folder(opened).join(name)
}

fn read<T: DeserializeOwned>(opened: &Opened, name: &str) -> Vec<T> {
    let bytes = fs::read_if_there(&file(opened, name)).ok().flatten().unwrap_or_default();
    let found = serde_json::from_slice::<File<T>>(&bytes).ok();
    found.filter(|found| found.format == FORMAT).map(|found| found.rows).unwrap_or_default()
}

fn write<T: Serialize>(opened: &Opened, name: &str, rows: Vec<T>) {
    if let Ok(bytes) = serde_json::to_vec(&File { format: FORMAT, rows }) {
        let _ = fs::replace(&file(opened, name), &bytes, Durability::Later);
    }
}

const SERVED_FILE: &str = "served.json";
const LAST_FILE: &str = "last.json";

/// What was served, oldest first.
pub(super) fn served(opened: &Opened) -> Vec<Served> {
    read(opened, SERVED_FILE)
}

/// Remember what is served now.
pub(super) fn serve(opened: &Opened, now: Served) {
    let mut all = served(opened);
    if all.last() == Some(&now) {
        return;
    }
    let Some(_guard) = digests::lock(opened) else { return };
    all = served(opened);
    all.retain(|one| one.hash != now.hash || one.session != now.session);
    all.push(now);
    let first = all.len().saturating_sub(SERVED);
    write(opened, SERVED_FILE, all.split_off(first));
}

/// The document that was made from this.
pub(super) fn made(opened: &Opened, key: &str) -> Option<Outcome> {
    read::<Made>(opened, LAST_FILE).into_iter().find(|one| one.key == key).map(|one| one.outcome)
}

/// Keep a document.
pub(super) fn keep(opened: &Opened, made: Made) {
    let Some(_guard) = digests::lock(opened) else { return };
    let mut all = read::<Made>(opened, LAST_FILE);
    all.retain(|one| one.key != made.key);
    all.push(made);
    let first = all.len().saturating_sub(LAST);
    write(opened, LAST_FILE, all.split_off(first));
}

fn session_file(key: &str) -> String {
    format!("session-{:016x}.json", fnv(key.bytes()))
}

/// The document that a session got first.
pub(super) fn frozen(opened: &Opened, key: &str) -> Option<Frozen> {
    read::<Frozen>(opened, &session_file(key)).into_iter().find(|one| one.key == key)
}

/// Keep the document of a session, and no more than [`SERVED`] of them.
pub(super) fn freeze(opened: &Opened, key: String, version: Version, outcome: Outcome) {
    let name = session_file(&key);
    write(opened, &name, vec![Frozen { key, version, outcome }]);
    let names = fs::names(&digests::folder(opened)).unwrap_or_default();
    let mut sessions: Vec<((i64, u32), String)> = names
        .into_iter()
        .filter(|name| name.starts_with("session-"))
        .filter_map(|name| Some((fs::stat(&file(opened, &name)).ok()??.modified, name)))
        .collect();
    sessions.sort_unstable();
    for (_, old) in sessions.iter().take(sessions.len().saturating_sub(SERVED)) {
        let _ = fs::remove_file(&file(opened, old));
    }
}
