//! The files that are searched, as they are now: curated files and the stubs of archived entries.

use super::seen::{State, Walked, milliseconds};
use crate::content::ContentId;
use crate::fs;
use crate::git::status::StatusError;
use crate::git::{self, trees};
use crate::ops::context::Opened;
use crate::ops::steps::refresh::{self, Curated};
use crate::path::TreePath;
use crate::search::Index;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::Path;

/// The bytes of a file as it is searched; `None` if there is none.
pub(super) fn bytes(opened: &Opened, path: &TreePath, state: Option<&State>) -> Option<Vec<u8>> {
    if let Some(State::Ours(id)) = state {
        return trees::blob(&opened.scope, *id).ok();
    }
    on_disk(&opened.scope.root(), path)
}

/// The bytes of a file of the tree at `root`.
pub(super) fn on_disk(root: &Path, path: &TreePath) -> Option<Vec<u8>> {
    fs::read_below(root, &path.on_disk(root)).ok()?
}

/// All files that are searched.
///
/// # Errors
/// [`StatusError`]
pub(super) fn paths(opened: &Opened) -> Result<Vec<TreePath>, StatusError> {
    let survey = refresh::quick_survey(opened, git::index::read(&opened.scope)?)?;
    let mut paths = refresh::curated_paths(&opened.scope, &survey)?;
    paths.extend(refresh::stubs(opened));
    Ok(paths)
}

/// Walk the tree, and compare it with the index.
///
/// # Errors
/// [`StatusError`]
pub(super) fn changes(opened: &Opened, index: &Index) -> Result<Walked, StatusError> {
    let began = milliseconds(opened);
    let survey = refresh::quick_survey(opened, git::index::read(&opened.scope)?)?;
    let curated = refresh::curated(&opened.scope, &survey)?;
    let tree = refresh::recorded_tree(&opened.scope, &survey)?;
    let mut changes = compare(index, &curated);
    for path in refresh::stubs(opened) {
        let is_known = changes.get(path.as_str()) == Some(&State::Gone);
        let Some(found) = bytes(opened, &path, None) else { continue };
        let id = ContentId::of(&found);
        if index.id_of(&path) == Some(id) {
            changes.remove(path.as_str());
        } else if !is_known || index.id_of(&path).is_some() {
            changes.insert(path.to_string(), State::Here(id));
        }
    }
    Ok(Walked { changes, tree, began })
}

/// The differences between the index and the curated files; both are sorted by the bytes of their paths.
fn compare(index: &Index, curated: &[Curated]) -> BTreeMap<String, State> {
    let mut changes = BTreeMap::new();
    let mut indexed = index.items().peekable();
    let state = |file: &Curated| match file.ours {
        Some(_) => State::Ours(file.id),
        None => State::Here(file.id),
    };
    let mut files: Vec<&Curated> = curated.iter().collect();
    files.sort_unstable_by(|one, other| one.path.as_str().cmp(other.path.as_str()));
    for file in files {
        loop {
            let order = indexed.peek().map_or(Ordering::Greater, |(path, _)| (*path).cmp(file.path.as_str()));
            match order {
                Ordering::Less => {
                    changes.extend(indexed.next().map(|(path, _)| (path.to_owned(), State::Gone)));
                    continue;
                }
                Ordering::Equal => {
                    let (_, id) = indexed.next().expect("it was peeked at");
                    if id != file.id || file.ours.is_some() {
                        changes.insert(file.path.to_string(), state(file));
                    }
                }
                Ordering::Greater => drop(changes.insert(file.path.to_string(), state(file))),
            }
            break;
        }
    }
    changes.extend(indexed.map(|(path, _)| (path.to_owned(), State::Gone)));
    changes
}
