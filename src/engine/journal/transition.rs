//! Everything that an operation changes, before and after: what is needed to apply it, to finish it, and to undo it.

use super::RefMove;
use super::index_sides::{self, IndexSide, IndexSides, Staged};
use crate::Stop;
use crate::journal::operation::record::Record;
use crate::journal::operation::touches::TreePart;
use brv_git::Scope;
use brv_git::settings_moves::SettingsMove;
use brv_git::trees::{self, Change, Renames};

/// Everything that an operation changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transition {
    /// Files of the work tree, sorted, relative to the tree; no renames.
    pub files: Vec<Change>,
    /// Entries of the index, and the merge state.
    pub index: IndexSides,
    pub moves: Vec<RefMove>,
    /// Settings of branches and remotes.
    pub settings: Vec<SettingsMove>,
}

impl Transition {
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.index.is_empty() && self.moves.is_empty() && self.settings.is_empty()
    }
}

/// Everything that a logged operation changed.
pub fn transition(scope: &Scope, record: &Record) -> Result<Transition, Stop> {
    let (before, after) = (scope.tree_of(record.before)?, scope.tree_of(record.after)?);
    let files = match record.touches.contains(TreePart::Files) {
        true => trees::diff(scope, before, after, Renames::Ignore)?,
        // they already were as they are after it
        false => Vec::new(),
    };
    let index = match record.index {
        Some(stored) => index_sides::read(scope, stored)?,
        None if record.touches.contains(TreePart::Index) => as_files(scope, &files),
        None => IndexSides::default(),
    };
    Ok(Transition { files, index, moves: record.moves.clone(), settings: record.settings.clone() })
}

fn as_files(scope: &Scope, files: &[Change]) -> IndexSides {
    let mut sides = IndexSides { before: IndexSide::default(), after: IndexSide::default() };
    for change in files {
        let path = scope.full(&change.path);
        let staged = |version: Option<_>| version.map_or(Staged::Nothing, Staged::Version);
        sides.before.entries.insert(path.clone(), staged(change.before));
        sides.after.entries.insert(path, staged(change.after));
    }
    sides
}
