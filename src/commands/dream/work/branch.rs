//! Land a dream on a branch of its own, which begins at `HEAD`: `HEAD`, index, files and signals stay as they are.
//!
//! The person pushes the branch, reviews it like any other, and merges it when its time comes. The commit has an operation
//! id of its own, by which the dream is undone once it is merged; undoing the making of the branch removes the branch.

use super::applying::Applied;
use super::landing::{Landed, words};
use brv_engine::journal::{self, DreamId, OperationKind, RefMove, Transition};
use brv_engine::open::context::Parts;
use brv_engine::open::naming::branches::{self, BranchName};
use brv_engine::read::history::provenance::{BRANCH, MODEL};
use brv_engine::write::landing::{LandingMessage, write_commit};
use brv_engine::write::operation::{Derived, Purpose, Work, Writing};
use brv_engine::{FailureKind, Stop};
use brv_git::identity::{self, Overrides};
use brv_git::{Head, TreeId, refs, store};
use bstr::{BStr, ByteSlice as _};
use std::collections::BTreeSet;

/// The branch of a dream that no name is given for.
pub fn name_of(dream: DreamId) -> String {
    format!("dream/{dream}")
}

/// The branch that is to be made.
///
/// # Errors
/// A name that no branch can have, or that one has.
pub fn named(parts: &Parts<'_>, typed: &str) -> Result<BranchName, Stop> {
    let scope = parts.scope();
    let name = BranchName::parse(scope, typed)?;
    if refs::target(scope, name.full().as_bstr())?.is_some() {
        return Err(Stop::usage(format!("the branch `{name}` already exists")));
    }
    branches::refuse_folders(scope, &name, None)?;
    Ok(name)
}

/// Make the commit and the branch. A dream that changes no file makes none.
///
/// # Errors
/// No identity; `HEAD` moved since the plan was made; the branch was made meanwhile.
pub fn land_on_branch(
    parts: Parts<'_>,
    (dream, name): (DreamId, &BranchName),
    (applied, model): (Applied<'_>, Option<&str>),
    base: &Head,
) -> Result<Landed, Stop> {
    let identity = identity::identity(parts.scope(), &Overrides::default(), parts.clock)
        .map_err(|error| Stop::new(FailureKind::Refused, error.to_string()))?;
    let scope = parts.scope();
    let changes = applied.sketch.view.changes();
    if changes.is_empty() {
        return Ok(Landed::of(applied));
    }
    let paths: BTreeSet<&BStr> = changes.iter().map(|change| change.path.as_bstr()).collect();
    let (subject, body) = words(&applied.rows, &paths);
    let mut writing = Writing::begin(parts)?;
    if scope.head()?.commit() != base.commit() {
        return Err(Stop::new(FailureKind::Changed, "HEAD moved at the same time").hint("try again"));
    }
    store::write_blobs(scope, &applied.sketch.view.new_bytes())?;
    let operation = journal::reserve(scope, parts.clock, &subject)?;
    let model = model.map(|model| (MODEL, model.to_owned()));
    let own: Vec<_> = [(BRANCH, name.to_string())].into_iter().chain(model).collect();
    let message = LandingMessage {
        subject: &subject,
        body: &body,
        operation: &operation,
        undoes: &[],
        reason: None,
        notes: applied.notes.values().filter(|note| paths.contains(note.path.as_bstr())).collect(),
        actor: parts.actor.name.as_deref(),
        session: parts.actor.session.as_deref(),
        source_commit: None,
        dream: Some(dream),
        discarded: &applied.sketch.discarded,
        others: &own,
    };
    let tree = base.commit().map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
    let (commit, _) = write_commit(&parts, (base, tree), &changes, &identity, message.written())?;
    let moves = vec![RefMove { name: name.full(), old: None, new: Some(commit.into()) }];
    let transition = Transition { moves, ..Transition::default() };
    let reason = format!("{dream} on branch {name}");
    let purpose = Purpose::new(OperationKind::Branch, reason)
        .logged(format!("dream: {subject}"))
        .signed(identity.committer);
    writing.carry_out(None, Work::exact(transition), &purpose)?;
    let written = writing.finish(Derived::Leave);
    Ok(Landed {
        operation: Some(operation),
        commit: Some(commit),
        branch: Some(name.to_string()),
        written,
        ..Landed::of(applied)
    })
}

/// Where `HEAD` is, for a branch that begins there.
///
/// # Errors
/// There is no commit yet.
pub fn start(parts: &Parts<'_>) -> Result<Head, Stop> {
    let head = parts.scope().head()?;
    match head.commit() {
        Some(_) => Ok(head),
        None => Err(Stop::new(FailureKind::Refused, "there is no commit yet to make a branch at")),
    }
}
