//! JSON of `brv archive restore`.

use crate::ops::archive::restore::{Missing, Outcome};
use crate::wire::curate::Left;
use crate::wire::text;
use crate::wire::written::Written;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.archive.restore/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ArchiveRestore {
    /// The restored entries.
    pub restored: Vec<String>,
    /// What could not be restored: not archived, or not in this clone.
    pub missing: Vec<String>,
    /// The commit; `null` if none was made.
    pub commit: Option<String>,
    /// Files that were written and are not in the commit.
    pub uncommitted: Vec<String>,
    /// Effects on files, and the operation.
    #[serde(flatten)]
    pub written: Written,
    /// Why each is missing; printed with the error.
    #[serde(skip)]
    pub why: Vec<(String, Missing)>,
    /// Why files are not committed; printed as warnings.
    #[serde(skip)]
    pub left: Left,
}

impl From<&Outcome> for ArchiveRestore {
    fn from(outcome: &Outcome) -> Self {
        Self {
            restored: outcome.restored.iter().map(ToString::to_string).collect(),
            missing: outcome.missing.iter().map(|(path, _)| path.clone()).collect(),
            commit: outcome.commit.map(|id| id.to_string()),
            uncommitted: outcome.uncommitted.iter().map(|file| text(&file.path)).collect(),
            written: Written::from(&outcome.written),
            why: outcome.missing.clone(),
            left: Left::of(&outcome.uncommitted),
        }
    }
}
