//! What is kept between calls, beside the digests: the hashes that were served, the documents that sessions got, and the
//! last documents with what they were made from. All of it may be lost at any time.

use crate::brain::digests::{self, Version};
use brv_base::content::fnv;
use brv_base::fs::{self, Durability, Form};
use brv_engine::open::context::Opened;
use brv_engine::review::trust::Suspect;
use brv_text::brain::Outcome;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How many documents are remembered as served, and kept for sessions.
const SERVED: usize = 50;

/// For how many sets of options the last document is kept.
const PAGES: usize = 8;

const FORMAT: u32 = 3;

/// A document that was served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Served {
    pub hash: String,
    pub session: Option<String>,
    pub version: Version,
    /// When it was served first with these others before it, in seconds since 1970; those of an earlier brv say no time.
    #[serde(default = "never")]
    pub at: i64,
}

const fn never() -> i64 {
    i64::MAX
}

impl Served {
    /// Whether the same is served to the same once more.
    fn repeats(&self, last: &Self) -> bool {
        (&self.hash, &self.session, self.version) == (&last.hash, &last.session, last.version)
    }
}

/// A document, and what it was made from or for, in full: the names of files have a hash of it.
#[derive(Serialize, Deserialize)]
struct CachedPage<O> {
    format: u32,
    key: String,
    version: Option<Version>,
    #[serde(default)]
    suspects: Vec<Suspect>,
    outcome: O,
}

#[derive(Serialize, Deserialize)]
struct ServedLog {
    format: u32,
    rows: Vec<Served>,
}

fn file(opened: &Opened, name: &str) -> PathBuf {
    digests::folder(opened).join(name)
}

fn read<T: DeserializeOwned>(opened: &Opened, name: &str) -> Option<T> {
    let bytes = fs::read_shipped(&file(opened, name), Form::Json).ok()??;
    serde_json::from_slice(&bytes).ok()
}

fn write(opened: &Opened, name: &str, content: &impl Serialize) {
    if let Ok(bytes) = serde_json::to_vec(content) {
        let _ = fs::replace(&file(opened, name), &bytes, Durability::Later);
    }
}

const LOG: &str = "served.json";

/// What was served, oldest first.
pub(super) fn served(opened: &Opened) -> Vec<Served> {
    let log = read::<ServedLog>(opened, LOG).filter(|log| log.format == FORMAT);
    log.map(|log| log.rows).unwrap_or_default()
}

/// When a session got a document with this hash first, if that is known.
pub(super) fn when(opened: &Opened, hash: &str, session: &str) -> Option<i64> {
    let all = served(opened);
    let is_it = |one: &&Served| one.hash == hash && one.session.as_deref() == Some(session);
    all.iter().find(is_it).map(|one| one.at)
}

/// Remember what is served now.
pub(super) fn serve(opened: &Opened, now: Served) {
    let mut all = served(opened);
    if all.last().is_some_and(|last| now.repeats(last)) {
        return;
    }
    let Some(_guard) = digests::lock(opened) else { return };
    all = served(opened);
    all.retain(|one| one.hash != now.hash || one.session != now.session);
    all.push(now);
    let first = all.len().saturating_sub(SERVED);
    write(opened, LOG, &ServedLog { format: FORMAT, rows: all.split_off(first) });
}

/// The document that was made with these options, if it was made from what `key` says, and the suspects that it was made
/// with.
pub fn made<O: DeserializeOwned>(opened: &Opened, options: &str, key: &str) -> Option<(O, Vec<Suspect>)> {
    page(opened, &name("page", options), key).map(|page| (page.outcome, page.suspects))
}

/// Keep a document.
pub fn keep(opened: &Opened, options: &str, (key, suspects): (String, &[Suspect]), outcome: &impl Serialize) {
    let page = CachedPage { format: FORMAT, key, version: None, suspects: suspects.to_vec(), outcome };
    write(opened, &name("page", options), &page);
    prune(opened, "page", PAGES);
}

/// The document that a session got first, and the version of the files that it was made from.
pub(super) fn frozen(opened: &Opened, key: &str) -> Option<(Version, Outcome)> {
    let page = page(opened, &name("session", key), key)?;
    Some((page.version?, page.outcome))
}

/// Keep the document of a session.
pub(super) fn freeze(opened: &Opened, key: String, version: Version, outcome: &Outcome) {
    let name = name("session", &key);
    let page = CachedPage { format: FORMAT, key, version: Some(version), suspects: Vec::new(), outcome };
    write(opened, &name, &page);
    prune(opened, "session", SERVED);
}

fn page<O: DeserializeOwned>(opened: &Opened, name: &str, key: &str) -> Option<CachedPage<O>> {
    read::<CachedPage<O>>(opened, name).filter(|page| page.format == FORMAT && page.key == key)
}

fn name(kind: &str, key: &str) -> String {
    format!("{kind}-{:016x}.json", fnv(key.bytes()))
}

/// Keep the newest files of a kind.
fn prune(opened: &Opened, kind: &str, most: usize) {
    let names = fs::names(&digests::folder(opened)).unwrap_or_default();
    let mut files: Vec<((i64, u32), String)> = names
        .into_iter()
        .filter(|name| name.strip_prefix(kind).is_some_and(|rest| rest.starts_with('-')))
        .filter_map(|name| Some((fs::stat(&file(opened, &name)).ok()??.modified, name)))
        .collect();
    files.sort_unstable();
    for (_, old) in files.iter().take(files.len().saturating_sub(most)) {
        let _ = fs::remove_file(&file(opened, old));
    }
}
