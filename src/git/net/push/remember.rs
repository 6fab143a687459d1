//! Updates tracking refs after a push, and rescues commits that the remote lost by it.

use super::sent::SentNotes;
use super::settings::PushAddress;
use super::{Course, RefOutcome};
use crate::error::{During, Error as GitError};
use crate::history::ancestry::is_ancestor;
use crate::net::fetch::Tracked;
use crate::refs::{self, broken, rescue};
use crate::settings::remotes::Target;
use brv_base::sorting;
use bstr::{BStr, BString, ByteSlice as _};
use gix::refs::FullName;
use gix::refs::transaction::{PreviousValue, RefEdit};
use gix::{ObjectId, Repository};

/// Updates the tracking refs, and the notes of what was sent where there are none. Commits that the remote had, and
/// that nothing reaches any more, get a rescue ref, which the outcome names.
pub(super) fn remember(
    repo: &Repository,
    address: &PushAddress,
    tracked: &Tracked,
    refs: &mut [RefOutcome],
) -> Result<(), GitError> {
    let mut repo = repo.clone();
    repo.committer_or_set_generic_fallback().during("prepare the reflog")?;
    let mut done: Vec<&mut RefOutcome> =
        refs.iter_mut().filter(|reference| reference.status.is_done()).collect();
    let taken: Vec<&RefOutcome> = done.iter().map(|reference| &**reference).collect();
    let mut edits = SentNotes::of(&repo, tracked, address).settle(&taken)?;
    let (mut whose, mut gone) = (Vec::new(), Vec::new());
    for (number, reference) in done.iter_mut().enumerate() {
        let place = TrackingRef::of(&repo, &address.target, tracked, reference)?;
        match reference.after.map(|id| id.0) {
            Some(after) => edits.extend(place.moved(&repo, reference, after)?),
            None => {
                if place.at.is_some() {
                    edits.push(RefEdit::delete(full(&place.name)?, PreviousValue::Any));
                }
                for id in place.left(reference) {
                    whose.push(number);
                    gone.push(rescue::LostRef { name: place.name.clone(), id });
                }
            }
        }
    }
    for (number, kept) in whose.into_iter().zip(rescue::of_gone(&repo, &gone)?) {
        let Some((name, edit)) = kept else { continue };
        edits.push(edit);
        done[number].rescue.get_or_insert(name);
    }
    // two refs of the remote may lose the same commit
    sorting::sort_by(&mut edits, |a, b| a.name.cmp(&b.name));
    edits.dedup_by(|a, b| a.name == b.name);
    refs::edit_many(&repo, edits)
}

/// A tracking ref and its value; for a ref without one, the name for its rescue ref.
struct TrackingRef {
    name: BString,
    is_tracked: bool,
    at: Option<ObjectId>,
}

impl TrackingRef {
    fn of(
        repo: &Repository,
        target: &Target,
        tracked: &Tracked,
        reference: &RefOutcome,
    ) -> Result<Self, GitError> {
        let destination = reference.destination.as_bstr();
        let Some(name) = tracked.name(destination)? else {
            return Ok(Self { name: untracked(target, destination), is_tracked: false, at: None });
        };
        let known = match repo.try_find_reference(name.as_bstr()) {
            // a broken one is repaired: the push has succeeded
            Err(error) if broken::undecodable(&error).is_some() => None,
            known => known.during("read a tracking ref")?,
        };
        let at = known.and_then(|known| known.try_id().map(gix::Id::detach));
        Ok(Self { name, is_tracked: true, at })
    }

    /// The remote ref's value before, and the tracking ref's.
    fn left(&self, reference: &RefOutcome) -> Vec<ObjectId> {
        let mut left: Vec<ObjectId> = reference.before.map(|id| id.0).into_iter().chain(self.at).collect();
        left.dedup();
        left
    }

    /// The remote's ref is at `after` now, and may have lost commits.
    fn moved(
        &self,
        repo: &Repository,
        reference: &mut RefOutcome,
        after: ObjectId,
    ) -> Result<Vec<RefEdit>, GitError> {
        let mut edits = Vec::new();
        if self.is_tracked && self.at != Some(after) {
            let message = "update by push";
            edits.push(RefEdit::update(full(&self.name)?, after, PreviousValue::Any, message));
        }
        // another tag of the same name is not a rewritten history
        if reference.destination.starts_with(b"refs/tags/") {
            return Ok(edits);
        }
        for before in self.left(reference) {
            if is_left_behind(repo, reference, before, after)?
                && let Some((name, kept)) = rescue::of_own_rewrite(repo, self.name.as_bstr(), before, after)?
            {
                edits.extend(kept);
                reference.rescue.get_or_insert(name);
            }
        }
        Ok(edits)
    }
}

/// The name under which an untracked ref of the remote is rescued.
fn untracked(target: &Target, destination: &BStr) -> BString {
    let short = destination.strip_prefix(b"refs/heads/").or(destination.strip_prefix(b"refs/"));
    let short = short.unwrap_or(destination).as_bstr();
    match target {
        Target::Named(name) => format!("refs/remotes/{name}/{short}").into(),
        Target::Url(_) => format!("refs/addresses/{short}").into(),
    }
}

/// Whether `after` lacks commits that the remote, or the tracking ref, had.
fn is_left_behind(
    repo: &Repository,
    reference: &RefOutcome,
    before: ObjectId,
    after: ObjectId,
) -> Result<bool, GitError> {
    if reference.before.is_some_and(|id| id.0 == before) {
        return Ok(reference.course == Course::Elsewhere);
    }
    match (rescue::commit_of(repo, before), rescue::commit_of(repo, after)) {
        (Some(before), Some(after)) => Ok(!is_ancestor(repo, before, after)?),
        _ => Ok(false),
    }
}

fn full(name: &BString) -> Result<FullName, GitError> {
    FullName::try_from(name.as_bstr()).during(format!("use `{name}` as the name of a ref"))
}
