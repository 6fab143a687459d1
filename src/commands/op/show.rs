//! `brv op show` and `brv op diff`: show one operation with its changes.

use crate::op::log::OperationContent;
use crate::undo::work;
use brv_base::clock::format_utc;
use brv_base::sorting;
use brv_engine::Stop;
use brv_engine::journal::{self, Discarded, OperationId, Record, Staged};
use brv_engine::open::context::Context;
use brv_engine::open::naming::operations;
use brv_engine::outcome::bytes::texts;
use brv_engine::outcome::change::FileDifference;
pub use brv_engine::read::history::changes::Detail;
use brv_engine::read::history::changes::{Contents, FileChange};
use brv_engine::read::history::knowledge;
use brv_git::trees::{self, Change, Renames};
use brv_git::{CommitId, Scope, TreeId};
use brv_text::diff::knowledge::Entry;
use bstr::{BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashSet;

#[derive(Debug, Clone)]
pub struct Options {
    /// As typed; see [`operations::find`].
    pub operation: String,
    /// How much of its changes to show.
    pub detail: Detail,
}

/// `brv.op.show/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "OpShow")]
pub struct Outcome {
    /// Its id.
    pub id: OperationId,
    /// Its content; absent if it is not in the operation log of this clone.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub known: Option<OperationContent>,
    /// What commits tell about an operation that is not in the log of this clone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreign: Option<ForeignOperation>,
    /// Its commit, which `git show` reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitId>,
    /// The state before it, as a commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<CommitId>,
    /// The state after it, as a commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<CommitId>,
    /// Files whose staged version it changed.
    pub staged: Vec<String>,
    /// Values that it dropped in favour of others.
    pub discarded: Vec<Discarded>,
    /// The files that it changed.
    // on disk, in the index or in the history
    files: Vec<FileDifference>,
    /// The files as they are drawn.
    #[serde(skip)]
    pub changes: Vec<FileChange>,
    /// The changes by entry; empty if only lines were requested.
    #[serde(skip)]
    pub entries: Vec<Entry>,
}

/// An operation of another clone, or a pruned one.
// reconstructed from the commits of this history that carry its name
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "Foreign")]
pub struct ForeignOperation {
    /// The commits of this history that have its id, newest first.
    pub commits: Vec<CommitId>,
    /// Why it was made, in the user's words or the command's.
    pub reason: String,
    /// The person or agent; empty if unknown.
    pub actor: String,
    /// The session of the actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When the newest commit was made, in UTC.
    pub time: String,
    /// The operation that it undid, or the newest of those that it undid together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<OperationId>,
    /// The other operations that it undid with it (`brv undo --session`), newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undoes_others: Vec<OperationId>,
    /// The operation of this clone that undid it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<OperationId>,
}

/// Show an operation.
///
/// # Errors
/// A name that does not stand for exactly one operation, in the log or in the commits of this history.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let listed = journal::list(scope)?;
    let mut undone = journal::undone(&listed);
    let (outcome, changes) = match operations::find(&listed, &options.operation)? {
        Some(one) => {
            let record = operations::record(one)?;
            let (changes, staged) = changes(scope, record)?;
            let undone_by = undone.remove(&record.id);
            let known = OperationContent { undone_by, ..OperationContent::new(scope, record, usize::MAX)? };
            let outcome = Outcome {
                known: Some(known),
                commit: Some(record.commit),
                before: Some(record.before),
                after: Some(record.after),
                staged: texts(&staged),
                discarded: record.discarded.clone(),
                ..Outcome::of(record.id.clone())
            };
            (outcome, changes)
        }
        None => {
            let (id, foreign, changes) = foreign(scope, &options.operation)?;
            let undone_by = undone.remove(&id);
            (Outcome { foreign: Some(ForeignOperation { undone_by, ..foreign }), ..Outcome::of(id) }, changes)
        }
    };
    let knowledge::ChangeReport { files, entries, .. } =
        knowledge::tell(scope, &changes, options.detail, &Contents::default())?;
    Ok(Outcome { files: FileDifference::all(&files, false), changes: files, entries, ..outcome })
}

impl Outcome {
    const fn of(id: OperationId) -> Self {
        Self {
            id,
            known: None,
            foreign: None,
            commit: None,
            before: None,
            after: None,
            staged: Vec::new(),
            discarded: Vec::new(),
            files: Vec::new(),
            changes: Vec::new(),
            entries: Vec::new(),
        }
    }
}

/// An operation that is not in the log here; fails if no commit carries its name either. If its commits are not adjacent,
/// their changes are not shown.
fn foreign(scope: &Scope, typed: &str) -> Result<(OperationId, ForeignOperation, Vec<Change>), Stop> {
    let nowhere = || {
        operations::unknown(typed)
            .hint("no commit of this history has this operation ID either; `brv op log` lists the logged operations")
    };
    let id = match OperationId::parse(typed) {
        Some(id) => id,
        None => operations::only(typed, work::named(scope, typed)?)?.ok_or_else(nowhere)?,
    };
    let commits = work::commits_of(scope, &id)?;
    let (Some(newest), Some(oldest)) = (commits.first(), commits.last()) else { return Err(nowhere()) };
    let text = |name: &str| newest.trailer(name).map(ToOwned::to_owned);
    let mut undoes = newest.undoes().into_iter();
    let foreign = ForeignOperation {
        commits: commits.iter().map(|one| one.commit).collect(),
        reason: text("Brv-Reason").unwrap_or_else(|| newest.subject.clone()),
        actor: text("Brv-Actor").unwrap_or_default(),
        session: text("Brv-Session"),
        time: format_utc(newest.seconds),
        undoes: undoes.next(),
        undoes_others: undoes.collect(),
        undone_by: None,
    };
    if !work::stand_together(&commits) {
        return Ok((id, foreign, Vec::new()));
    }
    let before = oldest.parent.map_or(Ok(TreeId::empty()), |id| scope.tree_of(id))?;
    let changes = trees::diff(scope, before, scope.tree_of(newest.commit)?, Renames::Detect)?;
    Ok((id, foreign, changes))
}

/// The changes to files; if only the index changed, the changes there.
fn changes(scope: &Scope, record: &Record) -> Result<(Vec<Change>, Vec<BString>), Stop> {
    let (before, after) = (scope.tree_of(record.before)?, scope.tree_of(record.after)?);
    let mut changes = trees::diff(scope, before, after, Renames::Ignore)?;
    let known: HashSet<BString> = changes.iter().map(|change| change.path.clone()).collect();
    let index = journal::transition(scope, record)?.index;
    let mut staged = Vec::new();
    for (full, after) in &index.after.entries {
        let before = index.before.entries.get(full).copied().unwrap_or(Staged::Nothing);
        let Some(path) = scope.strip(full.as_bstr()).filter(|_| before != *after) else { continue };
        staged.push(path.to_owned());
        let version = |staged: Staged| match staged {
            Staged::Version(version) => Some(Some(version)),
            Staged::Nothing => Some(None),
            Staged::Intended | Staged::Unmerged(_) => None,
        };
        if let (Some(before), Some(after), false) = (version(before), version(*after), known.contains(path)) {
            changes.push(Change { path: path.to_owned(), renamed_from: None, before, after });
        }
    }
    sorting::sort_by(&mut changes, |a, b| a.path.cmp(&b.path));
    // only now: a file removed on disk may have been removed from the index, too
    Ok((trees::join_renames(scope, changes, Renames::Detect)?, staged))
}
