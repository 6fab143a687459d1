//! What the index is told of files, as one operation. The files themselves are stored by then: the record is two trees of
//! what is known of them.

use crate::clock::Clock;
use crate::fs::{self, WriteGuard};
use crate::git::{self, CommitId, Edits, LockedIndex, Scope, TreeId};
use crate::journal::{self, Draft, IndexSides, Kind, OperationId, Side, Staged, Touches};
use crate::ops::FailureKind;
use crate::ops::context::Actor;
use crate::ops::steps::kept::Kept;
use crate::ops::steps::survey::Survey;
use bstr::{BStr, BString, ByteSlice as _};

/// Why the index is as it was.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The journal.
    #[error(transparent)]
    Journal(#[from] journal::Error),
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file.
    #[error(transparent)]
    File(#[from] fs::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Journal(error) => FailureKind::of_journal(error),
            Self::Git(error) => FailureKind::of_git(error),
            Self::File(_) => FailureKind::Failed,
        }
    }
}

/// The parts that it takes.
pub struct Hands<'a> {
    /// The tree.
    pub scope: &'a Scope,
    /// No other brv writes.
    pub guard: &'a WriteGuard,
    /// Time.
    pub clock: Clock,
    /// Who calls.
    pub actor: &'a Actor,
}

/// Bring the index to what the edits say. `None`: it says so already, and nothing is on record.
///
/// # Errors
/// [`Error`]
pub fn carry_out(
    hands: &Hands<'_>,
    mut locked: LockedIndex,
    survey: Survey,
    edits: &Edits,
) -> Result<Option<OperationId>, Error> {
    let Hands { scope, guard, clock, .. } = *hands;
    Kept::with(scope, guard, recorded(scope, edits))?;
    let draft = draft(hands, &survey, edits)?;
    let pending = draft.map(|draft| journal::begin(scope, guard, clock, &draft)).transpose()?;
    locked.index = survey.index.edited(edits)?;
    locked.commit()?;
    Ok(pending.map(|pending| pending.publish(scope)).transpose()?)
}

/// The bytes that are recorded, by path in the tree.
fn recorded<'a>(scope: &'a Scope, edits: &'a Edits) -> impl Iterator<Item = (&'a BStr, git::BlobId)> {
    edits.iter().filter_map(|(full, edit)| match edit {
        git::Edit::Put(version, _) => Some((scope.strip(full.as_bstr())?, version.id)),
        git::Edit::Remove | git::Edit::Intend | git::Edit::Unmerged(_) => None,
    })
}

/// What is recorded now that was not, or in the place of something else; `None` where nothing is.
fn draft(hands: &Hands<'_>, survey: &Survey, edits: &Edits) -> Result<Option<Draft>, Error> {
    let scope = hands.scope;
    let changes = edits.iter().map(|(path, edit)| (path, Staged::after(edit)));
    let differs = |(path, after): &(&BString, Staged)| Staged::of(&survey.index, path.as_bstr()) != *after;
    let changes: Vec<(BString, Staged)> =
        changes.filter(differs).map(|(path, after)| (path.clone(), after)).collect();
    let reason = match &changes[..] {
        [] => return Ok(None),
        [(path, _)] => scope.strip(path.as_bstr()).unwrap_or(path.as_bstr()).to_string(),
        _ => format!("{} files", changes.len()),
    };
    let sides = IndexSides::of(scope, &survey.index, changes)?;
    let side = |commit: Option<CommitId>| match commit {
        Some(commit) => Side::Commit(commit),
        None => Side::Snapshot { tree: TreeId::empty(), parents: Vec::new() },
    };
    Ok(Some(Draft {
        id: None,
        kind: Kind::Add,
        touches: Touches::State,
        moves: Vec::new(),
        before: side(survey.head.commit()),
        after: side(survey.head.commit()),
        index: Some(sides),
        undoes: None,
        reason,
        actor: hands.actor.name.clone().unwrap_or_default(),
        session: hands.actor.session.clone(),
        settings: Vec::new(),
        discarded: Vec::new(),
    }))
}
