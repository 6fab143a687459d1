//! Moves a broken ref of brv aside, so that a command can go on. Its bytes are kept: in another ref if they name an
//! object, else in a file where git looks for no ref.
//!
//! Which refs may be moved, the caller knows.

use super::{Expected, Move, Target, broken, rescue, target, update};
use crate::Scope;
use crate::error::{During as _, Error};
use crate::id::CommitId;
use crate::repository::broken_refs::RefFault;
use crate::signature::Signature;
use brv_base::fs::{self, Durability, WriteGuard};
use bstr::{BStr, BString, ByteSlice as _};
use gix::object::Kind;
use gix::refs::TargetRef;
use std::path::Path;

/// The folder of broken refs, in git's folder.
const FOLDER: &str = "brv/broken-refs";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefState {
    Absent,
    Commit(CommitId),
    Broken(RefFault),
}

/// What a ref (full name) names directly: a symbolic one names no commit.
pub fn standing(scope: &Scope, name: &BStr) -> Result<RefState, Error> {
    let act = || format!("read {name}");
    let found = match scope.repo.try_find_reference(name) {
        Err(error) if broken::undecodable(&error).is_some() => {
            return Ok(RefState::Broken(RefFault::Content));
        }
        found => found.during(act)?,
    };
    let Some(found) = found else { return Ok(RefState::Absent) };
    let TargetRef::Object(id) = found.target() else { return Ok(RefState::Broken(RefFault::Content)) };
    Ok(match scope.repo.try_find_header(id).during(act)?.map(|header| header.kind()) {
        Some(Kind::Commit) => RefState::Commit(CommitId(id.to_owned())),
        Some(_) => RefState::Broken(RefFault::Kind),
        None => RefState::Broken(RefFault::Missing),
    })
}

/// Moves a broken ref (full name) aside, durably, and notes where it is now.
///
/// # Errors
/// Files or refs that cannot be written; the ref then stays.
pub fn set_aside(scope: &Scope, _guard: &WriteGuard, name: &BStr, fault: RefFault) -> Result<(), Error> {
    let act = || format!("move {name} aside");
    let file = scope.common_dir().join(gix::path::from_bstr(name).during(act())?);
    let is_loose = fs::stat(&file).during(act())?.is_some();
    let moved_to = if fault == RefFault::Kind {
        let Some(Target::Object(id)) = target(scope, name)? else { return Ok(()) };
        let kept = rescue::name_of(name, id);
        let there = Move {
            name: kept.clone(),
            expected: Expected::Anything,
            target: Some(id.into()),
            reason: "".into(),
        };
        update(scope, vec![there, removal(name, id.into())], &Signature::anonymous(0))?;
        kept
    } else if is_loose {
        let kept = free_name(scope, name, |place| fs::put_in_place(&file, place)).during(act())?;
        fs::sync_folder(file.parent().unwrap_or(scope.common_dir())).during(act())?;
        kept
    } else {
        let Some(Target::Object(id)) = target(scope, name)? else { return Ok(()) };
        let line = format!("{id}\n");
        let put = |place: &Path| match fs::stat(place)? {
            Some(_) => Ok(false),
            None => fs::replace(place, line.as_bytes(), Durability::Now).map(|()| true),
        };
        let kept = free_name(scope, name, put).during(act())?;
        update(scope, vec![removal(name, id.into())], &Signature::anonymous(0))?;
        kept
    };
    scope.broken_refs().note_moved(name, fault, moved_to.as_bstr());
    Ok(())
}

fn removal(name: &BStr, target: Target) -> Move {
    Move { name: name.to_owned(), expected: Expected::Is(target), target: None, reason: "".into() }
}

/// Puts a file in the folder of broken refs, under the first name that `put` accepts. Returns its path in git's folder.
fn free_name(
    scope: &Scope,
    name: &BStr,
    put: impl Fn(&Path) -> Result<bool, fs::Error>,
) -> Result<BString, fs::Error> {
    let folder = scope.common_dir().join(FOLDER);
    fs::create_folder(&folder)?;
    let stem = name.to_str_lossy().replace('/', "-");
    let mut number = 1;
    while !put(&folder.join(format!("{stem}-{number}")))? {
        number += 1;
    }
    fs::sync_folder(&folder)?;
    Ok(format!("{FOLDER}/{stem}-{number}").into())
}

/// Notes the files of refs that were moved aside: nobody knows which objects they kept.
pub(crate) fn note_earlier(scope: &Scope) {
    // without a folder there are none
    for file in fs::inside(&scope.common_dir().join(FOLDER)).unwrap_or_default() {
        let mut name = BString::from(format!("{FOLDER}/"));
        name.extend_from_slice(&file.path);
        scope.broken_refs().note(name.as_bstr(), RefFault::Aside);
    }
}
