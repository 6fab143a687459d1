//! The data of `brv init`.

use super::change::{Recovered, paths};
use super::derive::{Refreshed, refreshed};
use crate::ops::init::{Origin, Outcome};
use crate::ops::steps::adoption;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.init/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Init {
    /// The folder of the tree, absolute.
    tree: String,
    branch: Option<String>,
    /// What was there before: `new`, `files` or `repository`.
    origin: &'static str,
    /// The work tree of the repository that tracks it, if it has none of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    /// The file in which the host repository is now told to leave `.brv/` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    excluded_in: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    adopted: Option<Adopted>,
    /// Derived files of another tool that are left as they are until the merge, rebase or pick in progress is done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<String>,
    /// Files that another tool had merged on disk only, and that are staged now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    staged: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    derived: Option<Refreshed>,
    /// An interrupted command that was put right first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<Recovered>,
}

/// What was taken over from another tool.
#[derive(Debug, JsonSchema, Serialize)]
struct Adopted {
    operation: String,
    replaced: Vec<String>,
    untracked: Vec<String>,
    archived: Vec<String>,
}

impl From<&Outcome> for Init {
    fn from(outcome: &Outcome) -> Self {
        Self {
            tree: outcome.tree.to_string_lossy().into_owned(),
            branch: outcome.branch.clone(),
            origin: match outcome.origin {
                Origin::New => "new",
                Origin::Files => "files",
                Origin::Repository => "repository",
            },
            host: outcome.host.as_ref().map(|path| path.to_string_lossy().into_owned()),
            excluded_in: outcome.excluded_in.as_ref().map(|path| path.to_string_lossy().into_owned()),
            adopted: outcome.adopted.as_ref().map(Adopted::from),
            waiting: paths(&outcome.waiting),
            staged: paths(&outcome.staged),
            derived: refreshed(Some(&outcome.derived)),
            recovered: outcome.recovered.as_ref().map(Recovered::from),
        }
    }
}

impl From<&adoption::Adopted> for Adopted {
    fn from(adopted: &adoption::Adopted) -> Self {
        Self {
            operation: adopted.operation.to_string(),
            replaced: paths(&adopted.replaced),
            untracked: paths(&adopted.untracked),
            archived: paths(&adopted.archived),
        }
    }
}
