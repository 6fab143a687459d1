//! The request of an undo, and the plan made from it.

use super::forward::Foreign;
use super::task::Task;
use super::{RevertMode, UndoMode};
use brv_engine::journal::{Extent, OperationId, Record, RefMove, SettingsMove, Staged, Waiting};
use brv_engine::merge::reconcile::{Conflict, Settled};
use brv_git::pathspec::Pathspec;
use brv_git::switch::Admit;
use brv_git::trees::Change;
use brv_git::{Drafts, Hiding, Scope};
use brv_text::merge::Undecided;
use bstr::{BString, ByteSlice as _};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug, Clone, Copy)]
pub enum UndoSubject<'a> {
    Recorded(&'a Record),
    /// Several, newest first: undone one after the other, in one operation. No reference moves back.
    Together(&'a [&'a Record]),
    /// An operation of another clone, by its commits, newest first; each is the first parent of the one before.
    Commits(&'a [Foreign]),
    /// Several such operations, newest first: undone one after the other, in one operation.
    Foreign(&'a [(OperationId, Vec<Foreign>)]),
}

#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    pub what: UndoSubject<'a>,
    /// Only these files; empty: all.
    pub paths: &'a [Pathspec],
    /// What to do where a person would have to decide.
    pub undecided: Undecided,
    /// What becomes of a change that only a new commit can revert.
    pub ending: RevertMode,
    /// The label of the old version in conflict markers.
    pub name: &'a str,
    /// The time, in seconds since 1970.
    pub now: i64,
}

impl Wanted<'_> {
    /// The label of the old version, and when both sides of the merge were made.
    pub(super) const fn name_and_ages(&self, task: &Task) -> (&str, [i64; 2]) {
        (self.name, [self.now, task.committed])
    }
}

pub struct UndoPlan {
    /// How the operation is undone.
    pub manner: UndoMode,
    /// Whether part of the operation stays.
    pub extent: Extent,
    pub moves: Vec<RefMove>,
    /// Settings of branches and remotes to restore.
    pub settings: Vec<SettingsMove>,
    /// Settings restored without a user name or password, or not restored at all: secrets are not logged.
    pub without_secrets: Vec<String>,
    /// The changes to the files on disk, relative to the tree, sorted.
    pub files: Vec<Change>,
    /// Conflicts for a person to resolve; full paths.
    pub conflicts: Vec<Conflict>,
    /// What was settled without a person; full paths.
    pub settled: Vec<Settled>,
    /// The changes of the new commit, if there is one.
    pub committed: Vec<Change>,
    /// Files that are restored but not committed, because they have uncommitted edits.
    pub uncommitted: Vec<BString>,
    /// Files of other tools with the name of a derived file, which are kept.
    pub kept: Vec<BString>,
    /// For each operation that is undone, in order, whether anything changes. The sequence ends with the first that has
    /// conflicts.
    pub changed: Vec<bool>,
    /// Which of the files may be written to disk.
    pub(super) admits: Arc<Admit<'static>>,
    /// The new index entries, by full path.
    pub(super) entries: BTreeMap<BString, Staged>,
    /// The flags of new entries among them that hide edits.
    pub(super) hiding: BTreeMap<BString, Hiding>,
    /// The merge state after the undo.
    pub(super) waiting: Waiting,
    /// The bytes of all files, stored or not.
    pub(super) drafts: Drafts,
}

impl UndoPlan {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        let is_still = self.moves.is_empty() && self.settings.is_empty();
        is_still && self.files.is_empty() && self.entries.is_empty()
    }

    /// The files whose index entries change, relative to the tree, sorted; empty if a commit is made.
    pub fn staged(&self) -> Vec<BString> {
        let paths = self.entries.keys().filter(|_| self.manner != UndoMode::Committed);
        paths.filter_map(|path| self.scope().strip(path.as_bstr()).map(ToOwned::to_owned)).collect()
    }

    /// A scope that reads the bytes of all files, stored or not.
    pub const fn scope(&self) -> &Scope {
        self.drafts.scope()
    }
}
