//! What a model sees before the question: the passages of the reply, then what other entries are about that the
//! question may mean: further hits, the overviews of their folders, and what the manifest lists beside them. That is
//! the overview that a model wrote on this machine (L1), else the abstract that brv derives (L0).

use super::library::Library;
use brv_base::content::ContentId;
use brv_base::fs::{self, Form};
use brv_base::path::TreePath;
use brv_engine::derive::{self, Companion};
use brv_engine::open::context::Opened;
use brv_engine::open::models;
use brv_engine::query::consult::{Shown, ShownPiece};
use brv_engine::query::search::{Asked, excerpt, nearest};
use brv_engine::query::{self, MOST_OF_ENTRY, Reply};
use brv_search::Hit;
use brv_text::derive::Input;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The most abstracts, and the most characters of all and of one.
const MOST: usize = 12;
const MOST_CHARS: usize = 4_000;
const MOST_OF_ONE: usize = 1_000;

pub(super) fn shown(library: &mut Library<'_, '_>, asked: &Asked, reply: &Reply) -> Shown {
    let mut shown = Shown::default();
    let outcome = &reply.outcome;
    let ids: HashMap<&str, &String> = outcome.paths().zip(&reply.ids).collect();
    for passage in &outcome.passages {
        let Some(source) = passage.source_at(&outcome.sources).map(|at| &outcome.sources[at]) else {
            continue;
        };
        let (Some(id), Ok(path)) = (ids.get(passage.path.as_str()), TreePath::parse(passage.path.as_bytes()))
        else {
            continue;
        };
        let bytes = asked.hits.bytes.get(&path).map_or(&[][..], Vec::as_slice);
        if library.may_read(&path, bytes) {
            let piece = ShownPiece { source: source.clone(), id: (*id).clone(), text: passage.text.clone() };
            shown.add(piece);
        }
    }
    if outcome.passages.is_empty() {
        for hit in nearest(&asked.hits) {
            shown_hit(library, asked, hit, &mut shown);
        }
    }
    if !shown.is_empty() {
        add_abstracts(library, asked, &mut shown);
    }
    shown
}

/// Show the lines of a hit that have most of the question.
fn shown_hit(library: &mut Library<'_, '_>, asked: &Asked, hit: &Hit, shown: &mut Shown) {
    let Some(entry) = library.entry(&hit.path) else { return };
    let lines = query::lines(&entry.document, &asked.hits.found.weights, MOST_OF_ENTRY);
    if let Some(lines) = lines {
        shown.add(entry.piece((lines.line, lines.text), &hit.words, (hit.score, hit.relevance)));
    }
}

fn add_abstracts(library: &mut Library<'_, '_>, asked: &Asked, shown: &mut Shown) {
    let hits = &asked.hits.found.hits;
    let (mut left, most) = (MOST_CHARS, shown.len() + MOST);
    for path in candidates(library, hits) {
        if shown.len() == most || left == 0 {
            break;
        }
        if shown.has(path.as_str()) {
            continue;
        }
        let Some(entry) = library.entry(&path) else { continue };
        let body = entry.document.body().trim();
        let text = about(library.opened, &path, entry.document.as_bytes());
        let text = query::cut_to(if text.is_empty() { body } else { &text }, MOST_OF_ONE);
        let Some(rest) = left.checked_sub(text.chars().count()).filter(|_| !text.is_empty()) else {
            continue;
        };
        left = rest;
        let hit = hits.iter().find(|hit| hit.path == path);
        let scores = hit.map_or((0.0, 0.0), |hit| (hit.score, hit.relevance));
        let words = hit.map_or(&[][..], |hit| hit.words.as_slice());
        let mut piece = entry.piece((entry.document.line_of_body(0), text), words, scores);
        // what people see are the words of the entry
        piece.source.excerpt = excerpt(body, words);
        shown.add(piece);
    }
}

/// The entries whose abstracts may help, the nearest first.
fn candidates(library: &Library<'_, '_>, hits: &[Hit]) -> Vec<TreePath> {
    let mut paths: Vec<TreePath> =
        hits.iter().filter(|hit| hit.passage.is_some()).map(|hit| hit.path.clone()).collect();
    // several items of one entry may be hits
    let mut seen = HashSet::new();
    paths.retain(|path| seen.insert(path.clone()));
    let mut folders: Vec<String> = Vec::new();
    for hit in hits {
        let folder = hit.path.folder().to_owned();
        if !folder.is_empty() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    let overview = |folder: &String| TreePath::parse(format!("{folder}/context.md").as_bytes()).ok();
    paths.extend(folders.iter().filter_map(overview));
    let listed = listed(library);
    for folder in &folders {
        paths.extend(listed.iter().filter(|path| path.folder() == folder).cloned());
    }
    paths
}

/// The entries in the manifest, the most important first; none if it cannot be read.
fn listed(library: &Library<'_, '_>) -> Vec<TreePath> {
    let file = library.opened.scope.root().join("_manifest.json");
    let bytes = fs::read_shipped(&file, Form::Json).ok().flatten().unwrap_or_default();
    let manifest: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let rows = manifest["lanes"]["contexts"].as_array().map(Vec::as_slice).unwrap_or_default();
    let row = |row: &Value| {
        let path = TreePath::parse(row["path"].as_str()?.as_bytes()).ok()?;
        path.kind().is_curated().then(|| (row["importance"].as_f64().unwrap_or_default(), path))
    };
    let mut listed: Vec<(f64, TreePath)> = rows.iter().filter_map(row).collect();
    listed.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    listed.into_iter().map(|(_, path)| path).collect()
}

/// What an entry is about.
fn about(opened: &Opened, path: &TreePath, bytes: &[u8]) -> String {
    let id = ContentId::of(bytes);
    if let Some(overview) = models::overview_of(opened, id) {
        return overview;
    }
    let input = Input { path, id, bytes };
    let text = derive::companion_of(&input, Companion::Abstract).text;
    let rest = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    rest.map_or(text.as_str(), |(_, body)| body).trim().to_owned()
}
