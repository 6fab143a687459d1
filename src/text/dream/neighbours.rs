//! An index over the entries of a tree that finds the neighbours of each: by runs of words and by subjects of facts.
//!
//! A run that many texts have is a template or boilerplate: it connects nothing and counts for no overlap. Of the other
//! runs each text has a few probes, those with the smallest hashes; who has a probe of another text is compared with it.
//! The work is linear in the runs.

use super::Entry;
use crate::words::{common, share};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A run or a subject in more texts than this connects nothing.
const COMMON: usize = 8;

/// So many runs of a text are probes. Of two texts that share a fifth of their runs it misses one pair in 200 (0.8^24).
const PROBES: usize = 24;

/// An overlap is a share of at least so many runs: one run in common of two is not half.
const FEWEST: usize = 8;

/// So many probes are looked for at once: of a large tree the list of all that have any would be as large as the runs.
const PART: usize = if cfg!(test) { 3 } else { 1 << 18 };

/// What connects two entries.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tie {
    /// The share of the runs that they have in common.
    pub overlap: f64,
    /// Subjects that both have facts about, and few others.
    pub subjects: Vec<String>,
    /// The relevance of one to the other.
    pub relevance: f64,
    /// The reason of a suggestion.
    pub hint: Option<String>,
}

/// The entries by what may connect them. Entries with the same runs in one domain are one text.
pub(super) struct NeighbourIndex<'a> {
    entries: &'a [Entry],
    /// The text of each entry.
    text: Vec<usize>,
    /// The entries of each text.
    copies: Vec<Vec<usize>>,
    sketch: RunSketch,
    /// How many runs of each text are not common.
    own: Vec<usize>,
    /// Texts that share a probe: each pair in both orders, sorted.
    near: Vec<(usize, usize)>,
    /// The entries of each domain with a fact about each subject.
    about: HashMap<(&'a str, &'a str), Vec<usize>>,
}

impl<'a> NeighbourIndex<'a> {
    /// The index of entries; only those in `domains` will be looked up.
    pub(super) fn of(entries: &'a [Entry], domains: &BTreeSet<&str>) -> Self {
        let (text, copies) = texts(entries);
        let runs: Vec<&[u32]> = copies.iter().map(|copies| entries[copies[0]].runs.hashes()).collect();
        let sketch = RunSketch::of(&runs);
        let is_asked: Vec<bool> =
            copies.iter().map(|copies| domains.contains(entries[copies[0]].domain())).collect();
        let own =
            runs.iter().map(|runs| runs.iter().filter(|run| !sketch.is_common(**run)).count()).collect();
        let domain = |text: usize| entries[copies[text][0]].domain();
        let near = near(&runs, &is_asked, &sketch, &domain);
        let mut about: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
        for (at, entry) in entries.iter().enumerate() {
            for subject in &entry.subjects {
                about.entry((entry.domain(), subject)).or_default().push(at);
            }
        }
        about.retain(|_, places| (2..=COMMON).contains(&places.len()));
        Self { entries, text, copies, sketch, own, near, about }
    }

    /// The entries that have anything to do with this one, each with what connects them.
    pub(super) fn neighbours(&self, entry: usize) -> BTreeMap<usize, Tie> {
        let text = self.text[entry];
        let from = self.near.partition_point(|(one, _)| *one < text);
        let near = self.near[from..].iter().take_while(|(one, _)| *one == text);
        let alike = near.map(|(_, other)| *other).chain([text]);
        let mut found: BTreeSet<usize> = alike.flat_map(|text| &self.copies[text]).copied().collect();
        let domain = self.entries[entry].domain();
        for subject in &self.entries[entry].subjects {
            found.extend(self.about.get(&(domain, subject.as_str())).into_iter().flatten());
        }
        found.remove(&entry);
        found.into_iter().map(|other| (other, self.tie(entry, other))).collect()
    }

    /// What connects two entries of one domain.
    pub(super) fn tie(&self, one: usize, other: usize) -> Tie {
        let (left, right) = (self.text[one], self.text[other]);
        let runs = |at: usize| self.entries[at].runs.hashes();
        let overlap = match left == right {
            true => 1.0,
            false => {
                let shared = common(runs(one), runs(other), |run| !self.sketch.is_common(run));
                share(shared, self.own[left].min(self.own[right]).max(FEWEST))
            }
        };
        let domain = self.entries[one].domain();
        let is_shared = |subject: &&String| {
            let places = self.about.get(&(domain, subject.as_str()));
            places.is_some_and(|places| places.contains(&other))
        };
        let subjects = self.entries[one].subjects.iter().filter(is_shared).cloned().collect();
        Tie { overlap, subjects, ..Tie::default() }
    }
}

/// The text of each entry, and the entries of each text. A text without runs is not a copy of another.
fn texts(entries: &[Entry]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut known: HashMap<(&str, &[u32]), usize> = HashMap::new();
    let mut copies: Vec<Vec<usize>> = Vec::new();
    let mut text = Vec::with_capacity(entries.len());
    for (at, entry) in entries.iter().enumerate() {
        let new = copies.len();
        let own = match entry.runs.is_empty() {
            true => new,
            false => *known.entry((entry.domain(), entry.runs.hashes())).or_insert(new),
        };
        if own == new {
            copies.push(Vec::new());
        }
        copies[own].push(at);
        text.push(own);
    }
    (text, copies)
}

/// The pairs of texts of one domain that share a probe, in both orders, sorted.
fn near<'d>(
    runs: &[&[u32]],
    is_asked: &[bool],
    sketch: &RunSketch,
    domain: &dyn Fn(usize) -> &'d str,
) -> Vec<(usize, usize)> {
    let asked = || (0..runs.len()).filter(|text| is_asked[*text]);
    let mut probes: Vec<u32> = Vec::new();
    for text in asked() {
        probes.extend(runs[text].iter().filter(|run| !sketch.is_common(**run)).take(PROBES));
    }
    probes.sort_unstable();
    probes.dedup();
    let texts: Vec<usize> = asked().collect();
    let mut near: Vec<(usize, usize)> = Vec::new();
    for probes in probes.chunks(PART) {
        let having = having(runs, &texts, probes);
        for same in having.chunk_by(|one, other| one.0 == other.0).filter(|same| same.len() <= COMMON) {
            for (_, one) in same {
                let others = same.iter().filter(|(_, other)| other != one);
                let pairs = others.map(|(_, other)| (texts[*one as usize], texts[*other as usize]));
                near.extend(pairs.filter(|(one, other)| domain(*other) == domain(*one)));
            }
        }
        near.sort_unstable();
        near.dedup();
    }
    near
}

/// Which of these texts have which of these probes, which are sorted; sorted by probe. A text is its place in `texts`.
fn having(runs: &[&[u32]], texts: &[usize], probes: &[u32]) -> Vec<(u32, u32)> {
    let (Some(first), Some(last)) = (probes.first(), probes.last()) else { return Vec::new() };
    // most runs are not probes: a bit for each hash, cut short, says so without a search
    let bits = (probes.len() * 16).next_power_of_two().max(64);
    let bit = |run: u32| run as usize & (bits - 1);
    let mut filter = vec![0u64; bits / 64];
    probes.iter().for_each(|probe| filter[bit(*probe) / 64] |= 1 << (bit(*probe) % 64));
    let may_be = |run: &&u32| filter[bit(**run) / 64] >> (bit(**run) % 64) & 1 == 1;
    let mut having: Vec<(u32, u32)> = Vec::new();
    for (place, text) in (0..).zip(texts) {
        let own = runs[*text];
        let own = &own[own.partition_point(|run| run < first)..own.partition_point(|run| run <= last)];
        let probed = own.iter().filter(may_be).filter(|run| probes.binary_search(run).is_ok());
        having.extend(probed.map(|run| (*run, place)));
    }
    having.sort_unstable();
    having
}

/// How many texts have each run, roughly: counters that runs share by the low bits of their hashes. There are at least as
/// many counters as runs, so that one in a million is too high by [`COMMON`]. Two counters are in a byte: none has to count
/// further than [`MOST_COUNTED`].
struct RunSketch(Vec<u8>);

const MOST_COUNTED: u8 = 0xf;

impl RunSketch {
    fn of(runs: &[&[u32]]) -> Self {
        let count: usize = runs.iter().map(|runs| runs.len()).sum();
        let mut sketch = Self(vec![0; count.next_power_of_two().max(1 << 10) / 2]);
        for run in runs.iter().copied().flatten() {
            let (place, shift) = sketch.place(*run);
            if sketch.count(*run) < MOST_COUNTED {
                sketch.0[place] += 1 << shift;
            }
        }
        sketch
    }

    /// The byte of the run's counter, and how many bits stand below it there.
    fn place(&self, run: u32) -> (usize, u32) {
        let counter = run as usize & (self.0.len() * 2 - 1);
        (counter / 2, if counter.is_multiple_of(2) { 0 } else { 4 })
    }

    fn count(&self, run: u32) -> u8 {
        let (place, shift) = self.place(run);
        self.0[place] >> shift & MOST_COUNTED
    }

    fn is_common(&self, run: u32) -> bool {
        usize::from(self.count(run)) > COMMON
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The pairs of texts with these runs, each text in a domain, if those in `asked` are looked up.
    fn near_of(runs: &[Vec<u32>], domains: &[u8], asked: &[bool]) -> Vec<(usize, usize)> {
        let runs: Vec<&[u32]> = runs.iter().map(Vec::as_slice).collect();
        let domain = |text: usize| if domains[text] == 0 { "a" } else { "b" };
        near(&runs, asked, &RunSketch::of(&runs), &domain)
    }

    #[test]
    fn texts_that_share_a_probe_are_near_in_both_orders_within_their_domain() {
        let runs = [vec![1, 2, 9], vec![1, 3, 9], vec![3, 4], vec![1], vec![5]];
        let domains = [0, 0, 0, 1, 0];
        assert_eq!(near_of(&runs, &domains, &[true; 5]), [(0, 1), (1, 0), (1, 2), (2, 1)]);
        assert_eq!(near_of(&runs, &domains, &[true, true, false, true, true]), [(0, 1), (1, 0)]);
        let sketch = RunSketch::of(&[&[2, 3, 1_027], &[3], &[1_027]]);
        assert_eq!(
            [2, 3, 4].map(|run| sketch.count(run)),
            [1, 4, 0],
            "neighbours in a byte, and two runs of one counter"
        );
        let often = vec![&[7][..]; 40];
        assert_eq!(RunSketch::of(&often).count(7), MOST_COUNTED);
        let template = vec![vec![7]; COMMON + 1];
        assert_eq!(near_of(&template, &[0; COMMON + 1], &[true; COMMON + 1]), []);
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(128))]

        #[test]
        fn near_is_what_comparing_each_with_each_finds(
            texts in prop::collection::vec((prop::collection::btree_set(0u32..40, 0..12), 0u8..2, any::<bool>()), 0..24),
        ) {
            let runs: Vec<Vec<u32>> = texts.iter().map(|(runs, ..)| runs.iter().copied().collect()).collect();
            let domains: Vec<u8> = texts.iter().map(|(_, domain, _)| *domain).collect();
            let asked: Vec<bool> = texts.iter().map(|(.., asked)| *asked).collect();
            let having = |run: &u32, only: &[bool]| {
                runs.iter().zip(only).filter(|(runs, only)| **only && runs.contains(run)).count()
            };
            let all = vec![true; runs.len()];
            // fewer runs than probes: each that is not common is one
            let connects = |run: &u32| having(run, &all) <= COMMON;
            let pairs = (0..runs.len()).flat_map(|one| (0..runs.len()).map(move |other| (one, other)));
            let expected: Vec<(usize, usize)> = pairs
                .filter(|(one, other)| one != other && asked[*one] && asked[*other])
                .filter(|(one, other)| domains[*one] == domains[*other])
                .filter(|(one, other)| runs[*one].iter().any(|run| runs[*other].contains(run) && connects(run)))
                .collect();
            prop_assert_eq!(near_of(&runs, &domains, &asked), expected);
        }
    }
}
