//! Which entries are similar to the ones that a list adds: the caller may want to update one of them instead. Nothing is
//! merged by itself.

use super::Applied;
use super::view::View;
use crate::curation::Act;
use crate::doc::Document;
use crate::ops::context::Parts;
use crate::ops::steps::searching::{Freshness, HitKind, SearchSession, Wanted, shown};
use crate::path::TreePath;
use crate::search::COVERS;
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of similar entries of one.
const MOST: usize = 3;

/// For how many new entries of a list similar ones are looked for.
const ENTRIES: usize = 50;

/// An entry that is similar to a new one.
#[derive(Debug, Clone, PartialEq)]
pub struct Similar {
    pub path: TreePath,
    pub title: String,
    /// The relevance to the title and the subjects of the new entry, 0 to 1.
    pub relevance: f64,
}

/// For each operation, by its place in the list, the entries that are similar to what it added. A tree that cannot be
/// searched has none.
pub(super) fn found(
    parts: &Parts<'_>,
    applied: &[Applied],
    view: &View<'_>,
    now: i64,
) -> BTreeMap<usize, Vec<Similar>> {
    let done = applied.iter().enumerate().filter_map(|(at, one)| Some((at, one.result.as_ref().ok()?)));
    let added: Vec<(usize, &TreePath)> = done
        .filter(|(_, done)| done.act == Act::Added)
        .map(|(at, done)| (at, &done.file))
        .take(ENTRIES)
        .collect();
    if added.is_empty() {
        return BTreeMap::new();
    }
    let own: BTreeSet<&TreePath> = added.iter().map(|(_, path)| *path).collect();
    let Ok(mut sought) = SearchSession::open(parts.opened, Freshness::Window, parts.progress) else {
        return BTreeMap::new();
    };
    let mut found = BTreeMap::new();
    for (at, path) in added {
        let Some(bytes) = view.read(path).ok().flatten() else { continue };
        let text = said(&Document::parse(bytes));
        let limit = MOST + own.len();
        let Ok(hits) = sought.find(&Wanted { text: &text, limit, scope: None, folders: false, now }) else {
            continue;
        };
        let similar = hits.found.hits.iter().filter(|hit| {
            HitKind::of(hit) == HitKind::Entry && hit.relevance >= COVERS && !own.contains(&hit.path)
        });
        let similar: Vec<Similar> = similar
            .take(MOST)
            .map(|hit| {
                let bytes = hits.bytes.get(&hit.path).map_or(&[][..], Vec::as_slice);
                Similar { path: hit.path.clone(), title: shown(hit, bytes).title, relevance: hit.relevance }
            })
            .collect();
        if !similar.is_empty() {
            found.insert(at, similar);
        }
    }
    found
}

/// What an entry is about: its title and the subjects of its facts.
fn said(document: &Document) -> String {
    let mut words = vec![document.title().unwrap_or_default()];
    words.extend(document.facts().into_iter().filter_map(|fact| fact.subject));
    words.join(". ")
}
