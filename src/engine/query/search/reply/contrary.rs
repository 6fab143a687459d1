//! Facts of other entries that cannot hold together with those that a reply shows: what BRV005 finds in the whole tree, told
//! of what is shown.
//!
//! Compares the hits, and what the index finds by the subjects; no other file is read.

use super::super::{HitKind, Hits, SearchSession, Wanted};
use crate::Stop;
use crate::query::{self, Contrary, Outcome, QuerySource, Reply};
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_search::Each;
use brv_text::doc::{self, Document, Fact, Status};
use brv_text::lint::{Claims, Contradiction, contradictions};
use std::collections::BTreeSet;

/// How many subjects are looked up in the index, those of the best sources; of others the hits are compared.
const SUBJECTS: usize = 3;

/// How many entries the index gives for a subject: each is read. Without quotes, since a phrase is looked for in all that have its
/// words.
const MOST: usize = 10;

/// An entry that may state something else about a subject.
struct Stating {
    path: TreePath,
    document: Document,
    claims: Claims,
}

impl Stating {
    fn domain(&self) -> &str {
        self.path.as_str().split_once('/').map_or("", |(domain, _)| domain)
    }
}

/// Say of each source what another entry states against a fact that is shown of it, below an answer, too. `withhold` leaves out
/// of hits what the caller does not get.
///
/// # Errors
/// The disk or the index.
pub(super) fn tell(
    sought: &mut SearchSession<'_>,
    (now, withhold): (i64, &dyn Fn(&mut Hits)),
    hits: &Hits,
    reply: &mut Reply,
) -> Result<(), Stop> {
    let mut entries = Vec::new();
    add(hits, &mut entries);
    let facts: Vec<Vec<Fact>> =
        reply.outcome.sources.iter().map(|source| shown(&entries, source, &reply.outcome)).collect();
    let mut subjects: Vec<String> = Vec::new();
    for subject in facts.iter().flatten().filter_map(subject) {
        if !subjects.contains(&subject) {
            subjects.push(subject);
        }
    }
    for subject in subjects.iter().take(SUBJECTS) {
        let mut found = about(sought, subject, now)?;
        withhold(&mut found);
        add(&found, &mut entries);
    }
    let subjects: BTreeSet<String> = subjects.into_iter().collect();
    entries.iter_mut().for_each(|entry| entry.claims.keep(&subjects));
    compare(&entries, &facts, &mut reply.outcome.sources);
    for one in reply.outcome.sources.iter().flat_map(|source| &source.contrary) {
        let entry = entries.iter().find(|entry| entry.path.as_str() == one.path);
        reply.ids.extend(entry.map(|entry| ContentId::of(entry.document.as_bytes()).to_string()));
    }
    answer(&mut reply.outcome);
    Ok(())
}

/// What the index finds about a subject.
fn about(sought: &mut SearchSession<'_>, subject: &str, now: i64) -> Result<Hits, Stop> {
    let text = subject.replace('"', " ");
    sought.find(&Wanted { text: &text, limit: MOST, scope: None, folders: false, each: Each::File, now })
}

/// Note at each source what the other entries state against the facts that are shown of it.
fn compare(entries: &[Stating], facts: &[Vec<Fact>], sources: &mut [QuerySource]) {
    let all: Vec<(&str, &Claims)> = entries.iter().map(|entry| (entry.domain(), &entry.claims)).collect();
    let found = contradictions(&all);
    for (source, facts) in sources.iter_mut().zip(facts) {
        let Some(own) = entries.iter().position(|entry| entry.path.as_str() == source.path) else { continue };
        let subjects: BTreeSet<String> = facts.iter().filter_map(subject).collect();
        let is_shown = |one: &Contradiction| subjects.contains(&doc::normal(&one.subject));
        // of several places two may agree
        let is_against = |place: usize| contradictions(&[all[own], all[place]]).iter().any(is_shown);
        let own_ones = |one: &&Contradiction| is_shown(one) && one.places.iter().any(|(at, _)| *at == own);
        for one in found.iter().filter(own_ones) {
            let others = one.places.iter().filter(|(at, _)| *at != own && is_against(*at));
            source.contrary.extend(others.filter_map(|(at, line)| contrary(&entries[*at], *line)));
        }
        source.disputed |= !source.contrary.is_empty();
    }
}

/// The entries among the hits that state facts and are not retired, each once.
fn add(hits: &Hits, entries: &mut Vec<Stating>) {
    for hit in hits.found.hits.iter().filter(|hit| HitKind::of(hit) == HitKind::Entry) {
        if entries.iter().any(|known| known.path == hit.path) {
            continue;
        }
        let document = Document::parse(hits.bytes_of(hit));
        if !matches!(document.meta().status, Some(Status::Superseded | Status::Deprecated)) {
            let claims = Claims::of(&document);
            entries.push(Stating { path: hit.path.clone(), document, claims });
        }
    }
}

fn subject(fact: &Fact) -> Option<String> {
    let subject = fact.subject.as_deref().map(doc::normal)?;
    subject.contains(char::is_alphanumeric).then_some(subject)
}

/// The facts with subjects that are shown of a source: in its excerpt, its passages or the answer.
fn shown(entries: &[Stating], source: &QuerySource, outcome: &Outcome) -> Vec<Fact> {
    let Some(entry) = entries.iter().find(|entry| entry.path.as_str() == source.path) else {
        return Vec::new();
    };
    let passages = outcome.passages.iter().filter(|passage| passage.path == source.path);
    let texts = passages.map(|passage| passage.text.as_str()).chain(outcome.answer.as_deref());
    let texts: Vec<String> = texts.chain([source.excerpt.as_str()]).map(plain).collect();
    let is_shown = |fact: &Fact| {
        let Some(subject) = &fact.subject else { return false };
        let said = plain(&format!("{}: {}", doc::item::stated(subject).text, fact.statement));
        texts.iter().any(|text| text.contains(&said))
    };
    entry.document.facts().into_iter().filter(is_shown).collect()
}

/// A text on one line, without what makes it bold.
fn plain(text: &str) -> String {
    doc::normal(&text.replace("**", ""))
}

fn contrary(entry: &Stating, line: usize) -> Option<Contrary> {
    let text = query::said(&entry.document, line).first()?.text();
    Some(Contrary { path: entry.path.to_string(), line, text })
}

/// Put a contradicting statement below the answer, unless it is a part of it.
fn answer(outcome: &mut Outcome) {
    let Outcome { answer: Some(answer), sources, .. } = outcome else { return };
    let is_given = |path: &str| sources.iter().any(|source| source.path == path);
    let against = sources.iter().flat_map(|source| &source.contrary).filter(|one| !is_given(&one.path));
    let lines: Vec<String> = against.map(Contrary::line).collect();
    lines.iter().for_each(|line| answer.push_str(&format!("\n\n{line}")));
}
