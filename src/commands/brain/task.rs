//! What a task needs: the passages of a query, of entries that still hold, and whether their code is as it was. That they are
//! shown is no use of them.

use super::Options;
use brv_engine::open::context::Opened;
use brv_engine::query;
use brv_engine::query::search::{self, Freshness, HitKind, Hits, Refusal, Wanted};
use brv_engine::read::history::learned::unmerged::Unmerged;
use brv_engine::read::stale;
use brv_engine::review::Marks;
use brv_engine::{Context, Stop};
use brv_search::{Each, Hit};
use brv_text::brain::Passage;
use brv_text::doc::{self, Document, Status};

/// The longest passage, in characters: so that several entries have room.
const LONGEST: usize = 700;

/// Of how many entries a passage is shown; the others are named on a line each.
const WHOLE: usize = 4;

/// The longest text of such a line, in characters.
const LONGEST_LINE: usize = 100;

/// How many entries are looked at.
const MOST: usize = 50;

/// The passages, best first.
pub(super) fn passages(
    (cx, opened): (&Context<'_>, &Opened),
    words: &str,
    options: &Options,
    (marks, unmerged): (&Marks, &Unmerged),
) -> Result<Vec<Passage>, Stop> {
    search::checked(words).map_err(Refusal::from)?;
    let wanted = Wanted {
        text: words,
        limit: MOST,
        scope: None,
        folders: false,
        each: Each::File,
        now: cx.clock.seconds(),
    };
    let (_, mut found) = search::answered(opened, Freshness::Window, cx.progress, |sought| {
        let scoped = search::scoped(sought, words, options.scope.as_deref())?;
        let asked = search::ask(sought, scoped, &wanted, brv_search::Found::is_covered)?;
        Ok::<_, Refusal>(of(&asked.hits, (unmerged, cx.clock.seconds())))
    })?;
    let fresh = stale::of_files(opened, &cx.cwd, found.iter().map(|one| one.path.as_str()), None);
    for (passage, freshness) in found.iter_mut().zip(fresh) {
        passage.freshness = freshness;
        passage.pending = marks.get(&passage.path).cloned().unwrap_or_default();
    }
    Ok(found)
}

/// What is on no branch of the code comes last, and is left out once it has been so for long.
fn of(hits: &Hits, (unmerged, now): (&Unmerged, i64)) -> Vec<Passage> {
    let near = search::near(hits).count();
    let passage = |hit| {
        let bytes = hits.bytes_of(hit);
        let document = Document::parse(bytes);
        let is_retired = matches!(document.meta().status, Some(Status::Superseded | Status::Deprecated));
        let passage = hit.passage.filter(|_| !is_retired && HitKind::of(hit) == HitKind::Entry)?;
        let is_disputed = doc::may_dispute(bytes) && !doc::disputes(&document).is_empty();
        let left = unmerged.on_line(hit.path.as_str(), &document, passage.line);
        let is_shown = !left.is_some_and(|left| left.is_long_ago(now));
        let unmerged = left.map(|left| left.branch.clone());
        is_shown.then_some((hit, document, passage.line, is_disputed, unmerged))
    };
    let mut shown: Vec<_> = hits.found.hits.iter().filter_map(passage).collect();
    shown.sort_by_key(|(.., unmerged)| unmerged.is_some());
    shown
        .into_iter()
        .enumerate()
        .filter_map(|(at, (hit, document, line, is_disputed, unmerged))| {
            let is_line = at >= WHOLE.min(near);
            let text = match is_line {
                true => about(&document, hit),
                false => search::text_of(&document, hit, LONGEST, LONGEST),
            };
            let path = hit.path.to_string();
            let passage = Passage { path, line, text, is_disputed, is_line, unmerged, ..Passage::default() };
            (!passage.text.trim().is_empty()).then_some(passage)
        })
        .collect()
}

/// What an entry is about, on a line: its title and summary.
fn about(document: &Document, hit: &Hit) -> String {
    let title = document.title().unwrap_or_else(|| hit.path.file_name().trim_end_matches(".md").to_owned());
    let summary = document.field("summary").and_then(|value| value.as_str()).unwrap_or_default();
    let said = if summary.trim().is_empty() { title } else { format!("{title}: {summary}") };
    query::cut_to(&said, LONGEST_LINE)
}
