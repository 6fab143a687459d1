//! JSON of `brv vc commit`.

use crate::wire::finding::Finding;
use brv_commands::vc::commit::{Committed, Guard, Made, Outcome, Tidying, Unrecorded};
use brv_engine::derive;
use brv_engine::outcome::change::Change;
use brv_engine::outcome::recovered::Recovered;
use brv_engine::vc::work_tree::staging::Refused;
use brv_engine::write::operation;
use brv_engine::write::written::Written;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.commit/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Commit {
    /// The new commit; `null` if there was nothing to commit.
    pub commit: Option<NewCommit>,
    /// Changed files that could not be staged, with `-a` or by their paths.
    pub refused: Vec<Refused>,
    /// An interrupted command that was recovered first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<Recovered>,
    /// Whether there are changes that are not staged, if nothing was committed.
    #[serde(skip)]
    pub unrecorded: Option<Unrecorded>,
    /// Allowed secrets that no committed file has; printed as a warning.
    #[serde(skip)]
    pub unused: Vec<Guard>,
    /// Other effects on files; printed as warnings.
    #[serde(skip)]
    pub written: Written,
}

/// A new commit.
#[derive(Debug, JsonSchema, Serialize)]
pub struct NewCommit {
    /// Its id.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
    /// The current branch; `null` if `HEAD` is detached.
    pub branch: Option<String>,
    /// Whether it has no parent.
    pub root: bool,
    operation: String,
    /// With `--amend`: the commit that it replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    amended: Option<String>,
    /// Its changes compared to its first parent.
    pub changes: Vec<Change>,
    /// Errors in its files that would block a push.
    pub findings: Vec<Finding>,
    /// The derived files that were updated; absent if none were.
    #[serde(skip_serializing_if = "Option::is_none")]
    derived: Option<derive::Outcome>,
    /// Whether `brv vc gc` is due.
    #[serde(skip)]
    pub tidying: Tidying,
}

impl From<&Outcome> for Commit {
    fn from(outcome: &Outcome) -> Self {
        let written = &outcome.written;
        let (commit, unrecorded) = match &outcome.made {
            Made::Commit(made) => (Some(NewCommit::new(made, written)), None),
            Made::Nothing(unrecorded) => (None, Some(*unrecorded)),
        };
        Self {
            commit,
            refused: outcome.refused.clone(),
            recovered: written.recovered.as_ref().map(Recovered::from),
            unrecorded,
            unused: outcome.unused.clone(),
            written: Written::from(written),
        }
    }
}

impl NewCommit {
    fn new(made: &Committed, written: &operation::WriteOutcome) -> Self {
        Self {
            id: made.id.to_string(),
            subject: made.subject.clone(),
            branch: made.branch.clone(),
            root: made.is_root,
            amended: made.replaces.map(|id| id.to_string()),
            operation: made.operation.to_string(),
            changes: made.changes.iter().map(Change::from).collect(),
            findings: made.findings.iter().map(Finding::from).collect(),
            derived: written.refreshed().cloned(),
            tidying: made.tidying,
        }
    }
}
