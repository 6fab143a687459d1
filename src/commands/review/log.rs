//! `brv review log`: what was decided, here and by the commits of others, and what a remote has undecided.

use super::{Decision, foreign};
use brv_base::sorting;
use brv_engine::Stop;
use brv_engine::journal::OperationId;
use brv_engine::open::context::Context;
use brv_engine::outcome::json;
use brv_engine::review::{ReviewExtent, ReviewStanding};
use brv_text::lint::secrets;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.review.log/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReviewLog")]
pub struct Outcome {
    /// Newest first.
    pub decisions: Vec<LoggedDecision>,
}

/// A decision about a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ReviewLogged")]
pub struct LoggedDecision {
    /// The id of the change.
    pub id: String,
    /// Its path, relative to the tree.
    pub path: String,
    /// What was decided.
    pub decision: Decision,
    /// Who decided; of what was only published, who made the change.
    pub actor: String,
    /// When; of what was only published, when the change was made.
    #[serde(serialize_with = "json::time")]
    #[schemars(with = "String")]
    pub time: i64,
    /// Why, if a reason was given.
    pub comment: Option<String>,
}

/// All decisions of this clone, the rejections in commits, and the marked changes that a remote has.
pub fn run(cx: &Context<'_>) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let reviewed = foreign::read(&opened, ReviewExtent::Everything)?;
    let local = &reviewed.decisions.all;
    let is_here = |id: Option<&OperationId>| {
        let id = id.map(ToString::to_string);
        id.is_some() && local.iter().any(|one| one.operation == id)
    };
    let elsewhere = reviewed.rejections.iter().filter(|one| !is_here(one.operation.as_ref()));
    let elsewhere = elsewhere.map(|one| LoggedDecision {
        id: one.row.clone(),
        path: one.path.clone(),
        decision: Decision::Rejected,
        actor: one.actor.clone(),
        time: one.seconds,
        comment: one.comment.clone(),
    });
    let here = local.iter().rev().map(|one| LoggedDecision {
        id: one.row.clone(),
        path: one.path.clone(),
        decision: one.ruling.into(),
        actor: one.actor.clone(),
        time: one.at,
        comment: one.comment.clone(),
    });
    let published = reviewed.flags.iter().filter(|(_, standing)| *standing == ReviewStanding::Published);
    let published = published.map(|(flag, _)| LoggedDecision {
        id: flag.id.clone(),
        path: flag.path.to_string(),
        decision: Decision::Published,
        actor: secrets::masked(&flag.actor).into_owned(),
        time: flag.seconds,
        comment: None,
    });
    let mut decisions: Vec<LoggedDecision> = here.chain(elsewhere).chain(published).collect();
    sorting::sort_by_key(&mut decisions, |one| std::cmp::Reverse(one.time));
    Ok(Outcome { decisions })
}
