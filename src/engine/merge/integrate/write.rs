//! Write the integration: the merge commit, the files, the branch and the operation log.

use super::step::{self, Step};
use super::{Incoming, Made, MergeOptions, Outcome, Relation, message};
use crate::Stop;
use crate::journal::{IndexSides, RefMove, Side, Staged, Transition, Waiting};
use crate::merge::discarded;
use crate::merge::reconcile::Conflict;
use crate::open::context::Parts;
use crate::open::survey::Survey;
use crate::write::operation::{Purpose, Work, Writing};
use brv_git as git;
use brv_git::identity;
use brv_git::merge_state::MergeState;
use brv_git::signing::{self, SigningError, Wish};
use brv_git::switch::Plan;
use brv_git::trees::{self, Change, Renames};
use brv_git::{CommitId, Head, Scope, TreeId};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::BTreeMap;

pub(super) fn write(
    writing: &mut Writing<'_>,
    survey: Survey,
    (step, plan, changes): (Step, Plan, Vec<Change>),
    (incoming, manner): (&Incoming, &MergeOptions),
    outcome: &mut Outcome,
) -> Result<(), Stop> {
    let (scope, parts) = (writing.scope(), writing.parts());
    let tree = step.tree();
    let (conflicts, who) = match step {
        Step::Forward(_) | Step::Follow(_) => (Vec::new(), None),
        Step::Merge { merged, who } => {
            let conflicts = merged.conflicts.clone();
            merged.store()?;
            (conflicts, Some(who))
        }
    };
    outcome.tell(step::told(scope, changes, &conflicts)?);
    let discarded = discarded::of(&outcome.settled);
    let message = message::with_discarded(incoming.message.clone().into(), &discarded);
    let new = match outcome.relation {
        Relation::FastForward | Relation::Followed => Some(incoming.theirs),
        Relation::Merged => match &who {
            Some(who) => {
                Some(commit(&parts, survey.head.commit(), tree, who, (incoming, message.as_bstr()))?)
            }
            None => None,
        },
        Relation::UpToDate | Relation::Squashed | Relation::Conflicted | Relation::Stopped => None,
    };
    let waits = !conflicts.is_empty() && manner.result == Made::Commit;
    let merge = waits.then(|| MergeState {
        heads: vec![incoming.theirs],
        message: message::conflicted(scope, message, &conflicts),
    });
    let squash = match (manner.result, survey.head.commit()) {
        (Made::Staged, Some(ours)) => {
            let message = message::squashed(scope, ours, incoming.theirs)?;
            Some(message::with_discarded(message, &discarded))
        }
        _ => None,
    };
    let way = match outcome.relation {
        Relation::Merged => "Merge made by brv.",
        Relation::Followed => "Moved to the rewritten history",
        _ => "Fast-forward",
    };
    let transition = Transition {
        index: waiting_sides(scope, &survey, tree, &conflicts, (merge, squash))?,
        moves: new.map(|new| RefMove::of_head(&survey.head, new)).into_iter().collect(),
        settings: incoming.settings.clone(),
        ..Transition::default()
    };
    let purpose = Purpose::new(incoming.kind, incoming.reason.clone())
        .discarding(discarded)
        .logged(format!("{}: {way}", incoming.action));
    let purpose = match who {
        Some(who) => purpose.signed(who.committer),
        None => purpose,
    };
    let work = Work::planned(plan, sides(&survey.head, new, tree, incoming), transition);
    outcome.conflicts = conflicts;
    writing.carry_out(Some(survey.index), work, &purpose)?;
    outcome.after = new.or(outcome.before);
    Ok(())
}

/// Make the merge commit; its tree is already stored.
pub(super) fn commit(
    parts: &Parts<'_>,
    ours: Option<CommitId>,
    tree: TreeId,
    who: &identity::Identity,
    (incoming, message): (&Incoming, &BStr),
) -> Result<CommitId, Stop> {
    let scope = parts.scope();
    let new = git::commit::NewCommit {
        tree,
        parents: ours.into_iter().chain([incoming.theirs]).collect(),
        author: who.author.clone(),
        committer: who.committer.clone(),
        message: message.to_owned(),
    };
    let signer = signing::signer(scope, &Wish::Settings, &new.committer, parts.prompt).map_err(unsigned)?;
    git::commit::write_signed(scope, &new, signer.as_ref()).map_err(unsigned)
}

fn unsigned(error: SigningError) -> Stop {
    let is_ours = !matches!(error, SigningError::Git(_) | SigningError::File(_));
    let hint = "nothing was merged; check the settings `gpg.format` and `user.signingKey`";
    Stop::from(error).hinting(is_ours.then_some(hint))
}

/// The index and merge-state files for a merge in progress; empty if there is none.
fn waiting_sides(
    scope: &Scope,
    survey: &Survey,
    tree: TreeId,
    conflicts: &[Conflict],
    (merge, squash): (Option<MergeState>, Option<BString>),
) -> Result<IndexSides, Stop> {
    if merge.is_none() && squash.is_none() {
        return Ok(IndexSides::default());
    }
    let changes = trees::diff(&scope.whole(), survey.head_tree, tree, Renames::Ignore)?;
    let mut entries: BTreeMap<BString, Staged> = changes
        .into_iter()
        .map(|change| (change.path, change.after.map_or(Staged::Nothing, Staged::Version)))
        .collect();
    let open = conflicts.iter();
    entries.extend(open.map(|conflict| (conflict.path.clone(), Staged::Unmerged(conflict.versions))));
    let mut sides = IndexSides::of(scope, &survey.index, entries)?;
    let here = &mut sides.after.waiting;
    let message = here.message.take().filter(|_| merge.is_none());
    *here = Waiting { merge, squash, message, ..std::mem::take(here) };
    Ok(sides)
}

fn sides(head: &Head, new: Option<CommitId>, tree: TreeId, incoming: &Incoming) -> [Side; 2] {
    let before = match head.commit() {
        Some(id) => Side::Commit(id),
        None => Side::Snapshot { tree: TreeId::empty(), parents: Vec::new() },
    };
    let after = match new {
        Some(id) => Side::Commit(id),
        None => {
            Side::Snapshot { tree, parents: head.commit().into_iter().chain([incoming.theirs]).collect() }
        }
    };
    [before, after]
}
