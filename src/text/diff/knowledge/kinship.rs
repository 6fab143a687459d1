//! Find renamed, merged and split entries in a change set.
//!
//! Two entries are related if runs of three words of one occur in the other. An index of those runs makes the search
//! near-linear; runs that many entries have are ignored. Knows paths and words, but not how entries differ inside.

use super::MoveSource;
use crate::doc::Document;
use brv_base::content::{FNV_START, fnv, fnv_step};
use brv_base::sorting;
use bstr::{BString, ByteSlice as _};
use std::cmp::Reverse;
use std::collections::HashMap;

/// A run of words that more entries than this have lost does not show which of them it came from.
const COMMON: usize = 8;

/// An entry is related to another if at least this share of its runs occurs there, in percent.
const HALF: usize = 50;

/// With more entries than this only every 16th run counts, to limit memory.
const MANY: usize = 4_000;

/// Entries with fewer runs than this are too short to be recognised.
const FEW_RUNS: usize = 4;

/// The hashed runs of words of a document, sorted, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Print(Vec<u64>);

/// How many of the runs to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    All,
    /// Every 16th, the same ones in all documents.
    Sixteenth,
}

impl Sampling {
    pub const fn for_many(documents: usize) -> Sampling {
        if documents > MANY { Sampling::Sixteenth } else { Sampling::All }
    }
}

impl Print {
    /// The runs of a document's body, without headings.
    pub fn of(bytes: &[u8], sampling: Sampling) -> Print {
        let mut runs: Vec<u64> = runs(Document::parse(bytes).body());
        if sampling == Sampling::Sixteenth {
            runs.retain(|run| run % 16 == 0);
        }
        runs.sort_unstable();
        runs.dedup();
        Print(runs)
    }

    /// The runs that `other` does not have.
    fn without(&self, other: &Print) -> Vec<u64> {
        self.0.iter().copied().filter(|run| other.0.binary_search(run).is_err()).collect()
    }
}

/// The hashes of all runs of three words of a body, without headings, in its order.
pub fn runs(body: &str) -> Vec<u64> {
    let mut words: Vec<u64> = Vec::with_capacity(body.len() / 6);
    for line in body.lines().filter(|line| !line.starts_with('#')) {
        match line.is_ascii() {
            true => hash_ascii(line.as_bytes(), &mut words),
            false => words.extend(
                line.split_whitespace()
                    .filter(|word| word.contains(char::is_alphanumeric))
                    .map(|word| fnv(word.bytes())),
            ),
        }
    }
    let run =
        |words: &[u64]| words.iter().fold(7, |run: u64, word| run.rotate_left(21).wrapping_mul(31) ^ word);
    words.windows(3).map(run).collect()
}

/// The hashes of the words of a line: the same as for other lines, in one pass.
fn hash_ascii(line: &[u8], words: &mut Vec<u64>) {
    let (mut hash, mut says) = (FNV_START, false);
    for byte in line.iter().copied().chain([b' ']) {
        if matches!(byte, b'\t'..=b'\r' | b' ') {
            if says {
                words.push(hash);
            }
            (hash, says) = (FNV_START, false);
        } else {
            hash = fnv_step(hash, byte);
            says |= byte.is_ascii_alphanumeric();
        }
    }
}

/// The parts of a changed entry needed to find related ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KinCandidate {
    /// Its path before; `None` if it is new.
    pub before: Option<BString>,
    /// Its path after; `None` if it is gone.
    pub after: Option<BString>,
    /// Its runs before; empty if it is new.
    pub was: Print,
    /// Its runs after; empty if it is gone.
    pub is: Print,
    /// The entries that it says it was made of, and did not say so before.
    pub named: Vec<BString>,
}

/// The paths in `consolidated_from` that only the version after has.
pub fn named(before: &[u8], after: &[u8]) -> Vec<BString> {
    let names = |bytes: &[u8]| match bytes.contains_str("consolidated_from") {
        true => Document::parse(bytes).meta().consolidated_from,
        false => Vec::new(),
    };
    let after = names(after);
    let before = if after.is_empty() { Vec::new() } else { names(before) };
    after.into_iter().filter(|name| !before.contains(name)).map(BString::from).collect()
}

/// Whether a name, as an entry writes it, is this path.
pub fn is_named(name: &BString, path: &BString) -> bool {
    name == path || path.strip_suffix(b".md").is_some_and(|stem| stem == name.as_slice())
}

/// The relations found, by index of the candidates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryKinship {
    /// Removed entries, each with the new entry that it was renamed to.
    pub renamed: Vec<(usize, usize)>,
    /// Removed entries, each with the entry that has at least half of its text.
    pub merged: Vec<(usize, usize)>,
    /// For each candidate, the entries whose text was moved into it.
    pub sources: Vec<Vec<MoveSource>>,
}

/// How much of one entry was moved into another.
struct MovedText {
    from: usize,
    to: usize,
    runs: usize,
}

/// Find renamed, merged and split entries.
pub fn kinship(candidates: &[KinCandidate]) -> EntryKinship {
    let mut kinship = EntryKinship { sources: vec![Vec::new(); candidates.len()], ..EntryKinship::default() };
    let passages = passages(candidates);
    let mut is_taken = vec![false; candidates.len()];
    named_merges(candidates, &mut is_taken, &mut kinship);
    renames(candidates, &passages, &mut is_taken, &mut kinship);
    merges(candidates, &passages, &mut is_taken, &mut kinship);
    splits(candidates, &passages, &is_taken, &mut kinship);
    for sources in &mut kinship.sources {
        sorting::sort_by(sources, |left, right| left.path.cmp(&right.path));
        sources.dedup_by(|left, right| left.path == right.path);
    }
    kinship
}

/// The passages of runs that one entry lost and another gained, largest first.
fn passages(candidates: &[KinCandidate]) -> Vec<MovedText> {
    let mut lost: HashMap<u64, Vec<usize>> = HashMap::new();
    for (place, candidate) in candidates.iter().enumerate() {
        candidate
            .was
            .without(&candidate.is)
            .into_iter()
            .for_each(|run| lost.entry(run).or_default().push(place));
    }
    let mut passages = Vec::new();
    if lost.is_empty() {
        return passages;
    }
    for (to, candidate) in candidates.iter().enumerate() {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for run in candidate.is.without(&candidate.was) {
            let places = lost.get(&run).map_or(&[][..], Vec::as_slice);
            if places.len() <= COMMON {
                places.iter().for_each(|place| *shared.entry(*place).or_default() += 1);
            }
        }
        passages.extend(shared.into_iter().map(|(from, runs)| MovedText { from, to, runs }));
    }
    passages.retain(|passage| passage.runs >= FEW_RUNS);
    sorting::sort_by_key(&mut passages, |passage| (Reverse(passage.runs), passage.from, passage.to));
    passages
}

/// Whether `runs` are at least half of those in `print`.
fn is_half(runs: usize, print: &Print) -> bool {
    runs * 100 >= print.0.len() * HALF
}

fn percent(runs: usize, print: &Print) -> u8 {
    u8::try_from(runs * 100 / print.0.len().max(1)).unwrap_or(100).min(100)
}

/// Removed entries that another entry says it was made of, however much of their text it has.
fn named_merges(candidates: &[KinCandidate], is_taken: &mut [bool], kinship: &mut EntryKinship) {
    if candidates.iter().all(|candidate| candidate.named.is_empty()) {
        return;
    }
    for (from, old) in candidates.iter().enumerate().filter(|(_, old)| old.after.is_none()) {
        let Some(path) = &old.before else { continue };
        let has =
            |new: &KinCandidate| new.after.is_some() && new.named.iter().any(|name| is_named(name, path));
        let Some(to) = candidates.iter().position(has) else { continue };
        is_taken[from] = true;
        kinship.merged.push((from, to));
        let shared = old.was.0.len() - old.was.without(&candidates[to].is).len();
        let percent = percent(shared, &old.was);
        kinship.sources[to].push(MoveSource { path: path.clone(), percent, gone: true });
    }
}

/// Pair removed and new entries that share at least half of their runs, in both directions.
fn renames(
    candidates: &[KinCandidate],
    passages: &[MovedText],
    is_taken: &mut [bool],
    kinship: &mut EntryKinship,
) {
    for MovedText { from, to, runs } in passages {
        let (old, new) = (&candidates[*from], &candidates[*to]);
        let fits = old.after.is_none() && new.before.is_none() && !is_taken[*from] && !is_taken[*to];
        if fits && is_half(*runs, &old.was) && is_half(*runs, &new.is) {
            (is_taken[*from], is_taken[*to]) = (true, true);
            kinship.renamed.push((*from, *to));
        }
    }
}

fn merges(
    candidates: &[KinCandidate],
    passages: &[MovedText],
    is_taken: &mut [bool],
    kinship: &mut EntryKinship,
) {
    for MovedText { from, to, runs } in passages {
        let old = &candidates[*from];
        if old.after.is_none() && !is_taken[*from] && is_half(*runs, &old.was) {
            is_taken[*from] = true;
            kinship.merged.push((*from, *to));
            let path = old.before.clone().unwrap_or_default();
            kinship.sources[*to].push(MoveSource { path, percent: percent(*runs, &old.was), gone: true });
        }
    }
}

/// Find new entries whose text, at least half, was in an entry that stays or that was renamed.
fn splits(
    candidates: &[KinCandidate],
    passages: &[MovedText],
    is_taken: &[bool],
    kinship: &mut EntryKinship,
) {
    for MovedText { from, to, runs } in passages {
        let (old, new) = (&candidates[*from], &candidates[*to]);
        if new.before.is_some() || is_taken[*to] || !is_half(*runs, &new.is) {
            continue;
        }
        let gone = old.after.is_none();
        let path = old.before.clone().unwrap_or_default();
        kinship.sources[*to].push(MoveSource { path, percent: percent(*runs, &old.was), gone });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(path: &str, was: &str, is: &str) -> KinCandidate {
        let side = |text: &str| (!text.is_empty()).then(|| BString::from(path));
        KinCandidate {
            before: side(was),
            after: side(is),
            was: Print::of(was.as_bytes(), Sampling::All),
            is: Print::of(is.as_bytes(), Sampling::All),
            named: named(was.as_bytes(), is.as_bytes()),
        }
    }

    const ONE: &str = "## Facts\n- tokens live for a day and are renewed by the gateway each night\n";
    const TWO: &str = "## Facts\n- keys rotate on the first of the month in all regions at once\n";

    #[test]
    fn a_reworked_entry_at_another_path_is_renamed() {
        let reworked = "## Rules\ntokens live for a day\nand are renewed by the gateway each morning\n";
        let found = kinship(&[candidate("a.md", ONE, ""), candidate("b.md", "", reworked)]);
        assert_eq!(found.renamed, [(0, 1)]);
        assert_eq!(found.merged, []);
    }

    #[test]
    fn two_entries_that_became_one_are_its_sources() {
        let both = [ONE, TWO].concat();
        let found = kinship(&[
            candidate("a.md", ONE, ""),
            candidate("b.md", TWO, ""),
            candidate("c.md", "Words.", &both),
        ]);
        assert_eq!(found.merged, [(0, 2), (1, 2)]);
        let paths: Vec<_> =
            found.sources[2].iter().map(|source| (source.path.to_string(), source.percent)).collect();
        assert_eq!(paths, [("a.md".to_owned(), 100), ("b.md".to_owned(), 100)]);
    }

    #[test]
    fn what_an_entry_names_as_its_source_is_merged_however_short() {
        let target = "---\nconsolidated_from: [a.md, old]\n---\nWords.\n";
        let was = "---\nconsolidated_from: [old]\n---\nWords.\n";
        let found = kinship(&[
            candidate("a.md", "Few.", ""),
            candidate("old.md", "Other.", ""),
            candidate("t.md", was, target),
        ]);
        assert_eq!(found.merged, [(0, 2)]);
        let found = kinship(&[candidate("a.md", ONE, ""), candidate("t.md", "", &format!("{target}{ONE}"))]);
        assert_eq!((found.renamed, found.merged), (vec![], vec![(0, 1)]));
    }

    #[test]
    fn an_entry_split_off_names_where_it_stood() {
        let both = [ONE, TWO].concat();
        let found = kinship(&[candidate("a.md", &both, ONE), candidate("b.md", "", TWO)]);
        assert_eq!(found.renamed, []);
        let source = &found.sources[1][0];
        assert_eq!((source.path.to_string(), source.gone), ("a.md".to_owned(), false));
        assert!((40..=60).contains(&source.percent), "{source:?}");
    }

    #[test]
    fn what_everybody_has_makes_no_kin() {
        let all: Vec<KinCandidate> = (0..20)
            .flat_map(|n| [candidate(&format!("{n}"), ONE, ""), candidate(&format!("n{n}"), "", ONE)])
            .collect();
        assert_eq!(kinship(&all).renamed, []);
    }
}
