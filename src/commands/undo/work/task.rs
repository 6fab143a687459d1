//! The task of an undo: what one operation did, and whether references move back or the change is reverted on top.

use super::forward::Foreign;
use super::layers::{Around, DraftState, Effect, UndoMerge};
use super::records::{self, Beside};
use super::way::{self, Share, Way};
use super::{Error, merging, never, not_now};
use brv_engine::Stop;
use brv_engine::journal::{self, Extent, IndexSides, Record, SettingsMove, Transition, Waiting};
use brv_engine::open::survey::Survey;
use brv_engine::write::policy::own_files;
use brv_git::pathspec::{Pathspec, Pathspecs};
use brv_git::settings_moves::{self, Owner, SettingsMoveState};
use brv_git::switch::Admit;
use brv_git::trees::{self, Change, Renames};
use brv_git::{CommitId, Hiding, Scope, TreeId};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// The input for choosing between restoring and reverting.
pub(super) struct Task {
    pub(super) admits: Arc<Admit<'static>>,
    /// What hid edits before the operation.
    pub(super) hiding: BTreeMap<BString, Hiding>,
    pub(super) drafts: DraftState,
    pub(super) way: Way,
    pub(super) effect: Effect,
    /// The records of the overviews that are at none of the paths.
    pub(super) beside: Beside,
    pub(super) index: IndexSides,
    pub(super) settings: Vec<SettingsMove>,
    pub(super) without_secrets: Vec<String>,
    pub(super) waiting: Waiting,
    pub(super) extent: Extent,
    /// The commit of `HEAD` that the operation began with.
    pub(super) began: Option<CommitId>,
    pub(super) head_then: TreeId,
    pub(super) committed: i64,
}

/// How an operation whose references could move back is undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Company {
    Alone,
    /// Together with others: no reference moves back, and what moved one is reverted on top.
    Others,
}

pub(super) fn recorded(
    scope: &Scope,
    survey: &Survey,
    (record, company): (&Record, Company),
    paths: &[Pathspec],
) -> Result<Task, Error> {
    let Transition { files, index, .. } = journal::transition(scope, record)?;
    let hiding = index.before.hiding.clone();
    let (before, after) = (scope.tree_of(record.before)?, scope.tree_of(record.after)?);
    let all = trees::diff(scope, before, after, Renames::Ignore)?;
    let beside = records::beside(scope, &all, paths)?;
    let paths = &records::with_overviews(paths, &beside)[..];
    let extent = extent(scope, &all, &index, paths)?;
    let share = if extent == Extent::Whole { Share::Whole } else { Share::Files };
    let way = match (way::way(scope, record, &survey.head, share)?, company) {
        (Way::Back(moves), Company::Others) if !moves.is_empty() => Way::Forward,
        (way, _) => way,
    };
    let waiting = waiting(scope, &index, &way, extent)?;
    let (settings, without_secrets) = match extent {
        Extent::Whole => settings(scope, &record.settings)?,
        Extent::Part => Default::default(),
    };
    let (effect, index) = match &way {
        Way::Back(_) => (Effect { left: after, files }, index),
        Way::Forward => (Effect { left: after, files: all }, IndexSides::default()),
    };
    let began = way::head_before(scope, record)?;
    let head_then = began.map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
    let kind = journal::first(scope, record)?.kind;
    let (admits, drafts) = (own_files::admits(scope, kind)?, DraftState::of(kind));
    let committed = record.seconds;
    let task = Task {
        admits,
        hiding,
        drafts,
        way,
        effect,
        beside,
        index,
        settings,
        without_secrets,
        waiting,
        extent,
        began,
        head_then,
        committed,
    };
    Ok(task.restricted(scope, paths))
}

pub(super) fn foreign(
    scope: &Scope,
    survey: &Survey,
    commits: &[Foreign],
    paths: &[Pathspec],
) -> Result<Task, Error> {
    let tree = |commit: Option<CommitId>| commit.map_or(Ok(TreeId::empty()), |id| scope.tree_of(id));
    let began = commits.last().and_then(|commit| commit.parent);
    let before = tree(began)?;
    let after = tree(commits.first().map(|commit| commit.commit))?;
    let index = IndexSides::default();
    let seconds = match commits.first() {
        Some(commit) => brv_git::commit::read(scope, commit.commit)?.committer.seconds,
        None => 0,
    };
    let files = trees::diff(scope, before, after, Renames::Ignore)?;
    let beside = records::beside(scope, &files, paths)?;
    let paths = &records::with_overviews(paths, &beside)[..];
    let extent = extent(scope, &files, &index, paths)?;
    let task = Task {
        admits: own_files::admits(scope, journal::OperationKind::Revert)?,
        hiding: BTreeMap::new(),
        drafts: DraftState::Recorded,
        effect: Effect { left: after, files },
        beside,
        waiting: waiting(scope, &index, &Way::Forward, Extent::Whole)?,
        way: Way::Forward,
        index,
        settings: Vec::new(),
        without_secrets: Vec::new(),
        extent,
        began,
        head_then: survey.head_tree,
        committed: seconds,
    };
    Ok(task.restricted(scope, paths))
}

impl Task {
    /// The changes that only a new commit can revert, and the files that it leaves out because they have uncommitted
    /// edits. Conflicts are neither.
    pub(super) fn by_commit<'m>(
        &self,
        around: &Around<'_>,
        merged: &'m UndoMerge,
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
        if self.drafts == DraftState::Apart {
            for change in &self.effect.files {
                if change.before != trees::file(scope, self.head_then, change.path.as_bstr())? {
                    drafts.insert(change.path.clone());
                }
            }
        }
        Ok(drafts)
    }

    /// The task with only the files that match the paths.
    fn restricted(mut self, scope: &Scope, paths: &[Pathspec]) -> Self {
        if paths.is_empty() {
            return self;
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
        self
    }
}

/// How much of an operation the paths select; each must match something.
fn extent(scope: &Scope, files: &[Change], index: &IndexSides, paths: &[Pathspec]) -> Result<Extent, Error> {
    let specs = Pathspecs::of(paths);
    let staged = index.after.entries.keys().filter_map(|path| scope.strip(path.as_bstr()));
    let all: Vec<&BStr> = files.iter().map(|change| change.path.as_bstr()).chain(staged).collect();
    for spec in paths {
        if !all.iter().any(|path| spec.matches(path)) {
            let stop = Stop::usage(format!("`{}` matches no file of the operation", spec.as_bstr()));
            return Err(stop.hint("nothing was written; `brv op show ID` lists its files").into());
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
            (SettingsMoveState::Done, _) => back.push(settings_moves::way_back(scope, one)?),
            (SettingsMoveState::Else, Owner::Remote(_)) => {
                let message = format!("the settings of the {} have changed since", one.of);
                let help = "`brv op log` and `brv op show ID` show what was set";
                return Err(never(message, help));
            }
            (SettingsMoveState::NotDone | SettingsMoveState::Else, _) => {}
        }
    }
    for gone in back.iter().filter(|one| one.new.is_empty()) {
        let Owner::Remote(remote) = &gone.of else { continue };
        let goes_back = |branch: &String| back.iter().any(|one| one.of == Owner::Branch(branch.clone()));
        let mut left = settings_moves::followers(scope, remote)?.into_iter().filter(|one| !goes_back(one));
        if let Some(branch) = left.next() {
            return Err(not_now(
                format!("the branch `{branch}` now tracks a branch of `{remote}`, which would be removed"),
                "undo that first, or set another upstream with `brv vc branch -u UPSTREAM`",
            ));
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
        return Err(never(
            "the merge that it was part of has ended since",
            "the commit of the merge in `brv op log` can be undone",
        ));
    }
    if extent == Extent::Part {
        return Ok(now);
    }
    if was != left && now == *left {
        return Ok(was.clone());
    }
    let is_settled = was == left && moves.is_empty() || now == *was;
    if now.merge.is_some() && !is_settled {
        return Err(merging(scope));
    }
    Ok(now)
}
