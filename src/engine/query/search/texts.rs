//! The text of a hit that is handed on: a short entry as a whole, else its best passage; of one that waits for a person
//! the version that was last reviewed.

use super::{Hits, passage_text};
use crate::query;
use crate::review::trust::{EntryBytesSource, Trust};
use brv_base::path::TreePath;
use brv_search::{Hit, NEAR, Passage};
use brv_text::doc::Document;

/// How much of an entry is handed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryTextExtent {
    /// The lines that answer.
    Lines,
    /// All that it says.
    Whole,
}

/// The hits that are near enough to be handed on, best first.
pub fn near(hits: &Hits) -> impl Iterator<Item = &Hit> {
    hits.found.hits.iter().filter(|hit| hit.relevance >= NEAR)
}

/// The hits that belong to the answer, in their order; those that have what the question quotes, if only these make it
/// covered.
pub fn belonging(hits: &Hits) -> Vec<&Hit> {
    let quoted: Vec<&Hit> = hits.found.hits.iter().filter(|hit| hit.is_quoted).collect();
    if !quoted.is_empty() {
        return quoted;
    }
    let mut relevances: Vec<f64> = hits.found.hits.iter().map(|hit| hit.relevance).collect();
    relevances.sort_by(|one, other| other.total_cmp(one));
    let least = hits.found.belongs().max(1).checked_sub(1).and_then(|last| relevances.get(last).copied());
    let belongs = |hit: &&Hit| least.is_some_and(|least| hit.relevance >= least);
    hits.found.hits.iter().filter(belongs).collect()
}

/// At most how many entries are named if nothing is certain.
const MOST_NEAREST: usize = 3;

/// The hits that are near, though nothing is certain, the most relevant first. If any is, an encoder says which.
pub fn nearest(hits: &Hits) -> Vec<&Hit> {
    let mut nearest: Vec<&Hit> = near(hits).collect();
    if hits.by_meaning > 0 && !nearest.is_empty() {
        return hits.found.hits.iter().take(MOST_NEAREST.min(hits.by_meaning)).collect();
    }
    nearest.sort_by(|one, other| other.relevance.total_cmp(&one.relevance));
    nearest.truncate(MOST_NEAREST);
    nearest
}

/// The text of an entry that has at most `whole` characters, else the passage that matches best, up to `most` characters.
pub fn text_of(document: &Document, hit: &Hit, whole: usize, most: usize) -> String {
    let body = document.body().trim();
    if body.chars().count() <= whole {
        return body.to_owned();
    }
    let passage = hit.passage.map(|passage| passage_text(document, passage.line, passage.lines));
    query::cut_to(&passage.unwrap_or_default(), most)
}

impl Hits {
    /// Leave out the hits that are withheld as a whole, and read of the others the version that was last reviewed. Returns how
    /// many are left out.
    pub fn withhold(&mut self, trust: &Trust<'_>) -> usize {
        let mut left_out = 0;
        let mut replaced: Vec<TreePath> = Vec::new();
        let mut found = std::mem::take(&mut self.found.hits);
        found.retain_mut(|hit| {
            if replaced.contains(&hit.path) {
                // an item of an entry that is read as it was last reviewed, as a whole
                return false;
            }
            let bytes = self.bytes_of(hit);
            if trust.judge(hit.path.as_str(), bytes, EntryBytesSource::Disk).is_none() {
                return true;
            }
            let blob = trust.id(hit.path.as_str(), bytes, EntryBytesSource::Disk);
            let Some(reviewed) = trust.reviewed(hit.path.as_str(), blob) else {
                left_out += 1;
                return false;
            };
            let document = Document::parse(reviewed.clone());
            let line = document.text()[..document.body_start()].matches('\n').count() + 1;
            let lines = document.body().lines().count().max(1);
            hit.passage = hit.passage.map(|_| Passage { line, lines, is_fact: false, is_highlight: false });
            self.bytes.insert(hit.path.clone(), reviewed);
            replaced.push(hit.path.clone());
            true
        });
        self.found.hits = found;
        left_out
    }
}
