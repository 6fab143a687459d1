//! What an undo did, or would do.

use super::{Error, Extent, OperationId, UndoMode};
use crate::undo::work::{Planned, commits_of};
use brv_engine::journal::{self, Kind, Listed, Record, RefMove, SettingsMove, Undoes};
use brv_engine::merge::integrate::MOST_TOLD;
use brv_engine::merge::reconcile::{Conflict, Settled};
use brv_engine::open::naming::upstream;
use brv_engine::read::history::changes::{self, Contents, Detail, FileChange};
use brv_engine::read::history::knowledge;
use brv_engine::write::operation::WriteOutcome;
use brv_git as git;
use brv_git::CommitId;
use brv_text::diff::knowledge::Entry;
use bstr::{BString, ByteSlice as _};

#[derive(Debug)]
pub struct Outcome {
    /// The operation; of a session the newest one.
    pub undone: Undone,
    /// If it is itself an undo: what it undid.
    pub origin: Option<Origin>,
    /// The session, if all of one is undone.
    pub session: Option<Session>,
    /// Newer operations by other actors, newest first; they are kept.
    pub passed_over: Vec<PassedOver>,
    pub manner: UndoMode,
    pub extent: Extent,
    pub moves: Vec<RefMove>,
    /// The branch that `HEAD` is on, if the undo leaves it without commits.
    pub unborn: Option<BString>,
    /// Settings of branches and remotes that were restored.
    pub settings: Vec<SettingsMove>,
    /// Settings (`remote.origin.url`) that were restored without their user name or password, which are never logged.
    pub without_secrets: Vec<String>,
    /// The commit that reverts it, if one was made.
    pub commit: Option<CommitId>,
    pub files: Vec<FileChange>,
    /// Files whose staged version changed, relative to the tree; empty if a commit was made.
    pub staged: Vec<BString>,
    /// The changes by entry, without conflicts; empty if there are too many files.
    pub entries: Vec<Entry>,
    /// Conflicts. Unless markers were requested, nothing is written then.
    pub conflicts: Vec<Conflict>,
    /// Changes that were settled automatically.
    pub settled: Vec<Settled>,
    /// Files that were restored but not committed, because they have uncommitted edits.
    pub uncommitted: Vec<BString>,
    /// Another tool's files with the name of a derived file; left alone.
    pub kept: Vec<BString>,
    /// What the next push would revert on the remote.
    pub reverts_on_remote: Option<RevertedOnRemote>,
    /// What else was written: operation and derived files.
    pub written: WriteOutcome,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    pub id: OperationId,
    /// Its command; `None` for an operation of another clone.
    pub kind: Option<Kind>,
    pub reason: String,
}

/// Entries of the undone operation that the remote already has, and that pushing the undo would change there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevertedOnRemote {
    /// `origin/main`
    pub upstream: String,
    /// Relative to the tree: a push would remove them.
    pub removed: Vec<BString>,
    /// Relative to the tree: a push would revert them, or bring them back.
    pub changed: Vec<BString>,
}

/// The operations of a session, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: String,
    /// Those that are undone.
    pub operations: Vec<Undone>,
    /// Those that are not: nothing is left to undo of them, or they come before one with conflicts.
    pub remaining: Vec<Undone>,
}

impl Undone {
    pub(super) fn of(record: &Record) -> Self {
        Self { id: record.id.clone(), kind: Some(record.kind), reason: record.reason.clone() }
    }
}

/// The operations at the end of a chain of undoes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The operations, newest first.
    pub operations: Vec<Undone>,
    /// Whether they are done again; else they are undone once more.
    pub is_redone: bool,
    /// Whether all of them is.
    pub extent: Extent,
}

/// Follow an undo to what it undid; `None` if the operation is no undo, or the log no longer has what it undid.
pub(super) fn origin(listed: &[Listed], (undone, extent): (&Undone, Extent)) -> Option<Origin> {
    let mut origin = Origin { operations: vec![undone.clone()], is_redone: false, extent };
    while let [Undone { id, kind: Some(Kind::Undo), .. }] = &origin.operations[..] {
        let undoes = &super::readable(listed, id)?.undoes;
        if undoes.iter().any(|one| one.extent == Extent::Part) {
            origin.extent = Extent::Part;
        }
        let known = undoes.iter().map(|one| super::readable(listed, &one.operation).map(Undone::of));
        origin.operations = known.collect::<Option<Vec<_>>>().filter(|known| !known.is_empty())?;
        origin.is_redone = !origin.is_redone;
    }
    (origin.operations != [undone.clone()]).then_some(origin)
}

/// A newer operation by another actor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver {
    pub id: OperationId,
    /// Its actor; empty if none was named.
    pub actor: String,
}

/// What the upstream of the branch has of the operation with these commits, and would lose with the next push.
pub(super) fn reverted_on_remote(
    scope: &git::Scope,
    head: &git::Head,
    (planned, commits): (&Planned, &[CommitId]),
) -> Result<Option<RevertedOnRemote>, Error> {
    if planned.manner != UndoMode::Committed {
        return Ok(None);
    }
    let Some(upstream) = upstream::of(scope, head)? else { return Ok(None) };
    let Some(tracking) = upstream.tracking else { return Ok(None) };
    let Some(tip) = git::refs::commit(scope, tracking.as_bstr())? else { return Ok(None) };
    let theirs = scope.tree_of(tip)?;
    // a commit that is gone is on no remote that is known here
    let has = |commit: &CommitId| git::history::is_ancestor(scope, *commit, tip).unwrap_or(false);
    let is_published = commits.iter().any(has);
    let mut reverted = RevertedOnRemote { upstream: upstream.name, removed: Vec::new(), changed: Vec::new() };
    for change in &planned.committed {
        let there = match git::trees::find(scope, theirs, change.path.as_bstr())? {
            Some(git::trees::Found::File(version)) => Some(version),
            _ => None,
        };
        match (there, change.after) {
            _ if there != change.before => {}
            (Some(_), None) => reverted.removed.push(change.path.clone()),
            (Some(_), Some(_)) => reverted.changed.push(change.path.clone()),
            // what was removed here alone never was there, or is there still
            (None, Some(_)) if is_published => reverted.changed.push(change.path.clone()),
            (None, _) => {}
        }
    }
    Ok(Some(reverted).filter(|one| !one.removed.is_empty() || !one.changed.is_empty()))
}

/// The changed files; a renamed file is listed once.
fn files(scope: &git::Scope, changes: &[git::trees::Change]) -> Result<Vec<FileChange>, Error> {
    let joined = git::trees::join_renames(scope, changes.to_vec(), git::trees::Renames::Detect)?;
    Ok(changes::compare(scope, &joined, Detail::Counts, &Contents::default())?)
}

/// The files whose staged version an operation changed, relative to the tree.
fn recorded(scope: &git::Scope, record: &Record) -> Result<Vec<BString>, Error> {
    let index = journal::transition(scope, record)?.index;
    let changed =
        index.after.entries.iter().filter(|(path, now)| index.before.entries.get(*path) != Some(*now));
    Ok(changed.filter_map(|(path, _)| scope.strip(path.as_bstr()).map(ToOwned::to_owned)).collect())
}

/// The branch that `HEAD` is on, if these moves leave it without commits.
fn unborn(scope: &git::Scope, moves: &[RefMove]) -> Result<Option<BString>, Error> {
    let head = scope.head()?;
    let is_left = moves.iter().any(|one| one.name == "HEAD");
    let branch = head.branch().filter(|_| !is_left);
    Ok(moves
        .iter()
        .find(|one| one.new.is_none() && branch == Some(one.name.as_ref()))
        .map(|one| one.name.clone()))
}

impl Outcome {
    /// Nothing was restored yet.
    fn new(undone: Undone, manner: UndoMode, extent: Extent) -> Self {
        Self {
            undone,
            origin: None,
            session: None,
            passed_over: Vec::new(),
            manner,
            extent,
            moves: Vec::new(),
            unborn: None,
            settings: Vec::new(),
            without_secrets: Vec::new(),
            commit: None,
            files: Vec::new(),
            staged: Vec::new(),
            entries: Vec::new(),
            conflicts: Vec::new(),
            settled: Vec::new(),
            uncommitted: Vec::new(),
            kept: Vec::new(),
            reverts_on_remote: None,
            written: WriteOutcome::default(),
        }
    }

    /// An undo that was finished after a crash; `session` if it was one of a session.
    pub(super) fn finished(
        scope: &git::Scope,
        listed: &[Listed],
        (record, undoes): (&Record, &Undoes),
        session: Option<&str>,
    ) -> Result<Self, Error> {
        let one = |undoes: &Undoes| {
            let undone = super::readable(listed, &undoes.operation);
            Undone {
                id: undoes.operation.clone(),
                kind: undone.map(|record| record.kind),
                reason: undone.unwrap_or(record).reason.clone(),
            }
        };
        let extent = undoes.extent;
        let session = session.map(|id| Session {
            id: id.to_owned(),
            operations: record.undoes.iter().map(one).collect(),
            remaining: Vec::new(),
        });
        let undone = one(undoes);
        let (before, after) = (scope.tree_of(record.before)?, scope.tree_of(record.after)?);
        let changes = git::trees::diff(scope, before, after, git::trees::Renames::Ignore)?;
        let commit = commits_of(scope, &record.id)?.first().map(|made| made.commit);
        let (manner, moves, staged) = match commit {
            Some(_) => (UndoMode::Committed, Vec::new(), Vec::new()),
            None => (UndoMode::Restored, record.moves.clone(), recorded(scope, record)?),
        };
        Ok(Self {
            origin: origin(listed, (&undone, extent)).filter(|_| session.is_none()),
            moves,
            unborn: unborn(scope, &record.moves)?,
            settings: record.settings.clone(),
            session,
            commit,
            files: files(scope, &changes)?,
            staged,
            entries: match changes.len() > MOST_TOLD {
                true => Vec::new(),
                false => knowledge::compare(scope, &changes, &Contents::default())?,
            },
            ..Self::new(undone, manner, extent)
        })
    }

    pub(super) fn of(scope: &git::Scope, undone: Undone, planned: &Planned) -> Result<Self, Error> {
        let mut files = files(planned.scope(), &planned.files)?;
        let is_open = |path: &BString| {
            let full = scope.full(path);
            planned.conflicts.iter().any(|conflict| conflict.path == full)
        };
        // conflict markers are not counted as anyone's lines
        files.iter_mut().filter(|file| is_open(&file.path)).for_each(|file| file.stat = None);
        let settled: Vec<_> = planned.files.iter().filter(|change| !is_open(&change.path)).cloned().collect();
        let entries = match settled.len() > MOST_TOLD {
            true => Vec::new(),
            false => knowledge::compare(planned.scope(), &settled, &Contents::default())?,
        };
        Ok(Self {
            moves: planned.moves.clone(),
            unborn: unborn(scope, &planned.moves)?,
            settings: planned.settings.clone(),
            without_secrets: planned.without_secrets.clone(),
            files,
            staged: planned.staged(),
            entries,
            conflicts: planned.conflicts.iter().map(|conflict| conflict.told(scope)).collect(),
            settled: planned.settled.iter().map(|file| file.told(scope)).collect(),
            uncommitted: planned.uncommitted.clone(),
            kept: planned.kept.clone(),
            ..Self::new(undone, planned.manner, planned.extent)
        })
    }
}
