//! Plan an undo before anything is written.

use super::again::{self, Again};
use super::disk::{Disk, version_in};
use super::forward::Foreign;
use super::layers::{self, Around, Drafts, Effect, Merged, staged};
use super::overviews;
use super::way::{self, Share, Way};
use super::{Error, Refused, RevertMode, UndoMode};
use crate::git::pathspec::{Pathspec, Pathspecs};
use crate::git::settings_moves::{self, Owner, Standing};
use crate::git::switch::{self, Admit};
use crate::git::trees::{self, Change, Renames};
use crate::git::{BlobId, CommitId, Hiding, Scope, TreeId};
use crate::journal::{self, Extent, IndexSides, Record, RefMove, SettingsMove, Staged, Transition, Waiting};
use crate::merge::Undecided;
use crate::ops::Keeper;
use crate::ops::steps::policy::own_files;
use crate::ops::steps::reconcile::{Conflict, Reconciled, Settled};
use crate::ops::steps::survey::Survey;
use crate::ops::steps::work_tree::ongoing;
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

#[derive(Debug, Clone, Copy)]
pub enum What<'a> {
    Recorded(&'a Record),
    /// An operation of another clone, by its commits, newest first; each is the first parent of the one before.
    Commits(&'a [Foreign]),
}

#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    pub what: What<'a>,
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
    const fn name_and_ages(&self, task: &Task) -> (&str, [i64; 2]) {
        (self.name, [self.now, task.committed])
    }
}

pub struct Planned {
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
    /// The files of the new commit, if there is one.
    pub committed: Vec<BString>,
    /// Files that are restored but not committed, because they have uncommitted edits.
    pub uncommitted: Vec<BString>,
    /// Files of other tools with the name of a derived file, which are kept.
    pub kept: Vec<BString>,
    /// Which of the files may be written to disk.
    pub(super) admits: Arc<Admit<'static>>,
    /// The new index entries, by full path.
    pub(super) entries: BTreeMap<BString, Staged>,
    /// The flags of new entries among them that hide edits.
    pub(super) hiding: BTreeMap<BString, Hiding>,
    /// The merge state after the undo.
    pub(super) waiting: Waiting,
    reconciled: Reconciled,
}

impl Planned {
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
        self.reconciled.scope()
    }
}

/// The input for choosing between restoring and reverting.
struct Task {
    admits: Arc<Admit<'static>>,
    /// What hid edits before the operation.
    hiding: BTreeMap<BString, Hiding>,
    drafts: Drafts,
    way: Way,
    effect: Effect,
    index: IndexSides,
    settings: Vec<SettingsMove>,
    without_secrets: Vec<String>,
    waiting: Waiting,
    extent: Extent,
    head_then: TreeId,
    committed: i64,
}

/// Plan an undo.
///
/// # Errors
/// [`Error`]; conflicts are part of the plan. If nothing would change, [`Refused::NothingLeft`], or
/// [`Refused::AllStays`] if something had to be settled.
pub fn plan(scope: &Scope, survey: &Survey, wanted: &Wanted<'_>) -> Result<Planned, Error> {
    let planned = planned(scope, survey, wanted)?;
    let changes_nothing = planned.is_empty() && planned.conflicts.is_empty();
    if changes_nothing && planned.waiting == Waiting::read(scope)? {
        // if logged, it would count as undone, with nothing to redo
        let is_plain = planned.settled.is_empty();
        return Err(if is_plain { Refused::NothingLeft } else { Refused::AllStays }.into());
    }
    let found = switch::in_the_way(scope, &planned.files, &*planned.admits)?;
    if found.is_empty() { Ok(planned) } else { Err(Refused::InTheWay(found).into()) }
}

fn planned(scope: &Scope, survey: &Survey, wanted: &Wanted<'_>) -> Result<Planned, Error> {
    let mut task = match wanted.what {
        What::Recorded(record) => recorded(scope, survey, record, wanted.paths)?,
        What::Commits(commits) => foreign(scope, survey, commits, wanted.paths)?,
    };
    task.restrict(scope, wanted.paths);
    let merged = merged(scope, survey, wanted, &mut task)?;
    let around = Around { scope, index: &survey.index, head: survey.head_tree, head_then: task.head_then };
    let (committed, mut uncommitted) = task.by_commit(&around, &merged)?;
    let mut entries = match task.way {
        Way::Forward => BTreeMap::new(),
        Way::Back(_) => around.entries(&task.index, &merged.files, task.drafts)?,
    };
    let again = match (task.drafts, &task.way) {
        (Drafts::Staged, Way::Back(_)) => {
            let over = merged.reconciled.scope();
            again::merge(&around, over, &task.index, wanted.undecided, wanted.name_and_ages(&task))?
        }
        _ => Again::default(),
    };
    if !again.open.is_empty() {
        let path =
            |open: &Conflict| scope.strip(open.path.as_bstr()).unwrap_or(open.path.as_bstr()).to_owned();
        return Err(Refused::RecordedAnew(again.open.iter().map(path).collect()).into());
    }
    entries.extend(again.entries);
    if entries.is_empty() && task.drafts == Drafts::Staged && around.has_any(&task.index) {
        return Err(Refused::CommittedSince.into());
    }
    for change in &committed {
        match wanted.ending {
            RevertMode::Commit | RevertMode::Stage => {
                entries.insert(scope.full(&change.path), staged(change.after));
            }
            RevertMode::Write => drop(entries.remove(&scope.full(&change.path))),
        }
    }
    let open = |conflict: &Conflict| (conflict.path.clone(), Staged::Unmerged(conflict.versions));
    entries.extend(merged.conflicts.iter().map(open));
    let hiding = task.hiding.into_iter().filter(|(path, _)| !survey.index.contains(path.as_bstr())).collect();
    let committed: Vec<BString> = committed.into_iter().map(|change| change.path.clone()).collect();
    if !committed.is_empty() {
        ongoing::refuse(scope)?;
        if task.waiting.merge.is_some() {
            return Err(Refused::Merging(Keeper::of(scope)).into());
        }
    }
    let manner = match wanted.ending {
        _ if committed.is_empty() => UndoMode::Restored,
        RevertMode::Commit => UndoMode::Committed,
        RevertMode::Stage | RevertMode::Write => UndoMode::Left,
    };
    // elsewhere there is no commit that they could be missing from
    let is_told = matches!(task.way, Way::Forward) && wanted.ending == RevertMode::Commit;
    uncommitted.retain(|_| is_told || manner == UndoMode::Committed);
    Ok(Planned {
        manner,
        extent: task.extent,
        moves: match task.way {
            Way::Back(moves) => moves,
            Way::Forward => Vec::new(),
        },
        settings: task.settings,
        without_secrets: task.without_secrets,
        files: merged.files,
        conflicts: merged.conflicts,
        settled: merged.settled.into_iter().chain(again.settled).collect(),
        committed,
        uncommitted,
        kept: merged.kept,
        admits: task.admits,
        entries,
        hiding,
        waiting: task.waiting,
        reconciled: again.reconciled.unwrap_or(merged.reconciled),
    })
}

/// The result of undoing the effect of the task. The overviews that stay are no longer part of the effect.
fn merged(scope: &Scope, survey: &Survey, wanted: &Wanted<'_>, task: &mut Task) -> Result<Merged, Error> {
    let mut disk = Disk::look(scope, survey, task.effect.files.iter().map(|change| &change.path))?;
    let name = wanted.name_and_ages(task);
    let mut merged = layers::merge(scope, &disk, &task.effect, wanted.undecided, name)?;
    if overviews::keep(scope, &mut disk, &mut task.effect, &merged)? {
        merged = layers::merge(scope, &disk, &task.effect, wanted.undecided, name)?;
    }
    refuse_what_it_did_not_bring(&task.effect, &merged.files)?;
    Ok(merged)
}

/// The law of every undo: it removes no file that the operation did not add. A file that was moved since is removed at
/// its current path.
fn refuse_what_it_did_not_bring(effect: &Effect, files: &[Change]) -> Result<(), Refused> {
    let brought = || effect.files.iter().filter(|change| change.before.is_none());
    let paths: HashSet<&BString> = brought().map(|change| &change.path).collect();
    let versions: Vec<BlobId> = brought().filter_map(|change| Some(change.after?.id)).collect();
    let is_brought = |change: &Change| {
        paths.contains(&change.path) || change.before.is_some_and(|version| versions.contains(&version.id))
    };
    let removed = files.iter().filter(|change| change.after.is_none());
    let others: Vec<BString> =
        removed.filter(|change| !is_brought(change)).map(|change| change.path.clone()).collect();
    if others.is_empty() { Ok(()) } else { Err(Refused::NotBrought(others)) }
}

fn recorded(scope: &Scope, survey: &Survey, record: &Record, paths: &[Pathspec]) -> Result<Task, Error> {
    let Transition { files, index, .. } = journal::transition(scope, record)?;
    let hiding = index.before.hiding.clone();
    let (before, after) = (scope.tree_of(record.before)?, scope.tree_of(record.after)?);
    let all = trees::diff(scope, before, after, Renames::Ignore)?;
    let extent = extent(scope, &all, &index, paths)?;
    let share = if extent == Extent::Whole { Share::Whole } else { Share::Files };
    let way = way::way(scope, record, &survey.head, share)?;
    let waiting = waiting(scope, &index, &way, extent)?;
    let (settings, without_secrets) = match extent {
        Extent::Whole => settings(scope, &record.settings)?,
        Extent::Part => Default::default(),
    };
    let (effect, index) = match &way {
        Way::Back(_) => (Effect { left: after, files }, index),
        Way::Forward => (Effect { left: after, files: all }, IndexSides::default()),
    };
    let head_then = way::head_before(scope, record)?;
    let head_then = head_then.map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
    let kind = journal::first(scope, record)?.kind;
    let (admits, drafts) = (own_files::admits(scope, kind)?, Drafts::of(kind));
    let committed = record.seconds;
    Ok(Task {
        admits,
        hiding,
        drafts,
        way,
        effect,
        index,
        settings,
        without_secrets,
        waiting,
        extent,
        head_then,
        committed,
    })
}

fn foreign(scope: &Scope, survey: &Survey, commits: &[Foreign], paths: &[Pathspec]) -> Result<Task, Error> {
    let tree = |commit: Option<CommitId>| commit.map_or(Ok(TreeId::empty()), |id| scope.tree_of(id));
    let before = tree(commits.last().and_then(|commit| commit.parent))?;
    let after = tree(commits.first().map(|commit| commit.commit))?;
    let index = IndexSides::default();
    let seconds = match commits.first() {
        Some(commit) => crate::git::commit::read(scope, commit.commit)?.committer.seconds,
        None => 0,
    };
    let files = trees::diff(scope, before, after, Renames::Ignore)?;
    let extent = extent(scope, &files, &index, paths)?;
    Ok(Task {
        admits: own_files::admits(scope, journal::Kind::Revert)?,
        hiding: BTreeMap::new(),
        drafts: Drafts::Recorded,
        effect: Effect { left: after, files },
        waiting: waiting(scope, &index, &Way::Forward, Extent::Whole)?,
        way: Way::Forward,
        index,
        settings: Vec::new(),
        without_secrets: Vec::new(),
        extent,
        head_then: survey.head_tree,
        committed: seconds,
    })
}

impl Task {
    /// The changes that only a new commit can revert, and the files that it leaves out because they have uncommitted
    /// edits. Conflicts are neither.
    fn by_commit<'m>(
        &self,
        around: &Around<'_>,
        merged: &'m Merged,
    ) -> Result<(Vec<&'m Change>, Vec<BString>), Error> {
        let scope = around.scope;
        let drafts = self.drafts(scope)?;
        let open: HashSet<&BString> = merged.conflicts.iter().map(|conflict| &conflict.path).collect();
        let (mut committed, mut uncommitted) = (Vec::new(), Vec::new());
        for change in merged.files.iter().filter(|change| !open.contains(&scope.full(&change.path))) {
            match &self.way {
                _ if drafts.contains(&change.path) => uncommitted.push(change.path.clone()),
                Way::Forward if around.is_clean(change)? => committed.push(change),
                Way::Forward => uncommitted.push(change.path.clone()),
                Way::Back(moves) if moves.is_empty() && around.is_recorded_since(change)? => {
                    committed.push(change);
                }
                Way::Back(_) => {}
            }
        }
        Ok((committed, uncommitted))
    }

    /// The restored files that were in no commit when the operation began.
    fn drafts(&self, scope: &Scope) -> Result<HashSet<BString>, Error> {
        let mut drafts = HashSet::new();
        if self.drafts == Drafts::Apart {
            for change in &self.effect.files {
                if change.before != version_in(scope, self.head_then, change.path.as_bstr())? {
                    drafts.insert(change.path.clone());
                }
            }
        }
        Ok(drafts)
    }

    /// Keep only the files that match the paths.
    fn restrict(&mut self, scope: &Scope, paths: &[Pathspec]) {
        if paths.is_empty() {
            return;
        }
        let specs = Pathspecs::of(paths);
        let is_meant = |path: &BStr| specs.matches(path);
        let files = self.effect.files.len();
        self.effect.files.retain(|change| is_meant(change.path.as_bstr()));
        if self.effect.files.len() < files {
            self.extent = Extent::Part;
        }
        for side in [&mut self.index.before, &mut self.index.after] {
            side.entries.retain(|path, _| scope.strip(path.as_bstr()).is_some_and(is_meant));
        }
    }
}

/// How much of an operation the paths select; each must match something.
fn extent(scope: &Scope, files: &[Change], index: &IndexSides, paths: &[Pathspec]) -> Result<Extent, Error> {
    let specs = Pathspecs::of(paths);
    let staged = index.after.entries.keys().filter_map(|path| scope.strip(path.as_bstr()));
    let all: Vec<&BStr> = files.iter().map(|change| change.path.as_bstr()).chain(staged).collect();
    for spec in paths {
        if !all.iter().any(|path| spec.matches(path)) {
            return Err(Error::NoMatch(spec.as_bstr().to_owned()));
        }
    }
    Ok(match paths.is_empty() || all.iter().all(|path| specs.matches(path)) {
        true => Extent::Whole,
        false => Extent::Part,
    })
}

/// Settings of branches are restored one by one if nothing else was set since; those of remotes as a whole, or not at
/// all.
fn settings(scope: &Scope, recorded: &[SettingsMove]) -> Result<(Vec<SettingsMove>, Vec<String>), Error> {
    let mut back = Vec::new();
    for one in recorded {
        match (settings_moves::standing(scope, one)?, &one.of) {
            (Standing::Done, _) => back.push(settings_moves::way_back(scope, one)?),
            (Standing::Else, Owner::Remote(_)) => return Err(Refused::SetSince(one.of.clone()).into()),
            (Standing::NotDone | Standing::Else, _) => {}
        }
    }
    for gone in back.iter().filter(|one| one.new.is_empty()) {
        let Owner::Remote(remote) = &gone.of else { continue };
        let goes_back = |branch: &String| back.iter().any(|one| one.of == Owner::Branch(branch.clone()));
        let mut left = settings_moves::followers(scope, remote)?.into_iter().filter(|one| !goes_back(one));
        if let Some(branch) = left.next() {
            return Err(Refused::Followed { remote: remote.clone(), branch }.into());
        }
    }
    Ok(settings_moves::without_lost_secrets(scope, back, recorded)?)
}

/// The merge state after the undo.
fn waiting(scope: &Scope, index: &IndexSides, way: &Way, extent: Extent) -> Result<Waiting, Error> {
    let now = Waiting::read(scope)?;
    let (was, left) = (&index.before.waiting, &index.after.waiting);
    let moves = match way {
        Way::Back(moves) => moves,
        Way::Forward => return Ok(now),
    };
    let heads = |waiting: &Waiting| waiting.merge.as_ref().map(|merge| merge.heads.clone());
    if was == left && was.merge.is_some() && heads(&now) != heads(was) {
        return Err(Refused::MergeEnded.into());
    }
    if extent == Extent::Part {
        return Ok(now);
    }
    if was != left && now == *left {
        return Ok(was.clone());
    }
    let is_settled = was == left && moves.is_empty() || now == *was;
    if now.merge.is_some() && !is_settled {
        return Err(Refused::Merging(Keeper::of(scope)).into());
    }
    Ok(now)
}
