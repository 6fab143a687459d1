//! `brv review reopen`: takes an approval back, so that the change waits again.

use super::{Decided, Decision, Options, chosen, foreign, left_to_person, rulings};
use brv_engine::open::context::Context;
use brv_engine::open::state::Ruling;
use brv_engine::review::{self, Decisions, Flag, ReviewExtent, ReviewStanding, Reviewed};
use brv_engine::{FailureKind, Stop};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.review.reopen/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReviewReopen")]
pub struct Outcome {
    /// The changes that were approved.
    pub decided: Vec<Decided>,
    /// The ids of those that a remote has: no push waits for them any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<String>,
}

/// Take the approvals of what an id names back. Nothing but the decisions changes.
///
/// # Errors
/// Nothing is called so; nothing of it was approved; the caller is an agent, and only a person may decide.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let reviewed = foreign::read(&opened, ReviewExtent::Everything)?;
    let found = chosen(cx, &opened.scope, &reviewed, (&options.id, &options.paths))?;
    let is_old = |flag: &Flag| reviewed.decisions.is(flag, Ruling::Reopened);
    let is_meant = |(flag, standing): &&&(Flag, ReviewStanding)| match standing {
        ReviewStanding::Approved => true,
        ReviewStanding::Pending | ReviewStanding::Published => is_old(flag),
        ReviewStanding::TakenBack => false,
    };
    let meant: Vec<&Flag> = found.iter().filter(is_meant).map(|(flag, _)| flag).collect();
    if meant.is_empty() {
        return Err(not_approved(&options.id, &found, &reviewed));
    }
    left_to_person(&meant, cx)?;
    let new: Vec<&Flag> = meant.iter().copied().filter(|flag| !is_old(flag)).collect();
    if !new.is_empty() {
        let (actor, now) = (review::decider(&cx.parts(&opened)), cx.clock.seconds());
        let decision = (Ruling::Reopened, options.comment.as_ref());
        Decisions::add(&opened, &rulings(&new, decision, (&actor, now)))?;
    }
    let now = foreign::read(&opened, ReviewExtent::Everything)?;
    let is_published = |flag: &&&Flag| {
        now.flags.iter().any(|(one, standing)| one.id == flag.id && *standing == ReviewStanding::Published)
    };
    let published = meant.iter().filter(is_published).map(|flag| flag.id.clone()).collect();
    let decided = meant.iter().map(|flag| Decided::of(flag, Decision::Reopened, is_old(flag)));
    Ok(Outcome { decided: decided.collect(), published })
}

fn not_approved(id: &str, found: &[&(Flag, ReviewStanding)], reviewed: &Reviewed) -> Stop {
    let refused = |message: String| Stop::new(FailureKind::Refused, message);
    let taken_back = found.iter().find(|(_, standing)| *standing == ReviewStanding::TakenBack);
    let Some((flag, _)) = taken_back else {
        return refused(format!("`{id}` was not approved: there is no approval to take back"))
            .hint("`brv review log` lists what was decided");
    };
    let rejection = reviewed.decisions.of(flag).filter(|one| one.ruling == Ruling::Rejected);
    let operation = rejection.and_then(|one| one.operation.clone());
    let operation = operation.unwrap_or_else(|| "ID".to_owned());
    refused(format!("`{id}` was rejected or undone: there is no approval to take back")).hint(format!(
        "`brv undo {operation}` undoes the operation that took it back, and then it waits again; `brv op log` lists operations"
    ))
}
