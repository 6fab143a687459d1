//! Switches the work tree and the index from one tree to another without touching local edits. gitoxide's own checkout
//! overwrites regular files without asking, so it is not used.
//!
//! A plan is made first; it either lists everything in the way, or it can be carried out.

use super::status::{self, Now, StatusError, WorkTree};
use crate::Scope;
use crate::error::Error;
use crate::id::BlobId;
use crate::index::{Edit, Edits, Index, Presence};
use crate::objects::convert::Converter;
use crate::trees::Change;
use crate::version::Version;
use brv_base::fs::{self, FileKind};
use brv_base::sorting;
use bstr::{BStr, BString, ByteSlice};
use gix::index::entry::Stat;
use std::collections::{BTreeMap, BTreeSet};

/// Decides by path and bytes whether a file of a commit may be written to disk.
pub type Admit<'a> = dyn Fn(&BStr, Content<'_>) -> Admission + Sync + 'a;

/// The data available for the decision.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    /// Only its path and version so far.
    Unread(Version),
    Bytes(&'a [u8]),
    /// All bytes of a local file in a folder that must become a file. If it is withheld it is removed, else it is in
    /// the way.
    InTheWay(&'a [u8]),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    Admitted,
    /// It stays in the commit.
    Withheld(&'static str),
    /// The checkout is sparse and leaves it out: it stays in the commit, as the user asked.
    LeftOut,
}

impl Admission {
    /// `None` if it may be written, else the reason that the user must know, if any.
    pub(super) const fn refusal(self) -> Option<Option<&'static str>> {
        match self {
            Self::Admitted => None,
            Self::Withheld(reason) => Some(Some(reason)),
            Self::LeftOut => Some(None),
        }
    }
}

/// Files to write and to remove, ordered by path.
#[derive(Debug, Default)]
pub struct Plan {
    pub(super) writes: Vec<Write>,
    pub(super) removes: Vec<(BString, Before)>,
    /// Index entries that change without a file being written.
    pub(super) settled: Edits,
    /// Files that stay in the commit, with the reason.
    pub withheld: Vec<(BString, &'static str)>,
    pub(super) ground: WriteStrategy,
    pub(super) obstacles: Obstacles,
}

/// What happens to a file whose place is taken: a folder with files has its name, or what is above it is not a folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Obstacles {
    /// Nothing of the plan is carried out.
    #[default]
    Stop,
    /// It is not written, and reported.
    Report,
}

/// How files are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum WriteStrategy {
    /// A tree in use: readers see old bytes or new ones, never a part.
    #[default]
    Lived,
    /// A new tree that is not in use yet: its files are written in place.
    New,
}

#[derive(Debug)]
pub(super) struct Write {
    pub(super) path: BString,
    pub(super) version: Version,
    pub(super) before: Before,
}

/// The state on disk when the plan was made. Checked again right before the file is touched, since an editor may have
/// saved it meanwhile.
#[derive(Debug, Clone, Copy)]
pub(super) enum Before {
    Nothing,
    /// The bytes in the index, with its stat.
    Recorded(BlobId, Stat),
}

/// Local files that the switch would have overwritten. Nothing was touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InTheWay {
    /// Sorted, relative to the tree.
    pub paths: Vec<BString>,
    /// Those whose edits a flag of the index hides.
    pub hidden: Vec<BString>,
}

#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("{} local files are in the way", .0.paths.len())]
    InTheWay(InTheWay),
    #[error(transparent)]
    Git(#[from] Error),
    #[error(transparent)]
    File(#[from] fs::Error),
}

impl From<StatusError> for PlanError {
    fn from(error: StatusError) -> Self {
        match error {
            StatusError::Git(error) => Self::Git(error),
            StatusError::File(error) => Self::File(error),
        }
    }
}

impl Plan {
    /// The number of files to write or remove.
    pub fn len(&self) -> usize {
        self.writes.len() + self.removes.len()
    }

    /// The plan for exactly these changes (sorted), for files that have their old versions; other files are left alone,
    /// as is a file that changes before it is written. The caller updates the index.
    pub fn exactly(changes: &[Change], obstacles: Obstacles) -> Self {
        let mut plan = Self { obstacles, ..Self::default() };
        for change in changes.iter().filter(|change| change.before != change.after) {
            let before = change
                .before
                .map_or(Before::Nothing, |version| Before::Recorded(version.id, Stat::default()));
            match change.after {
                Some(version) => plan.writes.push(Write { path: change.path.clone(), version, before }),
                None => plan.removes.push((change.path.clone(), before)),
            }
        }
        plan
    }

    /// The files to remove or overwrite, with their versions in the index.
    pub fn going(&self) -> impl Iterator<Item = (&BStr, BlobId)> {
        let writes = self.writes.iter().map(|write| (&write.path, write.before));
        let removes = self.removes.iter().map(|(path, before)| (path, *before));
        writes.chain(removes).filter_map(|(path, before)| match before {
            Before::Recorded(id, _) => Some((path.as_bstr(), id)),
            Before::Nothing => None,
        })
    }

    /// The new index entries, by full path.
    pub fn edits(&self, scope: &Scope) -> Edits {
        let put = |write: &Write| (scope.full(&write.path), Edit::Put(write.version, Presence::Unknown));
        let mut edits: Edits = self.writes.iter().map(put).collect();
        edits.extend(self.removes.iter().map(|(path, _)| (scope.full(path), Edit::Remove)));
        edits.extend(self.settled.clone());
        edits
    }

    /// The paths (full) whose files are already as planned, so that only the index changes. Excludes skip-worktree
    /// paths, which have no file.
    pub fn standing<'a>(&'a self, index: &'a Index) -> impl Iterator<Item = (&'a BString, Option<Version>)> {
        self.settled
            .iter()
            .filter_map(|(path, edit)| match edit {
                Edit::Put(_, Presence::Withheld) => None,
                Edit::Put(version, _) => Some((path, Some(*version))),
                _ => Some((path, None)),
            })
            .filter(|(path, _)| !index.is_withheld(path.as_bstr()))
    }

    /// Whether the path will be removed from the index.
    fn takes_away(&self, scope: &Scope, path: &BStr) -> bool {
        self.removes.binary_search_by(|(removed, _)| removed.as_bstr().cmp(path)).is_ok()
            || matches!(self.settled.get(&scope.full(path)), Some(Edit::Remove))
    }

    /// Whether no file is touched.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Plans `changes` (sorted) from the tree that the index is based on.
///
/// # Errors
/// [`PlanError::InTheWay`] lists every local edit in the way.
pub fn plan(
    scope: &Scope,
    changes: &[Change],
    index: &Index,
    work_tree: &WorkTree,
    admit: &Admit<'_>,
) -> Result<Plan, PlanError> {
    let local = LocalState::of(scope, index, work_tree);
    let is_new =
        index.is_empty() && work_tree.is_empty() && changes.iter().all(|change| change.before.is_none());
    let ground = if is_new { WriteStrategy::New } else { WriteStrategy::Lived };
    // a new tree is complete without what came while it was written
    let obstacles = if is_new { Obstacles::Report } else { Obstacles::Stop };
    let mut plan = Plan { ground, obstacles, ..Plan::default() };
    let mut in_the_way = Vec::new();
    for change in changes {
        match local.verdict(change, admit)? {
            Verdict::Write(version, before) => {
                plan.writes.push(Write { path: change.path.clone(), version, before });
            }
            Verdict::Remove(before) => plan.removes.push((change.path.clone(), before)),
            Verdict::Settled(edit) => {
                plan.settled.insert(scope.full(&change.path), edit);
            }
            Verdict::Withhold(version, reason) => {
                plan.withheld.extend(reason.map(|reason| (change.path.clone(), reason)));
                plan.settled.insert(scope.full(&change.path), Edit::Put(version, Presence::Withheld));
                if let Some(before) =
                    change.before.filter(|_| !index.is_withheld(scope.full(&change.path).as_ref()))
                {
                    plan.removes.push((change.path.clone(), local.before(change.path.as_bstr(), before.id)));
                }
            }
            Verdict::InTheWay => in_the_way.push(change.path.clone()),
            Verdict::Behind(above) => in_the_way.push(above),
        }
    }
    sorting::sort_by(&mut plan.removes, |a, b| a.0.cmp(&b.0));
    in_the_way.extend(local.folders_in_the_way(&plan, admit)?);
    if in_the_way.is_empty() {
        return Ok(plan);
    }
    in_the_way.sort();
    in_the_way.dedup();
    let all_hidden = work_tree.hidden();
    let hidden = in_the_way.iter().filter(|path| all_hidden.contains(path.as_bstr())).cloned().collect();
    Err(PlanError::InTheWay(InTheWay { paths: in_the_way, hidden }))
}

enum Verdict {
    Write(Version, Before),
    Remove(Before),
    Settled(Edit),
    /// With the reason, if the user must know it.
    Withhold(Version, Option<&'static str>),
    InTheWay,
    /// The path is not reachable: this replaces a folder above it.
    Behind(BString),
}

/// The state on disk and in the index that no commit has.
struct LocalState<'a> {
    scope: &'a Scope,
    index: &'a Index,
    root: std::path::PathBuf,
    changed: BTreeMap<&'a BStr, &'a Now>,
    unexpected: BTreeMap<&'a BStr, bool>,
    converter: Converter,
}

impl<'a> LocalState<'a> {
    fn of(scope: &'a Scope, index: &'a Index, work_tree: &'a WorkTree) -> Self {
        Self {
            scope,
            index,
            root: scope.root(),
            changed: work_tree.changed.iter().map(|file| (file.path.as_bstr(), &file.now)).collect(),
            unexpected: work_tree
                .unexpected
                .iter()
                .map(|file| (file.path.as_bstr(), file.is_regular))
                .collect(),
            converter: Converter::of(scope),
        }
    }

    fn verdict(&self, change: &Change, admit: &Admit<'_>) -> Result<Verdict, PlanError> {
        let path = change.path.as_bstr();
        let full = self.scope.full(path);
        let recorded = self.index.version(full.as_bstr());
        let is_staged = recorded != change.before && recorded != change.after;
        let is_unmerged = recorded.is_none() && self.index.contains(full.as_bstr());
        if is_staged || is_unmerged {
            return Ok(Verdict::InTheWay);
        }
        let Some(after) = change.after else { return self.removal(path, recorded, change.before) };
        let here = self.id_on_disk(path, recorded)?;
        let is_version = recorded.is_some() && !self.index.is_withheld(full.as_bstr());
        match (admit(path, Content::Unread(after)), &here) {
            (Admission::Withheld(_), OnDisk::Edited(_) | OnDisk::NotAFile) if is_version => {
                return Ok(Verdict::InTheWay);
            }
            // an untracked file is not a version of it: it is the user's own, or generated by brv. It is kept
            (Admission::Withheld(reason), _) => return Ok(Verdict::Withhold(after, Some(reason))),
            (Admission::LeftOut, OnDisk::Nothing | OnDisk::Same(_)) => {
                return Ok(Verdict::Withhold(after, None));
            }
            (Admission::LeftOut | Admission::Admitted, _) => {}
        }
        Ok(match here {
            OnDisk::Nothing => Verdict::Write(after, Before::Nothing),
            OnDisk::Same(id) | OnDisk::Edited(id) if id == after.id => {
                Verdict::Settled(Edit::Put(after, Presence::Unknown))
            }
            OnDisk::Same(id) => Verdict::Write(after, self.before(path, id)),
            OnDisk::Edited(_) | OnDisk::NotAFile => Verdict::InTheWay,
        })
    }

    fn before(&self, path: &BStr, id: BlobId) -> Before {
        Before::Recorded(id, self.index.stat(self.scope.full(path).as_bstr()).unwrap_or_default())
    }

    fn removal(
        &self,
        path: &BStr,
        recorded: Option<Version>,
        before: Option<Version>,
    ) -> Result<Verdict, PlanError> {
        if recorded.is_none() {
            // already removed from the index: a file of that name is the user's own
            return Ok(Verdict::Settled(Edit::Remove));
        }
        Ok(match self.id_on_disk(path, before)? {
            OnDisk::Nothing => self
                .in_place_of_a_folder(path)?
                .map_or(Verdict::Settled(Edit::Remove), |above| Verdict::Behind(above.to_owned())),
            OnDisk::Same(id) => Verdict::Remove(self.before(path, id)),
            OnDisk::Edited(_) | OnDisk::NotAFile => Verdict::InTheWay,
        })
    }

    /// The file or symlink that replaces a folder above a path. As in git, a symlink counts if a file of that name
    /// exists below its target: users may take it for the tracked one.
    fn in_place_of_a_folder<'p>(&self, path: &'p BStr) -> Result<Option<&'p BStr>, fs::Error> {
        for above in path.find_iter(b"/").map(|slash| path[..slash].as_bstr()) {
            match fs::stat(&fs::below(&self.root, above)?)?.map(|stat| stat.kind) {
                Some(FileKind::Folder) => {}
                Some(FileKind::Symlink) => {
                    let leads_there = fs::stat(&fs::below(&self.root, path)?)?.is_some();
                    return Ok(leads_there.then_some(above));
                }
                stands => return Ok(stands.map(|_| above)),
            }
        }
        Ok(None)
    }

    fn id_on_disk(&self, path: &BStr, recorded: Option<Version>) -> Result<OnDisk, PlanError> {
        if let Some(now) = self.changed.get(path) {
            return Ok(match now {
                Now::Modified(id, _) => OnDisk::Edited(*id),
                Now::Deleted => OnDisk::Nothing,
                Now::NotAFile => OnDisk::NotAFile,
            });
        }
        match self.unexpected.get(path) {
            Some(true) => {
                let bytes = fs::read(&fs::below(&self.root, path)?)?;
                Ok(OnDisk::Edited(self.converter.id(path, &bytes)?))
            }
            Some(false) => Ok(OnDisk::NotAFile),
            None => {
                let withheld = self.index.is_withheld(self.scope.full(path).as_bstr());
                Ok(recorded.filter(|_| !withheld).map_or(OnDisk::Nothing, |version| OnDisk::Same(version.id)))
            }
        }
    }

    /// Untracked files in a folder that must become a file, and files where a folder is needed.
    fn folders_in_the_way(&self, plan: &Plan, admit: &Admit<'_>) -> Result<Vec<BString>, StatusError> {
        let mut found = Vec::new();
        let stays = |path: &BString| -> Result<bool, fs::Error> {
            let file = fs::below(&self.root, path.as_bstr())?;
            let is_regular = fs::stat(&file)?.is_some_and(|stat| stat.kind == FileKind::Regular);
            Ok(!is_regular || !gives_way(path.as_bstr(), &fs::read(&file)?, admit))
        };
        for Write { path, before: was, .. } in &plan.writes {
            let (file, before) = (fs::below(&self.root, path.as_bstr())?, found.len());
            // the caller's status may have skipped derived files
            if matches!(was, Before::Nothing)
                && plan.ground == WriteStrategy::Lived
                && fs::stat(&file)?.is_some_and(|stat| stat.kind == FileKind::Folder)
            {
                let inside = status::work_tree_at(self.scope, self.index, &[path.as_bstr()])?;
                found.extend(inside.unexpected.into_iter().map(|file| file.path));
            }
            let mut inside = path.clone();
            inside.push(b'/');
            let below =
                self.unexpected.range(inside.as_bstr()..).take_while(|(other, _)| other.starts_with(&inside));
            found.extend(below.map(|(other, _)| (*other).to_owned()));
            for other in found.split_off(before) {
                if stays(&other)? {
                    found.push(other);
                }
            }
            let mut above = path.as_bstr();
            while let Some(slash) = above.rfind_byte(b'/') {
                above = above[..slash].as_bstr();
                if self.unexpected.contains_key(above) || self.is_staged_file(above, plan) {
                    found.push(above.to_owned());
                }
            }
            found.extend(self.staged_below(path.as_bstr(), plan));
        }
        Ok(found)
    }

    /// A tracked file that the plan does not remove: staged, since neither commit has it.
    fn is_staged_file(&self, path: &BStr, plan: &Plan) -> bool {
        self.index.contains(self.scope.full(path).as_bstr()) && !plan.takes_away(self.scope, path)
    }

    /// Tracked files below a path that must become a file.
    fn staged_below(&self, path: &BStr, plan: &Plan) -> Vec<BString> {
        let full = self.scope.full(path);
        let below = self.index.below(full.as_bstr()).filter_map(|full| self.scope.strip(full));
        below.filter(|path| !plan.takes_away(self.scope, path)).map(ToOwned::to_owned).collect()
    }
}

/// Removes a folder in the place of a file if it holds nothing that must be kept. Returns whether no folder is left.
///
/// # Errors
/// A file that cannot be read or removed.
pub fn clear_folder(file: &std::path::Path, path: &BStr, admit: &Admit<'_>) -> Result<bool, fs::Error> {
    if !fs::stat(file)?.is_some_and(|stat| stat.kind == FileKind::Folder) {
        return Ok(true);
    }
    fs::remove_folder_of(file, &|inside, bytes| {
        let inside = [path.as_bytes(), b"/", inside.as_bytes()].concat();
        gives_way(inside.as_bstr(), bytes, admit)
    })
}

fn gives_way(path: &BStr, bytes: &[u8], admit: &Admit<'_>) -> bool {
    admit(path, Content::InTheWay(bytes)) != Admission::Admitted
}

/// Local files in the way of the files of these changes, which are not removed: files in a folder of that name, or a
/// file where a folder is needed. Files that the changes remove do not count. Sorted, relative to the tree.
pub fn in_the_way(scope: &Scope, changes: &[Change], admit: &Admit<'_>) -> Result<Vec<BString>, fs::Error> {
    let root = scope.root();
    let taken: BTreeSet<&BStr> =
        changes.iter().filter(|change| change.after.is_none()).map(|change| change.path.as_bstr()).collect();
    let mut found = BTreeSet::new();
    let mut folders = BTreeSet::new();
    for change in changes {
        let (path, Some(after)) = (change.path.as_bstr(), change.after) else { continue };
        let file = fs::below(&root, path)?;
        if fs::is_reached_by_folders(&root, &file)? && is_no_file(&file)? {
            found.insert(path.to_owned());
            continue;
        }
        // an existing file has its place; one that stays in the commit needs none
        if change.before.is_some() || admit(path, Content::Unread(after)) != Admission::Admitted {
            continue;
        }
        for above in path.find_iter(b"/").map(|slash| path[..slash].as_bstr()) {
            if !taken.contains(above)
                && folders.insert(above)
                && fs::stat(&fs::below(&root, above)?)?.is_some_and(|stat| stat.kind != FileKind::Folder)
            {
                found.insert(above.to_owned());
            }
        }
        if !fs::is_reached_by_folders(&root, &file)?
            || fs::stat(&file)?.is_none_or(|stat| stat.kind != FileKind::Folder)
        {
            continue;
        }
        for one in fs::inside(&file)? {
            let inside = BString::from([path.as_bytes(), b"/", one.path.as_bytes()].concat());
            let is_going = taken.contains(inside.as_bstr())
                || one.is_regular && gives_way(inside.as_bstr(), &fs::read(&one.file)?, admit);
            if !is_going {
                found.insert(inside);
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// Whether a symlink, a pipe or the like is there.
fn is_no_file(place: &std::path::Path) -> Result<bool, fs::Error> {
    let stands = fs::stat(place)?.map(|stat| stat.kind);
    Ok(stands.is_some_and(|kind| !matches!(kind, FileKind::Regular | FileKind::Folder)))
}

enum OnDisk {
    Nothing,
    Same(BlobId),
    Edited(BlobId),
    NotAFile,
}
