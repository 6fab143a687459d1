//! What an undo did, or would do.

use super::{Extent, OperationId, UndoMode};
use crate::undo::work::{UndoPlan, commits_of};
use brv_engine::Stop;
use brv_engine::journal::{self, ChangedSettings, Listed, OperationKind, RefMove, Undoes};
use brv_engine::merge::integrate::MOST_TOLD;
use brv_engine::merge::reconcile::{Conflict, Record};
use brv_engine::open::naming::upstream;
use brv_engine::outcome::change::FileDifference;
use brv_engine::outcome::json::texts;
use brv_engine::read::history::changes::{self, Contents, Detail, FileChange};
use brv_engine::read::history::knowledge;
use brv_engine::write::operation::WriteOutcome;
use brv_git as git;
use brv_git::CommitId;
use brv_text::diff::knowledge::Entry;
use bstr::{BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// `brv.undo/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Undo")]
pub struct Outcome {
    /// The operation that was undone, or would be; of a session the newest.
    pub undone: Undone,
    /// If that was itself an undo: the operations that are done again, newest first.
    // what it undid, which may be undone once more instead
    #[serde(rename = "redone", serialize_with = "operations", skip_serializing_if = "is_no_redo")]
    #[schemars(with = "Vec<Undone>")]
    pub origin: Option<UndoOrigin>,
    /// With `--session`: the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<UndoneSession>,
    /// Newer operations of others, which were skipped, newest first.
    pub passed_over: Vec<PassedOver>,
    /// `restored`: files, index and references are as before the operation; `committed`: a new commit reverts it; `left`:
    /// the files revert it, and the next commit is left to you (`commit.auto: false`, or `--in-repo`).
    #[schemars(with = "String")]
    pub manner: UndoMode,
    /// Whether all of the operation is undone.
    #[serde(rename = "whole", serialize_with = "is_whole")]
    #[schemars(with = "bool")]
    pub extent: Extent,
    /// The references that were restored, or would be.
    pub moves: Vec<RefMove>,
    /// The settings of branches and remotes that were restored, or would be.
    pub settings: Vec<ChangedSettings>,
    /// Settings (`remote.origin.url`) that were restored without a user name or password, because those are not stored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_secrets: Vec<String>,
    /// The commit that reverts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitId>,
    /// The files that changed, or would change.
    #[serde(serialize_with = "without_lines")]
    #[schemars(with = "Vec<FileDifference>")]
    pub files: Vec<FileChange>,
    /// Files whose staged version changed, or would change; empty if a commit reverts it.
    #[serde(serialize_with = "texts")]
    #[schemars(with = "Vec<String>")]
    pub staged: Vec<BString>,
    /// The changes by meaning, as in `brv vc diff`, without conflicts; absent if more than 200 files changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<Entry>>,
    /// Files in conflict.
    // unless markers were requested, nothing is written then
    pub conflicts: Vec<Conflict>,
    /// Differences that were settled automatically.
    pub records: Vec<Record>,
    /// Files that were restored but not committed, because they have uncommitted edits.
    #[serde(serialize_with = "texts")]
    #[schemars(with = "Vec<String>")]
    pub uncommitted: Vec<BString>,
    /// Files with the name of a derived file that brv did not write; left alone.
    #[serde(serialize_with = "texts")]
    #[schemars(with = "Vec<String>")]
    pub kept: Vec<BString>,
    /// Effects on files, and the operation.
    #[serde(flatten)]
    pub written: WriteOutcome,
    /// The branch that `HEAD` is on, if the undo leaves it without commits.
    #[serde(skip)]
    pub unborn: Option<BString>,
    /// What the next push would revert on the remote.
    #[serde(skip)]
    pub reverts_on_remote: Option<RevertedOnRemote>,
}

fn operations<S: Serializer>(origin: &Option<UndoOrigin>, serializer: S) -> Result<S::Ok, S::Error> {
    origin.as_ref().map(|origin| &origin.operations).serialize(serializer)
}

fn is_no_redo(origin: &Option<UndoOrigin>) -> bool {
    origin.as_ref().is_none_or(|origin| !origin.is_redone)
}

fn is_whole<S: Serializer>(extent: &Extent, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*extent == Extent::Whole)
}

fn without_lines<S: Serializer>(files: &[FileChange], serializer: S) -> Result<S::Ok, S::Error> {
    FileDifference::all(files, false).serialize(serializer)
}

/// An operation that was undone.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Undone {
    /// Its id.
    pub id: OperationId,
    /// The command; absent for an operation of another clone.
    #[serde(serialize_with = "word", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub kind: Option<OperationKind>,
    /// Why it was made.
    pub reason: String,
}

fn word<S: Serializer>(kind: &Option<OperationKind>, serializer: S) -> Result<S::Ok, S::Error> {
    kind.map(|kind| kind.word()).serialize(serializer)
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

/// A session that was undone.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "UndoneSession")]
pub struct UndoneSession {
    /// Its id.
    pub id: String,
    /// The operations that were undone, or would be, newest first.
    pub operations: Vec<Undone>,
    /// The operations that were not: nothing is left to undo of them, or they come before one with conflicts.
    pub remaining: Vec<Undone>,
}

impl Undone {
    /// The name of its command.
    pub fn word(&self) -> &'static str {
        self.kind.map_or("operation", OperationKind::word)
    }

    pub(super) fn of(record: &journal::Record) -> Self {
        Self { id: record.id.clone(), kind: Some(record.kind), reason: record.reason.clone() }
    }
}

/// The operations at the end of a chain of undoes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoOrigin {
    /// The operations, newest first.
    pub operations: Vec<Undone>,
    /// Whether they are done again; else they are undone once more.
    pub is_redone: bool,
    /// Whether all of them is.
    pub extent: Extent,
}

/// Follow an undo to what it undid; `None` if the operation is not an undo, or the log no longer has what it undid.
pub(super) fn origin(listed: &[Listed], (undone, extent): (&Undone, Extent)) -> Option<UndoOrigin> {
    let mut origin = UndoOrigin { operations: vec![undone.clone()], is_redone: false, extent };
    while let [Undone { id, kind: Some(OperationKind::Undo), .. }] = &origin.operations[..] {
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

/// An operation of another actor.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct PassedOver {
    /// Its id.
    #[serde(rename = "operation")]
    pub id: OperationId,
    /// Who made it; empty if unknown.
    pub actor: String,
}

/// What the upstream of the branch has of the operation with these commits, and would lose with the next push.
pub(super) fn reverted_on_remote(
    scope: &git::Scope,
    head: &git::Head,
    (planned, commits): (&UndoPlan, &[CommitId]),
) -> Result<Option<RevertedOnRemote>, Stop> {
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
        let there = git::trees::file(scope, theirs, change.path.as_bstr())?;
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
fn files(scope: &git::Scope, changes: &[git::trees::Change]) -> Result<Vec<FileChange>, Stop> {
    let joined = git::trees::join_renames(scope, changes.to_vec(), git::trees::Renames::Detect)?;
    Ok(changes::compare(scope, &joined, Detail::Counts, &Contents::default())?)
}

/// The changes by entry; `None` of too many files.
fn entries(
    scope: &git::Scope,
    files: &[FileChange],
    changes: &[git::trees::Change],
) -> Result<Option<Vec<Entry>>, Stop> {
    let entries = match changes.len() > MOST_TOLD {
        true => Vec::new(),
        false => knowledge::compare(scope, changes, &Contents::default())?,
    };
    Ok((files.len() <= MOST_TOLD).then_some(entries))
}

/// The files whose staged version an operation changed, relative to the tree.
fn recorded(scope: &git::Scope, record: &journal::Record) -> Result<Vec<BString>, Stop> {
    let index = journal::transition(scope, record)?.index;
    let changed =
        index.after.entries.iter().filter(|(path, now)| index.before.entries.get(*path) != Some(*now));
    Ok(changed.filter_map(|(path, _)| scope.strip(path.as_bstr()).map(ToOwned::to_owned)).collect())
}

/// The branch that `HEAD` is on, if these moves leave it without commits.
fn unborn(scope: &git::Scope, moves: &[RefMove]) -> Result<Option<BString>, Stop> {
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
            entries: None,
            conflicts: Vec::new(),
            records: Vec::new(),
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
        (record, undoes): (&journal::Record, &Undoes),
        session: Option<&str>,
    ) -> Result<Self, Stop> {
        let one = |undoes: &Undoes| {
            let undone = super::readable(listed, &undoes.operation);
            Undone {
                id: undoes.operation.clone(),
                kind: undone.map(|record| record.kind),
                reason: undone.unwrap_or(record).reason.clone(),
            }
        };
        let extent = undoes.extent;
        let session = session.map(|id| UndoneSession {
            id: id.to_owned(),
            operations: record.undoes.iter().map(one).collect(),
            remaining: Vec::new(),
        });
        let undone = one(undoes);
        let (before, after) = (scope.tree_of(record.before)?, scope.tree_of(record.after)?);
        let changes = git::trees::diff(scope, before, after, git::trees::Renames::Ignore)?;
        let commit = commits_of(scope, &record.id)?.first().map(|made| made.commit);
        let files = files(scope, &changes)?;
        let (manner, moves, staged) = match commit {
            Some(_) => (UndoMode::Committed, Vec::new(), Vec::new()),
            None => (UndoMode::Restored, record.moves.clone(), recorded(scope, record)?),
        };
        Ok(Self {
            origin: origin(listed, (&undone, extent)).filter(|_| session.is_none()),
            moves,
            unborn: unborn(scope, &record.moves)?,
            settings: record.settings.iter().map(ChangedSettings::from).collect(),
            session,
            commit,
            entries: entries(scope, &files, &changes)?,
            files,
            staged,
            ..Self::new(undone, manner, extent)
        })
    }

    pub(super) fn of(scope: &git::Scope, undone: Undone, planned: &UndoPlan) -> Result<Self, Stop> {
        let mut files = files(planned.scope(), &planned.files)?;
        let is_open = |path: &BString| {
            let full = scope.full(path);
            planned.conflicts.iter().any(|conflict| conflict.path == full)
        };
        // conflict markers are not counted as anyone's lines
        files.iter_mut().filter(|file| is_open(&file.path)).for_each(|file| file.stat = None);
        let settled: Vec<_> = planned.files.iter().filter(|change| !is_open(&change.path)).cloned().collect();
        Ok(Self {
            moves: planned.moves.clone(),
            unborn: unborn(scope, &planned.moves)?,
            settings: planned.settings.iter().map(ChangedSettings::from).collect(),
            without_secrets: planned.without_secrets.clone(),
            entries: entries(planned.scope(), &files, &settled)?,
            files,
            staged: planned.staged(),
            conflicts: planned.conflicts.iter().map(|conflict| conflict.told(scope)).collect(),
            records: planned.settled.iter().flat_map(|file| Record::all(&[file.told(scope)])).collect(),
            uncommitted: planned.uncommitted.clone(),
            kept: planned.kept.clone(),
            ..Self::new(undone, planned.manner, planned.extent)
        })
    }
}
