//! Entries with their layers, in the order in which the list of entries takes them.

use super::digest::{BrainEntry, Digest};
use super::layer::{LayerFactors, layer};
use super::month::Month;
use super::score;
use crate::lifecycle::Maturity;

/// The signals of an entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EntrySignals {
    /// From 0 to 100.
    pub importance: f64,
    pub maturity: Maturity,
    /// Whether it served a caller on this machine: else its importance says nothing but how old it is and how often it was
    /// written.
    pub is_used: bool,
}

/// An entry with its place.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    pub digest: &'a Digest,
    pub entry: &'a BrainEntry,
    /// 2 or 3.
    pub layer: u8,
    pub why: &'static str,
    /// From 1 to 5.
    pub importance: u8,
    pub is_used: bool,
    /// From 0 to 1.
    pub confidence: f64,
    pub days: i64,
    /// The month of its last change.
    pub changed: Month,
    /// The score of its best statement, whatever the code says; see [`order`].
    pub score: f64,
}

impl<'a> Placed<'a> {
    /// Place an entry that `changed` at that time.
    pub fn new(
        digest: &'a Digest,
        entry: &'a BrainEntry,
        signals: EntrySignals,
        changed: i64,
        now: i64,
    ) -> Self {
        let importance = score::importance(signals.importance);
        let confidence = entry.confidence.unwrap_or(score::confidence(signals.maturity));
        let days = score::days(changed, now);
        let (layer, why) = layer(&LayerFactors {
            kind: entry.kind,
            is_retired: entry.is_retired(),
            is_done: entry.is_done(),
            importance,
            confidence,
            days,
        });
        let (changed, is_used) = (Month::of_time(changed.min(now)), signals.is_used);
        Self { digest, entry, layer, why, importance, is_used, confidence, days, changed, score: 0.0 }
    }

    pub fn path(&self) -> &'a str {
        &self.digest.path
    }

    /// The folder that it is counted in: its domain and topic, `.` in the root.
    pub fn key(&self) -> &'a str {
        key(self.path())
    }

    /// Its first folder, `.` in the root.
    pub fn domain(&self) -> &'a str {
        let key = self.key();
        key.split_once('/').map_or(key, |(domain, _)| domain)
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

/// The newest month that these entries state something of, and that is not in the future. Each comes with the time at which
/// it changed, if that is known; of a tree without any it is the month of `now`.
pub fn newest<'a>(entries: impl Iterator<Item = (&'a BrainEntry, Option<i64>)>, now: i64) -> Month {
    let now = Month::of_time(now);
    let of_entry = |(entry, changed): (&BrainEntry, Option<i64>)| {
        let changed = changed.map(Month::of_time);
        entry.stated.months.iter().filter_map(|(month, _)| month.or(changed)).max()
    };
    let alive = entries.filter(|(entry, _)| !entry.is_retired());
    alive.filter_map(of_entry).map(|month| month.min(now)).max().unwrap_or(now)
}

/// Bring entries into their order: by layer, then by the score of their best statement, the best first, then the one that
/// changed last, then by path.
pub fn order(placed: &mut [Placed<'_>], newest: Month) {
    for one in placed.iter_mut() {
        let scores =
            one.entry.stated.rows.iter().map(|row| row.score(row.month.unwrap_or(one.changed), newest));
        one.score = scores.fold(0.0, f64::max) * score::state(None, one.importance);
    }
    placed.sort_unstable_by(|one, other| {
        let by_score = || other.score.total_cmp(&one.score);
        let by_change = || one.days.cmp(&other.days);
        let by_path = || one.path().cmp(other.path());
        one.layer.cmp(&other.layer).then_with(by_score).then_with(by_change).then_with(by_path)
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
