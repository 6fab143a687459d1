//! The data of `brv vc switch`.

use super::branch::Upstream;
use crate::git::Head;
use crate::ops::steps::remotes::upstream;
use crate::ops::steps::work_tree::switching::Switched;
use crate::ops::vc::switch;
use crate::wire::change::paths;
use crate::wire::written::Written;
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

impl Place {
    fn of(head: &Head) -> Self {
        Self { branch: head.short_branch(), commit: head.commit().map(|id| id.to_string()) }
    }
}

impl Switch {
    pub(in crate::wire) fn of(switched: &Switched, upstream: Option<&upstream::Upstream>) -> Self {
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

impl From<&switch::Outcome> for Switch {
    fn from(outcome: &switch::Outcome) -> Self {
        Self::of(&outcome.switched, outcome.upstream.as_ref())
    }
}
