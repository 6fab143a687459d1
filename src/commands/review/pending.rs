//! `brv review pending`: list the changes that wait for review.

use super::comment::shown;
use super::{ReviewRow, foreign};
use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::review::{self, Comment, CommentState, Comments, ReviewStanding};
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
    /// The comments that wait for an answer, the oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Comment>,
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
    let said = Comments::read(&opened)?.all.into_iter().filter(|one| one.state == CommentState::Open);
    let comments = said.map(|one| shown(cx, one)).collect();
    Ok(Outcome { count: pending.len(), pending, comments })
}
