//! What an operation changes in the index and in the merge state, stored as two commits.
//!
//! The tree of such a commit has a folder for each stage: `0/` with merged entries, `1/`, `2/` and `3/` with base, ours
//! and theirs of conflicts, and `4/` with the entries of `add --intent-to-add`, empty. Merged entries that are
//! skip-worktree are in `5/`, too, those that are assume-unchanged in `6/`. Next to the folders are `MERGE_MSG`,
//! `SQUASH_MSG`, `CHERRY_PICK_HEAD` and `REVERT_HEAD` if git has such a file. Its parents are the commits being merged,
//! then those being picked or reverted. Only entries that the operation changes are included.

use super::SNAPSHOT_SECONDS;
use crate::Stop;
use brv_git::commit::{self, NewCommit};
use brv_git::merge_state::{self, Mark, MergeState};
use brv_git::trees::{self, Renames};
use brv_git::{
    BlobId, CommitId, Edit, FileMode, Hiding, Index, Presence, Scope, Signature, TreeId, Version, store,
    tags, tree_of,
};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::BTreeMap;

/// The number of folders in such a tree: git's stages, and the intent-to-add entries.
const STAGES: usize = 5;

/// The folders of merged entries whose edits the user hides from git.
const SKIP_WORKTREE: usize = 5;
const ASSUME_UNCHANGED: usize = 6;

/// The state of a path in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Staged {
    Nothing,
    Version(Version),
    /// An intent-to-add entry, without content.
    Intended,
    /// Base, ours and theirs of a conflict.
    Unmerged([Option<Version>; 3]),
}

impl Staged {
    /// The state of a full path in an index.
    pub fn of(index: &Index, path: &BStr) -> Self {
        match index.version(path) {
            Some(_) if index.is_intended(path) => Self::Intended,
            Some(version) => Self::Version(version),
            None if index.contains(path) => Self::Unmerged(index.stages(path)),
            None => Self::Nothing,
        }
    }

    /// The edit that gives an index this state.
    pub const fn to_edit(self, presence: Presence) -> Edit {
        match self {
            Self::Nothing => Edit::Remove,
            Self::Version(version) => Edit::Put(version, presence),
            Self::Intended => Edit::Intend,
            Self::Unmerged(versions) => Edit::Unmerged(versions),
        }
    }

    pub const fn after(edit: &Edit) -> Self {
        match edit {
            Edit::Remove => Self::Nothing,
            Edit::Put(version, _) => Self::Version(*version),
            Edit::Intend => Self::Intended,
            Edit::Unmerged(versions) => Self::Unmerged(*versions),
        }
    }

    fn by_stage(self) -> [Option<Version>; STAGES] {
        match self {
            Self::Nothing => [None; STAGES],
            Self::Version(version) => [Some(version), None, None, None, None],
            Self::Unmerged([base, ours, theirs]) => [None, base, ours, theirs, None],
            Self::Intended => {
                [None, None, None, None, Some(Version { mode: FileMode::Regular, id: BlobId::of(b"") })]
            }
        }
    }
}

/// The files in which git keeps a merge, a squash, a pick or a revert in progress.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Waiting {
    pub merge: Option<MergeState>,
    pub squash: Option<BString>,
    /// The message of a pick or a revert.
    pub message: Option<BString>,
    /// The content of the file that names the picked commit.
    pub pick: Option<BString>,
    /// The content of the file that names the reverted commit.
    pub revert: Option<BString>,
}

impl Waiting {
    pub fn read(scope: &Scope) -> Result<Self, brv_base::fs::Error> {
        let mut waiting = Self { merge: merge_state::read(scope)?, ..Self::default() };
        for mark in waiting.marks() {
            *waiting.mark_mut(mark) = mark.read(scope)?;
        }
        Ok(waiting)
    }

    pub fn write(&self, scope: &Scope) -> Result<(), brv_base::fs::Error> {
        if Self::read(scope)? == *self {
            return Ok(());
        }
        match &self.merge {
            Some(merge) => merge_state::write(scope, merge)?,
            None => merge_state::clear(scope)?,
        }
        self.marks().try_for_each(|mark| mark.write(scope, self.mark(mark)))
    }

    /// The files other than those of a merge; during a merge, the message belongs to the merge.
    fn marks(&self) -> impl Iterator<Item = Mark> + use<> {
        let is_merging = self.merge.is_some();
        Mark::ALL.into_iter().filter(move |mark| *mark != Mark::Message || !is_merging)
    }

    const fn mark(&self, mark: Mark) -> Option<&BString> {
        match mark {
            Mark::Message => self.message.as_ref(),
            Mark::Squash => self.squash.as_ref(),
            Mark::Pick => self.pick.as_ref(),
            Mark::Revert => self.revert.as_ref(),
        }
    }

    const fn mark_mut(&mut self, mark: Mark) -> &mut Option<BString> {
        match mark {
            Mark::Message => &mut self.message,
            Mark::Squash => &mut self.squash,
            Mark::Pick => &mut self.pick,
            Mark::Revert => &mut self.revert,
        }
    }

    /// The commits being picked or reverted, as far as the files name valid ones.
    fn taken(&self) -> impl Iterator<Item = CommitId> {
        let named = |text: &BString| CommitId::from_hex(text.trim().to_str().ok()?);
        [&self.pick, &self.revert].into_iter().flatten().filter_map(named)
    }
}

/// One side of what an operation changes in the index and in the merge state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexSide {
    /// The entries by full path; both sides have the same paths.
    pub entries: BTreeMap<BString, Staged>,
    /// The merged entries among them whose edits the user hides from git. Before the operation these are all; after it
    /// they are those that an edit of the index alone would lose.
    pub hiding: BTreeMap<BString, Hiding>,
    /// The merge, squash, pick or revert in progress.
    pub waiting: Waiting,
}

/// The index and merge state before and after an operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexSides {
    pub before: IndexSide,
    pub after: IndexSide,
}

impl IndexSides {
    /// The sides for changing some entries (by full path) of an index; the merge state stays the same.
    pub fn of(
        scope: &Scope,
        index: &Index,
        changes: impl IntoIterator<Item = (BString, Staged)>,
    ) -> Result<Self, brv_base::fs::Error> {
        let waiting = Waiting::read(scope)?;
        let mut sides = Self {
            before: IndexSide { waiting: waiting.clone(), ..IndexSide::default() },
            after: IndexSide { waiting, ..IndexSide::default() },
        };
        for (path, staged) in changes {
            let hiding = Some(index.hiding(path.as_bstr())).filter(|hiding| !hiding.is_nothing());
            sides.before.hiding.extend(hiding.map(|hiding| (path.clone(), hiding)));
            sides.before.entries.insert(path.clone(), Staged::of(index, path.as_bstr()));
            sides.after.entries.insert(path, staged);
        }
        Ok(sides)
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.before == self.after
    }

    /// The entry at `old` (a full path) moves to `new`: its flags move, too.
    pub fn hide_moved(&mut self, old: &BStr, new: BString) {
        let hiding = self.before.hiding.get(old).copied();
        self.after.hiding.extend(hiding.map(|hiding| (new, hiding)));
    }

    /// Whether the new state of a full path is kept off the disk, because `index` keeps it off the disk there or at the
    /// path that the same version is moved from.
    pub fn off_disk<'a>(&self, index: &'a Index) -> impl Fn(&BStr, Staged) -> bool + use<'a> {
        let goes = |path: &BString| self.after.entries.get(path) == Some(&Staged::Nothing);
        let withheld = self.before.entries.iter().filter(|(path, _)| index.is_withheld(path.as_bstr()));
        let going: Vec<Staged> = withheld.filter(|(path, _)| goes(path)).map(|(_, was)| *was).collect();
        move |path, staged| index.is_withheld(path) || going.contains(&staged)
    }
}

pub(super) fn store(scope: &Scope, sides: &IndexSides, who: &Signature) -> Result<[CommitId; 2], Stop> {
    Ok([store_one(scope, &sides.before, who, "before")?, store_one(scope, &sides.after, who, "after")?])
}

fn store_one(scope: &Scope, side: &IndexSide, who: &Signature, word: &str) -> Result<CommitId, Stop> {
    let mut files: Vec<(BString, Version)> = Vec::new();
    for (path, staged) in &side.entries {
        for (stage, version) in staged.by_stage().into_iter().enumerate() {
            files.extend(version.map(|version| (format!("{stage}/{path}").into(), version)));
        }
    }
    for (path, hiding) in &side.hiding {
        let Some(Staged::Version(version)) = side.entries.get(path) else { continue };
        let flags = [(SKIP_WORKTREE, hiding.skip_worktree), (ASSUME_UNCHANGED, hiding.assume_unchanged)];
        let set = flags.into_iter().filter(|(_, is_set)| *is_set);
        files.extend(set.map(|(folder, _)| (format!("{folder}/{path}").into(), *version)));
    }
    let waiting = &side.waiting;
    let merge = waiting.merge.as_ref().map(|merge| (Mark::Message, &merge.message));
    let marks = waiting.marks().filter_map(|mark| Some((mark, waiting.mark(mark)?)));
    for (mark, text) in merge.into_iter().chain(marks) {
        let ids = store::write_blobs(scope, &[text.to_vec()])?;
        files.extend(ids.into_iter().map(|id| (mark.file().into(), Version { mode: FileMode::Regular, id })));
    }
    let tree = tree_of(scope, files)?;
    let mut parents = waiting.merge.as_ref().map(|merge| merge.heads.clone()).unwrap_or_default();
    parents.extend(waiting.taken().filter(|id| tags::commit_of(scope, *id) == Some(*id)));
    let commit = NewCommit {
        tree,
        parents,
        author: who.clone(),
        committer: who.at(SNAPSHOT_SECONDS),
        message: format!("index: {word}\n").into(),
    };
    Ok(commit::write(scope, &commit)?)
}

pub(super) fn read(scope: &Scope, [before, after]: [CommitId; 2]) -> Result<IndexSides, Stop> {
    let mut sides = IndexSides { before: read_one(scope, before)?, after: read_one(scope, after)? };
    // a side has no entry for a path that is absent there
    let paths: Vec<BString> =
        sides.before.entries.keys().chain(sides.after.entries.keys()).cloned().collect();
    for path in paths {
        sides.before.entries.entry(path.clone()).or_insert(Staged::Nothing);
        sides.after.entries.entry(path).or_insert(Staged::Nothing);
    }
    Ok(sides)
}

fn read_one(scope: &Scope, id: CommitId) -> Result<IndexSide, Stop> {
    let whole = scope.whole();
    let commit = commit::read(scope, id)?;
    let mut side = IndexSide::default();
    let mut stages: BTreeMap<BString, [Option<Version>; STAGES]> = BTreeMap::new();
    for file in trees::diff(&whole, TreeId::empty(), commit.tree, Renames::Ignore)? {
        let Some(version) = file.after else { continue };
        match staged_path(&file.path) {
            Some((stage @ 0..STAGES, path)) => stages.entry(path).or_default()[stage] = Some(version),
            Some((SKIP_WORKTREE, path)) => side.hiding.entry(path).or_default().skip_worktree = true,
            Some((ASSUME_UNCHANGED, path)) => side.hiding.entry(path).or_default().assume_unchanged = true,
            _ => {}
        }
    }
    for (path, [merged, base, ours, theirs, intended]) in stages {
        let staged = match (merged, intended) {
            (Some(merged), _) => Staged::Version(merged),
            (None, Some(_)) => Staged::Intended,
            (None, None) => Staged::Unmerged([base, ours, theirs]),
        };
        side.entries.insert(path, staged);
    }
    let text = |name: &str| -> Result<Option<BString>, Stop> {
        Ok(trees::file_bytes(&whole, commit.tree, name.into())?.map(Into::into))
    };
    for mark in Mark::ALL {
        *side.waiting.mark_mut(mark) = text(mark.file())?;
    }
    let mut heads = commit.parents;
    // commits that do not exist here were not stored as parents
    let taken: Vec<CommitId> = side.waiting.taken().collect();
    for id in taken.into_iter().rev() {
        heads.pop_if(|last| *last == id);
    }
    if !heads.is_empty() {
        let message = side.waiting.message.take().unwrap_or_default();
        side.waiting.merge = Some(MergeState { heads, message });
    }
    Ok(side)
}

fn staged_path(path: &BString) -> Option<(usize, BString)> {
    let (stage, rest) = path.split_once_str("/")?;
    let stage = std::str::from_utf8(stage).ok()?.parse().ok()?;
    Some((stage, rest.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_read_back_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let scope =
            brv_git::init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        let blob = |text: &str| {
            let ids = store::write_blobs(&scope, &[text.as_bytes().to_vec()]).unwrap();
            Version { mode: FileMode::Regular, id: ids[0] }
        };
        let who = Signature::anonymous(5);
        let other = NewCommit {
            tree: TreeId::empty(),
            parents: Vec::new(),
            author: who.clone(),
            committer: who.clone(),
            message: "other\n".into(),
        };
        let head = commit::write(&scope, &other).unwrap();
        let merge = MergeState { heads: vec![head], message: "Merge other\n".into() };
        let unmerged = Staged::Unmerged([None, Some(blob("ours")), Some(blob("theirs"))]);
        let sides = IndexSides {
            before: IndexSide {
                entries: BTreeMap::from([
                    ("a.md".into(), unmerged),
                    ("d/b.md".into(), Staged::Version(blob("b"))),
                    ("gone.md".into(), Staged::Nothing),
                ]),
                hiding: BTreeMap::from([(
                    "d/b.md".into(),
                    Hiding { skip_worktree: true, assume_unchanged: true },
                )]),
                waiting: Waiting {
                    merge: Some(merge),
                    pick: Some(format!("{head}\n").into()),
                    revert: Some(format!("{}\n", "a".repeat(40)).into()),
                    ..Waiting::default()
                },
            },
            after: IndexSide {
                entries: BTreeMap::from([
                    ("a.md".into(), Staged::Version(blob("ours"))),
                    ("d/b.md".into(), Staged::Nothing),
                    ("gone.md".into(), Staged::Intended),
                ]),
                hiding: BTreeMap::new(),
                waiting: Waiting {
                    squash: Some("squashed".into()),
                    message: Some("picked\n".into()),
                    pick: Some("no name of a commit".into()),
                    revert: Some(format!("{head}\n").into()),
                    ..Waiting::default()
                },
            },
        };
        let stored = store(&scope, &sides, &who).unwrap();
        assert_eq!(read(&scope, stored).unwrap(), sides);
    }
}
