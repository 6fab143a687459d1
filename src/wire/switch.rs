//! The data of `brv vc switch`, `restore`, `reset` and `checkout`.

use super::branch::Upstream;
use super::change::paths;
use super::text;
use super::written::Written;
use crate::git::Head;
use crate::ops::steps::restoring::Restored;
use crate::ops::steps::switching::Switched;
use crate::ops::steps::upstream;
use crate::ops::vc::{checkout, reset, switch};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.switch/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Switch {
    /// Where `HEAD` was.
    pub before: Place,
    /// Where it is.
    pub after: Place,
    /// The branch that was made or moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<String>,
    /// Where that branch was, if it was there already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// What that branch follows since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follows: Option<String>,
    /// What the branch follows, and how far it is from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<Upstream>,
    /// So many files were written or removed.
    pub files: usize,
    /// Files with local changes that came along.
    pub kept: Vec<String>,
    /// Files whose local changes were given up; the operation has them.
    pub discarded: Vec<String>,
    /// What else is to be known of the files.
    #[serde(flatten)]
    pub written: Written,
}

/// A place that `HEAD` points to.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Place {
    /// The branch, if it is on one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// `brv.vc.restore/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Restore {
    /// Files that were written or removed.
    pub files: Vec<String>,
    /// Paths of the index that changed.
    pub recorded: Vec<String>,
    /// What else is to be known of the files.
    #[serde(flatten)]
    pub written: Written,
}

/// `brv.vc.reset/1`: a branch that went to a commit, or paths.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum Reset {
    /// The branch went to a commit.
    Commit(ResetCommit),
    /// Paths of the index are as a commit has them.
    Paths(Restore),
}

/// A branch that went to a commit.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ResetCommit {
    /// `soft`, `mixed` or `hard`.
    pub mode: &'static str,
    /// Where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The first line of that commit's message.
    pub subject: String,
    /// So many files were written or removed.
    pub files: usize,
    /// What else is to be known of the files.
    #[serde(flatten)]
    pub written: Written,
}

/// `brv.vc.checkout/1`: as `vc switch` or as `vc restore`.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum Checkout {
    /// `HEAD` went elsewhere.
    Switched(Box<Switch>),
    /// Paths were brought back.
    Restored(Box<Restore>),
}

impl Place {
    fn of(head: &Head) -> Self {
        Self { branch: head.short_branch(), commit: head.commit().map(|id| id.to_string()) }
    }
}

impl Switch {
    fn of(switched: &Switched, upstream: Option<&upstream::Upstream>) -> Self {
        let made = switched.made.as_ref();
        Self {
            before: Place::of(&switched.before),
            after: Place::of(&switched.after),
            made: made.map(|made| made.name.clone()),
            moved_from: made.and_then(|made| made.before).map(|id| id.to_string()),
            follows: made.and_then(|made| made.follows.as_ref()).map(ToString::to_string),
            upstream: upstream.map(Upstream::from),
            files: switched.files,
            kept: paths(&switched.kept),
            discarded: paths(&switched.discarded),
            written: Written::from(&switched.written),
        }
    }
}

impl From<&Restored> for Restore {
    fn from(restored: &Restored) -> Self {
        Self {
            files: paths(&restored.files),
            recorded: paths(&restored.staged),
            written: Written::from(&restored.written),
        }
    }
}

impl From<&switch::Outcome> for Switch {
    fn from(outcome: &switch::Outcome) -> Self {
        Self::of(&outcome.switched, outcome.upstream.as_ref())
    }
}

impl From<&reset::Outcome> for Reset {
    fn from(outcome: &reset::Outcome) -> Self {
        match outcome {
            reset::Outcome::Commit(moved) => Self::Commit(ResetCommit {
                mode: match moved.mode {
                    reset::Mode::Soft => "soft",
                    reset::Mode::Mixed => "mixed",
                    reset::Mode::Hard => "hard",
                },
                before: moved.before.map(|id| id.to_string()),
                after: moved.after.map(|id| id.to_string()),
                subject: text(&moved.subject),
                files: moved.files,
                written: Written::from(&moved.written),
            }),
            reset::Outcome::Paths(restored) => Self::Paths(Restore::from(restored)),
        }
    }
}

impl From<&checkout::Outcome> for Checkout {
    fn from(outcome: &checkout::Outcome) -> Self {
        match outcome {
            checkout::Outcome::Switched { switched, upstream } => {
                Self::Switched(Box::new(Switch::of(switched, upstream.as_ref())))
            }
            checkout::Outcome::Restored(restored) => Self::Restored(Box::new(Restore::from(&**restored))),
        }
    }
}
