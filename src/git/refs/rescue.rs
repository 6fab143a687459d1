//! brv's own refs for commits that a remote may take away: `refs/brv/rescue/…` keeps the old commit of a ref that was
//! rewritten or deleted, and `refs/brv/taken/…` keeps the commit of a remote's branch that was last merged.
//!
//! They are never pushed, and no fetch writes or prunes them. The callers decide when to use them.

use crate::Scope;
use crate::error::{During, Error};
use crate::history::ancestry::{self, KnownHistory, is_ancestor};
use crate::history::shallow::Boundary;
use crate::id::{CommitId, ObjectName};
use crate::refs::{self, Expected, Move, listing};
use crate::signature::Signature;
use bstr::{BStr, BString, ByteSlice as _};
use gix::refs::FullName;
use gix::refs::transaction::{PreviousValue, RefEdit};
use gix::{ObjectId, Repository};
use std::collections::HashSet;

const OWN: &str = "refs/brv/";
const RESCUE: &str = "refs/brv/rescue/";
const TAKEN: &str = "refs/brv/taken/";
/// Digits of an id in the name, to distinguish several old commits of a ref.
const DIGITS: usize = 12;

/// Whether a ref (full name) is brv's own.
pub(crate) fn is_own(name: &BStr) -> bool {
    name.starts_with(OWN.as_bytes())
}

/// `refs/brv/rescue/remotes/origin/main/1a2b3c4d5e6f`
fn rescue_name(reference: &BStr, id: ObjectId) -> BString {
    format!("{RESCUE}{}/{}", inner(reference), id.to_hex_with_len(DIGITS)).into()
}

/// `refs/brv/taken/remotes/origin/main`
pub(crate) fn taken_name(reference: &BStr) -> BString {
    format!("{TAKEN}{}", inner(reference)).into()
}

/// The name of the rescue ref that keeps an object that `reference` named.
pub(super) fn name_of(reference: &BStr, id: ObjectName) -> BString {
    rescue_name(reference, id.0)
}

fn inner(reference: &BStr) -> &BStr {
    reference.strip_prefix(b"refs/").unwrap_or(reference).as_bstr()
}

/// Creates a rescue ref for `commit`, an old value of `reference` (full name). Returns its name.
pub fn keep(scope: &Scope, reference: &BStr, commit: CommitId) -> Result<BString, Error> {
    let name = rescue_name(reference, commit.0);
    put(scope, &name, commit)?;
    Ok(name)
}

/// The commit of the tracked branch `reference` (full name) that was last merged; `None` if it is not known.
pub fn taken(scope: &Scope, reference: &BStr) -> Result<Option<CommitId>, Error> {
    Ok(refs::find(scope, taken_name(reference).as_bstr())?.map(|id| CommitId(id.0)))
}

/// The ref that keeps `commit`, which was last merged from the tracked branch `reference` (full name).
pub fn keeping(scope: &Scope, reference: &BStr, commit: CommitId) -> Result<BString, Error> {
    let name = rescue_name(reference, commit.0);
    let is_there = refs::find(scope, name.as_bstr())?.is_some();
    // a fetch by plain git creates no rescue ref
    Ok(if is_there { name } else { taken_name(reference) })
}

/// The rescued commits of `reference` (full name).
pub fn kept(scope: &Scope, reference: &BStr) -> Result<Vec<CommitId>, Error> {
    let folder = format!("{RESCUE}{}/", inner(reference));
    Ok(refs::commits(scope, &folder)?.into_iter().map(|(_, commit)| commit).collect())
}

/// Sets the commit that was last merged to `tip`.
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

/// The edits that belong to a non-fast-forward move of `reference` away from `before`, caused by the remote: a rescue
/// ref for the old commit, and a note that it was not yet accepted here. `None` for objects that are not commits.
pub(crate) fn of_rewrite(
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

/// The same for a move of the remote's branch from `before` to `after` by our own push. Returns the rescue ref and its
/// edit.
pub(crate) fn of_own_rewrite(
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

/// A ref that is deleted here, or no longer exists on the remote, and its value.
pub(crate) struct LostRef {
    pub name: BString,
    pub id: ObjectId,
}

/// For each ref deleted in this batch: its rescue ref and the edit that creates it; `None` if a remaining ref reaches
/// the commit. brv's own refs are kept no longer than needed, except existing rescue refs.
pub(crate) fn of_gone(repo: &Repository, gone: &[LostRef]) -> Result<Vec<Option<(BString, RefEdit)>>, Error> {
    let tips: Vec<ObjectId> = gone.iter().filter_map(|one| commit_of(repo, one.id)).collect();
    if tips.is_empty() {
        return Ok(gone.iter().map(|_| None).collect());
    }
    let staying = staying(repo, &gone.iter().map(|one| &one.name).collect())?;
    let known = KnownHistory { tips: &staying, boundary: &Boundary::new() };
    let alone: HashSet<ObjectId> =
        ancestry::ahead(repo, &tips, known)?.into_iter().map(|commit| commit.id).collect();
    let kept = |one: &LostRef| {
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

/// The commit that an object peels to, if it exists here.
pub(crate) fn commit_of(repo: &Repository, id: ObjectId) -> Option<ObjectId> {
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
