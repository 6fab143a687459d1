//! Refs of this machine's own about what others may take away: `refs/brv/rescue/…` keeps where a ref was before it went
//! elsewhere, and `refs/brv/taken/…` remembers what of a remote's branch was last taken in.
//!
//! They are never sent, and no fetch writes or prunes them. Judges nothing; that is for whoever takes things in.

use crate::git::Scope;
use crate::git::error::{During, Error};
use crate::git::history::ancestry::{self, Known, is_ancestor};
use crate::git::history::shallow::Boundary;
use crate::git::id::CommitId;
use crate::git::refs::{self, Expected, Move, listing};
use crate::git::signature::Signature;
use bstr::{BStr, BString, ByteSlice as _};
use gix::refs::FullName;
use gix::refs::transaction::{PreviousValue, RefEdit};
use gix::{ObjectId, Repository};
use std::collections::HashSet;

/// What is this machine's own.
const OWN: &str = "refs/brv/";
const RESCUE: &str = "refs/brv/rescue/";
const TAKEN: &str = "refs/brv/taken/";
/// So many digits of an id tell one old place of a ref from another.
const DIGITS: usize = 12;

/// Whether a ref (full name) is this machine's own.
pub(in crate::git) fn is_own(name: &BStr) -> bool {
    name.starts_with(OWN.as_bytes())
}

/// `refs/brv/rescue/remotes/origin/main/1a2b3c4d5e6f`
fn rescue_name(reference: &BStr, id: ObjectId) -> BString {
    format!("{RESCUE}{}/{}", inner(reference), id.to_hex_with_len(DIGITS)).into()
}

/// `refs/brv/taken/remotes/origin/main`
pub(in crate::git) fn taken_name(reference: &BStr) -> BString {
    format!("{TAKEN}{}", inner(reference)).into()
}

fn inner(reference: &BStr) -> &BStr {
    reference.strip_prefix(b"refs/").unwrap_or(reference).as_bstr()
}

/// Keep what `commit` leads to, where `reference` (full name) is or was. The name of the ref that does.
///
/// # Errors
/// When it cannot be written.
pub fn keep(scope: &Scope, reference: &BStr, commit: CommitId) -> Result<BString, Error> {
    let name = rescue_name(reference, commit.0);
    put(scope, &name, commit)?;
    Ok(name)
}

/// What of the branch that `reference` (full name) remembers was last taken in; `None` if that is not known.
///
/// # Errors
/// When it cannot be read.
pub fn taken(scope: &Scope, reference: &BStr) -> Result<Option<CommitId>, Error> {
    Ok(refs::find(scope, taken_name(reference).as_bstr())?.map(|id| CommitId(id.0)))
}

/// The ref that keeps `commit`, which was last taken in of the branch that `reference` (full name) remembers.
///
/// # Errors
/// When it cannot be read.
pub fn keeping(scope: &Scope, reference: &BStr, commit: CommitId) -> Result<BString, Error> {
    let name = rescue_name(reference, commit.0);
    let is_there = refs::find(scope, name.as_bstr())?.is_some();
    // a fetch by plain git made no other
    Ok(if is_there { name } else { taken_name(reference) })
}

/// What is kept of where `reference` (full name) was.
///
/// # Errors
/// When it cannot be read.
pub fn kept(scope: &Scope, reference: &BStr) -> Result<Vec<CommitId>, Error> {
    let folder = format!("{RESCUE}{}/", inner(reference));
    Ok(refs::commits(scope, &folder)?.into_iter().map(|(_, commit)| commit).collect())
}

/// Remember that `tip` was taken in.
///
/// # Errors
/// When it cannot be written.
pub fn take(scope: &Scope, reference: &BStr, tip: CommitId) -> Result<(), Error> {
    put(scope, &taken_name(reference), tip)
}

fn put(scope: &Scope, name: &BString, commit: CommitId) -> Result<(), Error> {
    if refs::find(scope, name.as_bstr())?.is_some_and(|id| id.0 == commit.0) {
        return Ok(());
    }
    let there = Move {
        name: name.clone(),
        expected: Expected::Anything,
        target: Some(commit.into()),
        reason: "".into(),
    };
    refs::update(scope, vec![there], &Signature::anonymous(0))
}

/// What goes along with moving `reference` from `before` to something that does not descend from it, because the remote
/// did: the old place is kept, and that nobody here has agreed to it yet is remembered. `None` for what is no history.
pub(in crate::git) fn of_rewrite(
    repo: &Repository,
    reference: &BStr,
    before: ObjectId,
) -> Result<Option<(BString, Vec<RefEdit>)>, Error> {
    if reference.starts_with(b"refs/tags/") || !is_commit(repo, before) {
        return Ok(None);
    }
    let name = rescue_name(reference, before);
    let mut edits = vec![edit(&name, before)?];
    let taken = taken_name(reference);
    let known = repo.try_find_reference(taken.as_bstr()).during("read what was taken in")?;
    let known = known.and_then(|known| known.try_id().map(gix::Id::detach));
    let is_earlier = match known {
        Some(known) => known != before && is_commit(repo, known) && is_ancestor(repo, known, before)?,
        None => true,
    };
    if is_earlier {
        edits.push(edit(&taken, before)?);
    }
    Ok(Some((name, edits)))
}

/// The same where we ourselves make the remote's branch go from `before` to `after`. Where it is kept, and how.
pub(in crate::git) fn of_own_rewrite(
    repo: &Repository,
    reference: &BStr,
    before: ObjectId,
    after: ObjectId,
) -> Result<Option<(BString, Vec<RefEdit>)>, Error> {
    if reference.starts_with(b"refs/tags/") || !is_commit(repo, before) {
        return Ok(None);
    }
    let taken = taken_name(reference);
    let is_known = repo.try_find_reference(taken.as_bstr()).during("read what was taken in")?.is_some();
    let name = rescue_name(reference, before);
    let mut edits = vec![edit(&name, before)?];
    if is_known && is_commit(repo, after) {
        edits.push(edit(&taken, after)?);
    }
    Ok(Some((name, edits)))
}

/// What a ref that goes away, or is gone at the remote, was at.
pub(in crate::git) struct Gone {
    /// Its full name here.
    pub name: BString,
    /// Where it was.
    pub id: ObjectId,
}

/// Of each of them, which go together: where it is kept, and how; `None` where something that stays leads to it. What is
/// this machine's own stays no longer than it is needed, but for what is kept already.
pub(in crate::git) fn of_gone(
    repo: &Repository,
    gone: &[Gone],
) -> Result<Vec<Option<(BString, RefEdit)>>, Error> {
    let tips: Vec<ObjectId> = gone.iter().filter_map(|one| commit_of(repo, one.id)).collect();
    if tips.is_empty() {
        return Ok(gone.iter().map(|_| None).collect());
    }
    let staying = staying(repo, &gone.iter().map(|one| &one.name).collect())?;
    let known = Known { tips: &staying, boundary: &Boundary::new() };
    let alone: HashSet<ObjectId> =
        ancestry::ahead(repo, &tips, known)?.into_iter().map(|commit| commit.id).collect();
    let kept = |one: &Gone| {
        let name = rescue_name(one.name.as_bstr(), one.id);
        let is_alone = commit_of(repo, one.id).is_some_and(|commit| alone.contains(&commit));
        is_alone.then(|| Ok((name.clone(), edit(&name, one.id)?))).transpose()
    };
    gone.iter().map(kept).collect()
}

/// The commits of `HEAD` and of all refs but these.
fn staying(repo: &Repository, without: &HashSet<&BString>) -> Result<Vec<ObjectId>, Error> {
    let mut tips: Vec<ObjectId> = repo.head_id().ok().map(gix::Id::detach).into_iter().collect();
    for reference in listing::all(repo, "list what stays")? {
        let name = reference.name().as_bstr();
        let is_kept = !is_own(name) || name.starts_with(RESCUE.as_bytes());
        if is_kept && !without.contains(&name.to_owned()) {
            tips.extend(reference.try_id().and_then(|id| commit_of(repo, id.detach())));
        }
    }
    tips.sort_unstable();
    tips.dedup();
    Ok(tips)
}

/// The commit that an object is or, as a tag, leads to, if it is here.
pub(in crate::git) fn commit_of(repo: &Repository, id: ObjectId) -> Option<ObjectId> {
    Some(repo.find_object(id).ok()?.peel_to_commit().ok()?.id)
}

fn is_commit(repo: &Repository, id: ObjectId) -> bool {
    repo.find_header(id).is_ok_and(|header| header.kind() == gix::object::Kind::Commit)
}

fn edit(name: &BString, id: ObjectId) -> Result<RefEdit, Error> {
    let full = FullName::try_from(name.as_bstr()).during(format!("use `{name}` as the name of a ref"))?;
    Ok(RefEdit::update(full, id, PreviousValue::Any, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_tell_what_they_keep() {
        let id = ObjectId::from_hex(b"1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d").unwrap();
        let name = rescue_name("refs/remotes/origin/main".into(), id);
        assert_eq!(name, "refs/brv/rescue/remotes/origin/main/1a2b3c4d5e6f");
        assert_eq!(rescue_name("HEAD".into(), id), "refs/brv/rescue/HEAD/1a2b3c4d5e6f");
        assert_eq!(taken_name("refs/remotes/o/a/b".into()), "refs/brv/taken/remotes/o/a/b");
        assert!(is_own(name.as_bstr()) && !is_own("refs/heads/brv/x".into()));
    }
}
