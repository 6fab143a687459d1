//! `brv vc branch`: list, create, rename and delete branches, and set their upstream.
//!
//! Every move of a branch is an operation: the commits of a deleted branch are kept as long as its operation is in the
//! log.

mod change;
mod list;

pub use brv_engine::open::naming::branches::{Existing, Track};
pub use brv_engine::open::naming::upstream::Upstream;
pub use list::{Branch, BranchListing, Detached, Filter, Kinds};

use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::write::written::Logged;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone)]
pub enum Options {
    List(BranchListing),
    ShowCurrent,
    Create {
        name: String,
        /// The start point; `None`: `HEAD`.
        start: Option<String>,
        /// What to do if it already exists.
        existing: Existing,
        track: Track,
    },
    /// Rename a branch, with its reflog and settings.
    Rename {
        /// The branch; `None`: the current one.
        before: Option<String>,
        after: String,
        /// What to do if that already exists.
        existing: Existing,
    },
    Delete {
        names: Vec<String>,
        /// Whether they are local or remote-tracking branches.
        kinds: Deleted,
        /// What to do with commits that no other branch has.
        unmerged: UnmergedPolicy,
    },
    /// Set the upstream of a branch.
    Follow {
        /// The branch; `None`: the current one.
        branch: Option<String>,
        upstream: String,
    },
    /// Unset the upstream of a branch.
    Unfollow {
        /// The branch; `None`: the current one.
        branch: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deleted {
    Local,
    Remembered,
}

/// What to do with commits that no other branch has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnmergedPolicy {
    Refuse,
    /// Delete it anyway; the operation keeps the commits.
    Allow,
}

/// `brv.vc.branch/1`: the requested list, or what changed.
#[derive(Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "Branches")]
pub struct Outcome {
    /// The branches, if listed: ordered by name, with remote-tracking branches last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branches: Option<Vec<Branch>>,
    /// The detached `HEAD`, if branches were listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detached: Option<Detached>,
    /// With `--show-current`: the current branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// The branch that was created or moved, and its commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<BranchTip>,
    /// The branch that was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed: Option<RenamedBranch>,
    /// The branches that were deleted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deleted: Vec<DeletedBranch>,
    /// The branch whose upstream was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follows: Option<Follows>,
    /// The branch whose upstream was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfollowed: Option<String>,
    /// The operation, and a recovered command.
    #[serde(flatten)]
    pub written: Logged,
}

/// A branch and its commit.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Tip")]
pub struct BranchTip {
    /// Its name: `main`
    pub name: String,
    /// Its commit.
    pub commit: String,
}

/// A renamed branch.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Renamed")]
pub struct RenamedBranch {
    /// The old name.
    pub before: String,
    /// The new name.
    pub after: String,
}

/// A deleted branch.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Gone")]
pub struct DeletedBranch {
    /// Its name.
    pub name: String,
    /// The short id of its commit, or the name of the reference that it was a symbolic ref to.
    pub was: String,
    /// Whether its commits are in its upstream, but not in `HEAD`.
    pub ahead_of_head: bool,
}

/// A branch and its new upstream.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Follows {
    /// The branch: `main`
    pub branch: String,
    /// The upstream: `origin/main`
    pub upstream: String,
}

/// List or change branches.
///
/// # Errors
/// A name that no branch can have, a branch that exists or does not, commits that would be lost: nothing changed.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    match options {
        Options::List(listing) => list::run(&cx.open()?.scope, listing),
        Options::ShowCurrent => {
            Ok(Outcome { current: cx.open()?.scope.head()?.short_branch(), ..Outcome::default() })
        }
        _ => change::run(cx, options),
    }
}
