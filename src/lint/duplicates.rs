//! Entries of which most stands in another entry, too: BRV011.
//!
//! Compares runs of three words. An entry is a near-duplicate of another one of its domain when at least 0.8 of its runs
//! stand there. Runs that many entries have (templates, boilerplate) find no candidates, so that it stays near-linear.

use crate::diff::knowledge::{Print, Sampling};
use std::collections::HashMap;

/// The share of the runs, in percent.
const MOST: usize = 80;

/// An entry with fewer runs says too little to be told from a template.
const FEWEST: usize = 12;

/// A run in more entries than this finds no candidates.
const COMMON: usize = 8;

/// So many of an entry's runs look for candidates: the ones with the smallest hashes, the same ones in every entry.
const PROBES: usize = 24;

/// The runs of three words of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Runs(Print);

impl Runs {
    /// Those of the body, headings aside.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Print::of(bytes, Sampling::All))
    }
}

/// An entry and another of which it is a near-duplicate, by their places in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duplicate {
    /// The entry.
    pub entry: usize,
    /// The one that has most of it.
    pub other: usize,
    /// How much of it, in percent.
    pub percent: u8,
}

/// Near-duplicates, each entry once, with the entry that has most of it. `entries` has the domain of each and its runs.
#[must_use]
pub fn duplicates(entries: &[(&str, &Runs)]) -> Vec<Duplicate> {
    let mut index: HashMap<(&str, u64), Vec<u32>> = HashMap::new();
    for (place, (domain, runs)) in entries.iter().enumerate() {
        for probe in runs.0.hashes().iter().take(PROBES) {
            index.entry((domain, *probe)).or_default().push(u32::try_from(place).unwrap_or(u32::MAX));
        }
    }
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for places in index.into_values().filter(|places| (2..=COMMON).contains(&places.len())) {
        for (at, one) in places.iter().enumerate() {
            pairs.extend(places[at + 1..].iter().map(|other| (*one, *other)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut best: HashMap<usize, Duplicate> = HashMap::new();
    for (one, other) in pairs {
        let (one, other) = (one as usize, other as usize);
        let (a, b) = (entries[one].1.0.hashes(), entries[other].1.0.hashes());
        // the one that has less of its own; of two equal ones the later
        let (entry, other) = if a.len() < b.len() { (one, other) } else { (other, one) };
        let fewest = a.len().min(b.len());
        let percent = common(a, b) * 100 / fewest.max(1);
        if fewest >= FEWEST && percent >= MOST {
            let found = Duplicate { entry, other, percent: u8::try_from(percent).unwrap_or(100) };
            let kept = best.entry(entry).or_insert(found);
            if found.percent > kept.percent {
                *kept = found;
            }
        }
    }
    let mut found: Vec<Duplicate> = best.into_values().collect();
    found.sort_unstable();
    found
}

/// How many hashes two sorted lists have in common.
fn common(a: &[u64], b: &[u64]) -> usize {
    let (mut at, mut other, mut common) = (0, 0, 0);
    while let (Some(left), Some(right)) = (a.get(at), b.get(other)) {
        match left.cmp(right) {
            std::cmp::Ordering::Less => at += 1,
            std::cmp::Ordering::Greater => other += 1,
            std::cmp::Ordering::Equal => {
                at += 1;
                other += 1;
                common += 1;
            }
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: std::ops::Range<u32>) -> String {
        words.map(|word| format!("word{} ", word * 7919 % 10_007)).collect()
    }

    fn found(entries: &[(&str, String)]) -> Vec<(usize, usize, u8)> {
        let runs: Vec<(&str, Runs)> =
            entries.iter().map(|(domain, text)| (*domain, Runs::of(text.as_bytes()))).collect();
        let runs: Vec<(&str, &Runs)> = runs.iter().map(|(domain, runs)| (*domain, runs)).collect();
        duplicates(&runs).into_iter().map(|one| (one.entry, one.other, one.percent)).collect()
    }

    #[test]
    fn an_entry_that_stands_in_another_is_found() {
        let whole = text(0..100);
        assert_eq!(found(&[("a", whole.clone()), ("a", text(0..95) + &text(500..505))]), [(1, 0, 94)]);
        assert_eq!(found(&[("a", whole.clone()), ("a", text(40..80))]), [(1, 0, 100)]);
        assert_eq!(found(&[("a", whole.clone()), ("a", text(0..60) + &text(500..540))]), []);
        assert_eq!(found(&[("a", whole.clone()), ("b", whole)]), []);
        assert_eq!(found(&[("a", text(0..10)), ("a", text(0..10))]), []);
    }
}
