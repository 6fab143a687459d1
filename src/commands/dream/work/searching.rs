//! Ask the search for the neighbours of an entry.

use super::ground::Ground;
use brv_base::path::TreePath;
use brv_engine::open::context::Parts;
use brv_engine::query::search::{HitKind, ScanFreshness, SearchSession, Wanted};
use brv_text::dream::Entry;

/// How many neighbours a file gets from the search.
const NEIGHBOURS: usize = 8;

/// What the search finds for an entry. A tree that cannot be searched has no such neighbours.
pub(super) struct Neighbours<'a> {
    sought: Option<SearchSession<'a>>,
    ground: &'a Ground,
    now: i64,
}

impl<'a> Neighbours<'a> {
    pub fn of(parts: &Parts<'a>, ground: &'a Ground) -> Self {
        let sought = SearchSession::open(parts.opened, ScanFreshness::Look, parts.progress).ok();
        Self { sought, ground, now: parts.clock.seconds() }
    }

    /// The entries of its domain that are like it, each with its relevance.
    pub fn of_entry(&mut self, entry: &Entry) -> Vec<(TreePath, f64)> {
        self.within(entry, Some(entry.domain()).filter(|domain| !domain.is_empty()))
    }

    /// The entries of the whole tree that are like it, each with its relevance.
    pub fn anywhere(&mut self, entry: &Entry) -> Vec<(TreePath, f64)> {
        self.within(entry, None)
    }

    fn within(&mut self, entry: &Entry, scope: Option<&str>) -> Vec<(TreePath, f64)> {
        let Some(sought) = &mut self.sought else { return Vec::new() };
        let text = [std::slice::from_ref(&entry.title), &entry.subjects[..]].concat().join(". ");
        let wanted = Wanted {
            text: &text,
            limit: NEIGHBOURS + 1,
            scope,
            folders: false,
            each: brv_search::Each::File,
            now: self.now,
        };
        let Ok(hits) = sought.find(&wanted) else { return Vec::new() };
        let hits = hits.found.hits.into_iter().filter(|hit| HitKind::of(hit) == HitKind::Entry);
        let others = hits.filter(|hit| hit.path != entry.path && self.ground.entries.contains_key(&hit.path));
        others.map(|hit| (hit.path, hit.relevance)).collect()
    }
}
