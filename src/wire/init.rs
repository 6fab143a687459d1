//! JSON of `brv init`.

use brv_commands::connectors;
use brv_commands::hooks::Changed;
use brv_commands::init::{self, Outcome};
use brv_engine::derive;
use brv_engine::outcome::bytes::Bytes;
use brv_engine::outcome::recovered::{Recovered, paths};
use brv_engine::vc::work_tree::adoption;
use brv_engine::write::operation;
use brv_engine::write::written::Written;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.init/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Init {
    /// The folder of the tree, absolute.
    pub tree: String,
    /// The current branch.
    pub branch: Option<String>,
    /// What existed before: `new` (nothing), `files` or `repository`.
    #[schemars(with = "&str")]
    pub origin: Origin,
    /// The work tree of the project's repository, if that tracks the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The file that now makes the project's repository ignore `.brv/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excluded_in: Option<String>,
    /// Files taken over from another tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adopted: Option<Adopted>,
    /// Derived files of another tool, left alone until the merge, rebase or cherry-pick in progress is done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<String>,
    /// During a merge, rebase or cherry-pick: archived files of another tool, left alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub archived: Vec<String>,
    /// Files that another tool had merged only on disk; they are staged now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub staged: Vec<Bytes>,
    /// The git hooks, with `--hooks`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<Changed>,
    /// The coding agents that are found here, with `--agents`: what was written, or would be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<connectors::Changes>,
    /// A branch at the remote of the code, such as `brv/main`, that has knowledge which this tree does not follow yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<String>,
    /// How many of the last commits of the code there are to learn from.
    #[serde(skip)]
    pub recent: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    derived: Option<derive::Outcome>,
    /// An interrupted command that was recovered first.
    #[serde(skip_serializing_if = "Option::is_none")]
    recovered: Option<Recovered>,
    /// Other effects on files; printed as warnings.
    #[serde(skip)]
    pub written: Written,
}

/// What existed before `init`.
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

/// Files taken over from another tool.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Adopted {
    /// The operation that keeps every byte of them.
    pub operation: String,
    /// Derived files replaced by brv's own.
    pub replaced: Vec<String>,
    /// Files no longer tracked; the deletion is staged.
    pub untracked: Vec<String>,
    /// Archived files, left alone on disk and in the index; `brv archive list` shows the entries.
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
            waiting: paths(&outcome.waiting.replaced),
            archived: paths(&outcome.waiting.archived),
            staged: Bytes::of(&outcome.staged),
            hooks: Vec::new(),
            agents: None,
            shared: outcome.shared.clone(),
            recent: outcome.recent,
            derived: outcome.written.refreshed().cloned(),
            recovered: outcome.written.recovered.as_ref().map(Recovered::from),
            written: Written::from(&outcome.written),
        }
    }
}

impl Adopted {
    fn new(adopted: &adoption::Adopted, written: &operation::WriteOutcome) -> Self {
        Self {
            operation: written.operation.as_ref().map(ToString::to_string).unwrap_or_default(),
            replaced: paths(&adopted.replaced),
            untracked: paths(&adopted.untracked),
            archived: paths(&adopted.archived),
        }
    }
}
