//! Decide without a writer: only what is certain.
//!
//! An entry is merged into another one if it says nothing that the other does not say. Entries that clearly have to do
//! with each other get a relation. A draft whose importance has decayed is archived. Everything else needs a writer.

use super::cases::unspoken;
use super::entry::domain;
use super::near::{contained, contained_but_for_path};
use super::side::Side;
use super::{Action, Cluster, Decision, Plan, Signal, Weak};
use crate::doc::Document;
use brv_base::path::TreePath;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// What is decided about a candidate.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "a plan has a hundred candidates at most")]
pub enum Certain {
    Do(Decision),
    /// It needs a writer.
    NoWriter,
}

/// Entries that share at least this part of their runs belong together, if these are more than a sentence. From [`ALIKE`]
/// on they may say the same, which a writer must see.
const RELATED: f64 = 0.3;
const FEWEST: f64 = 12.0;
const ALIKE: f64 = 0.7;
/// Entries that share so many subjects, and a fact about one of them word by word, belong together. In generated trees two
/// subjects alone were wrong more often than right.
const SUBJECTS: usize = 2;
/// From this relevance on two entries that were found alone with each other belong together.
const RELEVANT: f64 = 0.85;

/// The decision about each candidate of a plan, by its id. No entry goes twice, and none that takes another one over.
pub fn certain(plan: &Plan, read: &dyn Fn(&TreePath) -> Option<Document>) -> Vec<(String, Certain)> {
    let documents: Vec<(&TreePath, Document)> =
        plan.files().into_keys().filter_map(|path| Some((path, read(path)?))).collect();
    let sides: Vec<Side<'_>> = documents.iter().map(|(path, document)| Side::of(path, document)).collect();
    let mut deciding =
        Deciding { sides, changed: BTreeSet::new(), gone: BTreeSet::new(), told: BTreeSet::new() };
    let mut decided = Vec::new();
    let mut tell = |id: &str, decisions: Vec<Decision>| match decisions.is_empty() {
        true => decided.push((id.to_owned(), Certain::NoWriter)),
        false => decided.extend(decisions.into_iter().map(|one| (id.to_owned(), Certain::Do(one)))),
    };
    plan.consolidate.iter().for_each(|cluster| tell(&cluster.id, deciding.cluster(cluster)));
    plan.synthesize.iter().for_each(|pattern| tell(&pattern.id, Vec::new()));
    plan.prune.iter().for_each(|weak| tell(&weak.id, deciding.weak(weak).into_iter().collect()));
    decided
}

struct Deciding<'a> {
    /// The entries of the plan, in order of their paths.
    sides: Vec<Side<'a>>,
    /// The entries that a decision changes: there is one decision for each.
    changed: BTreeSet<&'a TreePath>,
    /// The changed entries that go.
    gone: BTreeSet<&'a TreePath>,
    /// Pairs: the first entry gets a relation to the second.
    told: BTreeSet<(&'a TreePath, &'a TreePath)>,
}

impl<'a> Deciding<'a> {
    fn at(&self, path: &TreePath) -> Option<usize> {
        self.sides.binary_search_by(|side| side.path.cmp(path)).ok()
    }

    /// The places of the files of a cluster that can be read, in its order.
    fn files(&self, cluster: &Cluster) -> Vec<usize> {
        cluster.files.iter().filter_map(|file| self.at(&file.path)).collect()
    }

    /// A merge, and relations of the entries that it leaves alone.
    fn cluster(&mut self, cluster: &Cluster) -> Vec<Decision> {
        let merge = self.merge(cluster);
        let files = self.files(cluster);
        // without a merge the first entry gets the relations to all others: each pair is shown with one of the two first
        let subjects = if merge.is_some() { &files[..] } else { &files[..files.len().min(1)] };
        let related: Vec<Decision> =
            subjects.iter().filter_map(|file| self.cross_reference(cluster, *file, &files)).collect();
        merge.into_iter().chain(related).collect()
    }

    /// A merge of all entries that say nothing but what one of them says.
    fn merge(&mut self, cluster: &Cluster) -> Option<Decision> {
        let mut files = self.files(cluster);
        files.retain(|file| !self.changed.contains(self.sides[*file].path));
        files.sort_by(|one, other| self.sides[*one].order(&self.sides[*other]));
        let (target, found) = files.iter().enumerate().find_map(|(at, target)| {
            let share = |source: &usize| contained(&self.sides[*source], &self.sides[*target]);
            let found: Vec<(usize, f64)> =
                files[at + 1..].iter().filter_map(|source| Some((*source, share(source)?))).collect();
            (!found.is_empty()).then_some((*target, found))
        })?;
        let target = self.sides[target].path;
        let sources: Vec<&TreePath> = found.iter().map(|(source, _)| self.sides[*source].path).collect();
        let least = found.iter().map(|(_, share)| *share).fold(1.0, f64::min);
        self.changed.extend(sources.iter().chain([&target]));
        self.gone.extend(&sources);
        Some(Decision {
            into: Some(target.to_string()),
            sources: Some(sources.iter().map(ToString::to_string).collect()),
            ..Decision::new(&cluster.id, Action::Merge, says_nothing_else(least, target))
        })
    }

    /// Relations of an entry of a cluster to those that clearly have to do with it.
    fn cross_reference(&mut self, cluster: &Cluster, file: usize, files: &[usize]) -> Option<Decision> {
        let lead = &self.sides[file];
        if self.changed.contains(lead.path) {
            return None;
        }
        let (mut related, mut reasons) = (Vec::new(), BTreeSet::new());
        let others = files.iter().map(|other| &self.sides[*other]);
        for other in others.filter(|other| other.path != lead.path && !self.gone.contains(other.path)) {
            let Some(why) = related_by(cluster, lead, other) else { continue };
            if !lead.relates_to(other) && !other.relates_to(lead) && !self.is_told(lead, other) {
                related.push(other.path);
                reasons.insert(why);
            }
        }
        if related.is_empty() {
            return None;
        }
        let path = lead.path;
        self.told.extend(related.iter().map(|other| (path, *other)));
        self.changed.insert(path);
        let reason = reasons.into_iter().collect::<Vec<_>>().join("; ");
        Some(Decision {
            path: Some(path.to_string()),
            related: Some(related.iter().map(ToString::to_string).collect()),
            ..Decision::new(&cluster.id, Action::CrossReference, reason)
        })
    }

    /// Whether one of the two gets a relation to the other already.
    fn is_told(&self, one: &Side<'_>, other: &Side<'_>) -> bool {
        self.told.contains(&(one.path, other.path)) || self.told.contains(&(other.path, one.path))
    }

    fn weak(&mut self, weak: &Weak) -> Option<Decision> {
        let side = self.at(&weak.path).map(|at| &self.sides[at])?;
        if self.changed.contains(side.path) {
            return None;
        }
        let takes = |other: &&Side<'a>| {
            other.path != side.path
                && domain(other.path) == domain(side.path)
                && other.order(side) == Ordering::Less
                && !self.gone.contains(other.path)
        };
        let mut others = self.sides.iter().filter(takes);
        let target = others.find_map(|other| Some((other.path, contained(side, other)?)));
        let path = side.path;
        let decision = match target {
            Some((target, share)) => {
                let into = Some(target.to_string());
                let reason = says_nothing_else(share, target);
                Decision { into, ..Decision::new(&weak.id, Action::MergeInto, reason) }
            }
            // what is little used here may be what a teammate lives on
            None if weak.signal == Signal::Superseded && weak.links == 0 => {
                Decision::new(&weak.id, Action::Archive, "superseded, and nothing links to it".to_owned())
            }
            None => return None,
        };
        self.changed.insert(path);
        // a suggestion whose target went would be lost
        self.changed.extend(target.map(|(target, _)| target));
        self.gone.insert(path);
        Some(decision)
    }
}

fn says_nothing_else(share: f64, target: &TreePath) -> String {
    format!("`{target}` has {} % of its text and lacks nothing of it", percent(share))
}

/// Why two entries of a cluster clearly have to do with each other, if they do.
fn related_by(cluster: &Cluster, lead: &Side<'_>, other: &Side<'_>) -> Option<String> {
    let raw = lead.runs.overlap(&other.runs);
    if raw >= ALIKE {
        return same_elsewhere(lead, other);
    }
    // the cluster's numbers leave out boilerplate and subjects that everybody has
    let mut shared = lead.shared_subjects(other);
    shared.retain(|subject| cluster.evidence.shared_subjects.contains(subject));
    if shared.len() >= SUBJECTS && lead.shared_facts(other) > 0 {
        let subjects = shared.iter().map(|subject| format!("`{subject}`")).collect::<Vec<_>>();
        return Some(format!("both have facts about {}", subjects.join(", ")));
    }
    let overlap = raw.min(cluster.evidence.overlap);
    let shared = overlap * lead.runs.len().min(other.runs.len()) as f64;
    if overlap >= RELATED && shared >= FEWEST {
        return Some(format!("they share {} % of their text", percent(overlap)));
    }
    let is_alone = cluster.files.len() == 2;
    (is_alone && cluster.evidence.relevance >= RELEVANT)
        .then(|| "a search for one finds the other".to_owned())
}

/// Why two entries that say the same are not one: their paths name different things.
fn same_elsewhere(lead: &Side<'_>, other: &Side<'_>) -> Option<String> {
    let unspoken = unspoken(lead, other);
    let says = |one, another| contained_but_for_path(one, another).is_some();
    (!unspoken.is_empty() && (says(lead, other) || says(other, lead))).then(|| {
        let words = unspoken.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        format!("they say the same, and their paths differ in {words}")
    })
}

fn percent(share: f64) -> String {
    format!("{:.0}", (share * 100.0).floor())
}

#[cfg(test)]
mod tests;
