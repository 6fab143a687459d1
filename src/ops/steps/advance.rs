//! Bringing the tree from where it is to another tree: the part that pull and clone share.
//!
//! Everything is checked and stored before the first write; the journal covers the rest.

use super::incoming::{self, Unsafe};
use super::kept::Kept;
use super::reconcile::Conflict;
use super::reflog::Reflog;
use super::survey::Survey;
use crate::clock::Clock;
use crate::fs::{self, WriteGuard};
use crate::git::merge_state::{self, MergeState};
use crate::git::switch::{self, Admission, ApplyError, Content, InTheWay, Plan, PlanError};
use crate::git::trees;
use crate::git::{self, Edit, Index, LockedIndex, Scope, Signature, TreeId};
use crate::journal::{self, Draft, IndexSides, OperationId, Side, Staged};
use crate::progress::Progress;
use bstr::{BStr, BString, ByteSlice};
use std::collections::HashSet;

/// Why the tree cannot be brought there. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// Paths that must never be followed.
    #[error("the remote has paths that are not safe")]
    Unsafe(Vec<Unsafe>),
    /// Local edits that would be overwritten.
    #[error("local files would be overwritten")]
    InTheWay(InTheWay),
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A guard refused it.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file.
    #[error(transparent)]
    File(#[from] fs::Error),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] journal::Error),
}

impl From<ApplyError> for Error {
    fn from(error: ApplyError) -> Self {
        match error {
            ApplyError::Git(error) => Self::Git(error),
            ApplyError::File(error) => Self::File(error),
        }
    }
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> crate::ops::FailureKind {
        match self {
            Self::Refused(_) => crate::ops::FailureKind::Refused,
            Self::Git(error) => crate::ops::FailureKind::of_git(error),
            Self::Journal(error) => crate::ops::FailureKind::of_journal(error),
            _ => crate::ops::FailureKind::Failed,
        }
    }
}

/// Check what the other side changed between `base` and `theirs`, before anything else is done with it.
///
/// # Errors
/// [`Refused::Unsafe`], with every path.
pub fn screen(scope: &Scope, base: TreeId, theirs: TreeId) -> Result<(), Error> {
    let (changes, disguised) = trees::compare(scope, base, theirs)?;
    let mut refused = incoming::unsafe_paths(&changes);
    refused.extend(incoming::unsafe_entries(disguised));
    if refused.is_empty() { Ok(()) } else { Err(Refused::Unsafe(refused).into()) }
}

/// Check the way from `HEAD`'s tree to `after`, and plan it. What is in conflict is written in any case: somebody must
/// see it to decide.
///
/// # Errors
/// [`Refused`], with every path that stands against it.
pub fn plan(scope: &Scope, survey: &Survey, after: TreeId, conflicts: &[Conflict]) -> Result<Plan, Error> {
    let (changes, disguised) = trees::compare(scope, survey.head_tree, after)?;
    let mut refused = incoming::unsafe_paths(&changes);
    refused.extend(incoming::unsafe_entries(disguised));
    refused.extend(incoming::case_twins(&changes, |folder| match trees::find(scope, after, folder)? {
        Some(trees::Found::Folder(folder)) => trees::names(scope, folder),
        _ => Ok(Vec::new()),
    })?);
    if !refused.is_empty() {
        return Err(Refused::Unsafe(refused).into());
    }
    let before = |change: &trees::Change| Some((change.path.clone(), change.before?.id));
    let stands = |change: &&trees::Change| !survey.index.is_withheld(scope.full(&change.path).as_bstr());
    let mut kept = Kept::read(scope)?;
    kept.extend(changes.iter().filter(stands).filter_map(before));
    let admit = admission(scope, conflicts, &kept);
    switch::plan(scope, &changes, &survey.index, &survey.work_tree, &admit).map_err(|error| match error {
        PlanError::InTheWay(paths) => Refused::InTheWay(paths).into(),
        PlanError::Git(error) => Error::Git(error),
        PlanError::File(error) => Error::File(error),
    })
}

fn admission<'a>(
    scope: &Scope,
    conflicts: &[Conflict],
    kept: &'a Kept,
) -> impl Fn(&BStr, Content<'_>) -> Admission + Sync + use<'a> {
    let open: HashSet<BString> = conflicts
        .iter()
        .filter_map(|conflict| Some(scope.strip(conflict.path.as_bstr())?.to_owned()))
        .collect();
    move |path, content| {
        if open.contains(path.as_bytes()) { Admission::Admitted } else { kept.admit(path, content) }
    }
}

/// What is to be carried out.
pub struct Advance {
    /// Files to write and remove.
    pub plan: Plan,
    /// For the journal; its `head` is moved.
    pub draft: Draft,
    /// For the reflogs.
    pub reflog: Reflog,
    /// Paths that stay in conflict.
    pub conflicts: Vec<Conflict>,
    /// The merge that then waits for decisions.
    pub merge: Option<MergeState>,
    /// The message for whoever commits what is staged then.
    pub squash: Option<BString>,
}

/// What was done.
#[derive(Debug)]
pub struct Advanced {
    /// The operation in the journal.
    pub operation: OperationId,
    /// Files that stay in the commit without being written, with the reason.
    pub withheld: Vec<(BString, &'static str)>,
    /// Files that were saved while the tree was brought over, and left as they are.
    pub left_alone: Vec<BString>,
    /// Files that are not there, since others were put into a folder of that name meanwhile.
    pub blocked: Vec<BString>,
}

/// The draft with what really stands on disk before it. A file that is there already as it shall be, staged or not, is none
/// that the operation brings: it must not go with an undo. Its index entry changes all the same, so both sides of the index
/// are on record then.
fn as_it_stands(scope: &Scope, index: &Index, plan: &Plan, draft: Draft) -> Result<Draft, Error> {
    let standing: Vec<_> = plan.standing(index).collect();
    if standing.is_empty() {
        return Ok(draft);
    }
    let (tree, parents) = match draft.before {
        Side::Commit(id) => (scope.tree_of(id)?, vec![id]),
        Side::Snapshot { tree, parents } => (tree, parents),
    };
    let versions = standing.into_iter().map(|(path, file)| (path, file.map(|file| (file.mode, file.id))));
    let before = Side::Snapshot { tree: git::tree_with(scope, tree, versions)?, parents };
    let edits = || plan.edits(scope).into_iter().map(|(path, edit)| (path, Staged::after(&edit)));
    let index = match draft.index {
        Some(sides) => sides,
        None => IndexSides::of(scope, index, edits())?,
    };
    Ok(Draft { before, index: Some(index), ..draft })
}

/// Carry it out: begin, write files, index and merge state, move the branch, publish.
///
/// # Errors
/// [`Error`]; what was begun is finished or rolled back by the next command.
pub fn carry_out(
    scope: &Scope,
    guard: &WriteGuard,
    mut locked: LockedIndex,
    advance: Advance,
    who: &Signature,
    clock: Clock,
    progress: &dyn Progress,
) -> Result<Advanced, Error> {
    let kept = Kept::with(scope, guard, advance.plan.going())?;
    let draft = as_it_stands(scope, &locked.index, &advance.plan, advance.draft.clone())?;
    let pending = journal::begin(scope, guard, clock, &draft)?;
    let admit = admission(scope, &advance.conflicts, &kept);
    let mut switched = switch::apply(scope, advance.plan, &admit, progress)?;
    for conflict in &advance.conflicts {
        switched.edits.insert(conflict.path.clone(), Edit::Unmerged(conflict.versions));
    }
    locked.index = locked.index.edited(&switched.edits)?;
    if advance.conflicts.is_empty() {
        // fills the cache-tree, so that the next status need not compare with HEAD
        if let Err(git::index::WriteTreeError::Git(error)) = locked.index.write_tree(scope) {
            return Err(error.into());
        }
    }
    locked.commit()?;
    if let Some(merge) = &advance.merge {
        merge_state::write(scope, merge)?;
    }
    if let Some(message) = &advance.squash {
        merge_state::write_squash(scope, message)?;
    }
    let moves = advance.draft.moves.iter().filter(|one| one.old != one.new);
    let moves: Vec<_> = moves.map(|one| one.to_move(advance.reflog.line(one.name.as_bstr()))).collect();
    if !moves.is_empty() {
        git::refs::update(scope, moves, who)?;
    }
    git::settings_moves::bring(scope, &advance.draft.settings)?;
    let operation = pending.publish(scope)?;
    Ok(Advanced {
        operation,
        withheld: switched.withheld,
        left_alone: switched.left_alone,
        blocked: switched.blocked,
    })
}
