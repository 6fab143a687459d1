//! Reads the pending ref, and moves it aside if it names no operation, so that one broken ref does not stop every
//! command that writes.
//!
//! Nobody knows then what the interrupted command did. What it wrote stays on disk as uncommitted changes, and what it
//! moved aside gets a name beside its place.

use crate::Stop;
use crate::journal::operation::place::pending_ref;
use crate::journal::operation::record::{Record, is_operation, read};
use brv_base::fs::{self, WriteGuard};
use brv_git as git;
use brv_git::refs::set_aside::{self, RefState};
use brv_git::{RefFault, Scope, held};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::HashMap;

/// What the pending ref names.
pub(super) enum Interrupted {
    Nothing,
    Operation(Box<Record>),
    Broken(RefFault),
}

/// Look what the pending ref names.
///
/// # Errors
/// A reference or a commit that cannot be read; an operation of a later version.
pub(super) fn look(scope: &Scope) -> Result<Interrupted, Stop> {
    let commit = match set_aside::standing(scope, pending_ref(scope).as_bstr())? {
        RefState::Absent => return Ok(Interrupted::Nothing),
        RefState::Broken(fault) => return Ok(Interrupted::Broken(fault)),
        RefState::Commit(commit) => commit,
    };
    if !is_operation(git::commit::read(scope, commit)?.message.as_bstr()) {
        return Ok(Interrupted::Broken(RefFault::Kind));
    }
    Ok(Interrupted::Operation(Box::new(read(scope, commit)?)))
}

/// Move the broken pending ref aside.
///
/// # Errors
/// A file or a reference that cannot be read or written; the ref then stays.
pub(super) fn set_aside(scope: &Scope, guard: &WriteGuard, fault: RefFault) -> Result<(), Stop> {
    keep_asides(scope)?;
    Ok(set_aside::set_aside(scope, guard, pending_ref(scope).as_bstr(), fault)?)
}

/// Give the files that the interrupted command moved aside names beside their places, unless the index has their bytes:
/// other programs may have saved them, and the next command removes temporary files.
fn keep_asides(scope: &Scope) -> Result<(), Stop> {
    let (root, index) = (scope.root(), git::index::read(scope)?);
    let converter = git::Converter::of(scope);
    let paths = index.versions().filter_map(|(full, version)| Some((scope.strip(full)?, version.id)));
    let by_tag: HashMap<String, (&BStr, git::BlobId)> =
        paths.map(|(path, id)| (held::tag(path), (path, id))).collect();
    let is_own = |path: &BString| !path.starts_with(b".git/");
    for one in fs::inside(&root)?.into_iter().filter(|one| one.is_regular && is_own(&one.path)) {
        let Some(tag) = fs::tag_of(&one.file) else { continue };
        let bytes = fs::read(&one.file)?;
        match by_tag.get(&tag) {
            _ if bytes.is_empty() => {}
            Some((path, id)) if converter.id(path, &bytes)? == *id => {}
            Some((path, _)) => held::keep_beside(&one.file, &fs::below(&root, path)?)?,
            None => held::keep_beside(&one.file, &one.file.with_file_name("unnamed"))?,
        }
    }
    Ok(())
}
