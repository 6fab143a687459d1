//! The data of `brv init`.

use super::bytes::Bytes;
use super::change::{Recovered, paths};
use super::derive::{Refreshed, refreshed};
use super::written::Written;
use crate::ops::init::{self, Outcome};
use crate::ops::steps::work_tree::adoption;
use crate::ops::steps::writing;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.init/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Init {
    /// The folder of the tree, absolute.
    pub tree: String,
    /// The branch that it is on.
    pub branch: Option<String>,
    /// What was there before: `new`, `files` or `repository`.
    #[schemars(with = "&str")]
    pub origin: Origin,
    /// The work tree of the repository that tracks it, if it has none of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The file in which the host repository is now told to leave `.brv/` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excluded_in: Option<String>,
    /// What was taken over from another tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adopted: Option<Adopted>,
    /// Derived files of another tool that are left as they are until the merge, rebase or pick in progress is done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<String>,
    /// Files that another tool had merged on disk only, and that are staged now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub staged: Vec<Bytes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    derived: Option<Refreshed>,
    /// An interrupted command that was put right first.
    #[serde(skip_serializing_if = "Option::is_none")]
    recovered: Option<Recovered>,
    /// What else became of the files; warnings say it.
    #[serde(skip)]
    pub written: Written,
}

/// What was there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Nothing.
    New,
    /// Files without a repository.
    Files,
    /// A repository.
    Repository,
}

/// What was taken over from another tool.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Adopted {
    /// The operation that holds every byte of them.
    pub operation: String,
    /// Derived files that gave way to brv's own.
    pub replaced: Vec<String>,
    /// Files that are no longer recorded; the deletion is staged.
    pub untracked: Vec<String>,
    /// Files that stay on disk as they are.
    pub archived: Vec<String>,
}

impl From<&Outcome> for Init {
    fn from(outcome: &Outcome) -> Self {
        Self {
            tree: outcome.tree.to_string_lossy().into_owned(),
            branch: outcome.branch.clone(),
            origin: match outcome.origin {
                init::Origin::New => Origin::New,
                init::Origin::Files => Origin::Files,
                init::Origin::Repository => Origin::Repository,
            },
            host: outcome.host.as_ref().map(|path| path.to_string_lossy().into_owned()),
            excluded_in: outcome.excluded_in.as_ref().map(|path| path.to_string_lossy().into_owned()),
            adopted: outcome.adopted.as_ref().map(|adopted| Adopted::new(adopted, &outcome.written)),
            waiting: paths(&outcome.waiting),
            staged: Bytes::of(&outcome.staged),
            derived: refreshed(outcome.written.derived.as_ref()),
            recovered: outcome.written.recovered.as_ref().map(Recovered::from),
            written: Written::from(&outcome.written),
        }
    }
}

impl Adopted {
    fn new(adopted: &adoption::Adopted, written: &writing::Written) -> Self {
        Self {
            operation: written.operation.as_ref().map(ToString::to_string).unwrap_or_default(),
            replaced: paths(&adopted.replaced),
            untracked: paths(&adopted.untracked),
            archived: paths(&adopted.archived),
        }
    }
}
