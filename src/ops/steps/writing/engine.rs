//! Execute a [`Work`]: write files, index, merge state, references and settings.

use super::{Error, Ground, Purpose, Work, record};
use crate::fs::{self, WriteGuard};
use crate::git::index::WriteTreeError;
use crate::git::switch::{self, Admission, Content, Plan, Switched};
use crate::git::trees::{self, Change};
use crate::git::{self, Edit, Edits, Index, LockedIndex, Presence, Scope, Version, reflog, settings_moves};
use crate::journal::{self, OperationId, Part, RefMove, Staged, Transition};
use crate::ops::context::Parts;
use crate::ops::steps::remotes::incoming;
use crate::ops::steps::remotes::own_files::Kept;
use crate::ops::steps::telling::reflog::signature;
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::HashSet;

/// Carry out the work: begin, write files, index and merge state, move the references, publish. All objects of both
/// sides are stored already. Without the index only references and settings can change.
///
/// # Errors
/// [`Error`]; the next command finishes an interrupted operation, or it is dropped if nothing was written yet.
pub(super) fn carry_out(
    parts: &Parts<'_>,
    guard: &WriteGuard,
    locked: Option<LockedIndex>,
    work: Work<'_>,
    purpose: &Purpose,
) -> Result<(OperationId, Switched), Error> {
    let scope = parts.scope();
    let draft = record::draft(parts, &work, purpose, locked.as_ref().map(|locked| &locked.index))?;
    let writes =
        [Part::Files, Part::Index, Part::MergeState].iter().any(|part| draft.touches.contains(*part));
    let kept = match &locked {
        Some(locked) => keep(scope, guard, &locked.index, &work)?,
        None => Kept::default(),
    };
    let pending = journal::begin(scope, guard, parts.clock, &draft)?;
    let Work { transition, ground, admit } = work;
    let open = open_paths(scope, &transition);
    let admit = |path: &BStr, content: Content<'_>| match admit(path, content) {
        // whoever resolves the conflict must see the file
        _ if open.contains(path) => Admission::Admitted,
        Admission::Withheld(_) => kept.admit(path, content),
        judged => judged,
    };
    let (plan, source) = match ground {
        Ground::Exact => (Plan::exactly(&transition.files), Source::Listed),
        Ground::Planned { plan, .. } => (plan, Source::Files),
        Ground::Untouched { .. } => (Plan::default(), Source::Caller),
    };
    let switched = switch::apply(scope, plan, &admit, parts.progress)?;
    // held until the end: otherwise a git commit would include what is staged here
    let locked = match locked {
        Some(locked) if source != Source::Caller => {
            Some(write_index(scope, locked, source, (&transition, &switched.edits), &kept)?)
        }
        edited => edited,
    };
    if source != Source::Caller {
        write_waiting(scope, &transition)?;
    }
    let mut is_written = source != Source::Caller && writes;
    let moved = move_references(parts, &transition, purpose, || {
        // no file was touched: stage nothing and end no merge before it is certain that the branch moves
        if source != Source::Caller {
            return Ok(());
        }
        is_written = true;
        locked.as_ref().map_or(Ok(()), LockedIndex::write)?;
        write_waiting(scope, &transition)
    });
    if let Err(error) = moved {
        if !is_written && has_moved_nothing(scope, &transition.moves) {
            pending.forget(scope)?;
        }
        return Err(error.into());
    }
    settings_moves::bring(scope, &transition.settings)?;
    let operation = pending.publish(scope)?;
    drop(locked);
    Ok((operation, switched))
}

/// The source of the index entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The transition lists them.
    Listed,
    /// The files that were written, and other entries listed in the transition.
    Files,
    /// The caller has edited the index already.
    Caller,
}

fn write_index(
    scope: &Scope,
    mut locked: LockedIndex,
    source: Source,
    (transition, brought): (&Transition, &Edits),
    kept: &Kept,
) -> Result<LockedIndex, Error> {
    let mut edits = if source == Source::Files { brought.clone() } else { Edits::new() };
    edits.extend(index_edits(scope, &locked.index, transition, brought, kept)?);
    if source == Source::Listed && edits.is_empty() {
        return Ok(locked);
    }
    let was_cached = locked.index.cached_root().is_some();
    locked.edit(&edits)?;
    locked.index.hide(&transition.index.after.hiding);
    if source == Source::Files || was_cached {
        // fills the cache tree, so that the next status need not compare with HEAD; with conflicts there is none
        if let Err(WriteTreeError::Git(error)) = locked.index.write_tree(scope) {
            return Err(error.into());
        }
    }
    locked.write()?;
    Ok(locked)
}

/// Remember the files as this disk's own: unmanaged files that are removed or overwritten, and those that are staged.
fn keep(scope: &Scope, guard: &WriteGuard, index: &Index, work: &Work<'_>) -> Result<Kept, Error> {
    let mut kept = Kept::read(scope)?;
    match &work.ground {
        Ground::Exact => {
            kept.extend(going(scope, index, &work.transition.files));
            for id in unfit(scope, index, &work.transition.files)? {
                kept.add_unfit(id);
            }
        }
        Ground::Planned { plan, .. } => kept.extend(plan.going()),
        Ground::Untouched { .. } => kept.extend(staged(scope, &work.transition)),
    }
    kept.save(scope, guard)?;
    Ok(kept)
}

/// The staged versions of the transition, by path in the tree.
fn staged<'a>(scope: &'a Scope, transition: &'a Transition) -> impl Iterator<Item = (&'a BStr, git::BlobId)> {
    transition.index.after.entries.iter().filter_map(|(full, staged)| match staged {
        Staged::Version(version) => Some((scope.strip(full.as_bstr())?, version.id)),
        Staged::Nothing | Staged::Intended | Staged::Unmerged(_) => None,
    })
}

/// The paths (relative to the tree) that are still in conflict.
fn open_paths(scope: &Scope, transition: &Transition) -> HashSet<BString> {
    let entries = transition.index.after.entries.iter();
    let open = entries.filter(|(_, staged)| matches!(staged, Staged::Unmerged(_)));
    open.filter_map(|(full, _)| Some(scope.strip(full.as_bstr())?.to_owned())).collect()
}

/// The versions removed from the disk or overwritten.
fn going<'a>(
    scope: &'a Scope,
    index: &'a Index,
    files: &'a [Change],
) -> impl Iterator<Item = (&'a BStr, git::BlobId)> {
    let on_disk = |change: &&Change| !index.is_withheld(scope.full(&change.path).as_bstr());
    let stood = |change: &'a Change| Some((change.path.as_bstr(), change.before?.id));
    files.iter().filter(on_disk).filter_map(stood)
}

/// Edits on this disk that are removed and are invalid as entries. Versions in the index were checked when they were
/// staged.
fn unfit(scope: &Scope, index: &Index, files: &[Change]) -> Result<Vec<git::BlobId>, git::Error> {
    let mut found = Vec::new();
    for (path, id) in going(scope, index, files) {
        let recorded = index.version(scope.full(path).as_bstr());
        if recorded.is_none_or(|version| version.id != id)
            && incoming::admit_name(path) == Admission::Admitted
            && incoming::admit(path, Content::Bytes(&trees::blob(scope, id)?)) != Admission::Admitted
        {
            found.push(id);
        }
    }
    Ok(found)
}

fn write_waiting(scope: &Scope, transition: &Transition) -> Result<(), git::Error> {
    let (before, after) = (&transition.index.before.waiting, &transition.index.after.waiting);
    if before == after {
        return Ok(());
    }
    after.write(scope).map_err(|error| git::Error::new("write the merge state", error))
}

/// Runs `along` right before the references move.
fn move_references(
    parts: &Parts<'_>,
    transition: &Transition,
    purpose: &Purpose,
    along: impl FnOnce() -> Result<(), git::Error>,
) -> Result<(), git::Error> {
    let moves = transition.moves.iter().filter(|one| one.old != one.new);
    let moves: Vec<_> = moves.map(|one| one.to_move(purpose.reflog.line(one.name.as_bstr()))).collect();
    if moves.is_empty() {
        return along();
    }
    journal::keep_tags(parts.scope(), &transition.moves)?;
    let who = purpose.who.clone().unwrap_or_else(|| signature(parts.scope(), parts.clock));
    let renamed = renamed(&transition.moves);
    let log = renamed.map(|(gone, _)| reflog::read(parts.scope(), gone)).transpose()?;
    git::refs::update_with(parts.scope(), moves, &who, along)?;
    match (renamed, log) {
        (Some((_, come)), Some(log)) => reflog::go_on(parts.scope(), come, &log),
        _ => Ok(()),
    }
}

/// Whether no reference moved to its new target, as far as can be checked.
fn has_moved_nothing(scope: &Scope, moves: &[RefMove]) -> bool {
    let mut moving = moves.iter().filter(|one| one.old != one.new);
    moving.all(|one| git::refs::target(scope, one.name.as_bstr()).is_ok_and(|here| here != one.new))
}

/// A branch that is removed while another one is created at the same commit: a rename, so the reflog moves along.
fn renamed(moves: &[RefMove]) -> Option<(&BStr, &BStr)> {
    let branches = || moves.iter().filter(|one| one.name.starts_with(b"refs/heads/") && one.old != one.new);
    let (gone, come): (Vec<_>, Vec<_>) = branches().partition(|one| one.new.is_none());
    match (&gone[..], &come[..]) {
        ([gone], [come]) if gone.old == come.new => Some((gone.name.as_bstr(), come.name.as_bstr())),
        _ => None,
    }
}

/// The edits for the index, with the known state of their files on disk.
fn index_edits(
    scope: &Scope,
    index: &Index,
    transition: &Transition,
    brought: &Edits,
    kept: &Kept,
) -> Result<Edits, fs::Error> {
    let off_disk = transition.index.off_disk(index);
    let presence = |path: &BString, staged: &Staged| {
        Ok(match (brought.get(path), staged) {
            (Some(Edit::Put(version, presence)), Staged::Version(wanted)) if version == wanted => *presence,
            _ if off_disk(path.as_bstr(), *staged) => Presence::Withheld,
            (None, Staged::Version(version)) if never_came(scope, path, *version, kept)? => {
                Presence::Withheld
            }
            _ => Presence::Unknown,
        })
    };
    let before = &transition.index.before.entries;
    let entries = transition.index.after.entries.iter();
    entries
        .filter(|(path, staged)| before.get(*path) != Some(staged) || brought.contains_key(*path))
        .map(|(path, staged)| Ok((path.clone(), staged.to_edit(presence(path, staged)?))))
        .collect()
}

/// Whether a version is not allowed on disk at a path (full), and no file is there.
fn never_came(scope: &Scope, full: &BString, version: Version, kept: &Kept) -> Result<bool, fs::Error> {
    let Some(path) = scope.strip(full.as_bstr()) else { return Ok(false) };
    if fs::stat(&fs::below(&scope.root(), path)?)?.is_some() {
        return Ok(false);
    }
    let stays_off = |content: Content<'_>| kept.admit(path, content) != Admission::Admitted;
    // a version that cannot be read fails where it is needed
    let is_bad = || trees::blob(scope, version.id).is_ok_and(|bytes| stays_off(Content::Bytes(&bytes)));
    Ok(stays_off(Content::Unread(version)) || is_bad())
}
