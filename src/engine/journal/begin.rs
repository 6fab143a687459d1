//! Begin and publish operations: the two ends of every command that writes.

use super::index_sides;
use super::list::ids;
use super::prune::{expired, forget};
use super::{Draft, OPERATIONS, OperationId, SNAPSHOT_SECONDS, Side};
use crate::Stop;
use crate::journal::operation::place::{pending_ref, place};
use crate::journal::operation::record::message;
use brv_base::clock::Clock;
use brv_base::fs::WriteGuard;
use brv_git as git;
use brv_git::commit::NewCommit;
use brv_git::identity;
use brv_git::refs::{Expected, Move};
use brv_git::{CommitId, Scope, Signature};

/// An operation that has begun. It must be published; otherwise the next process that takes the lock recovers it.
#[derive(Debug)]
pub struct PendingOperation {
    pub id: OperationId,
    commit: CommitId,
    who: Signature,
}

/// Store the operation and point `refs/brv/pending` to it. From here on a crash is recovered.
///
/// # Errors
/// Another operation is pending though the lock is held, so that it must be recovered first; a git lock that another
/// process holds; a repository that cannot be written.
pub fn begin(
    scope: &Scope,
    guard: &WriteGuard,
    clock: Clock,
    draft: &Draft,
) -> Result<PendingOperation, Stop> {
    wait_for_others(scope, draft)?;
    let name = pending_ref(scope);
    if git::refs::find(scope, name.as_ref())?.is_some() {
        return Err(Stop::failed("another operation is pending"));
    }
    let now = clock.now();
    let who = Signature::anonymous(now.timestamp());
    let others = ids(scope)?;
    let before = side(scope, &draft.before, &who, "before")?;
    let after = side(scope, &draft.after, &who, "after")?;
    let tree = scope.tree_of(after)?;
    // operations that begin in the same millisecond differ in the commits they move from or to
    let id = match &draft.id {
        Some(id) => id.clone(),
        None => behind(others.first(), clock, &format!("{before}{after}")),
    };
    forget(scope, guard, &expired(others, now.timestamp()))?;
    let mut parents = vec![before, after];
    if let Some(sides) = &draft.index {
        parents.extend(index_sides::store(scope, sides, &who)?);
    }
    let commit = NewCommit {
        tree,
        parents,
        author: who.clone(),
        committer: who.at(SNAPSHOT_SECONDS),
        message: message(&id, &actor(scope, clock, draft), place(scope).as_deref(), draft),
    };
    let commit = git::commit::write(scope, &commit)?;
    let pending = Move { name, expected: Expected::Absent, target: Some(commit.into()), reason: "".into() };
    git::refs::update(scope, vec![pending], &who)?;
    Ok(PendingOperation { id, commit, who })
}

/// Wait for the git locks that the operation will need. If another process keeps one, or a reference conflicts with an
/// existing one, the operation does not begin.
fn wait_for_others(scope: &Scope, draft: &Draft) -> Result<(), git::Error> {
    let moves = draft.moves.iter().filter(|one| one.old != one.new);
    let moves: Vec<Move> = moves.map(|one| one.to_move("".into())).collect();
    git::refs::wait_until_movable(scope, &moves)?;
    if draft.settings.is_empty() { Ok(()) } else { git::settings_moves::wait_until_free(scope) }
}

/// Reserve the name of an operation that begins now, sorted after all existing ones; `seed` distinguishes the names of
/// one moment and process.
pub fn reserve(scope: &Scope, clock: Clock, seed: &str) -> Result<OperationId, Stop> {
    Ok(behind(ids(scope)?.first(), clock, seed))
}

fn behind(last: Option<&OperationId>, clock: Clock, seed: &str) -> OperationId {
    let id = OperationId::reserve(clock, seed);
    match last {
        Some(last) => id.following(last),
        None => id,
    }
}

fn actor(scope: &Scope, clock: Clock, draft: &Draft) -> String {
    if !draft.actor.is_empty() {
        return draft.actor.clone();
    }
    identity::identity(scope, &identity::Overrides::default(), clock)
        .map_or_else(|_| String::new(), |who| who.committer.to_string())
}

fn side(scope: &Scope, side: &Side, who: &Signature, word: &str) -> Result<CommitId, Stop> {
    match side {
        Side::Commit(id) => Ok(*id),
        Side::Snapshot { tree, parents } => Ok(git::commit::write(
            scope,
            &NewCommit {
                tree: *tree,
                parents: parents.clone(),
                author: who.clone(),
                committer: who.at(SNAPSHOT_SECONDS),
                message: format!("snapshot: {word}\n").into(),
            },
        )?),
    }
}

impl PendingOperation {
    /// Discard the operation: nothing has been written yet.
    pub fn forget(self, scope: &Scope) -> Result<(), Stop> {
        let expected = Expected::Is(self.commit.into());
        let gone = Move { name: pending_ref(scope), expected, target: None, reason: "".into() };
        Ok(git::refs::update(scope, vec![gone], &self.who)?)
    }

    /// Publish the operation in the journal and remove the pending ref, in one transaction.
    pub fn publish(self, scope: &Scope) -> Result<OperationId, Stop> {
        publish(scope, &self.id, self.commit, &self.who)?;
        Ok(self.id)
    }
}

pub(super) fn publish(
    scope: &Scope,
    id: &OperationId,
    commit: CommitId,
    who: &Signature,
) -> Result<(), Stop> {
    debug_assert!(id.reference().starts_with(OPERATIONS));
    let moves = vec![
        Move {
            name: id.reference().into(),
            expected: Expected::Anything,
            target: Some(commit.into()),
            reason: "".into(),
        },
        Move {
            name: pending_ref(scope),
            expected: Expected::Is(commit.into()),
            target: None,
            reason: "".into(),
        },
    ];
    Ok(git::refs::update(scope, moves, who)?)
}
