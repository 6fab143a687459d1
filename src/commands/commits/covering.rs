//! Find the entry that covers a subject: the one that states something about it.

use super::Intake;
use brv_base::path::{PathKind, TreePath};
use brv_base::{fs, parallel};
use brv_engine::Stop;
use brv_engine::query::search::{HitKind, Hits, SearchSession, Wanted, shown};
use brv_text::doc::{Document, Statement, is_same_subject};

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
    /// The score of its text as a share of the best possible one, 0 to 1.
    pub ratio: f64,
    /// What it states about the subject; none where entries were sought by words.
    pub statements: Vec<Statement>,
}

/// The entries that state something about `subject`; the one that fits `context` best is the first. Search finds nearly all
/// of them; only where it finds none are the files looked through, since a second entry about one subject would be a twin.
pub fn covering(
    intake: &Intake<'_>,
    session: &mut SearchSession<'_>,
    (subject, context): (&str, &str),
) -> Result<Vec<Covering>, Stop> {
    let stating = |found: Vec<Covering>| -> Vec<Covering> {
        let stated =
            found.into_iter().map(|one| Covering { statements: statements(&one.bytes, subject), ..one });
        stated.filter(|one| !one.statements.is_empty()).collect()
    };
    let plain: String = subject.chars().map(|c| if c == '"' { ' ' } else { c }).collect();
    let mut found = stating(covering_entries(intake, session, &format!("\"{plain}\""), HITS)?);
    if found.is_empty() {
        found = stating(naming(intake, session, subject)?);
    }
    if found.len() > 1 {
        let fitting = covering_entries(intake, session, context, HITS)?;
        let place = |one: &Covering| fitting.iter().position(|other| other.path == one.path);
        found.sort_by_key(|one| place(one).unwrap_or(usize::MAX));
    }
    Ok(found)
}

/// The entries that have the subject in bold, as facts have it, in any case.
fn naming(intake: &Intake<'_>, session: &SearchSession<'_>, subject: &str) -> Result<Vec<Covering>, Stop> {
    let root = intake.parts.scope().root();
    let sought = format!("**{}", brv_text::doc::normal(subject));
    let paths = session.paths();
    let entries: Vec<&TreePath> =
        paths.iter().filter(|path| path.kind() == PathKind::Entry && !intake.is_aside(path)).collect();
    let found = parallel::try_map(
        &entries,
        || (),
        |(), path| {
            let bytes = fs::read_below(&root, &path.on_disk(&root))?.unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes).to_lowercase();
            let is_there = text.contains(&sought);
            Ok::<_, fs::Error>(is_there.then(|| Covering {
                path: (*path).clone(),
                title: Document::parse(bytes.clone()).title().unwrap_or_default(),
                bytes,
                relevance: 0.0,
                ratio: 0.0,
                statements: Vec::new(),
            }))
        },
    )?;
    Ok(found.into_iter().flatten().collect())
}

/// The entries that fit a text, best match first.
pub fn covering_entries(
    intake: &Intake<'_>,
    session: &mut SearchSession<'_>,
    text: &str,
    limit: usize,
) -> Result<Vec<Covering>, Stop> {
    if !text.contains(char::is_alphanumeric) {
        return Ok(Vec::new());
    }
    let hits = session.find(&Wanted {
        text,
        limit,
        scope: None,
        folders: false,
        each: brv_search::Each::File,
        now: intake.now(),
    })?;
    Ok(entries(&hits).into_iter().filter(|found| !intake.is_aside(&found.path)).collect())
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
            ratio: hit.ratio,
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
