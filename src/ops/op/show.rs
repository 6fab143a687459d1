//! `brv op show` and `brv op diff`: one operation, with what it changed.

use crate::diff::knowledge::Entry;
use crate::git::trees::{self, Change, Renames};
use crate::git::{CommitId, Scope, TreeId};
use crate::journal::{self, OperationId, Record, Staged};
use crate::ops::FailureKind;
use crate::ops::context::Context;
use crate::ops::op::log::Known;
use crate::ops::steps::cause::{Cause, caused};
use crate::ops::steps::naming::operations;
pub use crate::ops::steps::telling::changes::Detail;
use crate::ops::steps::telling::changes::{After, FileChange};
use crate::ops::steps::telling::knowledge;
use crate::ops::steps::undoing;
use bstr::{BString, ByteSlice as _};
use std::collections::HashSet;

/// Which operation.
#[derive(Debug, Clone)]
pub struct Options {
    /// As typed; see [`operations::find`].
    pub operation: String,
    /// How much of its changes.
    pub detail: Detail,
}

/// One operation.
#[derive(Debug)]
pub struct Outcome {
    /// What is known of it.
    pub told: Told,
    /// Files of which it changed the recorded version or conflict, relative to the tree.
    pub staged: Vec<BString>,
    /// The files that it changed, on disk, in the index or in the history.
    pub files: Vec<FileChange>,
    /// The same by meaning; none where only lines were asked for.
    pub entries: Vec<Entry>,
}

/// What is known of an operation.
#[derive(Debug)]
pub enum Told {
    /// What it says, and what became of it.
    Recorded(Box<Known>),
    /// Of one that is not on record here, what its commits say.
    Foreign(Foreign),
}

impl Told {
    /// Its name.
    #[must_use]
    pub const fn id(&self) -> &OperationId {
        match self {
            Self::Recorded(known) => &known.record.id,
            Self::Foreign(foreign) => &foreign.id,
        }
    }
}

/// An operation of another clone, or one that was pruned, by the commits of this history that carry its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// Its name.
    pub id: OperationId,
    /// The commits, newest first.
    pub commits: Vec<CommitId>,
    /// Why it was done, or the first line of the newest commit.
    pub reason: String,
    /// Who; empty where the commit does not say.
    pub actor: String,
    /// Which session of the actor.
    pub session: Option<String>,
    /// The operation that it took back.
    pub undoes: Option<OperationId>,
    /// When the newest commit was made, in seconds since 1970.
    pub seconds: i64,
    /// What took it back here.
    pub undone_by: Option<OperationId>,
}

/// Why it is not shown.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What is no fault of the name.
    #[error(transparent)]
    Cause(Cause),
    /// The name.
    #[error(transparent)]
    Name(#[from] operations::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Name(error) => error.kind(),
        }
    }
}

caused!(Error);

/// Show one operation.
///
/// # Errors
/// [`Error`]
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let listed = journal::list(scope)?;
    let mut undone = journal::undone(&listed);
    let (told, changes, staged) = match operations::find(&listed, &options.operation) {
        Ok(one) => {
            let record = operations::record(one)?.clone();
            let (changes, staged) = changes(scope, &record)?;
            let (footprint, elsewhere) = (operations::footprint(scope, &record)?, record.elsewhere(scope));
            let undone_by = undone.remove(&record.id);
            let known = Known { record, footprint, undone_by, elsewhere };
            (Told::Recorded(Box::new(known)), changes, staged)
        }
        Err(error @ (operations::Error::Elsewhere(_) | operations::Error::Unknown(_))) => {
            let (foreign, changes) = foreign(scope, &options.operation, error)?;
            let undone_by = undone.remove(&foreign.id);
            (Told::Foreign(Foreign { undone_by, ..foreign }), changes, Vec::new())
        }
        Err(error) => return Err(error.into()),
    };
    let knowledge::Told { files, entries, .. } =
        knowledge::tell(scope, &changes, options.detail, &After::Repository)?;
    Ok(Outcome { told, staged, files, entries })
}

/// An operation that is not on record here; `error` says so, where no commit carries its name either. What commits that stand
/// apart changed is not told.
fn foreign(scope: &Scope, typed: &str, error: operations::Error) -> Result<(Foreign, Vec<Change>), Error> {
    let id = match &error {
        operations::Error::Elsewhere(id) => id.clone(),
        _ => operations::only(typed, undoing::named(scope, typed)?)?,
    };
    let commits = undoing::commits_of(scope, &id)?;
    let (Some(newest), Some(oldest)) = (commits.first(), commits.last()) else { return Err(error.into()) };
    let text = |name: &str| newest.trailer(name).map(ToOwned::to_owned);
    let foreign = Foreign {
        id,
        commits: commits.iter().map(|one| one.commit).collect(),
        reason: text("Brv-Reason").unwrap_or_else(|| newest.subject.clone()),
        actor: text("Brv-Actor").unwrap_or_default(),
        session: text("Brv-Session"),
        undoes: newest.trailer("Brv-Undoes").and_then(OperationId::parse),
        seconds: newest.seconds,
        undone_by: None,
    };
    if !undoing::stand_together(&commits) {
        return Ok((foreign, Vec::new()));
    }
    let before = oldest.parent.map_or(Ok(TreeId::empty()), |id| scope.tree_of(id))?;
    let changes = trees::diff(scope, before, scope.tree_of(newest.commit)?, Renames::Detect)?;
    Ok((foreign, changes))
}

/// What changed in files; where only the index did, what changed there.
fn changes(scope: &Scope, record: &Record) -> Result<(Vec<Change>, Vec<BString>), Error> {
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
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    // only now: what went in the files may have gone in the index, too
    Ok((trees::join_renames(scope, changes, Renames::Detect)?, staged))
}
