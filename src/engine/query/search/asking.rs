//! Ask a question: what is found, and whether the best hit is the answer by itself.

use super::{Hits, Scoped, SearchSession, Wanted, item_of, stem};
use crate::Stop;
use crate::query;
use brv_base::path::{PathKind, TreePath};
use brv_search::{Hit, SearchResults};
use brv_text::doc::{Document, Status};
use brv_text::words::Runs;

/// How many hits are looked at.
pub const HITS: usize = 10;

pub struct Asked {
    /// The question without the scope that it named.
    pub text: String,
    pub hits: Hits,
    pub scope: Option<String>,
    /// The folder that the question named, if it had nothing and everything was searched.
    pub widened: Option<String>,
}

/// Search for what a question asks, in its scope; if only the question named that and what is there is not enough,
/// everywhere: as `wanted` says.
pub fn ask(
    sought: &mut SearchSession<'_>,
    scoped: Scoped,
    wanted: &Wanted<'_>,
    is_enough: impl Fn(&SearchResults) -> bool,
) -> Result<Asked, Stop> {
    let Scoped { text, scope, is_guessed } = scoped;
    let hits = sought.find(&Wanted { text: &text, scope: scope.as_deref(), ..*wanted })?;
    if !is_guessed || is_enough(&hits.found) {
        return Ok(Asked { text, hits, scope, widened: None });
    }
    Ok(Asked { text: wanted.text.to_owned(), hits: sought.find(wanted)?, scope: None, widened: scope })
}

/// By how much less of the question an equal entry may have, of its weight.
const NEAR: f64 = 0.02;

/// From this share of their three-word runs on, two entries have the same text.
const SAME_TEXT: f64 = 0.8;

/// By what an entry is taken for the same as another.
struct Face {
    title: Option<String>,
    /// The subject of the fact that matches best, in each of its claims.
    subjects: Vec<String>,
    runs: Runs,
    is_retired: bool,
}

impl Face {
    fn of(hit: &Hit, bytes: &[u8]) -> Self {
        let document = Document::parse(bytes);
        let low = |text: &str| query::normal(text);
        if let Some(item) = item_of(hit, &document) {
            let (title, subjects) = (Some(low(&item.title)), vec![low(&item.title)]);
            return Self { title, subjects, runs: Runs::of(&item.text), is_retired: item.mark.is_some() };
        }
        let fact = hit.passage.filter(|passage| passage.is_fact);
        let claims = fact.map(|passage| query::said(&document, passage.line)).unwrap_or_default();
        Self {
            title: document.title().map(|title| low(&title)),
            subjects: claims.iter().filter_map(|claim| claim.subject.as_deref()).map(low).collect(),
            runs: Runs::of(document.body()),
            is_retired: matches!(document.meta().status, Some(Status::Superseded | Status::Deprecated)),
        }
    }

    fn is_like(&self, other: &Self) -> bool {
        let is_named = self.title.is_some() && self.title == other.title;
        let is_about = self.subjects.iter().any(|subject| other.subjects.contains(subject));
        let is_same = is_named || is_about || self.runs.likeness(&other.runs) >= SAME_TEXT;
        is_same && self.is_retired == other.is_retired
    }
}

/// Where a hit is: its file, and the line of the item that it is.
fn place(hit: &Hit) -> (&TreePath, Option<usize>) {
    let item = hit.passage.filter(|passage| passage.is_highlight);
    (&hit.path, item.map(|passage| passage.line))
}

impl Asked {
    /// What a hit says: all of the entry, or the item that it is with the title of the entry.
    fn text_of(&self, hit: &Hit) -> String {
        let bytes = self.hits.bytes_of(hit);
        let document = Document::parse(bytes);
        match item_of(hit, &document) {
            Some(item) => format!("{}\n{}", document.title().unwrap_or_default(), item.line()),
            None => String::from_utf8_lossy(bytes).into_owned(),
        }
    }

    /// The best entry if it may be given as the answer: it is the right one by its relevance or by name, and nothing of
    /// the question is missing.
    pub fn direct(&self) -> Option<&Hit> {
        let found = &self.hits.found;
        let best = found.hits.iter().find(|hit| hit.is_best)?;
        let is_right = query::is_direct(found) || query::has_all(found) && self.is_named(best);
        let text = self.text_of(best);
        let has_names =
            query::has_signed_names(&self.text, &text) && brv_search::has_identifiers(&self.text, &text);
        (found.is_covered() && is_right && has_names).then_some(best)
    }

    /// The two entries that answer with equal right, the more relevant first: neither is the answer by itself.
    pub fn tie(&self) -> Option<[&Hit; 2]> {
        let found = &self.hits.found;
        let mut hits: Vec<&Hit> = found.hits.iter().filter(|hit| hit.passage.is_some()).collect();
        hits.sort_by(|one, other| other.relevance.total_cmp(&one.relevance));
        let [first, second, ..] = hits[..] else { return None };
        let may_answer = found.is_covered() && found.is_tie() && query::has_all(found);
        let has_names = |hit: &Hit| query::has_signed_names(&self.text, &self.text_of(hit));
        (may_answer && has_names(first) && has_names(second)).then_some([first, second])
    }

    /// The other entries that have as much of the question, and are the same entry by title, subject or text: only their places
    /// and neighbours make one of them score higher, so that none of them is the answer by itself.
    pub fn equals(&self, best: &Hit) -> Vec<&Hit> {
        let own = Face::of(best, self.hits.bytes_of(best));
        let has_as_much = |hit: &&Hit| {
            let is_entry = place(hit) != place(best) && hit.path.kind() == PathKind::Entry;
            is_entry && hit.passage.is_some() && hit.passage_share >= best.passage_share - NEAR
        };
        let others = self.hits.found.hits.iter().filter(has_as_much);
        others.filter(|hit| own.is_like(&Face::of(hit, self.hits.bytes_of(hit)))).collect()
    }

    /// Whether the question asks for exactly the subject of a fact, and no other hit has such a fact: as with an exact
    /// title, no lead is needed then.
    fn is_named(&self, best: &Hit) -> bool {
        let normal = query::normal(&self.text);
        let is_asked = |subject: &str| query::asks_for(&normal, subject, &stem);
        let is_subject = |hit: &&Hit| {
            let document = Document::parse(self.hits.bytes_of(hit));
            match item_of(hit, &document) {
                Some(item) => is_asked(&item.title),
                None => document.facts().iter().filter_map(|fact| fact.subject.as_deref()).any(is_asked),
            }
        };
        let mut named = self.hits.found.hits.iter().filter(is_subject);
        named.next().is_some_and(|hit| place(hit) == place(best)) && named.next().is_none()
    }
}
