//! Undo operations one after the other, in memory: each on top of what the one before it leaves.

use super::again::{self, Again};
use super::disk::UndoDisk;
use super::kept_files;
use super::layers::{self, Around, DraftState, Effect, UndoMerge, staged};
use super::overviews;
use super::planned::{UndoPlan, Wanted};
use super::records;
use super::task::Task;
use super::way::Way;
use super::{Error, RevertMode, UndoMode, merging, never, refuse};
use brv_engine::journal::{Extent, RefMove, SettingsMove, Staged, Waiting};
use brv_engine::merge::reconcile::{Conflict, Reconciled, Settled};
use brv_engine::open::survey::Survey;
use brv_engine::vc::work_tree::ongoing;
use brv_git as git;
use brv_git::switch::Admit;
use brv_git::trees::Change;
use brv_git::{BlobId, Hiding, Scope, TreeId};
use bstr::{BString, ByteSlice as _};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// What the operations undone so far come to.
pub(super) struct UndoSequence<'a> {
    scope: &'a Scope,
    survey: &'a Survey,
    wanted: &'a Wanted<'a>,
    /// The files on disk, without the changes of the last step.
    disk: UndoDisk,
    /// The tree of `HEAD` with what is committed, without the changes of the last step.
    head: TreeId,
    last: Option<Last>,
    files: BTreeMap<BString, Change>,
    committed: BTreeMap<BString, Change>,
    uncommitted: BTreeSet<BString>,
    entries: BTreeMap<BString, Staged>,
    hiding: BTreeMap<BString, Hiding>,
    conflicts: Vec<Conflict>,
    settled: Vec<Settled>,
    kept: BTreeSet<BString>,
    moves: Vec<RefMove>,
    settings: Vec<SettingsMove>,
    without_secrets: Vec<String>,
    /// Whether a file that is left out of the commit is worth reporting.
    is_told: bool,
    changed: Vec<bool>,
    admits: Arc<Admit<'static>>,
    waiting: Waiting,
    extent: Extent,
}

/// After this many operations, the trees made for them are dropped: each merge begins with a copy of all objects in
/// memory. Making the current trees again each time took longer, too.
const KEEPS_TREES: usize = 16;

/// The changes of the last step.
struct Last {
    files: Vec<Change>,
    committed: Vec<Change>,
    reconciled: Reconciled,
}

/// What one operation comes to.
struct UndoStep {
    merged: UndoMerge,
    committed: Vec<Change>,
    uncommitted: Vec<BString>,
    entries: BTreeMap<BString, Staged>,
    again: Again,
}

impl<'a> UndoSequence<'a> {
    /// Nothing is undone yet. `first` is the first task, `paths` are the files (relative to the tree) of all of them.
    pub(super) fn new<'p>(
        scope: &'a Scope,
        survey: &'a Survey,
        wanted: &'a Wanted<'a>,
        (first, paths): (&Task, impl Iterator<Item = &'p BString>),
    ) -> Result<Self, Error> {
        Ok(Self {
            scope,
            survey,
            wanted,
            disk: UndoDisk::look(scope, survey, paths)?,
            head: survey.head_tree,
            last: None,
            files: BTreeMap::new(),
            committed: BTreeMap::new(),
            uncommitted: BTreeSet::new(),
            entries: BTreeMap::new(),
            hiding: BTreeMap::new(),
            conflicts: Vec::new(),
            settled: Vec::new(),
            kept: BTreeSet::new(),
            moves: Vec::new(),
            settings: Vec::new(),
            without_secrets: Vec::new(),
            is_told: false,
            changed: Vec::new(),
            admits: Arc::clone(&first.admits),
            waiting: first.waiting.clone(),
            extent: first.extent,
        })
    }

    /// Whether a person has to decide something: what comes before that is not undone.
    pub(super) const fn has_conflicts(&self) -> bool {
        !self.conflicts.is_empty()
    }

    /// Undo the next older operation.
    pub(super) fn undo(&mut self, mut task: Task) -> Result<(), Error> {
        self.catch_up()?;
        let step = self.step(&mut task)?;
        let UndoStep { merged, committed, uncommitted, entries, again } = step;
        // a conflict is among the entries
        self.changed.push(!merged.files.is_empty() || !entries.is_empty());
        join(&mut self.files, &merged.files);
        join(&mut self.committed, &committed);
        self.uncommitted.extend(uncommitted);
        self.entries.extend(entries);
        let is_new = |path: &BString| !self.survey.index.contains(path.as_bstr());
        self.hiding.extend(task.hiding.into_iter().filter(|(path, _)| is_new(path)));
        self.conflicts = merged.conflicts;
        self.settled.extend(merged.settled.into_iter().chain(again.settled));
        self.kept.extend(merged.kept);
        // elsewhere there is no commit that a file could be missing from
        self.is_told |= task.way == Way::Forward && self.wanted.ending == RevertMode::Commit;
        if let Way::Back(moves) = task.way {
            self.moves.extend(moves);
        }
        self.settings.extend(task.settings);
        self.without_secrets.extend(task.without_secrets);
        self.waiting = task.waiting;
        let reconciled = again.reconciled.unwrap_or(merged.reconciled);
        self.last = Some(Last { files: merged.files, committed, reconciled });
        Ok(())
    }

    /// Take over the changes of the last step.
    fn catch_up(&mut self) -> Result<(), Error> {
        let Some(last) = self.last.take() else { return Ok(()) };
        self.disk.change(&last.files, last.reconciled.scope())?;
        if self.changed.len().is_multiple_of(KEEPS_TREES) {
            self.disk.drop_other_trees()?;
            self.head = self.committed_to(self.survey.head_tree, self.committed.values())?;
        } else {
            self.head = self.committed_to(self.head, &last.committed)?;
        }
        Ok(())
    }

    /// The tree with what is committed. In a bigger repository nothing is.
    fn committed_to<'c>(
        &self,
        tree: TreeId,
        changes: impl IntoIterator<Item = &'c Change>,
    ) -> Result<TreeId, git::Error> {
        if self.wanted.ending == RevertMode::Write {
            return Ok(tree);
        }
        let versions: Vec<_> =
            changes.into_iter().map(|change| (self.scope.full(&change.path), change.after)).collect();
        self.disk.tree_with(tree, versions.iter().map(|(path, version)| (path, *version)))
    }

    fn step(&mut self, task: &mut Task) -> Result<UndoStep, Error> {
        let merged = self.merged(task)?;
        let around = Around {
            scope: self.disk.scope(),
            index: &self.survey.index,
            entries: &self.entries,
            head: self.head,
            head_then: task.head_then,
        };
        let (committed, uncommitted) = task.by_commit(&around, &merged)?;
        let committed: Vec<Change> = committed.into_iter().cloned().collect();
        let mut entries = match task.way {
            Way::Forward => BTreeMap::new(),
            Way::Back(_) => around.entries(&task.index, &merged.files, task.drafts)?,
        };
        let mut again = match (task.drafts, &task.way) {
            (DraftState::Staged, Way::Back(_)) => {
                let (over, name) = (merged.reconciled.scope(), self.wanted.name_and_ages(task));
                again::merge(&around, over, &task.index, self.wanted.undecided, name)?
            }
            _ => Again::default(),
        };
        self.refuse_staged_anew(&again)?;
        entries.append(&mut again.entries);
        if entries.is_empty() && task.drafts == DraftState::Staged && around.has_any(&task.index) {
            return Err(never(
                "its staged changes have been committed since",
                "revert the commit with `brv vc revert COMMIT`, or undo a logged operation with `brv undo ID`",
            ));
        }
        for change in &committed {
            let full = self.scope.full(&change.path);
            match self.wanted.ending {
                RevertMode::Commit | RevertMode::Stage => entries.insert(full, staged(change.after)),
                RevertMode::Write => entries.remove(&full),
            };
        }
        let open = |conflict: &Conflict| (conflict.path.clone(), Staged::Unmerged(conflict.versions));
        entries.extend(merged.conflicts.iter().map(open));
        Ok(UndoStep { merged, committed, uncommitted, entries, again })
    }

    /// The result of undoing the effect of the task. The overviews that stay are no longer part of the effect.
    fn merged(&mut self, task: &mut Task) -> Result<UndoMerge, Error> {
        let (scope, disk) = (self.scope, &mut self.disk);
        let (undecided, name) = (self.wanted.undecided, self.wanted.name_and_ages(task));
        kept_files::give_bases(scope, disk, self.survey.head.commit(), task)?;
        records::reduce(scope, disk, &mut task.effect, &task.beside)?;
        let mut merged = layers::merge(scope, disk, &task.effect, undecided, name)?;
        if overviews::keep(scope, disk, &mut task.effect, &merged)? {
            merged = layers::merge(scope, disk, &task.effect, undecided, name)?;
        }
        refuse_what_it_did_not_bring(&task.effect, &merged.files)?;
        Ok(merged)
    }

    fn refuse_staged_anew(&self, again: &Again) -> Result<(), Error> {
        let relative = |open: &Conflict| {
            let path = open.path.as_bstr();
            self.scope.strip(path).unwrap_or(path).to_owned()
        };
        let open: Vec<BString> = again.open.iter().map(relative).collect();
        let help = "undo that first, or take one side or both with `--on-conflict`";
        refuse(&open, "the lines that it staged have been staged again since", help)
    }

    /// All of it, as one plan.
    pub(super) fn planned(mut self) -> Result<UndoPlan, Error> {
        for changes in [&mut self.files, &mut self.committed] {
            changes.retain(|_, change| change.before != change.after);
        }
        let index = &self.survey.index;
        self.entries.retain(|path, entry| Staged::of(index, path.as_bstr()) != *entry);
        if !self.committed.is_empty() {
            ongoing::refuse(self.scope)?;
            if self.waiting.merge.is_some() {
                return Err(merging(self.scope));
            }
        }
        let manner = match self.wanted.ending {
            _ if self.committed.is_empty() => UndoMode::Restored,
            RevertMode::Commit => UndoMode::Committed,
            RevertMode::Stage | RevertMode::Write => UndoMode::Left,
        };
        let is_told = self.is_told || manner == UndoMode::Committed;
        Ok(UndoPlan {
            manner,
            extent: self.extent,
            moves: self.moves,
            settings: self.settings,
            without_secrets: self.without_secrets,
            files: self.files.into_values().collect(),
            conflicts: self.conflicts,
            settled: self.settled,
            committed: self.committed.into_values().collect(),
            uncommitted: self.uncommitted.into_iter().filter(|_| is_told).collect(),
            kept: self.kept.into_iter().collect(),
            changed: self.changed,
            admits: self.admits,
            entries: self.entries,
            hiding: self.hiding,
            waiting: self.waiting,
            drafts: match self.last {
                Some(last) => last.reconciled.into_drafts(),
                None => self.disk.into_drafts(),
            },
        })
    }
}

/// Put the changes of a step on top of earlier ones.
fn join(all: &mut BTreeMap<BString, Change>, step: &[Change]) {
    for change in step {
        all.entry(change.path.clone()).or_insert_with(|| change.clone()).after = change.after;
    }
}

/// The law of every undo: it removes no file that the operation did not add. A file that was moved since is removed at
/// its current path.
fn refuse_what_it_did_not_bring(effect: &Effect, files: &[Change]) -> Result<(), Error> {
    let brought = || effect.files.iter().filter(|change| change.before.is_none());
    let paths: HashSet<&BString> = brought().map(|change| &change.path).collect();
    let versions: Vec<BlobId> = brought().filter_map(|change| Some(change.after?.id)).collect();
    let is_brought = |change: &Change| {
        paths.contains(&change.path) || change.before.is_some_and(|version| versions.contains(&version.id))
    };
    let removed = files.iter().filter(|change| change.after.is_none());
    let others: Vec<BString> =
        removed.filter(|change| !is_brought(change)).map(|change| change.path.clone()).collect();
    let message = "it would remove files that the operation did not add";
    refuse(&others, message, "undo single files with `brv undo ID PATH`")
}
