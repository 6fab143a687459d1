//! The refs here that remember those of the remote, after a push.

use super::{Course, RefOutcome};
use crate::git::error::{During, Error as GitError};
use crate::git::fetch::Tracked;
use crate::git::id::ObjectName;
use crate::git::refs;
use crate::git::rescue;
use crate::git::transport::Target;
use bstr::ByteSlice as _;
use gix::refs::transaction::{PreviousValue, RefEdit};

/// Let them say what the remote has now.
pub(super) fn remember(repo: &gix::Repository, target: &Target, refs: &[RefOutcome]) -> Result<(), GitError> {
    let tracked = Tracked::of(repo, target)?;
    let mut repo = repo.clone();
    repo.committer_or_set_generic_fallback().during("prepare the log of refs")?;
    let mut edits = Vec::new();
    for reference in refs.iter().filter(|reference| reference.status.is_done()) {
        let Some(tracking) = tracked.name(reference.destination.as_bstr())? else { continue };
        let name = gix::refs::FullName::try_from(tracking.as_bstr()).during("name a tracking ref")?;
        let known = repo.try_find_reference(tracking.as_bstr()).during("read a tracking ref")?;
        let same = known.as_ref().and_then(|known| known.try_id().map(|id| ObjectName(id.detach())));
        match reference.after {
            Some(after) if same == Some(after) => {}
            Some(after) => {
                edits.push(RefEdit::update(name, after.0, PreviousValue::Any, "update by push"));
                if let (Course::Elsewhere, Some(before)) = (reference.course, reference.before) {
                    let kept = rescue::of_own_rewrite(&repo, tracking.as_bstr(), before.0, after.0)?;
                    edits.extend(kept);
                }
            }
            None if known.is_some() => edits.push(RefEdit::delete(name, PreviousValue::Any)),
            None => {}
        }
    }
    refs::edit_many(&repo, edits)
}
