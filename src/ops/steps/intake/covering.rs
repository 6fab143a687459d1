//! Find the entry that covers a subject: the one that states something about it.

use super::Intake;
use crate::doc::{Document, Statement, is_same_subject};
use crate::ops::Stop;
use crate::ops::steps::searching::{HitKind, Hits, SearchSession, Wanted, shown};
use crate::path::TreePath;

/// How many hits are looked at.
const HITS: usize = 30;

/// An entry, and what it states about a subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Covering {
    pub path: TreePath,
    pub bytes: Vec<u8>,
    pub title: String,
    /// How well it fits what was asked, 0 to 1.
    pub relevance: f64,
    /// What it states about the subject; none where entries were sought by words.
    pub statements: Vec<Statement>,
}

/// The entry that states something about `subject`; of several, the one that fits `context` best.
pub fn covering(
    intake: &Intake<'_>,
    session: &mut SearchSession<'_>,
    (subject, context): (&str, &str),
) -> Result<Option<Covering>, Stop> {
    let mut found: Vec<Covering> = Vec::new();
    let plain: String = subject.chars().map(|c| if c == '"' { ' ' } else { c }).collect();
    for text in [format!("\"{plain}\""), plain] {
        let stating = covering_entries(intake, session, &text, HITS)?.into_iter().filter_map(|mut one| {
            one.statements = statements(&one.bytes, subject);
            (!one.statements.is_empty()).then_some(one)
        });
        found.extend(stating);
        if !found.is_empty() {
            break;
        }
    }
    if found.len() > 1 {
        let fitting = covering_entries(intake, session, context, HITS)?;
        let place = |one: &Covering| fitting.iter().position(|other| other.path == one.path);
        found.sort_by_key(|one| place(one).unwrap_or(usize::MAX));
    }
    Ok(found.into_iter().next())
}

/// The entries that fit a text, the best first.
pub fn covering_entries(
    intake: &Intake<'_>,
    session: &mut SearchSession<'_>,
    text: &str,
    limit: usize,
) -> Result<Vec<Covering>, Stop> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let hits = session.find(&Wanted { text, limit, scope: None, folders: false, now: intake.now() })?;
    Ok(entries(&hits))
}

fn entries(hits: &Hits) -> Vec<Covering> {
    let found = hits.found.hits.iter().filter(|hit| HitKind::of(hit) == HitKind::Entry);
    let entry = |hit| {
        let bytes = hits.bytes_of(hit);
        Covering {
            path: hit.path.clone(),
            bytes: bytes.to_vec(),
            title: shown(hit, bytes).title,
            relevance: hit.relevance,
            statements: Vec::new(),
        }
    };
    found.map(entry).collect()
}

/// What an entry states about a subject.
pub(super) fn statements(bytes: &[u8], subject: &str) -> Vec<Statement> {
    let facts = Document::parse(bytes).facts().into_iter();
    facts
        .filter(|fact| fact.subject.as_deref().is_some_and(|own| is_same_subject(own, subject)))
        .map(|fact| Statement { subject: fact.subject, statement: fact.statement, category: fact.category })
        .collect()
}
