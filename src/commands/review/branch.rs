//! What a branch would bring for review: the changes that operations marked in its commits.

use super::ReviewRow;
use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::open::naming::branches::BranchName;
use brv_engine::review;
use brv_git::{CommitId, history, revision};
use bstr::ByteSlice as _;

/// A branch beside the current commit.
#[derive(Debug)]
pub struct BranchReview {
    /// Its commit.
    pub tip: CommitId,
    /// How many commits it has that the current one lacks.
    pub commits: usize,
    /// The changes that they marked, newest first.
    pub rows: Vec<ReviewRow>,
}

/// Read what a local branch has and the current commit lacks.
///
/// # Errors
/// There is no branch of that name.
pub fn run(cx: &Context<'_>, name: &str) -> Result<BranchReview, Stop> {
    let scope = cx.open()?.scope;
    let branch = BranchName::parse(&scope, name)?;
    let tip = revision::commit(&scope, &branch.full().to_str_lossy()).map_err(|_| {
        Stop::usage(format!("there is no branch `{name}`")).hint("`brv vc branch` lists the branches")
    })?;
    let known: Vec<CommitId> = scope.head()?.commit().into_iter().collect();
    let commits = history::between(&scope, &[tip], &known)?.len();
    let flags = review::marked(&scope, &[tip], &known)?;
    let rows = flags.iter().map(|flag| review::row(&scope, flag)).collect::<Result<_, _>>()?;
    Ok(BranchReview { tip, commits, rows })
}
