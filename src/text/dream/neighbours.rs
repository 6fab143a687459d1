//! An index over the entries of a tree that finds the neighbours of each: by runs of words and by subjects of facts.
//!
//! A run that many texts have is a template or boilerplate: it connects nothing and counts for no overlap. Of the other
//! runs each text has a few probes, those with the smallest hashes; who has a probe of another text is compared with it.
//! The work is linear in the runs. Of a large tree the entries of a few domains are held: all are read once to count the runs,
//! and those of a domain again when it is looked at.

use super::Entry;
use crate::words::{common, share};
use brv_base::path::TreePath;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A run or a subject in more texts than this connects nothing.
const COMMON: usize = 8;

/// So many runs of a text are probes. Of two texts that share a fifth of their runs it misses one pair in 200 (0.8^24).
const PROBES: usize = 24;

/// An overlap is a share of at least so many runs: one run in common of two is not half.
const FEWEST: usize = 8;

/// So many probes are looked for at once: of a large tree the list of all that have any would be as large as the runs.
const PART: usize = if cfg!(test) { 3 } else { 1 << 18 };

/// So many entries at least are read at a time.
const READ: usize = if cfg!(test) { 3 } else { 2_000 };

/// So many runs are held before their domain is looked at.
const HELD: usize = if cfg!(test) { 500 } else { 8 << 20 };

/// Reads the live entries of some domains.
pub type EntriesOf<'a, E> = &'a mut dyn FnMut(&[&str]) -> Result<Vec<Entry>, E>;

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

/// How many texts have each run, and the entries of the first domains, as far as they are held.
pub(super) struct NeighbourIndex {
    sketch: RunSketch,
    held: HashMap<String, Vec<Entry>>,
}

impl NeighbourIndex {
    /// The index of the entries of these domains, each with about how many it has.
    pub(super) fn of<E>(domains: &[(&str, usize)], read: EntriesOf<'_, E>) -> Result<Self, E> {
        let mut index = Self { sketch: RunSketch::with_room(0), held: HashMap::new() };
        let mut room = None;
        loop {
            let (mut runs, mut known, mut held) = (0, 0, 0);
            for batch in batches(domains) {
                let entries = index.entries(&batch, read)?;
                let (_, copies) = texts(&entries);
                let own = || copies.iter().map(|copies| entries[copies[0]].runs.hashes());
                runs += own().map(<[u32]>::len).sum::<usize>();
                known += entries.len();
                if room.is_none() {
                    let all: usize = domains.iter().map(|(_, count)| count).sum();
                    // a sketch that is too large is folded, one that is too small made again
                    let expected = runs / known.max(1) * all * 3 / 2;
                    room = Some(expected.max(runs));
                    index.sketch = RunSketch::with_room(expected.max(runs));
                }
                own().for_each(|runs| index.sketch.add(runs));
                held += entries.iter().map(|entry| entry.runs.len()).sum::<usize>();
                // of a tree that is one domain all are needed
                if held <= HELD || index.held.is_empty() {
                    index.hold(&batch, entries);
                }
            }
            if index.sketch.has_room(runs) {
                index.sketch.fold(runs);
                return Ok(index);
            }
            index.sketch = RunSketch::with_room(runs);
        }
    }

    fn hold(&mut self, domains: &[&str], entries: Vec<Entry>) {
        domains.iter().for_each(|domain| drop(self.held.insert((*domain).to_owned(), Vec::new())));
        for entry in entries {
            if let Some(own) = self.held.get_mut(entry.domain()) {
                own.push(entry);
            }
        }
    }

    /// The entries of these domains, which are not held afterwards.
    fn entries<E>(&mut self, domains: &[&str], read: EntriesOf<'_, E>) -> Result<Vec<Entry>, E> {
        match domains.iter().all(|domain| self.held.contains_key(*domain)) {
            true => Ok(domains.iter().flat_map(|domain| self.held.remove(*domain)).flatten().collect()),
            false => read(domains),
        }
    }

    /// What may connect the entries of a domain.
    pub(super) fn domain<E>(&mut self, domain: &str, read: EntriesOf<'_, E>) -> Result<DomainNeighbours, E> {
        Ok(DomainNeighbours::of(self.entries(&[domain], read)?, &self.sketch))
    }
}

/// The domains in lists of at least [`READ`] entries but for the last one.
fn batches<'d>(domains: &[(&'d str, usize)]) -> Vec<Vec<&'d str>> {
    let mut batches: Vec<(usize, Vec<&str>)> = Vec::new();
    for (domain, count) in domains {
        match batches.last_mut().filter(|(all, _)| *all < READ) {
            Some((all, batch)) => {
                *all += count;
                batch.push(domain);
            }
            None => batches.push((*count, vec![domain])),
        }
    }
    batches.into_iter().map(|(_, batch)| batch).collect()
}

/// The entries of a domain by what may connect them. Entries with the same runs are one text.
pub(super) struct DomainNeighbours {
    /// The entries; of their runs only those that connect.
    pub entries: Vec<Entry>,
    /// The place of each.
    pub places: HashMap<TreePath, usize>,
    /// The text of each entry.
    text: Vec<usize>,
    /// The entries of each text.
    copies: Vec<Vec<usize>>,
    /// How many runs of each text are not common.
    own: Vec<usize>,
    /// Texts that share a probe: each pair in both orders, sorted.
    near: Vec<(usize, usize)>,
    /// The entries with a fact about each subject.
    about: HashMap<Box<str>, Vec<usize>>,
}

impl DomainNeighbours {
    fn of(mut entries: Vec<Entry>, sketch: &RunSketch) -> Self {
        let (text, copies) = texts(&entries);
        let runs: Vec<&[u32]> = copies.iter().map(|copies| entries[copies[0]].runs.hashes()).collect();
        let own =
            runs.iter().map(|runs| runs.iter().filter(|run| !sketch.is_common(**run)).count()).collect();
        let near = near(&runs, sketch);
        let mut about: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, entry) in entries.iter().enumerate() {
            entry.subjects.iter().for_each(|subject| about.entry(subject).or_default().push(at));
        }
        about.retain(|_, places| (2..=COMMON).contains(&places.len()));
        let about = about.into_iter().map(|(subject, places)| (subject.into(), places)).collect();
        // what one text alone has is in no other
        entries.iter_mut().for_each(|entry| entry.runs.retain(|run| sketch.connects(run)));
        let places = entries.iter().enumerate().map(|(at, entry)| (entry.path.clone(), at)).collect();
        Self { entries, places, text, copies, own, near, about }
    }

    /// The entries that have anything to do with this one, each with what connects them.
    pub(super) fn neighbours(&self, entry: usize) -> BTreeMap<usize, Tie> {
        let text = self.text[entry];
        let from = self.near.partition_point(|(one, _)| *one < text);
        let near = self.near[from..].iter().take_while(|(one, _)| *one == text);
        let alike = near.map(|(_, other)| *other).chain([text]);
        let mut found: BTreeSet<usize> = alike.flat_map(|text| &self.copies[text]).copied().collect();
        for subject in &self.entries[entry].subjects {
            found.extend(self.about.get(subject.as_str()).into_iter().flatten());
        }
        found.remove(&entry);
        found.into_iter().map(|other| (other, self.tie(entry, other))).collect()
    }

    /// What connects two entries.
    pub(super) fn tie(&self, one: usize, other: usize) -> Tie {
        let (left, right) = (self.text[one], self.text[other]);
        let runs = |at: usize| self.entries[at].runs.hashes();
        let overlap = match left == right {
            true => 1.0,
            false => {
                let shared = common(runs(one), runs(other), |_| true);
                share(shared, self.own[left].min(self.own[right]).max(FEWEST))
            }
        };
        let is_shared = |subject: &&String| {
            self.about.get(subject.as_str()).is_some_and(|places| places.contains(&other))
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

/// The pairs of texts of a domain that share a probe, in both orders, sorted.
fn near(runs: &[&[u32]], sketch: &RunSketch) -> Vec<(usize, usize)> {
    let mut probes: Vec<u32> = Vec::new();
    for runs in runs {
        probes.extend(runs.iter().filter(|run| !sketch.is_common(**run)).take(PROBES));
    }
    probes.sort_unstable();
    probes.dedup();
    let mut near: Vec<(usize, usize)> = Vec::new();
    for probes in probes.chunks(PART) {
        let having = having(runs, probes);
        for same in having.chunk_by(|one, other| one.0 == other.0).filter(|same| same.len() <= COMMON) {
            for (_, one) in same {
                let others = same.iter().filter(|(_, other)| other != one);
                near.extend(others.map(|(_, other)| (*one as usize, *other as usize)));
            }
        }
        near.sort_unstable();
        near.dedup();
    }
    near
}

/// Which of these texts have which of these probes, which are sorted; sorted by probe.
fn having(runs: &[&[u32]], probes: &[u32]) -> Vec<(u32, u32)> {
    let (Some(first), Some(last)) = (probes.first(), probes.last()) else { return Vec::new() };
    // most runs are not probes: a bit for each hash, cut short, says so without a search
    let bits = (probes.len() * 16).next_power_of_two().max(64);
    let bit = |run: u32| run as usize & (bits - 1);
    let mut filter = vec![0u64; bits / 64];
    probes.iter().for_each(|probe| filter[bit(*probe) / 64] |= 1 << (bit(*probe) % 64));
    let may_be = |run: &&u32| filter[bit(**run) / 64] >> (bit(**run) % 64) & 1 == 1;
    let mut having: Vec<(u32, u32)> = Vec::new();
    for (place, own) in (0..).zip(runs) {
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
    /// An empty one for so many runs.
    fn with_room(runs: usize) -> Self {
        Self(vec![0; Self::bytes(runs)])
    }

    fn bytes(runs: usize) -> usize {
        runs.next_power_of_two().max(1 << 10) / 2
    }

    /// Count the runs of a text.
    fn add(&mut self, runs: &[u32]) {
        for run in runs {
            let (place, shift) = self.place(*run);
            if self.count(*run) < MOST_COUNTED {
                self.0[place] += 1 << shift;
            }
        }
    }

    fn has_room(&self, runs: usize) -> bool {
        self.0.len() >= Self::bytes(runs)
    }

    /// Make it as large as for so many runs: the same as if it had been from the start.
    fn fold(&mut self, runs: usize) {
        while self.0.len() > Self::bytes(runs) {
            let upper = self.0.split_off(self.0.len() / 2);
            for (own, other) in self.0.iter_mut().zip(upper) {
                let sum = |shift: u32| {
                    (((*own >> shift) & MOST_COUNTED) + ((other >> shift) & MOST_COUNTED)).min(MOST_COUNTED)
                };
                *own = sum(0) | sum(4) << 4;
            }
        }
        self.0.shrink_to_fit();
    }

    /// Whether several texts have the run, but not too many. A run of one text alone may count as one of several.
    fn connects(&self, run: u32) -> bool {
        (2..=COMMON).contains(&usize::from(self.count(run)))
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

    fn sketch_of(texts: &[&[u32]]) -> RunSketch {
        let mut sketch = RunSketch::with_room(texts.iter().map(|runs| runs.len()).sum());
        texts.iter().for_each(|runs| sketch.add(runs));
        sketch
    }

    fn near_of(runs: &[Vec<u32>]) -> Vec<(usize, usize)> {
        let runs: Vec<&[u32]> = runs.iter().map(Vec::as_slice).collect();
        near(&runs, &sketch_of(&runs))
    }

    #[test]
    fn texts_that_share_a_probe_are_near_in_both_orders() {
        let runs = [vec![1, 2, 9], vec![1, 3, 9], vec![3, 4], vec![5]];
        assert_eq!(near_of(&runs), [(0, 1), (1, 0), (1, 2), (2, 1)]);
        let sketch = sketch_of(&[&[2, 3, 1_027], &[3], &[1_027]]);
        assert_eq!(
            [2, 3, 4].map(|run| sketch.count(run)),
            [1, 4, 0],
            "neighbours in a byte, and two runs of one counter"
        );
        let often = vec![&[7][..]; 40];
        assert_eq!(sketch_of(&often).count(7), MOST_COUNTED);
        let template = vec![vec![7]; COMMON + 1];
        assert_eq!(near_of(&template), []);
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(128))]

        #[test]
        fn near_is_what_comparing_each_with_each_finds(
            texts in prop::collection::vec(prop::collection::btree_set(0u32..40, 0..12), 0..24),
        ) {
            let runs: Vec<Vec<u32>> = texts.iter().map(|runs| runs.iter().copied().collect()).collect();
            // fewer runs than probes: each that is not common is one
            let connects = |run: &u32| runs.iter().filter(|runs| runs.contains(run)).count() <= COMMON;
            let pairs = (0..runs.len()).flat_map(|one| (0..runs.len()).map(move |other| (one, other)));
            let expected: Vec<(usize, usize)> = pairs
                .filter(|(one, other)| one != other)
                .filter(|(one, other)| runs[*one].iter().any(|run| runs[*other].contains(run) && connects(run)))
                .collect();
            prop_assert_eq!(near_of(&runs), expected);
        }

        #[test]
        fn a_folded_sketch_is_the_one_that_was_small_from_the_start(
            texts in prop::collection::vec(prop::collection::vec(any::<u32>(), 0..300), 0..24), room in 1usize..20,
        ) {
            let texts: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
            let runs = texts.iter().map(|runs| runs.len()).sum();
            let mut large = RunSketch::with_room(runs * room);
            texts.iter().for_each(|runs| large.add(runs));
            prop_assert!(large.has_room(runs));
            large.fold(runs);
            prop_assert_eq!(large.0, sketch_of(&texts).0);
        }
    }
}
