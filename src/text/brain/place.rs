//! Entries with their layers and scores, in the order in which a document takes them.

use super::digest::{Digest, Entry};
use super::layer::{Position, layer};
use super::score;
use crate::lifecycle::Maturity;

/// The signals of an entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signals {
    /// From 0 to 100.
    pub importance: f64,
    pub maturity: Maturity,
}

/// An entry with its place.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    pub digest: &'a Digest,
    pub entry: &'a Entry,
    /// From 1 to 3.
    pub layer: u8,
    pub why: &'static str,
    /// From 1 to 5.
    pub importance: u8,
    /// From 0 to 1.
    pub confidence: f64,
    pub days: i64,
    pub score: f64,
}

impl<'a> Placed<'a> {
    /// Place an entry that `changed` at that time.
    pub fn new(digest: &'a Digest, entry: &'a Entry, signals: Signals, changed: i64, now: i64) -> Self {
        let importance = score::importance(signals.importance);
        let confidence = entry.confidence.unwrap_or(score::confidence(signals.maturity));
        let days = score::days(changed, now);
        let (layer, why) = layer(&Position {
            kind: entry.kind,
            is_retired: entry.is_retired(),
            is_done: entry.is_done(),
            importance,
            confidence,
            days,
        });
        let score = score::score(importance, confidence, days);
        Self { digest, entry, layer, why, importance, confidence, days, score }
    }

    pub fn path(&self) -> &'a str {
        &self.digest.path
    }

    /// The folder that it is counted in: its domain and topic, `.` in the root.
    pub fn key(&self) -> &'a str {
        key(self.path())
    }
}

/// The first two folders of a path; `.` if it has none.
pub fn key(path: &str) -> &str {
    let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
    match folder.match_indices('/').nth(1) {
        Some((end, _)) => &folder[..end],
        None => folder,
    }
}

/// Bring entries into their order: by layer, then by score, the best first, then by kind, decisions first, then by
/// path.
pub fn order(placed: &mut [Placed<'_>]) {
    placed.sort_unstable_by(|one, other| {
        let by_score = || other.score.total_cmp(&one.score);
        let by_kind = || one.entry.kind.cmp(&other.entry.kind);
        let by_path = || one.path().cmp(other.path());
        one.layer.cmp(&other.layer).then_with(by_score).then_with(by_kind).then_with(by_path)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_domain_and_topic() {
        let keys = ["a.md", "x/a.md", "x/y/a.md", "x/y/z/w/a.md"].map(key);
        assert_eq!(keys, [".", "x", "x/y", "x/y"]);
    }
}
