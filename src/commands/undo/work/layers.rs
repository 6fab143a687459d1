//! Compute the files, the index and the next commit that undoing an operation produces. Everything in memory.
//!
//! The merge base is the state that the operation left, ours is the current state, theirs is the state before the
//! operation. So a file untouched since is restored byte for byte, and an edited one keeps its edits.

use super::Error;
use super::disk::UndoDisk;
use brv_base::path::{self, PathKind};
use brv_base::sorting;
use brv_engine::journal::{self, IndexSides, Staged};
use brv_engine::merge::reconcile::{self, Conflict, ConflictKind, Event, Reconciled, Settled, Trees};
use brv_git as git;
use brv_git::trees::{self, Change, Renames};
use brv_git::{Index, Scope, TreeId, Version};
use brv_text::derive::stamp::{self, Stamp};
use brv_text::merge::{self, Side, Undecided};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The changes that an operation made to files: in each change `before` is the version to restore, `after` the version
/// it left.
pub(super) struct Effect {
    /// The tree that the operation left, of the whole repository, with the ancestors of the files that a merge kept.
    pub left: TreeId,
    /// The changed files, relative to the tree; no renames.
    pub files: Vec<Change>,
}

impl Effect {
    /// The tree to restore, of the whole repository.
    pub(super) fn before(&self, scope: &Scope, disk: &UndoDisk) -> Result<TreeId, git::Error> {
        // a derived file is never merged
        let files = self.files.iter().filter(|change| !is_derived(change.path.as_bstr()));
        let wanted: Vec<(BString, Option<Version>)> =
            files.map(|change| (scope.full(&change.path), change.before)).collect();
        disk.tree_with(self.left, wanted.iter().map(|(path, version)| (path, *version)))
    }
}

pub(super) struct UndoMerge {
    /// The changes to the files on disk, relative to the tree, sorted.
    pub files: Vec<Change>,
    /// Conflicts for a person to resolve; full paths.
    pub conflicts: Vec<Conflict>,
    /// What was settled without a person; full paths.
    pub settled: Vec<Settled>,
    /// Files of other tools with the name of a derived file, which are kept.
    pub kept: Vec<BString>,
    /// Reads the bytes of all these versions.
    pub reconciled: Reconciled,
}

/// Merge the current files with the state before the operation.
pub(super) fn merge(
    scope: &Scope,
    disk: &UndoDisk,
    effect: &Effect,
    undecided: Undecided,
    (name, committed): (&str, [i64; 2]),
) -> Result<UndoMerge, Error> {
    let derived: Vec<&Change> =
        effect.files.iter().filter(|change| is_derived(change.path.as_bstr())).collect();
    let theirs = effect.before(scope, disk)?;
    let trees = Trees { base: effect.left, ours: disk.tree, theirs };
    let options = super::strict(name, undecided);
    let mut reconciled = reconcile::reconcile_trees(disk.scope(), trees, committed, &options)?;
    let whole = reconciled.scope().whole();
    let found = trees::diff(&whole, disk.tree, reconciled.tree, Renames::Ignore)?;
    let mut files: Vec<Change> = found
        .into_iter()
        .filter_map(|change| Some(Change { path: scope.strip(change.path.as_bstr())?.to_owned(), ..change }))
        .collect();
    files.retain(|change| !is_derived(change.path.as_bstr()));
    let kept = restore_derived(disk, &derived, &mut files)?;
    sorting::sort_by(&mut files, |a, b| a.path.cmp(&b.path));
    let mut settled = std::mem::take(&mut reconciled.settled);
    if undecided == Undecided::Ours {
        keep_what_stands_there(scope, &mut files, &mut settled);
    }
    let united = united(scope, disk, effect, &mut files, undecided)?;
    let mut conflicts = std::mem::take(&mut reconciled.conflicts);
    if undecided == Undecided::Mark {
        let open: HashSet<BString> = conflicts.iter().map(|conflict| conflict.path.clone()).collect();
        let edited = settled.iter().filter(|file| removed_and_changed(file)).map(|file| file.path.clone());
        let paths: BTreeSet<BString> = edited.chain(united).filter(|path| !open.contains(path)).collect();
        for path in paths {
            let version = |tree| trees::file(&whole, tree, path.as_bstr());
            let versions = [version(effect.left)?, version(disk.tree)?, version(theirs)?];
            let kind = ConflictKind::of(&versions);
            conflicts.push(Conflict { path, versions, kind, other: None, decisions: Vec::new() });
        }
        sorting::sort_by(&mut conflicts, |a, b| a.path.cmp(&b.path));
    }
    Ok(UndoMerge { files, conflicts, settled, kept, reconciled })
}

/// Files that the operation removed and somebody made anew: no version precedes both, so a merge would only join their
/// texts. Whoever decides for one side gets that side; otherwise these paths (full) are conflicts.
fn united(
    scope: &Scope,
    disk: &UndoDisk,
    effect: &Effect,
    files: &mut Vec<Change>,
    undecided: Undecided,
) -> Result<Vec<BString>, Error> {
    let removed = |change: &&Change| change.before.is_some() && change.after.is_none();
    let was: BTreeMap<&BString, Option<Version>> =
        effect.files.iter().filter(removed).map(|change| (&change.path, change.before)).collect();
    let mut paths = Vec::new();
    for change in files.iter_mut().filter(|change| change.before.is_some() && change.after.is_some()) {
        let Some(was) = was.get(&change.path).filter(|was| **was != change.after) else { continue };
        if trees::file(disk.scope(), effect.left, change.path.as_bstr())?.is_some() {
            continue;
        }
        match undecided {
            Undecided::Ours => change.after = change.before,
            Undecided::Theirs => change.after = *was,
            Undecided::Mark | Undecided::Both | Undecided::Base => paths.push(scope.full(&change.path)),
        }
    }
    files.retain(|change| change.before != change.after);
    Ok(paths)
}

/// If one side has a folder and the other a file at the same path, a merge renames the file so that no side loses it.
/// In an undo the older version is in the operation log, so `--ours` keeps only the current state.
fn keep_what_stands_there(scope: &Scope, files: &mut Vec<Change>, settled: &mut [Settled]) {
    for one in settled {
        let Some(Event::Renamed { wanted, .. }) = &one.event else { continue };
        let wanted = wanted.clone();
        let is_of_it = |path: &BString| {
            let full = scope.full(path);
            let inner = full.strip_prefix(wanted.as_slice());
            full == one.path || inner.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        };
        files.retain(|change| !is_of_it(&change.path));
        one.event = Some(Event::OneSideTaken(Side::Ours));
        one.path = wanted;
    }
}

/// Whether a field that the operation added or removed was edited since: a merge keeps the edit without conflict
/// markers, but in an undo no content may silently stay or return.
fn removed_and_changed(file: &Settled) -> bool {
    let is_field = |place: &merge::MergePlace| {
        matches!(place, merge::MergePlace::Field { .. } | merge::MergePlace::Whole)
    };
    let is_kept = |record: &merge::Record| matches!(record.settled, merge::Settled::ChangeKept(_));
    file.records.iter().any(|record| is_kept(record) && is_field(&record.place))
}

/// A file with the name of a derived file is never merged: brv's own is replaced, another tool's is kept.
fn restore_derived(
    disk: &UndoDisk,
    derived: &[&Change],
    files: &mut Vec<Change>,
) -> Result<Vec<BString>, Error> {
    let mut kept = Vec::new();
    for change in derived {
        let now = disk.version(change.path.as_bstr())?;
        if now == change.before {
            continue;
        }
        let gives_way = match now {
            Some(version) if Some(version) != change.after => {
                matches!(stamp::read(&disk.bytes(version.id)?), Stamp::Ours { .. })
            }
            _ => true,
        };
        match gives_way {
            true => files.push(Change { before: now, after: change.before, ..(*change).clone() }),
            false => kept.push(change.path.clone()),
        }
    }
    Ok(kept)
}

fn is_derived(path: &BStr) -> bool {
    matches!(path::kind_of(&path.to_str_lossy()), PathKind::Derived(_))
}

/// The state of the restored files when the operation began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DraftState {
    /// Committed: a file that was committed since is restored by a commit.
    Recorded,
    /// A file that no commit had was a draft, and becomes one again; the index is restored as the operation found it.
    Apart,
    /// No files: only the index changed, and what was committed from it since stays committed.
    Staged,
}

impl DraftState {
    /// An operation that discards files on disk finds drafts there.
    pub(super) const fn of(kind: journal::OperationKind) -> Self {
        use journal::OperationKind;
        match kind {
            OperationKind::Switch | OperationKind::Restore | OperationKind::Reset | OperationKind::Remove => {
                Self::Apart
            }
            OperationKind::Add => Self::Staged,
            OperationKind::Adopt
            | OperationKind::Commit
            | OperationKind::Pull
            | OperationKind::Clone
            | OperationKind::Merge
            | OperationKind::AbortMerge
            | OperationKind::Resolve
            | OperationKind::Repair
            | OperationKind::Check
            | OperationKind::Undo
            | OperationKind::Branch
            | OperationKind::Move
            | OperationKind::Revert
            | OperationKind::Sync
            | OperationKind::Push
            | OperationKind::Remote
            | OperationKind::Tag
            | OperationKind::Curate
            | OperationKind::Archive
            | OperationKind::Unarchive
            | OperationKind::Dream
            | OperationKind::Reject
            | OperationKind::Confirm => Self::Recorded,
        }
    }
}

/// The index versions of a file: as the operation left it, now, and before the operation.
pub(super) type IndexVersions = [Option<Version>; 3];

/// The index and the commits around an operation.
pub(super) struct Around<'a> {
    pub scope: &'a Scope,
    pub index: &'a Index,
    /// Entries (by full path) that replace those of the index.
    pub entries: &'a BTreeMap<BString, Staged>,
    /// The current tree of `HEAD`.
    pub head: TreeId,
    /// The tree of `HEAD` when the operation began.
    pub head_then: TreeId,
}

impl Around<'_> {
    fn staged(&self, path: &BStr) -> Staged {
        self.entry(&self.scope.full(path))
    }

    /// The current index entry at a full path.
    fn entry(&self, full: &BString) -> Staged {
        self.entries.get(full).copied().unwrap_or_else(|| Staged::of(self.index, full.as_bstr()))
    }

    /// Whether index, disk and `HEAD` have the same version.
    pub(super) fn is_clean(&self, change: &Change) -> Result<bool, git::Error> {
        let head = trees::file(self.scope, self.head, change.path.as_bstr())?;
        Ok(change.before == head && self.staged(change.path.as_bstr()) == staged(head))
    }

    /// Whether any index entry is still as the operation left it.
    pub(super) fn has_any(&self, recorded: &IndexSides) -> bool {
        let (before, after) = (&recorded.before.entries, &recorded.after.entries);
        after.iter().any(|(path, left)| before.get(path) != Some(left) && self.entry(path) == *left)
    }

    /// Index entries of the operation that were staged again since (by full path); not those that are as before the
    /// operation, nor those that were committed.
    pub(super) fn recorded_anew(
        &self,
        recorded: &IndexSides,
    ) -> Result<Vec<(BString, IndexVersions)>, git::Error> {
        let mut found = Vec::new();
        let whole = self.scope.whole();
        for (path, left) in &recorded.after.entries {
            let was = recorded.before.entries.get(path).copied().unwrap_or(Staged::Nothing);
            let now = self.entry(path);
            if [was, *left].contains(&now) || was == *left {
                continue;
            }
            let sides = [*left, now, was].map(version_of);
            let [Some(left_version), Some(now_version), Some(was)] = sides else { continue };
            let head = trees::file(&whole, self.head, path.as_bstr())?;
            if head != now_version && !self.is_committed_since(path.as_bstr(), *left)? {
                found.push((path.clone(), [left_version, now_version, was]));
            }
        }
        Ok(found)
    }

    /// Whether a commit made after the operation has the version at a path (full) that the operation staged.
    fn is_committed_since(&self, path: &BStr, left: Staged) -> Result<bool, git::Error> {
        let whole = self.scope.whole();
        let [now, then] = [self.head, self.head_then].map(|tree| trees::file(&whole, tree, path));
        Ok(staged(now?) == left && staged(then?) != left)
    }

    /// Whether the current version was committed after the operation.
    pub(super) fn is_recorded_since(&self, change: &Change) -> Result<bool, git::Error> {
        let then = trees::file(self.scope, self.head_then, change.path.as_bstr())?;
        Ok(self.is_clean(change)? && change.before != then)
    }

    /// The index entries (by full path) to restore: those that are as the operation left them, and those that were
    /// staged since from a restored file.
    pub(super) fn entries(
        &self,
        recorded: &IndexSides,
        files: &[Change],
        drafts: DraftState,
    ) -> Result<BTreeMap<BString, Staged>, git::Error> {
        let mut entries = BTreeMap::new();
        let was = |path: &BString| recorded.before.entries.get(path).copied().unwrap_or(Staged::Nothing);
        for (path, left) in &recorded.after.entries {
            if was(path) == *left || self.entry(path) != *left {
                continue;
            }
            if drafts != DraftState::Staged || !self.is_committed_since(path.as_bstr(), *left)? {
                entries.insert(path.clone(), was(path));
            }
        }
        for change in files {
            let full = self.scope.full(&change.path);
            let now = self.entry(&full);
            let left = match recorded.after.entries.get(&full) {
                Some(left) => *left,
                // the file may come from the index, which the operation did not change
                None if drafts == DraftState::Apart => continue,
                None => staged(trees::file(self.scope, self.head_then, change.path.as_bstr())?),
            };
            if !entries.contains_key(&full) && now == staged(change.before) && now != left {
                entries.insert(full, staged(change.after));
            }
        }
        Ok(entries)
    }
}

/// The version of an entry, possibly none; `None` if it is in conflict or only intended to be added.
const fn version_of(staged: Staged) -> Option<Option<Version>> {
    match staged {
        Staged::Nothing => Some(None),
        Staged::Version(version) => Some(Some(version)),
        Staged::Intended | Staged::Unmerged(_) => None,
    }
}

/// An index entry with this version, or none.
pub(super) fn staged(version: Option<Version>) -> Staged {
    version.map_or(Staged::Nothing, Staged::Version)
}
