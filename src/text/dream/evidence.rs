//! Find the entries that may belong together: for each changed entry its neighbours in its domain.
//!
//! Neighbours share runs of words, subjects of facts or words that a search weighs, or an earlier dream suggested to merge
//! them. Knows nothing of what is to be done with them.

use super::Entry;
use super::domain;
use super::neighbours::{DomainNeighbours, EntriesOf, NeighbourIndex, Tie};
use brv_base::content::ContentId;
use brv_base::path::{PathKind, TreePath};
use std::collections::hash_map::Entry as Slot;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A merge that an earlier dream suggested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The entry that would be merged.
    pub source: TreePath,
    /// The entry that would take it over.
    pub target: TreePath,
    /// Why.
    pub reason: String,
}

/// What [`clusters`] looks at.
pub struct GroupingInput<'a, E> {
    /// The domains of what is looked at, with the numbers of their entries.
    pub domains: &'a [(&'a str, usize)],
    /// Reads all live entries of some of these domains; one may be read again.
    pub entries: EntriesOf<'a, E>,
    /// The changed ones, the newest change first.
    pub changed: &'a [&'a TreePath],
    /// Suggestions of earlier dreams.
    pub hints: &'a [Hint],
    /// Whether exactly these contents, in any order, were skipped before.
    pub skipped: &'a dyn Fn(&[ContentId]) -> bool,
    /// The neighbours of an entry in the search index, with their relevance: asked for planned files only.
    pub relevant: &'a mut dyn FnMut(&Entry) -> Vec<(TreePath, f64)>,
    /// The most groups.
    pub most: usize,
    /// The most files of a group.
    pub files: usize,
}

/// The groups, and the changed files that were looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GroupingResult {
    /// In order of their first files.
    pub clusters: Vec<EntryGroup>,
    /// Changed files that are in a group, or belong with nothing.
    pub shown: BTreeSet<TreePath>,
}

/// Entries of one domain that may belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryGroup {
    /// Their domain.
    pub domain: String,
    /// The changed file first, then the others by strength of the evidence.
    pub files: Vec<TreePath>,
    /// The greatest overlap of the first file with another.
    pub overlap: f64,
    /// Subjects that the first file shares with any of the others.
    pub shared_subjects: Vec<String>,
    /// The greatest relevance.
    pub relevance: f64,
    /// The reason of a suggestion.
    pub hint: Option<String>,
}

/// A neighbour shares at least this part of the runs; an entry of the same folder, or one that a search finds, this part or
/// a subject.
const OVERLAP: f64 = 0.2;
const LEAST_OVERLAP: f64 = 0.1;
/// A neighbour of another folder shares at least so many subjects.
const SUBJECTS: usize = 2;
/// A neighbour in the search index has at least this relevance.
const RELEVANCE: f64 = 0.6;

/// The entries that may belong together, the newest change first. Two entries are shown together once.
///
/// # Errors
/// Entries cannot be read.
pub fn clusters<E>(look: GroupingInput<'_, E>) -> Result<GroupingResult, E> {
    let GroupingInput { domains, hints, changed, .. } = look;
    let index = NeighbourIndex::of(domains, look.entries)?;
    // suggestions come first: they are made once, and would be lost
    let leads = hints.iter().map(|hint| &hint.source).chain(changed.iter().copied());
    let changed: HashSet<&TreePath> = changed.iter().copied().collect();
    let known: HashSet<&str> = domains.iter().map(|(domain, _)| *domain).collect();
    let mut planning = GroupBuilder { index, searches: look.most, look };
    let (mut seen, mut domains) = (HashSet::new(), HashMap::new());
    let mut found = GroupingResult::default();
    for lead in leads.filter(|path| path.kind() == PathKind::Entry && known.contains(domain(path))) {
        if found.clusters.len() >= planning.look.most {
            break;
        }
        let domain = match domains.entry(domain(lead)) {
            Slot::Occupied(known) => known.into_mut(),
            Slot::Vacant(place) => place.insert(SeenDomain::of(planning.domain(domain(lead))?)),
        };
        let Some(&place) = domain.index.places.get(lead).filter(|_| seen.insert(lead)) else { continue };
        let group = planning.group(place, domain);
        let files = group.as_ref().map_or_else(|| vec![lead.clone()], |group| group.files.clone());
        found.shown.extend(files.into_iter().filter(|file| changed.contains(file)));
        found.clusters.extend(group);
    }
    Ok(found)
}

/// A domain of which entries were looked at.
struct SeenDomain {
    index: DomainNeighbours,
    /// Pairs of entries that are in one group, or were skipped together.
    together: HashSet<(usize, usize)>,
}

impl SeenDomain {
    fn of(index: DomainNeighbours) -> Self {
        Self { index, together: HashSet::new() }
    }
}

struct GroupBuilder<'a, E> {
    look: GroupingInput<'a, E>,
    index: NeighbourIndex,
    /// How many entries without other evidence the search is still asked about.
    searches: usize,
}

impl<E> GroupBuilder<'_, E> {
    fn domain(&mut self, domain: &str) -> Result<DomainNeighbours, E> {
        self.index.domain(domain, self.look.entries)
    }

    /// The group of an entry and its strongest neighbours; `None` if there are none, or if they were skipped before.
    fn group(&mut self, lead: usize, domain: &mut SeenDomain) -> Option<EntryGroup> {
        let mut ties = self.ties(lead, domain);
        let SeenDomain { index, together } = domain;
        ties.sort_by(|(one, a), (other, b)| {
            let path = |at: &usize| &index.entries[*at].path;
            strength(b).total_cmp(&strength(a)).then_with(|| path(one).cmp(path(other)))
        });
        ties.truncate(self.look.files.saturating_sub(1));
        if ties.is_empty() {
            return None;
        }
        let files: Vec<usize> = std::iter::once(lead).chain(ties.iter().map(|(other, _)| *other)).collect();
        for (at, one) in files.iter().enumerate() {
            together.extend(files[at + 1..].iter().map(|other| pair(*one, *other)));
        }
        let entries = || files.iter().map(|file| &index.entries[*file]);
        let blobs: Vec<ContentId> = entries().map(|entry| entry.blob).collect();
        if (self.look.skipped)(&blobs) {
            return None;
        }
        let most =
            |of: &dyn Fn(&Tie) -> f64| rounded(ties.iter().map(|(_, tie)| of(tie)).fold(0.0, f64::max));
        let subjects: BTreeSet<&String> = ties.iter().flat_map(|(_, tie)| &tie.subjects).collect();
        Some(EntryGroup {
            domain: index.entries[lead].domain().to_owned(),
            files: entries().map(|entry| entry.path.clone()).collect(),
            overlap: most(&|tie| tie.overlap),
            shared_subjects: subjects.into_iter().cloned().collect(),
            relevance: most(&|tie| tie.relevance),
            hint: ties.iter().find_map(|(_, tie)| tie.hint.clone()),
        })
    }

    /// The neighbours with which an entry was not shown yet. The search only weighs what is backed by what they say.
    fn ties(&mut self, lead: usize, SeenDomain { index, together }: &SeenDomain) -> Vec<(usize, Tie)> {
        let mut ties = index.neighbours(lead);
        self.suggested(lead, index, &mut ties);
        ties.retain(|other, tie| !together.contains(&pair(lead, *other)) && is_backed(tie));
        let is_near = |other: usize, tie: &Tie| is_neighbour(index, lead, other, tie);
        if ties.is_empty() {
            return Vec::new();
        }
        if !ties.iter().any(|(other, tie)| is_near(*other, tie)) {
            let Some(rest) = self.searches.checked_sub(1) else { return Vec::new() };
            self.searches = rest;
        }
        for (path, relevance) in (self.look.relevant)(&index.entries[lead]) {
            let tie = index.places.get(&path).and_then(|other| ties.get_mut(other));
            if let Some(tie) = tie.filter(|_| relevance >= RELEVANCE) {
                tie.relevance = tie.relevance.max(relevance.min(1.0));
            }
        }
        ties.into_iter().filter(|(other, tie)| is_near(*other, tie)).collect()
    }

    /// Add the suggestions of merges of this entry with others of its domain.
    fn suggested(&self, lead: usize, index: &DomainNeighbours, ties: &mut BTreeMap<usize, Tie>) {
        let entry = &index.entries[lead];
        for hint in self.look.hints {
            let other = match () {
                () if hint.source == entry.path => &hint.target,
                () if hint.target == entry.path => &hint.source,
                () => continue,
            };
            let Some(&other) = index.places.get(other).filter(|other| **other != lead) else { continue };
            let tie = ties.entry(other).or_insert_with(|| index.tie(lead, other));
            tie.hint = Some(hint.reason.clone());
        }
    }
}

fn is_neighbour(index: &DomainNeighbours, one: usize, other: usize, tie: &Tie) -> bool {
    let [one, other] = [one, other].map(|at| &index.entries[at].path);
    let are_siblings = one.folder() == other.folder();
    other.kind() == PathKind::Entry
        && (tie.hint.is_some()
            || tie.overlap >= OVERLAP
            || tie.subjects.len() >= SUBJECTS
            || are_siblings
            || tie.relevance >= RELEVANCE)
}

/// Whether two entries have more in common than what a search weighs: words in a row, a subject, or a suggestion.
fn is_backed(tie: &Tie) -> bool {
    tie.hint.is_some() || tie.overlap >= LEAST_OVERLAP || !tie.subjects.is_empty()
}

/// By which the neighbours are ordered: a suggestion, then the same words, then the same subjects.
fn strength(tie: &Tie) -> f64 {
    let hint = if tie.hint.is_some() { 2.0 } else { 0.0 };
    hint + tie.overlap + 0.2 * tie.subjects.len().min(4) as f64 + 0.3 * tie.relevance
}

fn pair(one: usize, other: usize) -> (usize, usize) {
    (one.min(other), one.max(other))
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests;
