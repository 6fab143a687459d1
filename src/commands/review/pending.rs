//! `brv review pending`: list the changes that wait for review.

use super::{ReviewRow, foreign};
use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::review::{self, ReviewStanding};
use schemars::JsonSchema;
use serde::Serialize;

pub use brv_engine::review::ReviewExtent;

/// `brv.review.pending/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReviewPending")]
pub struct Outcome {
    /// The changes, newest first.
    pub pending: Vec<ReviewRow>,
    /// How many they are.
    pub count: usize,
}

/// List them; with [`ReviewExtent::Everything`] also those that a remote has and nobody decided about here.
pub fn run(cx: &Context<'_>, extent: ReviewExtent) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let reviewed = foreign::read(&opened, extent)?;
    let is_listed =
        |standing: ReviewStanding| matches!(standing, ReviewStanding::Pending | ReviewStanding::Published);
    let flags = reviewed.flags.iter().filter(|(_, standing)| is_listed(*standing));
    let rows = flags.map(|(flag, _)| review::row(&opened.scope, flag));
    let pending: Vec<ReviewRow> = rows.collect::<Result<_, _>>()?;
    Ok(Outcome { count: pending.len(), pending })
}
