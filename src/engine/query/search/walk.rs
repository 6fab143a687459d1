//! The files that are searched, as they are now: curated files and the stubs of archived entries.

use crate::derive::{self, Curated};
use crate::open::context::Opened;
use crate::query::search::change_cache::{Moment, ScanResult, State};
use brv_base::content::ContentId;
use brv_base::fs;
use brv_base::path::TreePath;
use brv_git as git;
use brv_git::status::StatusError;
use brv_git::trees;
use brv_search::Index;
use brv_text::doc::Document;
use bstr::ByteSlice as _;
use std::collections::BTreeMap;
use std::path::Path;

/// The bytes of a file as it is searched; `None` if there is none.
pub(super) fn bytes(opened: &Opened, path: &TreePath, state: Option<&State>) -> Option<Vec<u8>> {
    if let Some(State::Ours(id)) = state {
        return trees::blob(&opened.scope, *id).ok();
    }
    on_disk(&opened.scope.root(), path)
}

/// A file as it is shown: without conflict markers that somebody staged or committed, with our side of the conflict.
/// Returns whether it had any.
pub(super) fn without_markers(bytes: Vec<u8>) -> (Vec<u8>, bool) {
    let ours = bytes.contains_str("<<<<<<<").then(|| Document::parse(bytes.as_slice()).our_side()).flatten();
    ours.map_or((bytes, false), |ours| (ours.into_bytes(), true))
}

/// The bytes of a file of the tree at `root`.
pub(super) fn on_disk(root: &Path, path: &TreePath) -> Option<Vec<u8>> {
    fs::read_below(root, &path.on_disk(root)).ok()?
}

pub(super) fn paths(opened: &Opened) -> Result<Vec<TreePath>, StatusError> {
    let survey = derive::quick_survey(opened, git::index::read(&opened.scope)?)?;
    let mut paths = derive::curated_paths(&opened.scope, &survey)?;
    paths.extend(derive::stubs(opened));
    Ok(paths)
}

/// Walk the tree, and compare it with the index. It `began` before the index was opened.
pub(super) fn changes(opened: &Opened, index: &Index, began: Moment) -> Result<ScanResult, StatusError> {
    let survey = derive::quick_survey(opened, git::index::read(&opened.scope)?)?;
    let differences = derive::differences(&opened.scope, &survey, index.files())?;
    let tree = derive::recorded_tree(&opened.scope, &survey)?;
    let changed = differences.into_iter().filter_map(|(path, now)| {
        let state = state(opened, &path, now);
        (state != indexed(index, &path)).then(|| (path.to_string(), state))
    });
    let mut changes: BTreeMap<String, State> = changed.collect();
    for path in derive::stubs(opened) {
        let Some(found) = bytes(opened, &path, None) else { continue };
        let id = ContentId::of(&found);
        if index.id_of(&path) == Some(id) {
            changes.remove(path.as_str());
        } else {
            changes.insert(path.to_string(), State::Here(id));
        }
    }
    Ok(ScanResult { changes, tree, began })
}

/// The state of a file, by its bytes on disk: git's id of it may be that of other line endings.
fn state(opened: &Opened, path: &TreePath, now: Option<Curated>) -> State {
    match now {
        None => State::Gone,
        Some(Curated { ours: Some(_), id, .. }) => State::Ours(id),
        Some(_) => on_disk(&opened.scope.root(), path)
            .map_or(State::Gone, |bytes| State::Here(ContentId::of(&bytes))),
    }
}

fn indexed(index: &Index, path: &TreePath) -> State {
    index.id_of(path).map_or(State::Gone, State::Here)
}
