//! JSON of `brv archive run`.

use crate::ops::archive::run::{Outcome, Why};
use crate::wire::curate::Left;
use crate::wire::text;
use crate::wire::written::Written;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.archive.run/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ArchiveRun {
    /// The archived entries; with `--dry-run` those that would be archived.
    pub archived: Vec<Archived>,
    /// Entries that stay. Without paths: those whose importance is low enough, and that something else holds back.
    pub skipped: Vec<Skipped>,
    /// Archived entries whose bytes the upstream lacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unpublished: Vec<String>,
    /// The commit; `null` if none was made.
    pub commit: Option<String>,
    /// Files that were written and are not in the commit.
    pub uncommitted: Vec<String>,
    /// Effects on files, and the operation.
    #[serde(flatten)]
    pub written: Written,
    /// Why files are not committed; printed as warnings.
    #[serde(skip)]
    pub left: Left,
}

/// An archived entry.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Archived {
    /// The path that it had.
    pub path: String,
    /// Its importance, 0 to 100; 50 without signals.
    pub importance: f64,
}

/// An entry that stays.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Skipped {
    /// Its path, or the name as typed.
    pub path: String,
    /// `not_committed`, `unpublished`, `dirty`, `maturity`, `importance`, `young_signals`, `pinned`, `overview` or
    /// `limit`.
    pub why: &'static str,
    /// The same in words.
    #[serde(skip)]
    pub reason: &'static str,
}

impl From<&Outcome> for ArchiveRun {
    fn from(outcome: &Outcome) -> Self {
        let archived = outcome.archived.iter();
        Self {
            archived: archived
                .map(|(path, importance)| Archived { path: path.to_string(), importance: *importance })
                .collect(),
            skipped: outcome.skipped.iter().map(|(path, why)| Skipped::new(path, *why)).collect(),
            unpublished: outcome.unpublished.iter().map(ToString::to_string).collect(),
            commit: outcome.commit.map(|id| id.to_string()),
            uncommitted: outcome.uncommitted.iter().map(|file| text(&file.path)).collect(),
            written: Written::from(&outcome.written),
            left: Left::of(&outcome.uncommitted),
        }
    }
}

impl Skipped {
    fn new(path: &str, why: Why) -> Self {
        let (why, reason) = match why {
            Why::NotCommitted => ("not_committed", "no commit has it"),
            Why::Archived => ("not_committed", "it is archived already"),
            Why::Unpublished => ("unpublished", "the upstream does not have it yet"),
            Why::Dirty => ("dirty", "it, or the context.md of its folder, has uncommitted changes"),
            Why::Maturity => ("maturity", "it is no draft"),
            Why::Importance => ("importance", "it is too important"),
            Why::YoungSignals => ("young_signals", "this machine has known it for less than 30 days"),
            Why::Pinned => ("pinned", "it is pinned"),
            Why::Overview => ("overview", "a folder, its overview, or an overview that cannot be edited"),
            Why::Limit => ("limit", "20 entries were archived already"),
        };
        Self { path: path.to_owned(), why, reason }
    }
}
