//! What hits link to, and what links to them: one hop.

use super::{HitDisplay, Hits, SearchSession, shown, standings};
use crate::Stop;
use crate::open::context::Opened;
use crate::read::links::references::{LinkTarget, Places};
use brv_base::path::{PathKind, TreePath};
use brv_search::{EntryStanding, Hit, HitKind, Passage, Searched};
use brv_text::doc::Document;

/// The largest number of related entries.
const MOST: usize = 10;

/// The share of a hit's score that what it is related to gets.
const SHARE: f64 = 0.5;

/// An entry that is related to a hit, but does not match itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Related {
    pub path: TreePath,
    pub via: TreePath,
    /// Half of the score of the hit.
    pub score: f64,
    /// What is known of it beside its text.
    pub standing: Option<EntryStanding>,
    pub shown: HitDisplay,
    pub bytes: Vec<u8>,
    /// Whether it is in conflict, and this is our side.
    pub is_in_conflict: bool,
    /// How many files link to it.
    pub backlinks: usize,
}

/// The entries that the hits link to, and then those that link to them, the best hits first; at most ten.
pub fn related(
    opened: &Opened,
    sought: &SearchSession<'_>,
    hits: &Hits,
    now: i64,
) -> Result<Vec<Related>, Stop> {
    let (root, paths) = (opened.scope.root(), sought.paths());
    let places = Places::of(&root, &paths);
    let mut found: Vec<Related> = Vec::new();
    for hit in &hits.found.hits {
        let mut near = Vec::new();
        if let Some(bytes) = hits.bytes.get(&hit.path) {
            let references = places.references(&hit.path, &Document::parse(bytes.as_slice()))?;
            near.extend(references.iter().filter_map(|one| match one.target.subject() {
                LinkTarget::Entry(path) => TreePath::parse(path.as_bytes()).ok(),
                _ => None,
            }));
        }
        near.extend(sought.linking(hit.path.as_str()));
        for path in near {
            let is_known = hits.found.hits.iter().any(|hit| hit.path == path)
                || found.iter().any(|known| known.path == path);
            if found.len() < MOST && !is_known && path.kind() == PathKind::Entry {
                found.extend(one((opened, now), sought, hit, path));
            }
        }
    }
    Ok(found)
}

fn one(
    (opened, now): (&Opened, i64),
    sought: &SearchSession<'_>,
    hit: &Hit,
    path: TreePath,
) -> Option<Related> {
    let (bytes, is_in_conflict) = sought.shown(&path)?;
    let document = Document::parse(bytes.as_slice());
    let (line, lines) = (document.line_of_body(0), document.body().lines().count());
    let as_hit = Hit {
        path: path.clone(),
        kind: HitKind::File(Searched::Entry),
        passage: Some(Passage { line, lines, is_fact: false, is_highlight: false }),
        standing: None,
        words: Vec::new(),
        ..hit.clone()
    };
    let changed = document.meta().changed();
    let standing = standings::with(opened, now, |standing| standing(path.as_str(), changed));
    let backlinks = sought.linking(path.as_str()).iter().filter(|from| **from != path).count();
    let (score, via) = (hit.score * SHARE, hit.path.clone());
    let shown = shown(&as_hit, &bytes);
    Some(Related { path, via, score, standing, shown, bytes, is_in_conflict, backlinks })
}
