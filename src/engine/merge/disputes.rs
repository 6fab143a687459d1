//! Find entries with disputed subjects or committed conflict markers, without reading entries that are unchanged since
//! the last look.
//!
//! A note in the cache lists these entries for one git tree; only files that differ from that tree are read. The note
//! may be deleted at any time: then all entries are read once.

use crate::derive;
use crate::open::context::Opened;
use crate::open::survey::Survey;
use brv_base::fs::{self, Durability, Form};
use brv_base::parallel;
use brv_base::path::TreePath;
use brv_git::status::StatusError;
use brv_git::trees::{self, Renames};
use brv_git::{Scope, TreeId};
use brv_text::doc::{self, Dispute, Document};
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// An entry with disputed subjects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "DisputedEntry")]
pub struct Disputed {
    /// Its path.
    pub path: TreePath,
    /// Its disputed subjects.
    pub subjects: Vec<Dispute>,
}

#[derive(Debug, Default)]
pub struct Unsettled {
    /// The entries with disputes, by path.
    pub disputed: Vec<Disputed>,
    /// Entries with conflict markers although no merge is in progress, by path.
    pub marked: Vec<TreePath>,
}

/// With more new files than this, new files are not read.
const MOST_NEW: usize = 1000;

const HEADER: &str = "brv disputed 2 ";

/// All entries with disputes or markers, by path; of a file in conflict, our side counts.
pub fn find(opened: &Opened, survey: &Survey) -> Result<Unsettled, StatusError> {
    let scope = &opened.scope;
    let file = opened.places.cache().join("disputed");
    let known = note(&file);
    let mut candidates = match &known {
        Some((tree, paths)) if *tree == survey.head_tree => paths.clone(),
        Some((tree, paths)) => match trees::diff(scope, *tree, survey.head_tree, Renames::Ignore) {
            Ok(changes) => {
                let changed = changes.iter().filter_map(|change| TreePath::parse(&change.path).ok());
                paths.iter().cloned().chain(changed).collect()
            }
            // the tree of the note was pruned: nothing referred to it any more
            Err(_) => all(scope, survey)?,
        },
        None => all(scope, survey)?,
    };
    let differing = differing(scope, survey)?;
    candidates.retain(|path| path.kind().is_curated());
    let all: BTreeSet<TreePath> = candidates.union(&differing).cloned().collect();
    let found = read(scope, survey, &all.into_iter().collect::<Vec<_>>())?;
    if known.is_none_or(|(tree, _)| tree != survey.head_tree) {
        // an entry that differs on disk may still have disputes in the tree
        let noted = candidates.iter().filter(|path| differing.contains(*path) || found.names(path));
        let mut text = format!("{HEADER}{}\n", survey.head_tree);
        noted.for_each(|path| text.extend([path.as_str(), "\n"]));
        // a note that cannot be written is regenerated the next time
        let _ = fs::replace(&file, text.as_bytes(), Durability::Later);
    }
    Ok(found)
}

/// The note; `None` if the file is missing or is not a note.
fn note(file: &Path) -> Option<(TreeId, BTreeSet<TreePath>)> {
    let bytes = fs::read_shipped(file, Form::Table).ok()??;
    let mut lines = bytes.lines();
    let tree = lines.next().and_then(|line| line.strip_prefix(HEADER.as_bytes()));
    let tree = tree.and_then(|tree| TreeId::from_hex(tree.to_str().ok()?));
    tree.map(|tree| (tree, lines.filter_map(|line| TreePath::parse(line).ok()).collect()))
}

/// Every curated path, for when nothing is known.
fn all(scope: &Scope, survey: &Survey) -> Result<BTreeSet<TreePath>, StatusError> {
    Ok(derive::curated_paths(scope, survey)?.into_iter().collect())
}

/// The curated paths that differ from `HEAD`, in the index or on disk.
fn differing(scope: &Scope, survey: &Survey) -> Result<BTreeSet<TreePath>, StatusError> {
    let staged = survey.staged(scope, Renames::Ignore)?;
    let unmerged = survey.index.unmerged();
    // an import that is not staged yet would be read every time
    let new = survey.work_tree.unexpected.iter().filter(|_| survey.work_tree.unexpected.len() <= MOST_NEW);
    let paths = staged
        .iter()
        .map(|change| change.path.as_bstr())
        .chain(survey.work_tree.changed.iter().map(|changed| changed.path.as_bstr()))
        .chain(new.map(|file| file.path.as_bstr()))
        .chain(unmerged.iter().filter_map(|full| scope.strip(full.as_bstr())));
    Ok(paths.filter_map(|path| TreePath::parse(path).ok()).filter(|path| path.kind().is_curated()).collect())
}

fn read(scope: &Scope, survey: &Survey, paths: &[TreePath]) -> Result<Unsettled, StatusError> {
    let root = scope.root();
    let ours = |path: &TreePath| survey.index.stages(scope.full(path.as_bytes()).as_bstr())[1];
    let conflicts: Vec<Option<Vec<u8>>> = paths
        .iter()
        .map(|path| ours(path).map(|version| trees::blob(scope, version.id)).transpose())
        .collect::<Result<_, _>>()?;
    let each: Vec<usize> = (0..paths.len()).collect();
    let reader = || (Vec::new(), fs::Below::of(&root));
    let found = parallel::try_map(&each, reader, |(buffer, below), at| {
        let place = paths[*at].on_disk(&root);
        match &conflicts[*at] {
            Some(ours) => buffer.clone_from(ours),
            None if !below.reaches(&place)? => return Ok(None),
            None if !place.is_file() || !fs::read_into(&place, buffer)? => return Ok(None),
            None => {}
        }
        let has_markers = conflicts[*at].is_none() && buffer.contains_str("<<<<<<<");
        if !doc::may_dispute(buffer) && !has_markers {
            return Ok(None);
        }
        let document = Document::parse(buffer.clone());
        let is_marked = has_markers && !document.conflicts().is_empty();
        Ok::<_, fs::Error>(Some((doc::disputes(&document), is_marked)))
    })?;
    let mut unsettled = Unsettled::default();
    for (path, found) in paths.iter().zip(found) {
        let Some((subjects, is_marked)) = found else { continue };
        if is_marked {
            unsettled.marked.push(path.clone());
        }
        if !subjects.is_empty() {
            unsettled.disputed.push(Disputed { path: path.clone(), subjects });
        }
    }
    Ok(unsettled)
}

impl Unsettled {
    fn names(&self, path: &TreePath) -> bool {
        self.disputed.iter().any(|entry| entry.path == *path) || self.marked.contains(path)
    }
}
