//! Whether a new synthesis says what one says already: by the search.

use super::composing::Text;
use super::setting::{Decided, Item};
use brv_engine::open::context::Parts;
use brv_engine::query::search::{HitKind, ScanFreshness, SearchSession, Wanted};
use brv_text::doc::Document;
use brv_text::dream::Meant;

/// From this relevance on, a synthesis counts as captured already.
const SAME: f64 = 0.5;

/// How many hits are looked at.
const HITS: usize = 20;

/// Note at each new synthesis that another one says it already.
pub fn note(parts: &Parts<'_>, items: &mut [Item]) {
    let mut sought: Option<SearchSession<'_>> = None;
    for decided in items.iter_mut().flatten() {
        if !matches!(decided.meant, Meant::Create { .. }) {
            continue;
        }
        if sought.is_none() {
            // a tree that cannot be searched has no such neighbours
            sought = SearchSession::open(parts.opened, ScanFreshness::Look, parts.progress).ok();
        }
        let Some(sought) = &mut sought else { return };
        if let Some(path) = said(sought, decided, parts.clock.seconds()) {
            decided.hindrance = Some(format!("`{path}` says it already"));
        }
    }
}

fn said(sought: &mut SearchSession<'_>, decided: &Decided, now: i64) -> Option<String> {
    let text = Text::of(&decided.decision);
    let body = text.body.as_deref().unwrap_or_default();
    let title = text.title.clone().or_else(|| Document::parse(body).title()).unwrap_or_default();
    let words = format!("{title}. {}", text.summary.unwrap_or_default());
    let wanted =
        Wanted { text: &words, limit: HITS, scope: None, folders: false, each: brv_search::Each::File, now };
    let hits = sought.find(&wanted).ok()?;
    let is_same = |hit: &&brv_search::Hit| {
        let is_synthesis = || Document::parse(hits.bytes_of(hit)).meta().kind.as_deref() == Some("synthesis");
        HitKind::of(hit) == HitKind::Entry && hit.relevance >= SAME && is_synthesis()
    };
    hits.found.hits.iter().find(is_same).map(|hit| hit.path.to_string())
}
