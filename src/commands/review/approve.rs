//! `brv review approve`: keep a change, so that pushes let it pass.

use super::{Decided, Decision, Options, chosen, foreign, is_own, left_to_person, rulings};
use crate::commits::replacing;
use brv_engine::journal::OperationId;
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::state::Ruling;
use brv_engine::review::{self, Decisions, Flag, ReviewExtent, ReviewStanding};
use brv_engine::{FailureKind, Stop};
use brv_text::curate::Why;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.review.approve/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReviewApprove")]
pub struct Outcome {
    /// What was approved.
    pub decided: Vec<Decided>,
}

/// Approve what an id names.
///
/// # Errors
/// Nothing is called so; the caller made the change, or is an agent and it came from elsewhere; it was taken back. Then nothing is decided.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let reviewed = foreign::read(&opened, ReviewExtent::Everything)?;
    let found = chosen(cx, &opened.scope, &reviewed, (&options.id, &options.paths))?;
    let open: Vec<&Flag> = found
        .iter()
        .filter(|(_, standing)| *standing != ReviewStanding::TakenBack)
        .map(|(flag, _)| flag)
        .collect();
    if open.is_empty() {
        let message = format!("`{}` was rejected or undone: there is nothing to approve", options.id);
        let hint =
            "`brv op log` lists the operation that took it back; `brv undo ID` with its ID brings it back";
        return Err(Stop::new(FailureKind::Refused, message).hint(hint));
    }
    if let Some(own) = open.iter().find(|flag| is_own(flag, &cx.actor)) {
        let message =
            format!("`{}` ({}) was made by the agent or session that wants to approve it", own.id, own.path);
        return Err(Stop::new(FailureKind::Refused, message).hint("somebody else must approve it"));
    }
    left_to_person(&open, cx)?;
    let is_old = |flag: &Flag| reviewed.decisions.is(flag, Ruling::Approved);
    let new: Vec<&Flag> = open.iter().copied().filter(|flag| !is_old(flag)).collect();
    if !new.is_empty() {
        let (actor, now) = (review::decider(&cx.parts(&opened)), cx.clock.seconds());
        let decision = (Ruling::Approved, options.comment.as_ref());
        Decisions::add(&opened, &rulings(&new, decision, (&actor, now)))?;
    }
    replacing::approved(cx, &opened, &unheld(&opened, &open)?)?;
    let decided = open.iter().map(|flag| Decided::of(flag, Decision::Approved, is_old(flag)));
    Ok(Outcome { decided: decided.collect() })
}

/// The operations of these changes that held back what they replace and have nothing left that waits.
fn unheld(opened: &Opened, open: &[&Flag]) -> Result<Vec<OperationId>, Stop> {
    let holds = |flag: &Flag| [Why::Unsupported, Why::Instructions].iter().any(|why| flag.says(why.as_str()));
    let mut found: Vec<OperationId> = Vec::new();
    for operation in open.iter().filter(|flag| holds(flag)).filter_map(|flag| flag.operation.as_ref()) {
        if !found.contains(operation) {
            found.push(operation.clone());
        }
    }
    if found.is_empty() {
        return Ok(found);
    }
    let left = review::read(opened, ReviewExtent::Everything)?.flags;
    let waits =
        |(flag, standing): &(Flag, ReviewStanding)| *standing == ReviewStanding::Pending && holds(flag);
    let waiting: Vec<_> = left.iter().filter(|one| waits(one)).map(|(flag, _)| &flag.operation).collect();
    found.retain(|operation| !waiting.contains(&&Some(operation.clone())));
    Ok(found)
}
