//! JSON of `brv vc switch`.

use brv_commands::vc::switch;
use brv_engine::open::naming::upstream::Upstream;
use brv_engine::outcome::recovered::paths;
use brv_engine::vc::work_tree::switching::Switched;
use brv_engine::write::written::Written;
use brv_git::Head;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.switch/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Switch {
    /// `HEAD` before.
    pub before: Place,
    /// `HEAD` after.
    pub after: Place,
    /// The branch that was created or moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<String>,
    /// The old commit of that branch, if it existed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// The upstream that was set for that branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follows: Option<String>,
    /// The upstream of the branch, and the distance to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<Upstream>,
    /// Number of files written or removed.
    pub files: usize,
    /// Files whose local changes were kept.
    pub kept: Vec<String>,
    /// Files whose local changes were discarded; the operation keeps them.
    pub discarded: Vec<String>,
    /// Effects on files, and the operation.
    #[serde(flatten)]
    pub written: Written,
}

/// A state of `HEAD`.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Place {
    /// The branch; absent if `HEAD` is detached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

impl Place {
    fn of(head: &Head) -> Self {
        Self { branch: head.short_branch(), commit: head.commit().map(|id| id.to_string()) }
    }
}

impl Switch {
    pub(in crate::wire) fn of(switched: &Switched, upstream: Option<&Upstream>) -> Self {
        let made = switched.made.as_ref();
        Self {
            before: Place::of(&switched.before),
            after: Place::of(&switched.after),
            made: made.map(|made| made.name.clone()),
            moved_from: made.and_then(|made| made.before).map(|id| id.to_string()),
            follows: made.and_then(|made| made.follows.as_ref()).map(ToString::to_string),
            upstream: upstream.cloned(),
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
