//! Entries whose text mostly occurs in another entry, too: BRV011.
//!
//! Compares runs of three words. An entry is a near-duplicate of another one of its domain when at least 0.8 of its runs
//! stand there. Runs that many entries have (templates, boilerplate) find no candidates, so that it stays near-linear.

mod runs;

pub use runs::{RunSet, Runs};
use std::collections::BTreeMap;

/// The share of the runs, in percent.
const MOST: usize = 80;

/// An entry with fewer runs says too little to distinguish it from a template.
const FEWEST: usize = 12;

/// A run in more entries than this finds no candidates.
const COMMON: usize = 8;

/// An entry and the one that it nearly duplicates, by their places in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duplicate {
    pub entry: usize,
    pub other: usize,
    /// How much of it, in percent.
    pub percent: u8,
}

/// Near-duplicates, each entry once, with the entry that has most of it. `entries` has the domain of each and its runs. Only
/// pairs count of which at least one is `sought`; of the runs of the others only those are needed that a sought one of the domain
/// has.
pub fn duplicates(entries: &[(&str, &Runs)], sought: impl Fn(usize) -> bool) -> Vec<Duplicate> {
    let mut domains: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, (domain, _)) in entries.iter().enumerate() {
        domains.entry(domain).or_default().push(place);
    }
    let mut best: BTreeMap<usize, Duplicate> = BTreeMap::new();
    for places in domains.values() {
        let runs: Vec<&Runs> = places.iter().map(|place| entries[*place].1).collect();
        for (one, other) in candidates(&runs, |at| sought(places[at])) {
            let Some(found) = compared(&runs, one, other) else { continue };
            let (entry, other) = (places[found.entry], places[found.other]);
            let found = Duplicate { entry, other, ..found };
            let kept = best.entry(entry).or_insert(found);
            if found.percent > kept.percent {
                *kept = found;
            }
        }
    }
    best.into_values().collect()
}

/// Pairs of a sought entry and any where an entry's probe is in both, sorted, each once.
fn candidates(runs: &[&Runs], sought: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let enough = runs.iter().filter(|runs| runs.count() >= FEWEST);
    // most runs are not probes of any entry
    let probes = RunSet::of(enough.flat_map(|runs| runs.probes()).collect());
    let mut having: Vec<(u32, usize)> = Vec::new();
    for (place, runs) in runs.iter().enumerate().filter(|(_, runs)| runs.count() >= FEWEST) {
        let probed = runs.hashes().iter().filter(|hash| probes.has(**hash));
        having.extend(probed.map(|hash| (*hash, place)));
    }
    having.sort_unstable();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for same in having.chunk_by(|one, other| one.0 == other.0).filter(|same| same.len() <= COMMON) {
        for (at, one) in same.iter().enumerate() {
            let pair = same[at + 1..].iter().map(|other| (one.1, other.1));
            pairs.extend(pair.filter(|(one, other)| sought(*one) || sought(*other)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The one that has less of its own, of two equal ones the later, if most of it stands in the other.
fn compared(runs: &[&Runs], one: usize, other: usize) -> Option<Duplicate> {
    let (entry, other) = if runs[one].count() < runs[other].count() { (one, other) } else { (other, one) };
    let length = runs[entry].count();
    let fewest = length - length * (100 - MOST) / 100;
    let percent = common(runs[entry].hashes(), runs[other].hashes(), fewest)? * 100 / length.max(1);
    let percent = u8::try_from(percent).unwrap_or(100);
    (usize::from(percent) >= MOST).then_some(Duplicate { entry, other, percent })
}

/// How many hashes of a sorted list another one has; `None` once it cannot be `fewest` any more.
fn common(list: &[u32], other: &[u32], fewest: usize) -> Option<usize> {
    let most = list.len().checked_sub(fewest)?;
    let (mut at, mut missing) = (0, 0);
    for hash in list {
        while other.get(at).is_some_and(|one| one < hash) {
            at += 1;
        }
        missing += usize::from(other.get(at) != Some(hash));
        if missing > most {
            return None;
        }
    }
    Some(list.len() - missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: std::ops::Range<u32>) -> String {
        words.map(|word| format!("word{} ", word * 7919 % 10_007)).collect()
    }

    fn found(entries: &[(&str, String)]) -> Vec<(usize, usize, u8)> {
        let runs: Vec<(&str, Runs)> =
            entries.iter().map(|(domain, text)| (*domain, Runs::of(text))).collect();
        let runs: Vec<(&str, &Runs)> = runs.iter().map(|(domain, runs)| (*domain, runs)).collect();
        duplicates(&runs, |_| true).into_iter().map(|one| (one.entry, one.other, one.percent)).collect()
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

    #[test]
    fn an_entry_is_found_in_one_that_is_forty_times_as_long() {
        assert_eq!(found(&[("a", text(0..4_000)), ("a", text(1_000..1_100))]), [(1, 0, 100)]);
    }

    #[test]
    fn with_what_the_sought_ones_have_the_others_are_compared_as_with_all() {
        let texts: Vec<String> = (0..12)
            .map(|at| text(at * 20..at * 20 + 30) + &text(at % 3 * 1_000..at % 3 * 1_000 + 200))
            .collect();
        let whole: Vec<Runs> = texts.iter().map(|text| Runs::of(text)).collect();
        for sought in [[0, 5], [11, 2], [3, 3]] {
            let hashes = sought.iter().flat_map(|at| whole[*at].hashes().to_vec()).collect();
            let hashes = RunSet::of(hashes);
            let cut: Vec<Runs> =
                whole.iter().map(|runs| Runs::unpacked(&runs.packed(), &hashes).unwrap()).collect();
            let found = |runs: &[Runs]| {
                let all: Vec<(&str, &Runs)> = runs.iter().map(|runs| ("a", runs)).collect();
                duplicates(&all, |at| sought.contains(&at))
            };
            assert!(!found(&whole).is_empty());
            assert_eq!(found(&cut), found(&whole), "{sought:?}");
        }
    }

    /// `=== true|false NAME`, then entries, separated by `---8<---`.
    const PLANTED: &str = include_str!("../../../../fixtures/duplicates.txt");

    #[test]
    fn of_planted_near_duplicates_most_are_found_and_nine_in_ten_findings_are_right() {
        let (mut cases, mut hits) = ([0, 0], [0, 0]);
        for case in PLANTED.split("=== ").skip(1) {
            let (name, entries) = case.split_once('\n').unwrap();
            let entries: Vec<_> = entries.split("---8<---\n").map(|entry| ("a", entry.to_owned())).collect();
            let (is_true, is_found) = (name.starts_with("true "), !found(&entries).is_empty());
            cases[usize::from(is_true)] += 1;
            hits[usize::from(is_true)] += usize::from(is_found);
            if is_true != is_found {
                println!("{name}");
            }
        }
        let [alarms, hits] = hits;
        assert!(cases.iter().all(|count| *count >= 30), "{cases:?}");
        assert!(hits * 10 >= (hits + alarms) * 9, "{alarms} alarms beside {hits} hits");
        assert!(hits * 100 >= cases[1] * 85, "{hits} of {}", cases[1]);
    }
}
