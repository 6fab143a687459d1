//! Undo operations one after the other, in memory: each on top of what the one before it leaves.

use super::again::{self, Again};
use super::disk::Disk;
use super::layers::{self, Around, Drafts, Merged, staged};
use super::overviews;
use super::plan::{Planned, Wanted, refuse_what_it_did_not_bring};
use super::task::Task;
use super::way::Way;
use super::{Error, Refused, RevertMode, UndoMode};
use crate::git::switch::Admit;
use crate::git::trees::Change;
use crate::git::{Hiding, Scope, TreeId};
use crate::journal::{Extent, RefMove, SettingsMove, Staged, Waiting};
use crate::ops::Keeper;
use crate::ops::steps::reconcile::{Conflict, Reconciled, Settled};
use crate::ops::steps::survey::Survey;
use crate::ops::steps::work_tree::ongoing;
use bstr::{BString, ByteSlice as _};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the operations undone so far come to.
pub(super) struct Sequence<'a> {
    scope: &'a Scope,
    survey: &'a Survey,
    wanted: &'a Wanted<'a>,
    /// The files on disk, without the changes of the last step.
    disk: Disk,
    /// The tree of `HEAD` with what is committed, without the changes of the last step.
    head: TreeId,
    last: Option<(Vec<Change>, Reconciled)>,
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

/// What one operation comes to.
struct Step {
    merged: Merged,
    committed: Vec<Change>,
    uncommitted: Vec<BString>,
    entries: BTreeMap<BString, Staged>,
    again: Again,
}

impl<'a> Sequence<'a> {
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
            disk: Disk::look(scope, survey, paths)?,
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
        let Step { merged, committed, uncommitted, entries, again } = step;
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
        self.last = Some((merged.files, again.reconciled.unwrap_or(merged.reconciled)));
        Ok(())
    }

    /// Take over the changes of the last step.
    fn catch_up(&mut self) -> Result<(), Error> {
        let Some((files, reconciled)) = self.last.take() else { return Ok(()) };
        self.disk.change(&files, reconciled.scope())?;
        if self.wanted.ending != RevertMode::Write {
            let committed: Vec<_> =
                self.committed.values().map(|change| (self.scope.full(&change.path), change.after)).collect();
            let versions = committed.iter().map(|(path, version)| (path, *version));
            self.head = self.disk.tree_with(self.survey.head_tree, versions)?;
        }
        Ok(())
    }

    fn step(&mut self, task: &mut Task) -> Result<Step, Error> {
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
            (Drafts::Staged, Way::Back(_)) => {
                let (over, name) = (merged.reconciled.scope(), self.wanted.name_and_ages(task));
                again::merge(&around, over, &task.index, self.wanted.undecided, name)?
            }
            _ => Again::default(),
        };
        self.refuse_staged_anew(&again)?;
        entries.append(&mut again.entries);
        if entries.is_empty() && task.drafts == Drafts::Staged && around.has_any(&task.index) {
            return Err(Refused::CommittedSince.into());
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
        Ok(Step { merged, committed, uncommitted, entries, again })
    }

    /// The result of undoing the effect of the task. The overviews that stay are no longer part of the effect.
    fn merged(&mut self, task: &mut Task) -> Result<Merged, Error> {
        let (scope, disk) = (self.scope, &mut self.disk);
        let (undecided, name) = (self.wanted.undecided, self.wanted.name_and_ages(task));
        let mut merged = layers::merge(scope, disk, &task.effect, undecided, name)?;
        if overviews::keep(scope, disk, &mut task.effect, &merged)? {
            merged = layers::merge(scope, disk, &task.effect, undecided, name)?;
        }
        refuse_what_it_did_not_bring(&task.effect, &merged.files)?;
        Ok(merged)
    }

    fn refuse_staged_anew(&self, again: &Again) -> Result<(), Refused> {
        let relative = |open: &Conflict| {
            let path = open.path.as_bstr();
            self.scope.strip(path).unwrap_or(path).to_owned()
        };
        let open: Vec<BString> = again.open.iter().map(relative).collect();
        if open.is_empty() { Ok(()) } else { Err(Refused::RecordedAnew(open)) }
    }

    /// All of it, as one plan.
    pub(super) fn planned(mut self) -> Result<Planned, Error> {
        for changes in [&mut self.files, &mut self.committed] {
            changes.retain(|_, change| change.before != change.after);
        }
        let index = &self.survey.index;
        self.entries.retain(|path, entry| Staged::of(index, path.as_bstr()) != *entry);
        if !self.committed.is_empty() {
            ongoing::refuse(self.scope)?;
            if self.waiting.merge.is_some() {
                return Err(Refused::Merging(Keeper::of(self.scope)).into());
            }
        }
        let manner = match self.wanted.ending {
            _ if self.committed.is_empty() => UndoMode::Restored,
            RevertMode::Commit => UndoMode::Committed,
            RevertMode::Stage | RevertMode::Write => UndoMode::Left,
        };
        let is_told = self.is_told || manner == UndoMode::Committed;
        Ok(Planned {
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
                Some((_, reconciled)) => reconciled.into_drafts(),
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
