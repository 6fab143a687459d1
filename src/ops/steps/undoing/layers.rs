//! What taking an operation back makes of the files, the index and the next commit. Everything in memory.
//!
//! The merge has what the operation left as its base, what is there now as ours, what was before it as theirs. So a file
//! that nobody touched since is as before byte for byte, and an edited one keeps its edits.

use super::Error;
use super::disk::{Disk, version_in};
use crate::derive::stamp::{self, Stamp};
use crate::git::trees::{self, Change, Renames};
use crate::git::{self, Index, Scope, TreeId, Version};
use crate::journal::{self, IndexSides, Staged};
use crate::merge::{self, Side, Undecided};
use crate::ops::steps::merging::reconcile::{
    self, Conflict, ConflictKind, Event, Reconciled, Settled, Trees,
};
use crate::path::{self, Kind};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::{BTreeMap, HashSet};

/// What an operation did to files: in each change `before` is what is wanted back, `after` what it left.
pub(super) struct Effect {
    /// What it left, as a tree of the whole repository.
    pub left: TreeId,
    /// Relative to the tree; no renames.
    pub files: Vec<Change>,
}

/// What comes of taking it back.
pub(super) struct Merged {
    /// From what is on disk to what shall be, relative to the tree, sorted.
    pub files: Vec<Change>,
    /// What a person must decide; paths are full.
    pub conflicts: Vec<Conflict>,
    /// What was settled without a person; paths are full.
    pub settled: Vec<Settled>,
    /// Files of others with the name of a derived one, which stay.
    pub kept: Vec<BString>,
    /// Reads the bytes of all of them.
    pub reconciled: Reconciled,
}

/// Merge.
pub(super) fn merge(
    scope: &Scope,
    disk: &Disk,
    effect: &Effect,
    undecided: Undecided,
    (name, committed): (&str, [i64; 2]),
) -> Result<Merged, Error> {
    let (derived, files): (Vec<_>, Vec<_>) =
        effect.files.iter().partition(|change| is_derived(change.path.as_bstr()));
    let wanted: Vec<(BString, Option<Version>)> =
        files.iter().map(|change| (scope.full(&change.path), change.before)).collect();
    let theirs = disk.tree_with(effect.left, wanted.iter().map(|(path, version)| (path, *version)))?;
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
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut settled = std::mem::take(&mut reconciled.settled);
    if undecided == Undecided::Ours {
        keep_what_stands_there(scope, &mut files, &mut settled);
    }
    let mut conflicts = std::mem::take(&mut reconciled.conflicts);
    if undecided == Undecided::Mark {
        let open: HashSet<BString> = conflicts.iter().map(|conflict| conflict.path.clone()).collect();
        for file in settled.iter().filter(|file| removed_and_changed(file) && !open.contains(&file.path)) {
            let version = |tree| match trees::find(&whole, tree, file.path.as_bstr())? {
                Some(trees::Found::File(version)) => Ok::<_, git::Error>(Some(version)),
                _ => Ok(None),
            };
            let versions = [version(effect.left)?, version(disk.tree)?, version(theirs)?];
            let path = file.path.clone();
            conflicts.push(Conflict {
                path,
                versions,
                kind: ConflictKind::BothModified,
                decisions: Vec::new(),
            });
        }
        conflicts.sort_by(|a, b| a.path.cmp(&b.path));
    }
    Ok(Merged { files, conflicts, settled, kept, reconciled })
}

/// Where one side has a folder and the other a file, a merge gives the file another name: no side may lose it. Here what is to
/// come back is on record, and who wants what is there now gets no file beside it.
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

/// Whether a field that the operation brought, or took away, was edited since: a merge keeps the edit, around which there can
/// be no markers, but here nothing may silently stay or return.
fn removed_and_changed(file: &Settled) -> bool {
    let is_field = |place: &merge::Place| matches!(place, merge::Place::Field(_) | merge::Place::Whole);
    let is_kept = |record: &merge::Record| matches!(record.settled, merge::Settled::ChangeKept(_));
    file.records.iter().any(|record| is_kept(record) && is_field(&record.place))
}

/// A file with the name of a derived one is never merged: what brv made gives way, what another made does not.
fn restore_derived(disk: &Disk, derived: &[&Change], files: &mut Vec<Change>) -> Result<Vec<BString>, Error> {
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
    matches!(path::kind_of(&path.to_str_lossy()), Kind::Derived(_))
}

/// What files that come back were when the operation began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drafts {
    /// What came into a commit since goes back by one.
    Recorded,
    /// What no commit had then was somebody's draft, and is one again; the index is as the operation recorded it.
    Apart,
    /// There are none: the index alone is another, and what came into a commit from there since is there for good.
    Staged,
}

impl Drafts {
    /// An operation that gives up what stands on disk finds drafts there.
    pub(super) const fn of(kind: journal::Kind) -> Self {
        match kind {
            journal::Kind::Switch | journal::Kind::Restore | journal::Kind::Reset | journal::Kind::Remove => {
                Self::Apart
            }
            journal::Kind::Add => Self::Staged,
            _ => Self::Recorded,
        }
    }
}

/// What an operation left of a file in the index, what is there now, and what was there before it.
pub(super) type Sides = [Option<Version>; 3];

/// What is known of the index and of the commits around an operation.
pub(super) struct Around<'a> {
    /// The repository.
    pub scope: &'a Scope,
    /// The index as it is.
    pub index: &'a Index,
    /// The tree of `HEAD` as it is.
    pub head: TreeId,
    /// The tree of `HEAD` when the operation began.
    pub head_then: TreeId,
}

impl Around<'_> {
    fn staged(&self, path: &BStr) -> Staged {
        Staged::of(self.index, self.scope.full(path).as_bstr())
    }

    /// Whether index, disk and `HEAD` have the same file there.
    pub(super) fn is_clean(&self, change: &Change) -> Result<bool, git::Error> {
        let head = version_in(self.scope, self.head, change.path.as_bstr())?;
        Ok(change.before == head && self.staged(change.path.as_bstr()) == staged(head))
    }

    /// Whether the index still has something as the operation left it.
    pub(super) fn has_any(&self, recorded: &IndexSides) -> bool {
        let (before, after) = (&recorded.before.entries, &recorded.after.entries);
        after.iter().any(|(path, left)| {
            before.get(path) != Some(left) && Staged::of(self.index, path.as_bstr()) == *left
        })
    }

    /// What an operation left in the index that was recorded anew since (by full path): not what is as it was before it, and not
    /// what came into a commit.
    pub(super) fn recorded_anew(&self, recorded: &IndexSides) -> Result<Vec<(BString, Sides)>, git::Error> {
        let mut found = Vec::new();
        let whole = self.scope.whole();
        for (path, left) in &recorded.after.entries {
            let was = recorded.before.entries.get(path).copied().unwrap_or(Staged::Nothing);
            let now = Staged::of(self.index, path.as_bstr());
            if [was, *left].contains(&now) || was == *left {
                continue;
            }
            let sides = [*left, now, was].map(version_of);
            let [Some(left_version), Some(now_version), Some(was)] = sides else { continue };
            let head = version_in(&whole, self.head, path.as_bstr())?;
            if head != now_version && !self.is_committed_since(path.as_bstr(), *left)? {
                found.push((path.clone(), [left_version, now_version, was]));
            }
        }
        Ok(found)
    }

    /// Whether a commit that was made after the operation has at a path (full) what the operation staged.
    fn is_committed_since(&self, path: &BStr, left: Staged) -> Result<bool, git::Error> {
        let whole = self.scope.whole();
        let [now, then] = [self.head, self.head_then].map(|tree| version_in(&whole, tree, path));
        Ok(staged(now?) == left && staged(then?) != left)
    }

    /// Whether what is there now came into a commit after the operation.
    pub(super) fn is_recorded_since(&self, change: &Change) -> Result<bool, git::Error> {
        let then = version_in(self.scope, self.head_then, change.path.as_bstr())?;
        Ok(self.is_clean(change)? && change.before != then)
    }

    /// The entries of the index (by full path) that go back: those that are as the operation left them, and those that
    /// were recorded since from the file that goes back.
    pub(super) fn entries(
        &self,
        recorded: &IndexSides,
        files: &[Change],
        drafts: Drafts,
    ) -> Result<BTreeMap<BString, Staged>, git::Error> {
        let mut entries = BTreeMap::new();
        let was = |path: &BString| recorded.before.entries.get(path).copied().unwrap_or(Staged::Nothing);
        for (path, left) in &recorded.after.entries {
            if was(path) == *left || Staged::of(self.index, path.as_bstr()) != *left {
                continue;
            }
            if drafts != Drafts::Staged || !self.is_committed_since(path.as_bstr(), *left)? {
                entries.insert(path.clone(), was(path));
            }
        }
        for change in files {
            let full = self.scope.full(&change.path);
            let now = Staged::of(self.index, full.as_bstr());
            let left = match recorded.after.entries.get(&full) {
                Some(left) => *left,
                // the file may come from the index, which the operation then left as it was
                None if drafts == Drafts::Apart => continue,
                None => staged(version_in(self.scope, self.head_then, change.path.as_bstr())?),
            };
            if !entries.contains_key(&full) && now == staged(change.before) && now != left {
                entries.insert(full, staged(change.after));
            }
        }
        Ok(entries)
    }
}

/// The version of an entry, or that there is none; `None` where it is in conflict, or only meant to be added.
const fn version_of(staged: Staged) -> Option<Option<Version>> {
    match staged {
        Staged::Nothing => Some(None),
        Staged::Version(version) => Some(Some(version)),
        Staged::Intended | Staged::Unmerged(_) => None,
    }
}

/// One version, or none.
pub(super) fn staged(version: Option<Version>) -> Staged {
    version.map_or(Staged::Nothing, Staged::Version)
}
