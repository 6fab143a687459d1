//! What a synthesis would be about: entries of several domains that say related things and changed since the last one.

use super::FILES;
use super::ages::Ages;
use super::ground::Ground;
use super::memory::DreamMemory;
use super::searching::Neighbours;
use brv_base::path::TreePath;
use brv_engine::Stop;
use brv_engine::derive;
use brv_engine::open::context::{Opened, Parts};
use brv_text::doc::{Document, instant};
use brv_text::dream::{Entry, Pattern, PatternEntry, Summary, are_related, candidate_id, domain};
use std::collections::{BTreeMap, BTreeSet};

/// Where new knowledge of several domains goes, unless the decider names a place.
const SYNTHESIS: &str = "synthesis";

/// The pattern of the domains, if at least two say related things: nothing was decided about the pair, and one of the two
/// changed since the last synthesis.
pub(super) fn patterns(
    parts: &Parts<'_>,
    (ground, memory, ages): (&Ground, &DreamMemory, &Ages<'_>),
    limit: usize,
) -> Result<Vec<Pattern>, Stop> {
    let domains: BTreeSet<&str> = ground.entries.keys().filter_map(of_domain).collect();
    if domains.len() < 2 {
        return Ok(Vec::new());
    }
    let last = last_synthesis(ground)?;
    let is_new = |path: &&TreePath| {
        of_domain(path).is_some() && last.is_none_or(|last| ages.committed(path).is_some_and(|at| at >= last))
    };
    let mut changed: Vec<&TreePath> = ground.entries.keys().filter(is_new).collect();
    changed.sort_by_key(|path| std::cmp::Reverse(ages.committed(path)));
    let mut relating = Relating { ground, memory, entries: BTreeMap::new() };
    let mut neighbours = Neighbours::of(parts, ground);
    let mut found: Vec<TreePath> = Vec::new();
    for path in changed.into_iter().take(limit) {
        let Some(entry) = relating.entry(path)? else { continue };
        for (other, _) in neighbours.anywhere(&entry) {
            if found.len() < FILES && relating.is_related(&entry, &other)? {
                for path in [path, &other] {
                    if !found.contains(path) {
                        found.push(path.clone());
                    }
                }
            }
        }
    }
    found.truncate(FILES);
    pattern(parts, ground, &found)
}

/// The domain of an entry, unless it has none or is a synthesis itself.
fn of_domain(path: &TreePath) -> Option<&str> {
    Some(domain(path)).filter(|domain| !domain.is_empty() && *domain != SYNTHESIS)
}

/// When the last synthesis was made, as the entries in their folder tell.
fn last_synthesis(ground: &Ground) -> Result<Option<i64>, Stop> {
    let mut last = None;
    for path in ground.entries.keys().filter(|path| domain(path) == SYNTHESIS) {
        let made = ground.document(path)?.and_then(|document| {
            let at = document.field("synthesized_at")?.as_str().and_then(instant)?;
            Some(at.0)
        });
        last = last.max(made);
    }
    Ok(last)
}

/// The entries that were read, to tell what they have in common.
struct Relating<'a> {
    ground: &'a Ground,
    memory: &'a DreamMemory,
    entries: BTreeMap<TreePath, Option<Entry>>,
}

impl Relating<'_> {
    fn entry(&mut self, path: &TreePath) -> Result<Option<Entry>, Stop> {
        if let Some(known) = self.entries.get(path) {
            return Ok(known.clone());
        }
        let blob = self.ground.entries.get(path).copied();
        let document = self.ground.document(path)?.filter(|document| document.conflicts().is_empty());
        let entry = blob
            .zip(document)
            .map(|(blob, document): (_, Document)| Entry::of(path.clone(), blob, &document));
        self.entries.insert(path.clone(), entry.clone());
        Ok(entry)
    }

    /// Whether an entry of another domain says related things, and nobody decided about the two.
    fn is_related(&mut self, entry: &Entry, other: &TreePath) -> Result<bool, Stop> {
        if of_domain(other).is_none_or(|other| other == entry.domain()) {
            return Ok(false);
        }
        let Some(other) = self.entry(other)? else { return Ok(false) };
        Ok(!self.memory.decided.has(entry.blob, other.blob) && are_related(entry, &other))
    }
}

/// The pattern that these entries may have in common, with the summaries of their domains.
fn pattern(parts: &Parts<'_>, ground: &Ground, found: &[TreePath]) -> Result<Vec<Pattern>, Stop> {
    let named = found
        .iter()
        .filter_map(|path| Some(PatternEntry { path: path.clone(), blob: *ground.entries.get(path)? }));
    let entries: Vec<PatternEntry> = named.collect();
    let domains: BTreeSet<&str> = entries.iter().map(|one| domain(&one.path)).collect();
    if domains.len() < 2 {
        return Ok(Vec::new());
    }
    let summaries = domains.iter().map(|domain| summary_of(parts.opened, domain)).collect();
    let domains = domains.iter().map(|domain| (*domain).to_owned()).collect();
    let id = candidate_id('s', 1, entries.iter().map(|one| (&one.path, one.blob)));
    Ok(vec![Pattern { id, domains, summaries, entries }])
}

/// The summary of a domain, as this clone derived it.
fn summary_of(opened: &Opened, domain: &str) -> Summary {
    let index = derive::current_index(opened, domain).ok().flatten();
    let text = index.map(|index| Document::parse(index.text).body().trim().to_owned());
    Summary { path: format!("{domain}/_index.md"), text: text.unwrap_or_default() }
}
