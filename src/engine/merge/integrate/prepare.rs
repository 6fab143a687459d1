//! Compute in memory, without a lock, what integrating a commit would produce, so that it can be sent to a remote
//! before anything here changes.

use super::step::{self, Judged, Step};
use super::write;
use super::{Incoming, MergeOptions, Outcome, Relation, message};
use crate::Stop;
use crate::derive;
use crate::merge::discarded;
use crate::merge::guards::GuardStop;
use crate::merge::reconcile::Settled;
use crate::open::context::Parts;
use crate::write::operation;
use brv_git as git;
use brv_git::trees;
use brv_git::{CommitId, Head, TreeId};
use bstr::ByteSlice as _;

/// The prepared result. Nothing of it is stored.
pub struct Prepared {
    ours: Option<CommitId>,
    relation: Relation,
    /// `None`: nothing would change.
    step: Option<Step>,
    stopped: Option<GuardStop>,
}

/// Compute what integrating a commit would produce.
///
/// # Errors
/// The histories cannot be merged; conflicts are part of the result.
pub fn prepare(
    parts: &Parts<'_>,
    head: &Head,
    incoming: &Incoming,
    manner: &MergeOptions,
) -> Result<Prepared, Stop> {
    let (scope, ours) = (parts.scope(), head.commit());
    let prepared = |relation, step| Prepared { ours, relation, step, stopped: None };
    let stopped = |why| Prepared { stopped: Some(why), ..prepared(Relation::Stopped, None) };
    if let Some(rewrite) = step::rewrite(incoming) {
        return Ok(stopped(rewrite));
    }
    if let Some(ours) = ours
        && step::has_nothing_new(scope, ours, incoming)?
    {
        return Ok(prepared(Relation::UpToDate, None));
    }
    let step = step::decide(parts, head, incoming, manner, &|| Ok(()))?;
    let before = ours.map_or(Ok(TreeId::empty()), |ours| scope.tree_of(ours))?;
    let (changes, _) = trees::compare(step.scope(scope), before, step.tree())?;
    if let Judged::Stop(deletion) =
        step::deletion(scope, head, (before, &changes), &step, incoming, manner.mode)?
    {
        return Ok(stopped(deletion));
    }
    Ok(prepared(step.relation(manner), Some(step)))
}

impl Prepared {
    pub const fn relation(&self) -> Relation {
        self.relation
    }

    pub fn settled(&self) -> &[Settled] {
        self.step.as_ref().map_or(&[], Step::settled)
    }

    /// Report the result as if it were carried out. An obstacle is an error, as it would be then.
    pub fn tell(&self, parts: &Parts<'_>) -> Result<Outcome, Stop> {
        let mut outcome = Outcome::of(self.ours);
        outcome.relation = self.relation;
        outcome.stopped.clone_from(&self.stopped);
        let Some(step) = &self.step else { return Ok(outcome) };
        let scope = step.scope(parts.scope());
        let survey = derive::quick_survey(parts.opened, git::index::read(parts.scope())?)?;
        outcome.settled = step.settled().to_vec();
        outcome.conflicts = step.conflicts().to_vec();
        let compared = trees::compare(scope, survey.head_tree, step.tree())?;
        let told = compared.0.clone();
        if outcome.conflicts.is_empty() {
            let plan = operation::plan_of((scope, &survey), compared, step.tree(), &[])?;
            outcome.written.withheld = plan.withheld;
        }
        outcome.tell(step::told(scope, told, step.conflicts())?);
        Ok(outcome)
    }

    /// Whether the files can be updated now.
    ///
    /// # Errors
    /// The paths that are in the way.
    pub fn check(&self, parts: &Parts<'_>) -> Result<(), Stop> {
        let Some(step) = &self.step else { return Ok(()) };
        let survey = derive::quick_survey(parts.opened, git::index::read(parts.scope())?)?;
        let scope = step.scope(parts.scope());
        operation::plan(scope, &survey, step.tree(), &step.in_conflict())?;
        Ok(())
    }

    /// Store the merge and its commit; no ref points to the commit yet. `None`: there is no commit to make.
    pub fn commit(self, parts: &Parts<'_>, incoming: &Incoming) -> Result<Option<CommitId>, Stop> {
        let Some(Step::Merge { merged, who }) = self.step else { return Ok(None) };
        if !merged.conflicts.is_empty() {
            return Ok(None);
        }
        let message =
            message::with_discarded(incoming.message.clone().into(), &discarded::of(&merged.settled));
        let tree = merged.tree;
        merged.store()?;
        write::commit(parts, self.ours, tree, &who, (incoming, message.as_bstr())).map(Some)
    }
}
