//! `brv op show` and `brv op diff`: show one operation with its changes.

use crate::op::log::Known;
use crate::undo::work;
use brv_base::sorting;
use brv_engine::journal::{self, OperationId, Record, Staged};
use brv_engine::open::context::Context;
use brv_engine::open::naming::operations;
use brv_engine::outcome::cause::{Cause, caused};
pub use brv_engine::read::history::changes::Detail;
use brv_engine::read::history::changes::{Contents, FileChange};
use brv_engine::read::history::knowledge;
use brv_engine::{Fails, FailureKind};
use brv_git::trees::{self, Change, Renames};
use brv_git::{CommitId, Scope, TreeId};
use brv_text::diff::knowledge::Entry;
use bstr::{BString, ByteSlice as _};
use std::collections::HashSet;

#[derive(Debug, Clone)]
pub struct Options {
    /// As typed; see [`operations::find`].
    pub operation: String,
    /// How much of its changes to show.
    pub detail: Detail,
}

#[derive(Debug)]
pub struct Outcome {
    pub told: Told,
    /// Files whose staged version or conflict it changed, relative to the tree.
    pub staged: Vec<BString>,
    /// The files that it changed on disk, in the index or in the history.
    pub files: Vec<FileChange>,
    /// The changes by entry; empty if only lines were requested.
    pub entries: Vec<Entry>,
}

/// What is known about an operation.
#[derive(Debug)]
pub enum Told {
    /// From the operation log, with what became of it later.
    Recorded(Box<(Record, Known)>),
    /// From its commits, for an operation that is not in the log here.
    Foreign(Foreign),
}

impl Told {
    pub const fn id(&self) -> &OperationId {
        match self {
            Self::Recorded(recorded) => &recorded.0.id,
            Self::Foreign(foreign) => &foreign.id,
        }
    }
}

/// An operation of another clone, or one that was pruned, reconstructed from the commits of this history that carry its
/// name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    pub id: OperationId,
    /// The commits, newest first.
    pub commits: Vec<CommitId>,
    /// Why it was done, or the subject of the newest commit.
    pub reason: String,
    /// Its actor; empty if the commit names none.
    pub actor: String,
    pub session: Option<String>,
    /// The operations that it undid, newest first.
    pub undoes: Vec<OperationId>,
    /// Committer time of the newest commit, in seconds since 1970.
    pub seconds: i64,
    pub undone_by: Option<OperationId>,
}

/// Why it cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error(transparent)]
    Name(#[from] operations::Error),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Name(error) => error.kind(),
        }
    }
}

caused!(Error);

pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let listed = journal::list(scope)?;
    let mut undone = journal::undone(&listed);
    let (told, changes, staged) = match operations::find(&listed, &options.operation) {
        Ok(one) => {
            let record = operations::record(one)?.clone();
            let (changes, staged) = changes(scope, &record)?;
            let undone_by = undone.remove(&record.id);
            let known = Known { undone_by, ..Known::new(scope, &record, usize::MAX)? };
            (Told::Recorded(Box::new((record, known))), changes, staged)
        }
        Err(error @ (operations::Error::Elsewhere(_) | operations::Error::Unknown(_))) => {
            let (foreign, changes) = foreign(scope, &options.operation, error)?;
            let undone_by = undone.remove(&foreign.id);
            (Told::Foreign(Foreign { undone_by, ..foreign }), changes, Vec::new())
        }
        Err(error) => return Err(error.into()),
    };
    let knowledge::Told { files, entries, .. } =
        knowledge::tell(scope, &changes, options.detail, &Contents::default())?;
    Ok(Outcome { told, staged, files, entries })
}

/// An operation that is not in the log here; fails with `error` if no commit carries its name either. If its commits
/// are not adjacent, their changes are not shown.
fn foreign(scope: &Scope, typed: &str, error: operations::Error) -> Result<(Foreign, Vec<Change>), Error> {
    let id = match &error {
        operations::Error::Elsewhere(id) => id.clone(),
        _ => operations::only(typed, work::named(scope, typed)?)?,
    };
    let commits = work::commits_of(scope, &id)?;
    let (Some(newest), Some(oldest)) = (commits.first(), commits.last()) else { return Err(error.into()) };
    let text = |name: &str| newest.trailer(name).map(ToOwned::to_owned);
    let foreign = Foreign {
        id,
        commits: commits.iter().map(|one| one.commit).collect(),
        reason: text("Brv-Reason").unwrap_or_else(|| newest.subject.clone()),
        actor: text("Brv-Actor").unwrap_or_default(),
        session: text("Brv-Session"),
        undoes: newest.undoes(),
        seconds: newest.seconds,
        undone_by: None,
    };
    if !work::stand_together(&commits) {
        return Ok((foreign, Vec::new()));
    }
    let before = oldest.parent.map_or(Ok(TreeId::empty()), |id| scope.tree_of(id))?;
    let changes = trees::diff(scope, before, scope.tree_of(newest.commit)?, Renames::Detect)?;
    Ok((foreign, changes))
}

/// The changes to files; if only the index changed, the changes there.
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
    sorting::sort_by(&mut changes, |a, b| a.path.cmp(&b.path));
    // only now: a file removed on disk may have been removed from the index, too
    Ok((trees::join_renames(scope, changes, Renames::Detect)?, staged))
}
