//! `brv op show` and `brv op diff`: one operation, with what it changed.

use crate::diff::knowledge::Entry;
use crate::git::trees::{self, Change, Renames};
use crate::git::{self, Scope};
use crate::journal::{self, OperationId, Record, Staged};
use crate::ops::FailureKind;
use crate::ops::context::{Context, OpenError};
use crate::ops::op::log::Known;
use crate::ops::steps::changes::{After, Detail, FileChange};
use crate::ops::steps::{knowledge, operations};
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
    /// What it says, and what became of it.
    pub known: Known,
    /// Files of which it changed the recorded version or conflict, relative to the tree.
    pub staged: Vec<BString>,
    /// The files that it changed, on disk, in the index or in the history.
    pub files: Vec<FileChange>,
    /// The same by meaning; none where only lines were asked for.
    pub entries: Vec<Entry>,
}

/// Why it is not shown.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No tree.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The name.
    #[error(transparent)]
    Name(#[from] operations::Error),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] journal::Error),
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Open(error) => error.kind(),
            Self::Name(error) => error.kind(),
            Self::Journal(error) => operations::of_journal(error),
            Self::Git(error) => FailureKind::of_git(error),
        }
    }
}

/// Show one operation.
///
/// # Errors
/// [`Error`]
pub fn run(cx: &mut Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let listed = journal::list(scope)?;
    let one = operations::find(&listed, &options.operation)?;
    let record = operations::record(one)?.clone();
    let undone_by: Option<OperationId> = journal::undone(&listed).remove(&one.id);
    let (changes, staged) = changes(scope, &record)?;
    let told = knowledge::tell(scope, &changes, options.detail, &After::Repository)?;
    let footprint = operations::footprint(scope, &record)?;
    let known = Known { record, footprint, undone_by };
    Ok(Outcome { known, staged, files: told.files, entries: told.entries })
}

/// What changed in files; where only the index did, what changed there.
fn changes(scope: &Scope, record: &Record) -> Result<(Vec<Change>, Vec<BString>), Error> {
    let (before, after) = (scope.tree_of(record.before)?, scope.tree_of(record.after)?);
    let mut changes = trees::diff(scope, before, after, Renames::Detect)?;
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
    Ok((changes, staged))
}
