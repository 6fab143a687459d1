//! Decide without a writer: only what is certain.
//!
//! An entry is merged into another one if it says nothing that the other does not say. Entries that clearly have to do
//! with each other get a relation. A draft whose importance has decayed is archived. Everything else needs a writer.

use super::near::{Side, contained};
use super::{Action, Cluster, Decision, Plan, Signal, Weak};
use crate::doc::Document;
use crate::lifecycle::Maturity;
use crate::path::TreePath;
use std::collections::BTreeSet;

/// What is decided about a candidate.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "a plan has a hundred candidates at most")]
pub enum Certain {
    Do(Decision),
    /// It needs a writer.
    NoWriter,
}

/// Entries that share at least this part of their runs, or so many subjects, belong together. From [`ALIKE`] on they may
/// say the same, which a writer must see.
const RELATED: f64 = 0.3;
const ALIKE: f64 = 0.7;
const SUBJECTS: usize = 2;
/// From this relevance on two entries that were found alone with each other belong together.
const RELEVANT: f64 = 0.85;

/// The decision about each candidate of a plan, by its id. No entry goes twice, and none that takes another one over.
pub fn certain(plan: &Plan, read: &dyn Fn(&TreePath) -> Option<Document>) -> Vec<(String, Certain)> {
    let documents: Vec<(&TreePath, Document)> =
        plan.files().into_keys().filter_map(|path| Some((path, read(path)?))).collect();
    let sides: Vec<Side<'_>> = documents.iter().map(|(path, document)| Side::of(path, document)).collect();
    let mut deciding = Deciding { sides, used: BTreeSet::new() };
    let mut decided = Vec::new();
    let mut tell = |id: &str, decision: Option<Decision>| {
        decided.push((id.to_owned(), decision.map_or(Certain::NoWriter, Certain::Do)));
    };
    plan.consolidate.iter().for_each(|cluster| tell(&cluster.id, deciding.cluster(cluster)));
    plan.synthesize.iter().for_each(|pattern| tell(&pattern.id, None));
    plan.prune.iter().for_each(|weak| tell(&weak.id, deciding.weak(weak)));
    decided
}

struct Deciding<'a> {
    /// The entries of the plan, in order of their paths.
    sides: Vec<Side<'a>>,
    /// The paths that a decision changes.
    used: BTreeSet<&'a TreePath>,
}

impl<'a> Deciding<'a> {
    fn side(&self, path: &TreePath) -> Option<&Side<'a>> {
        self.sides.binary_search_by(|side| side.path.cmp(path)).ok().map(|at| &self.sides[at])
    }

    fn cluster(&mut self, cluster: &Cluster) -> Option<Decision> {
        let decision = self.merge(cluster).or_else(|| self.cross_reference(cluster));
        let (decision, used) = decision?;
        self.used.extend(used);
        Some(decision)
    }

    /// A merge of all entries that say nothing but what one of them says.
    fn merge(&self, cluster: &Cluster) -> Option<(Decision, Vec<&'a TreePath>)> {
        let mut sides: Vec<&Side<'a>> = cluster
            .files
            .iter()
            .filter_map(|file| self.side(&file.path))
            .filter(|side| !self.used.contains(side.path))
            .collect();
        sides.sort_by(|one, other| match one.holds_more(other) {
            _ if one.path == other.path => std::cmp::Ordering::Equal,
            true => std::cmp::Ordering::Less,
            false => std::cmp::Ordering::Greater,
        });
        sides.iter().enumerate().find_map(|(at, target)| {
            let found: Vec<(&TreePath, f64)> = sides[at + 1..]
                .iter()
                .filter_map(|source| Some((source.path, contained(source, target)?)))
                .collect();
            let least = found.iter().map(|(_, share)| *share).reduce(f64::min)?;
            let reason = format!(
                "{} % of the text stands in `{}`, and nothing else would be lost",
                percent(least),
                target.path
            );
            let sources: Vec<&TreePath> = found.iter().map(|(source, _)| *source).collect();
            let decision = Decision {
                into: Some(target.path.to_string()),
                sources: Some(sources.iter().map(ToString::to_string).collect()),
                ..Decision::new(&cluster.id, Action::Merge, reason)
            };
            let used = found.into_iter().map(|(source, _)| source).chain([target.path]).collect();
            Some((decision, used))
        })
    }

    /// Relations of the first entry to those that clearly have to do with it.
    fn cross_reference(&self, cluster: &Cluster) -> Option<(Decision, Vec<&'a TreePath>)> {
        let lead = self.side(&cluster.files.first()?.path).filter(|lead| !self.used.contains(lead.path))?;
        let others = cluster.files[1..].iter().filter_map(|file| self.side(&file.path));
        let (mut related, mut reasons) = (Vec::new(), BTreeSet::new());
        for other in others.filter(|other| !self.used.contains(other.path)) {
            let Some(why) = related_by(cluster, lead, other) else { continue };
            if !lead.relates_to(other) && !other.relates_to(lead) {
                related.push(other.path.to_string());
                reasons.insert(why);
            }
        }
        let reason = reasons.into_iter().collect::<Vec<_>>().join("; ");
        let decision = Decision {
            path: Some(lead.path.to_string()),
            related: Some(related.clone()).filter(|related| !related.is_empty()),
            ..Decision::new(&cluster.id, Action::CrossReference, reason)
        };
        (!related.is_empty()).then(|| (decision, vec![lead.path]))
    }

    fn weak(&mut self, weak: &Weak) -> Option<Decision> {
        let side = self.side(&weak.path).filter(|side| !self.used.contains(side.path))?;
        let domain = super::entry::domain(side.path);
        let takes = |other: &&Side<'a>| {
            other.path != side.path
                && super::entry::domain(other.path) == domain
                && other.holds_more(side)
                && !self.used.contains(other.path)
        };
        let target =
            self.sides.iter().filter(takes).find_map(|other| Some((other.path, contained(side, other)?)));
        let decision = match target {
            Some((target, share)) => {
                let reason = format!(
                    "{} % of the text stands in `{target}`, and nothing else would be lost",
                    percent(share)
                );
                let into = Some(target.to_string());
                Decision { into, ..Decision::new(&weak.id, Action::MergeInto, reason) }
            }
            None if weak.signal == Signal::Importance && weak.maturity == Maturity::Draft => {
                let reason = format!("importance decayed below threshold ({:.0})", weak.importance.floor());
                Decision::new(&weak.id, Action::Archive, reason)
            }
            None => return None,
        };
        let path = side.path;
        self.used.insert(path);
        self.used.extend(target.map(|(target, _)| target));
        Some(decision)
    }
}

/// Why two entries of a cluster clearly have to do with each other, if they do.
fn related_by(cluster: &Cluster, lead: &Side<'_>, other: &Side<'_>) -> Option<String> {
    // the cluster's numbers leave out boilerplate and subjects that everybody has
    let raw = lead.runs.overlap(&other.runs);
    let overlap = raw.min(cluster.evidence.overlap);
    let shared = lead.shared_subjects(other);
    let shared: Vec<&String> =
        shared.iter().filter(|subject| cluster.evidence.shared_subjects.contains(subject)).collect();
    if raw >= ALIKE {
        return None;
    }
    if shared.len() >= SUBJECTS {
        let subjects = shared.iter().map(|subject| format!("`{subject}`")).collect::<Vec<_>>();
        return Some(format!("both have facts about {}", subjects.join(", ")));
    }
    if overlap >= RELATED {
        return Some(format!("they share {} % of their text", percent(overlap)));
    }
    let is_alone = cluster.files.len() == 2;
    (is_alone && cluster.evidence.relevance >= RELEVANT)
        .then(|| "a search for one finds the other".to_owned())
}

fn percent(share: f64) -> String {
    format!("{:.0}", (share * 100.0).floor())
}
