//! Carry out a planned undo: as an operation, with its own commit if one is needed.

use super::planned::UndoPlan;
use super::{Error, UndoMode};
use brv_engine::journal::{self, IndexSides, OperationKind, RefMove, Staged, Transition, Undoes};
use brv_engine::merge::discarded;
use brv_engine::open::context::Parts;
use brv_engine::open::survey::Survey;
use brv_engine::write::landing::{LandingMessage, write_commit};
use brv_engine::write::operation::{self, Purpose, Work, Writing};
use brv_engine::{FailureKind, Stop};
use brv_git as git;
use brv_git::identity::{self, Identity};
use brv_git::trees::{self, Change};
use brv_git::{BlobId, CommitId, Scope, Signature, Version, store};
use bstr::{BString, ByteSlice as _};
use std::sync::Arc;

/// What the operation log and the commit say about an undo.
pub struct UndoNaming {
    /// The kind of the operation; its word begins the subject.
    pub kind: OperationKind,
    /// The operations that are undone, newest first.
    pub undoes: Vec<Undoes>,
    /// The subject of the commit, after the word of its kind.
    pub subject: String,
    /// The reason of the operation.
    pub reason: String,
    /// What the commit says besides.
    pub trailers: Vec<(&'static str, String)>,
}

/// Carry out the plan. Returns the new commit, if one was made.
///
/// # Errors
/// [`Error`]; the next command finishes an interrupted operation.
pub fn carry_out(
    writing: &mut Writing<'_>,
    survey: Survey,
    planned: UndoPlan,
    UndoNaming { kind, undoes, subject, reason, trailers }: UndoNaming,
) -> Result<Option<CommitId>, Error> {
    let (scope, parts) = (writing.scope(), &writing.parts());
    check_disk(scope, &survey, &planned.files)?;
    store_new(scope, &planned)?;
    let mut index = IndexSides::of(scope, &survey.index, planned.entries.clone())?;
    index.after.waiting = planned.waiting.clone();
    index.after.hiding = planned.hiding.clone();
    let id = journal::reserve(scope, parts.clock, &reason)?;
    let settled: Vec<_> = planned.settled.iter().map(|file| file.told(scope)).collect();
    let discarded = discarded::of(&settled);
    let (mut moves, admits) = (planned.moves.clone(), Arc::clone(&planned.admits));
    let (mut commit, mut who) = (None, reflog_identity(parts));
    if planned.manner == UndoMode::Committed {
        let identity = identify(parts).map_err(|error| Stop::from(error).hint(NO_AUTHOR))?;
        let actor = parts.actor.name.clone().unwrap_or_else(|| identity.committer.to_string());
        let message = LandingMessage {
            subject: &format!("{}: {subject}", kind.word()),
            body: &[],
            operation: &id,
            undoes: &undoes,
            reason: Some(&reason),
            notes: Vec::new(),
            actor: Some(&actor),
            session: parts.actor.session.as_deref(),
            source_commit: None,
            dream: None,
            discarded: &discarded,
            others: &trailers,
        };
        let head = (&survey.head, survey.head_tree);
        let (made, _) = write_commit(parts, head, &planned.committed, &identity, message.written())?;
        moves.insert(0, RefMove::of_head(&survey.head, made));
        (commit, who) = (Some(made), identity.committer);
    }
    let transition = Transition { files: planned.files, index, moves, settings: planned.settings };
    let purpose = Purpose::new(kind, reason.clone())
        .named(Some(id))
        .undoing(undoes)
        .discarding(discarded)
        .logged(reason)
        .signed(who);
    let work = Work::exact(transition).admitting(&*admits);
    writing.carry_out(Some(survey.index), work, &purpose).map_err(Stop::from)?;
    Ok(commit)
}

const NO_AUTHOR: &str =
    "a new commit needs an author: set `brv vc config user.name NAME` and `brv vc config user.email ADDRESS`";

/// Store the files on disk, and fail if a file was saved since it was read.
fn check_disk(scope: &Scope, survey: &Survey, files: &[Change]) -> Result<(), Error> {
    let is_on_disk = |change: &&Change| !survey.index.is_withheld(scope.full(&change.path).as_bstr());
    let (paths, before): (Vec<BString>, Vec<Option<Version>>) =
        files.iter().filter(is_on_disk).map(|change| (change.path.clone(), change.before)).unzip();
    let stored = operation::on_disk(scope, &survey.index, &paths)?;
    for ((path, before), stored) in paths.into_iter().zip(before).zip(stored) {
        if before.map(|version| version.id) != stored.map(|version| version.id) {
            let message = format!("`{path}` was changed in the meantime");
            let stop = Stop::new(FailureKind::Changed, message);
            return Err(stop.hint("nothing was written; try again").into());
        }
    }
    Ok(())
}

/// Store the merge results, and every version in conflict.
fn store_new(scope: &Scope, planned: &UndoPlan) -> Result<(), git::Error> {
    let after = planned.files.iter().filter_map(|change| change.after);
    let staged = planned.entries.values().filter_map(|staged| match staged {
        Staged::Version(version) => Some(*version),
        Staged::Nothing | Staged::Intended | Staged::Unmerged(_) => None,
    });
    let open = planned.conflicts.iter().flat_map(|conflict| conflict.versions).flatten();
    let mut ids: Vec<BlobId> = after
        .chain(open)
        .chain(staged)
        .map(|version| version.id)
        .filter(|id| !store::holds(scope, *id))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let blobs: Vec<Vec<u8>> =
        ids.into_iter().map(|id| trees::blob(planned.scope(), id)).collect::<Result<_, _>>()?;
    store::write_blobs(scope, &blobs).map(drop)
}

fn identify(parts: &Parts<'_>) -> Result<Identity, identity::Error> {
    identity::identity(parts.scope(), &identity::Overrides::default(), parts.clock)
}

/// The identity for the reflog, as far as known.
fn reflog_identity(parts: &Parts<'_>) -> Signature {
    identify(parts).map_or_else(|_| Signature::anonymous(parts.clock.seconds()), |who| who.committer)
}
