//! The hash of a document: equal hashes mean equal text.

use super::place::Placed;
use crate::stale::Freshness;
use brv_base::clock::format_utc;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// An entry that is shown, with what its lines say beside its text.
pub struct HashedEntry<'a> {
    pub placed: &'a Placed<'a>,
    pub freshness: Option<&'a Freshness>,
    pub pending: &'a [String],
}

/// 16 hex digits of SHA-256 over `path:updatedAt:blob` of the entries with their layers, sorted; then the options, the
/// UTC day, and the importance, confidence, freshness and marks of each entry; then the text, which also counts what is
/// not shown.
pub fn hash(shown: &[HashedEntry<'_>], options: &str, day: i64, document: &str) -> String {
    let mut pairs: Vec<String> = shown.iter().map(pair).collect();
    pairs.sort_unstable();
    let mut marks: Vec<String> = shown.iter().map(marks).collect();
    marks.sort_unstable();
    let text = format!("{}\n{options}\n{day}\n{}\n{document}", pairs.join("|"), marks.join("|"));
    let mut hex = String::new();
    for byte in Sha256::digest(text.as_bytes()).iter().take(8) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

fn pair(marked: &HashedEntry<'_>) -> String {
    let Placed { digest, entry, layer, .. } = marked.placed;
    let updated = entry.changed.map(format_utc).unwrap_or_default();
    format!("{}:{updated}:{}:{layer}", digest.path, digest.blob)
}

fn marks(marked: &HashedEntry<'_>) -> String {
    let Placed { digest, importance, confidence, .. } = marked.placed;
    let freshness = marked.freshness.map(|known| (known.state.word(), known.line()));
    format!("{}:{importance}:{confidence}:{freshness:?}:{:?}", digest.path, marked.pending)
}
