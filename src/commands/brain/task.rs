//! What a task needs: short passages of entries that still hold, the best first, and whether their code is as it was. That
//! they are shown is not a use of them.

use super::Options;
use super::pack::{self, PackCandidate};
use brv_engine::open::context::Opened;
use brv_engine::query::search::encoder::{Encoding, HitLikeness};
use brv_engine::query::search::{self, HitKind, Hits, ScanFreshness, Wanted};
use brv_engine::read::history::learned::unmerged::Unmerged;
use brv_engine::read::stale;
use brv_engine::review::Marks;
use brv_engine::{Context, Stop};
use brv_search::{Each, Hit};
use brv_text::brain::{MOST_OF_TASK, Passage};
use brv_text::doc::{Document, Status};
use std::collections::BTreeMap;

/// How many entries and items of Highlights and Rules are looked at.
const MOST: usize = 80;

/// The passages, best first: about as many as there may be room for. Nothing `is_hidden` is among them.
pub(super) fn passages(
    (cx, opened): (&Context<'_>, &Opened),
    words: &str,
    options: &Options,
    (marks, unmerged): (&Marks, &Unmerged),
    is_hidden: &dyn Fn(&str) -> bool,
) -> Result<Vec<Passage>, Stop> {
    search::checked(words)?;
    let now = cx.clock.seconds();
    let wanted = Wanted { text: words, limit: MOST, scope: None, folders: false, each: Each::ForTask, now };
    let room = options.budgets.total.min(MOST_OF_TASK);
    let encoding = Encoding::begin(cx, opened, words);
    let (_, mut found) = search::answered(opened, ScanFreshness::Window, cx.progress, |sought| {
        // the first word of a task restricts nothing
        let scoped = search::scoped(sought, words, Some(options.scope.as_deref().unwrap_or_default()))?;
        let asked = search::ask(sought, scoped, &wanted, brv_search::SearchResults::is_covered)?;
        let documents = documents(&asked.hits, is_hidden);
        // what is not in time, or cannot be used, leaves what the words are worth
        let likeness = encoding.as_ref().and_then(|encoding| encoding.likeness(opened, &asked.hits).ok());
        let candidates = candidates(&asked.hits, &documents, likeness.as_ref(), (unmerged, now));
        Ok::<_, Stop>(pack::passages(&candidates, &asked.hits.found.weights, room))
    })?;
    if let Some(encoding) = encoding {
        encoding.keep();
    }
    let fresh = stale::of_files(opened, &cx.cwd, found.iter().map(|one| one.path.as_str()), None);
    for (passage, freshness) in found.iter_mut().zip(fresh) {
        passage.freshness = freshness;
        passage.pending = marks.get(&passage.path).cloned().unwrap_or_default();
    }
    Ok(found)
}

/// The entries of the hits that still hold, by their paths.
fn documents(hits: &Hits, is_hidden: &dyn Fn(&str) -> bool) -> BTreeMap<String, Document> {
    let all = hits.found.hits.iter().filter(|hit| HitKind::of(hit) == HitKind::Entry);
    let paths = all.map(|hit| (hit.path.as_str(), hit)).collect::<BTreeMap<_, _>>();
    let shown = paths.into_iter().filter(|(path, _)| !is_hidden(path));
    let read = shown.map(|(path, hit)| (path.to_owned(), Document::parse(hits.bytes_of(hit))));
    let is_retired =
        |document: &Document| matches!(document.meta().status, Some(Status::Superseded | Status::Deprecated));
    read.filter(|(_, document)| !is_retired(document)).collect()
}

/// All that may be shown, in order. What is on no branch of the code comes last, and is left out once it has been so for long;
/// what was reverted or superseded is left out.
fn candidates<'h>(
    hits: &'h Hits,
    documents: &'h BTreeMap<String, Document>,
    likeness: Option<&HitLikeness>,
    (unmerged, now): (&Unmerged, i64),
) -> Vec<PackCandidate<'h>> {
    let candidate = |(at, hit): (usize, &'h Hit)| {
        let document = documents.get(hit.path.as_str())?;
        let passage = hit.passage.filter(|_| hit.ratio > 0.0)?;
        let left = unmerged.on_line(hit.path.as_str(), document, passage.line);
        let item = search::item_of(hit, document);
        let is_marked = item.as_ref().is_some_and(|item| item.mark.is_some());
        if is_marked || left.is_some_and(|left| left.is_long_ago(now)) {
            return None;
        }
        let unmerged = left.map(|left| left.branch.clone());
        let (path, words) = (hit.path.as_str(), hit.ratio * hit.score_at(1.0));
        let worth = likeness.map_or(words, |likeness| likeness.mixed(at, words));
        Some(PackCandidate { path, document, item: item.map(|_| passage.line), worth, unmerged })
    };
    let mut found: Vec<PackCandidate<'h>> =
        hits.found.hits.iter().enumerate().filter_map(candidate).collect();
    // equal ones stay in the order of the search
    found.sort_by(|one, other| {
        let by_branch = one.unmerged.is_some().cmp(&other.unmerged.is_some());
        by_branch.then(other.worth.total_cmp(&one.worth))
    });
    found
}
