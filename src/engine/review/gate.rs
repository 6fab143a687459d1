//! Decide which changes keep a push from leaving, since nobody has reviewed them.

use super::decisions::Decisions;
use super::history::RangeMarks;
use super::published::PublishedRefs;
use super::{ReviewRow, row};
use crate::Stop;
use crate::open::context::Opened;
use crate::open::state::Ruling;
use brv_base::config::ReviewPush;
use brv_git::CommitId;
use brv_git::push::{KnownRef, Leaving};

/// The changes that leave without a review.
#[derive(Debug, Default)]
pub struct Judged {
    pub pending: Vec<ReviewRow>,
    /// Whether they stop the push.
    pub stops: bool,
}

/// Judge the commits that leave, without those that the remote has in a branch of its own. A branch for review passes: the
/// pull request is the review. `insists`: the team's policy marks changes whatever the settings say.
pub fn judge(
    opened: &Opened,
    leaving: &[Leaving],
    known: &[KnownRef],
    insists: bool,
) -> Result<Judged, Stop> {
    let mode = match opened.config.review_push.value {
        ReviewPush::Off if insists => ReviewPush::Block,
        mode => mode,
    };
    if mode == ReviewPush::Off || !(opened.config.review_enabled.value || insists) {
        return Ok(Judged::default());
    }
    let scope = &opened.scope;
    let remote = PublishedRefs::of_remote(scope, known)?;
    let there = remote.published(scope)?;
    let mut judged = Judged { pending: Vec::new(), stops: mode == ReviewPush::Block };
    let mut decisions = None;
    for one in leaving {
        if remote.is_destination_for_review(scope, one.to.as_ref(), one.tip)? {
            continue;
        }
        let known: Vec<CommitId> = there.iter().copied().chain(one.there).collect();
        let range = RangeMarks::read(scope, &[one.tip], &known)?;
        let tree = scope.tree_of(one.tip)?;
        for flag in &range.flags {
            if judged.pending.iter().any(|row| row.id == flag.id) || range.is_taken_back(scope, flag, tree)? {
                continue;
            }
            if decisions.is_none() {
                decisions = Some(Decisions::read(opened)?);
            }
            if !decisions.as_ref().is_some_and(|decisions| decisions.is(flag, Ruling::Approved)) {
                judged.pending.push(row(scope, flag)?);
            }
        }
    }
    judged.stops &= judged.pending.iter().any(|row| !row.is_notice());
    Ok(judged)
}
