//! Recover after a crash: finish the pending operation. Idempotent, so it may be interrupted itself.
//!
//! The rule: an operation is finished, not rolled back, even into a merge in conflict, since everything it needs is
//! stored. But if its branch has moved since, the user has continued to work: then no file is touched, and the
//! operation is only published, so that its snapshots are kept. The same happens if a reference cannot be moved,
//! however often it is tried. A file that has neither the bytes before nor those after was edited since the crash: it
//! is left alone and reported.

use super::begin::publish;
use super::index_sides::Staged;
use super::interrupted::{self, Interrupted};
use super::{OperationId, OperationKind, RefMove};
use crate::Stop;
use crate::journal::operation::place::pending_ref;
use crate::journal::operation::record::{Record, first};
use crate::journal::operation::touches::TreePart;
use crate::outcome::bytes::texts;
use brv_base::content::ContentId;
use brv_base::fs::{self, FileKind, WriteGuard};
use brv_git as git;
use brv_git::held::{self, ApplyError};
use brv_git::refs::Target;
use brv_git::switch::{self, Admission, Admit, Content};
use brv_git::trees::{self, Change};
use brv_git::{Edit, Edits, Head, Presence, Scope, Signature, Version};
use bstr::{BStr, BString, ByteSlice};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// An interrupted command that was recovered.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Recovered {
    /// The id of its operation.
    #[serde(rename = "operation")]
    pub id: OperationId,
    /// The name of the command.
    pub kind: OperationKind,
    /// How it was recovered.
    pub resolution: Resolution,
    /// Files that were edited since; left alone.
    pub left_alone: Vec<String>,
    /// Files that were not written, because other files are in the way.
    pub blocked: Vec<String>,
}

/// How an interrupted command was recovered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// The command was completed.
    Finished,
    /// Nothing was changed, because `HEAD` has moved since; the operation log keeps its snapshots.
    PutOnRecord,
    /// Files and index are as after it, but a reference could not be moved; its snapshots are on record.
    Hindered,
}

/// Finish the pending operation, if there is one. A broken ref in its place is moved aside.
///
/// `admits` decides what may be on disk, given the kind of operation that this is or undoes.
///
/// # Errors
/// A repository or file that cannot be read or written; the operation then stays pending.
pub fn recover(
    scope: &Scope,
    guard: &WriteGuard,
    admits: impl Fn(&Scope, OperationKind) -> Result<Arc<Admit<'static>>, fs::Error>,
) -> Result<Option<Recovered>, Stop> {
    // only brv writes this folder and this ref, and only the holder of the guard is running
    fs::remove_left_overs_in(&scope.git_dir().join("brv"));
    let pending = pending_ref(scope);
    fs::remove_file(&scope.common_dir().join(format!("{pending}.lock")))?;
    let record = loop {
        match interrupted::look(scope)? {
            Interrupted::Nothing => return Ok(None),
            Interrupted::Operation(record) => break *record,
            // `packed-refs` may have another ref of this name
            Interrupted::Broken(fault) => interrupted::set_aside(scope, guard, fault)?,
        }
    };
    let admit = admits(scope, first(scope, &record)?.kind)?;
    let admit = &*admit;
    rescue(scope, &record)?;
    let situation = situation(scope, &record)?;
    let who = Signature::anonymous(record.seconds);
    let mut untouched = Untouched::default();
    let mut resolution = match situation {
        Situation::Interrupted | Situation::Complete => Resolution::Finished,
        Situation::MovedOn => Resolution::PutOnRecord,
    };
    if situation == Situation::Interrupted {
        untouched = bring_state(scope, guard, &record, admit)?;
        match move_refs(scope, &record, &who) {
            // an error that will never go away must not block all writing commands
            Err(error) if error.is_lasting() => {
                resolution = Resolution::Hindered;
                let sides = super::transition(scope, &record)?.index;
                if sides.before.waiting != sides.after.waiting {
                    // the commit that would have concluded the merge is not made
                    sides.before.waiting.write(scope)?;
                }
            }
            moved => moved?,
        }
    }
    if resolution == Resolution::Finished {
        git::settings_moves::bring(scope, &record.settings)?;
    }
    publish(scope, &record.id, record.commit, &who)?;
    let [left_alone, blocked] = [untouched.left_alone, untouched.blocked].map(|found| texts(&found));
    Ok(Some(Recovered { id: record.id, kind: record.kind, resolution, left_alone, blocked }))
}

/// How far the interrupted command came, judged by what it does last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Situation {
    /// Not all references have moved: any of the files may be missing.
    Interrupted,
    /// The references have moved: files and index are complete.
    Complete,
    /// The branch has moved elsewhere, or `HEAD` is on another one.
    MovedOn,
}

fn situation(scope: &Scope, record: &Record) -> Result<Situation, Stop> {
    let now = scope.head()?;
    let Some(first) = record.moves.first() else {
        let is_here = is_based_on(scope, record, &now)?;
        return Ok(if is_here { Situation::Interrupted } else { Situation::MovedOn });
    };
    let writes = record.touches.contains(TreePart::Files) || record.touches.contains(TreePart::Index);
    if writes && !is_on_branch(scope, record, first, &now)? {
        return Ok(Situation::MovedOn);
    }
    let mut is_complete = true;
    for one in &record.moves {
        let here = current(scope, one)?;
        is_complete &= here == one.new;
        if here != one.old && here != one.new {
            return Ok(Situation::MovedOn);
        }
    }
    Ok(if is_complete { Situation::Complete } else { Situation::Interrupted })
}

/// Whether `HEAD` is where it was when the operation began.
fn is_based_on(scope: &Scope, record: &Record, now: &Head) -> Result<bool, Stop> {
    let Some(head) = now.commit() else { return Ok(true) };
    Ok(head == record.before || git::commit::read(scope, record.before)?.parents.contains(&head))
}

/// Whether `HEAD` is on the same branch as when the operation began. That branch is the first to move, if it was at the
/// commit of `HEAD`; if `HEAD` itself moves, it may be anywhere.
fn is_on_branch(scope: &Scope, record: &Record, first: &RefMove, now: &Head) -> Result<bool, Stop> {
    let moves_head = record.moves.iter().any(|one| one.name == "HEAD");
    if moves_head || now.branch().is_some_and(|branch| branch == first.name) {
        return Ok(true);
    }
    let head = || Ok::<_, Stop>(git::commit::read(scope, record.before)?.parents.first().copied());
    Ok(first.old_commit() != Some(record.before) && first.old_commit() != head()?)
}

/// The direct target of a reference. If `HEAD` is moved to a commit while it is on a branch, it counts as detached
/// there.
fn current(scope: &Scope, one: &RefMove) -> Result<Option<Target>, git::Error> {
    git::refs::target(scope, one.name.as_bstr())
}

fn move_refs(scope: &Scope, record: &Record, who: &Signature) -> Result<(), git::Error> {
    let mut moves = Vec::new();
    for one in &record.moves {
        if current(scope, one)? != one.new {
            moves.push(one.to_move("brv: finish an interrupted command".into()));
        }
    }
    if moves.is_empty() { Ok(()) } else { git::refs::update(scope, moves, who) }
}

/// Files that differ from the snapshot; sorted, relative to the tree.
#[derive(Debug, Default)]
pub struct Untouched {
    /// Files that were edited since.
    pub left_alone: Vec<BString>,
    /// Files that could not be written: the user's files are in a folder of that name, or a file is in the way.
    pub blocked: Vec<BString>,
}

/// Write the files durably as they are after `changes`; returns also the edits of the index that match them.
fn bring_all(
    scope: &Scope,
    root: &Path,
    changes: &[Change],
    admit: &Admit<'_>,
) -> Result<(Untouched, Edits), Stop> {
    let (mut untouched, mut edits) = (Untouched::default(), Edits::new());
    let converter = git::Converter::of(scope);
    // a file to be removed may be in the place of a new folder, or a folder in the place of a new file
    let (writes, removals): (Vec<_>, Vec<_>) = changes.iter().partition(|change| change.after.is_some());
    for change in removals.into_iter().chain(writes) {
        let path = change.path.as_bstr();
        let (brought, edit) = bring_file(scope, (root, &converter), change, admit)?;
        match brought {
            SnapshotMatch::Yes => {}
            SnapshotMatch::Edited => untouched.left_alone.push(path.to_owned()),
            SnapshotMatch::Blocked => untouched.blocked.push(path.to_owned()),
        }
        edits.insert(scope.full(path), edit);
    }
    untouched.left_alone.sort();
    untouched.blocked.sort();
    fs::sync_work_tree(root, [root])?;
    Ok((untouched, edits))
}

/// Update files, index and merge state to those of the operation. An index entry that differs from the state before was
/// staged since, and is kept.
fn bring_state(
    scope: &Scope,
    guard: &WriteGuard,
    record: &Record,
    admit: &Admit<'_>,
) -> Result<Untouched, Stop> {
    let transition = super::transition(scope, record)?;
    let mut locked = git::index::lock(scope, guard)?;
    let root = scope.root();
    let (untouched, brought) = match &transition.files[..] {
        [] => Default::default(),
        files => bring_all(scope, &root, files, admit)?,
    };
    let off_disk = transition.index.off_disk(&locked.index);
    let mut edits = Edits::new();
    for (path, staged) in transition.index.after.entries {
        let before = transition.index.before.entries.get(&path).copied().unwrap_or(Staged::Nothing);
        if Staged::of(&locked.index, path.as_bstr()) == before {
            let presence = match brought.get(&path) {
                Some(Edit::Put(_, presence)) => *presence,
                _ if off_disk(path.as_bstr(), staged) => Presence::Withheld,
                _ => Presence::Unknown,
            };
            edits.insert(path, staged.to_edit(presence));
        }
    }
    drop(off_disk);
    if !edits.is_empty() {
        locked.index = locked.index.edited(&edits)?;
        locked.index.hide(&transition.index.after.hiding);
        locked.commit()?;
    }
    let (before, after) = (transition.index.before.waiting, transition.index.after.waiting);
    if before != after {
        after.write(scope)?;
    }
    Ok(untouched)
}

/// Whether a file now matches the snapshot.
enum SnapshotMatch {
    Yes,
    Edited,
    Blocked,
}

fn bring_file(
    scope: &Scope,
    (root, converter): (&std::path::Path, &git::Converter),
    change: &Change,
    admit: &Admit<'_>,
) -> Result<(SnapshotMatch, Edit), Stop> {
    let path = change.path.as_bstr();
    let file = fs::below(root, path)?;
    if change.after.is_some() && fs::is_reached_by_folders(root, &file)? {
        switch::clear_folder(&file, path, admit)?;
    }
    let here = look(root, (path, &file), converter)?;
    let known = |version: Option<Version>| version.map(|version| version.id);
    let mut is_ours = match here {
        Here::Nothing => true,
        Here::File(id) => Some(id) == known(change.before) || Some(id) == known(change.after),
        Here::Blocked => change.after.is_none(),
        Here::Other => false,
    };
    if !is_ours && matches!(here, Here::File(_)) {
        let begun = fs::read_if_there(&file)?;
        is_ours = begun.map_or(Ok(false), |begun| is_of_us(scope, change, &begun, converter))?;
    }
    let brought = |is_ours: bool| match here {
        _ if is_ours => SnapshotMatch::Yes,
        Here::Blocked => SnapshotMatch::Blocked,
        _ => SnapshotMatch::Edited,
    };
    let known = match here {
        Here::File(id) => Some(id),
        _ => None,
    };
    let mut change_to = |new: Option<(ContentId, &[u8])>| -> Result<(), Stop> {
        is_ours = is_ours && held::change_one(scope, (path, &file), known, new).map_err(unfinished)?;
        Ok(())
    };
    let Some(after) = change.after else {
        change_to(None)?;
        if is_ours && known.is_some() {
            fs::prune_empty_folders(file.parent().unwrap_or(root), root);
        }
        return Ok((brought(is_ours), Edit::Remove));
    };
    let bytes = trees::blob(scope, after.id)?;
    if !is_admitted((path, after), &bytes, admit, here) {
        change_to(None)?;
        return Ok((brought(is_ours), Edit::Put(after, Presence::Withheld)));
    }
    if here != Here::File(after.id) {
        change_to(Some((after.id, &converter.to_disk(path, bytes)?)))?;
    }
    Ok((brought(is_ours), Edit::Put(after, Presence::Unknown)))
}

fn unfinished(error: ApplyError) -> Stop {
    match error {
        ApplyError::Git(error) => error.into(),
        ApplyError::File(error) => error.into(),
        ApplyError::Changed(_) => git::Error::new("finish the operation", error).into(),
    }
}

/// Put back what other programs saved right before the dead command moved it aside. All else that it left aside goes.
fn rescue(scope: &Scope, record: &Record) -> Result<(), Stop> {
    let root = scope.root();
    let (files, converter) = (super::transition(scope, record)?.files, git::Converter::of(scope));
    for (path, aside) in held::left_aside(&root, files.iter().map(|change| change.path.as_bstr()))? {
        let Some(change) = files.iter().find(|change| change.path == path) else { continue };
        let is_known = |file: &Path| -> Result<bool, Stop> {
            if fs::stat(file)?.is_none_or(|stat| stat.kind != FileKind::Regular) {
                return Ok(false);
            }
            let bytes = fs::read(file)?;
            let id = converter.id(path, &bytes)?;
            let sides = [change.before, change.after].into_iter().flatten();
            Ok(sides.into_iter().any(|side| side.id == id) || is_of_us(scope, change, &bytes, &converter)?)
        };
        let file = fs::below(&root, path)?;
        if !is_known(&aside)? {
            match fs::stat(&file)?.map(|stat| stat.kind) {
                Some(FileKind::Regular) if is_known(&file)? => {
                    fs::exchange(&aside, &file)?;
                    if !is_known(&aside)? {
                        held::keep_beside(&aside, &file)?;
                        continue;
                    }
                }
                None if fs::is_reached_by_folders(&root, &file)? && fs::put_in_place(&aside, &file)? => {
                    continue;
                }
                _ => {
                    held::keep_beside(&aside, &file)?;
                    continue;
                }
            }
        }
        fs::remove_file(&aside)?;
    }
    Ok(())
}

/// Whether a file that matches neither side is what the dead command, or a power failure, left of it. Nobody writes
/// zeros by hand, but a file that had other bytes before may have been truncated by the user.
fn is_of_us(scope: &Scope, change: &Change, begun: &[u8], converter: &git::Converter) -> Result<bool, Stop> {
    if begun.iter().all(|byte| *byte == 0) {
        return Ok(true);
    }
    let is_cut = change.before.is_none() || begun.contains(&0);
    for version in [change.before, change.after].into_iter().flatten().filter(|_| is_cut) {
        let written = converter.to_disk(change.path.as_bstr(), trees::blob(scope, version.id)?)?;
        if is_begun(begun, &written) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a new file was cut off while `bytes` were written to it, or lost some of them in a power failure: what never
/// reached the disk reads as zeros, even where the length did. Nothing is lost with such a file.
fn is_begun(begun: &[u8], bytes: &[u8]) -> bool {
    begun.len() <= bytes.len() && begun.iter().zip(bytes).all(|(here, written)| [0, *written].contains(here))
}

/// What is on disk where a file is to be written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Here {
    /// Nothing, or folders without files.
    Nothing,
    File(ContentId),
    /// The file cannot be written: a folder with files is there, or a file is in the way.
    Blocked,
    /// A symlink or a device, there or on the way; it belongs to the user.
    Other,
}

fn look(
    root: &std::path::Path,
    (path, file): (&BStr, &std::path::Path),
    converter: &git::Converter,
) -> Result<Here, Stop> {
    let above = file.ancestors().skip(1).take_while(|folder| *folder != root);
    for folder in above {
        match fs::stat(folder)?.map(|stat| stat.kind) {
            None | Some(FileKind::Folder) => {}
            Some(FileKind::Regular) => return Ok(Here::Blocked),
            Some(FileKind::Symlink | FileKind::Special) => return Ok(Here::Other),
        }
    }
    match fs::stat(file)?.map(|stat| stat.kind) {
        None => Ok(Here::Nothing),
        Some(FileKind::Regular) => match fs::read_if_there(file)? {
            Some(bytes) => Ok(Here::File(converter.id(path, &bytes)?)),
            None => Ok(Here::Nothing),
        },
        Some(FileKind::Folder) => {
            fs::remove_empty_folders(file);
            Ok(if fs::stat(file)?.is_none() { Here::Nothing } else { Here::Blocked })
        }
        Some(FileKind::Symlink | FileKind::Special) => Ok(Here::Other),
    }
}

/// Whether the file may be on disk. What a sparse checkout leaves out is not written, but stays if it is there.
fn is_admitted((path, version): (&BStr, Version), bytes: &[u8], admit: &Admit<'_>, here: Here) -> bool {
    [Content::Unread(version), Content::Bytes(bytes)].into_iter().all(|content| match admit(path, content) {
        Admission::Admitted => true,
        Admission::LeftOut => matches!(here, Here::File(_)),
        Admission::Withheld(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::is_begun;

    #[test]
    fn a_begun_file_is_a_beginning_or_has_zeros_where_nothing_reached_the_disk() {
        for begun in ["", "# on", "# one\n", "\0\0\0\0\0\0", "\0\0one\n", "# o\0\0", "#\0one"] {
            assert!(is_begun(begun.as_bytes(), b"# one\n"), "{begun:?}");
        }
        for edited in ["# ours", "one", "# one\n\n", "\0\0\0\0\0\0\0", "\0x"] {
            assert!(!is_begun(edited.as_bytes(), b"# one\n"), "{edited:?}");
        }
    }
}
