//! The answer of `brv dream`.

use super::landing::is_pruned;
use super::row::{Phase, Row, RowStatus, Survival};
use brv_engine::Stop;
use brv_engine::agents::model::Spent;
use brv_engine::dream::{Closed, Gate};
use brv_engine::journal::{DreamId, OperationId};
use brv_engine::write::landing::Saved;
use brv_git::CommitId;
use brv_text::dream::Weak;
use schemars::JsonSchema;
use serde::Serialize;

/// How a dream ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "DreamStatus")]
pub enum DreamStatus {
    Completed,
    /// It ended early; what was applied until then stays.
    Partial,
    /// It failed before anything was applied.
    Error,
    Undone,
    /// A gate was closed.
    #[default]
    Skipped,
    /// A worker will do it.
    Queued,
    /// `--dry-run`: nothing was written.
    Planned,
}

/// How many decisions of each kind were applied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "DreamSummary")]
pub struct DreamSummary {
    pub consolidated: usize,
    pub synthesized: usize,
    /// Archived entries, and suggested merges.
    pub pruned: usize,
    pub flagged_for_review: usize,
    /// Decisions that were refused.
    pub errors: usize,
}

/// `brv.dream/1`
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Dream")]
pub struct Outcome {
    /// Its name; `null` if a gate was closed.
    pub id: Option<DreamId>,
    pub status: DreamStatus,
    /// The gate that was closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// Why it was skipped, or ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The decisions, and what became of each.
    pub operations: Vec<Row>,
    /// Without a writer: the weak entries that are left for a person or a writer, those of least use first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Weak>,
    pub survival: Survival,
    pub summary: DreamSummary,
    /// The operation, for `brv undo`; `null` if no file changed.
    #[schemars(with = "Option<String>")]
    pub operation: Option<OperationId>,
    /// The commit; `null` if none was made.
    pub commit: Option<CommitId>,
    /// The branch that the commit is on, if it has one of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Files that were written and are not in the commit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncommitted: Vec<String>,
    /// Whether somebody ended it.
    #[serde(skip)]
    pub is_cancelled: bool,
    /// With `--model`: what was asked of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Spent>,
    /// How the model failed, after it had decided about something.
    #[serde(skip)]
    pub failed: Option<Stop>,
    /// What the user should know about the model.
    #[serde(skip)]
    pub warnings: Vec<String>,
    /// What was written.
    #[serde(skip)]
    pub saved: Saved,
    /// Why the log or the state could not be written: the dream stands all the same.
    #[serde(skip)]
    pub unlogged: Option<String>,
}

impl Outcome {
    pub fn of(id: Option<DreamId>, status: DreamStatus) -> Self {
        Self { id, status, ..Self::default() }
    }

    pub fn skipped(closed: Closed) -> Self {
        Self { gate: Some(closed.gate), reason: Some(closed.reason), ..Self::of(None, DreamStatus::Skipped) }
    }
}

impl DreamSummary {
    pub fn of(rows: &[Row]) -> Self {
        let applied = || rows.iter().filter(|row| row.status == RowStatus::Applied);
        let of = |phase: Phase| applied().filter(|row| row.phase == Some(phase)).count();
        Self {
            consolidated: of(Phase::Consolidate),
            synthesized: of(Phase::Synthesize),
            pruned: applied().filter(|row| is_pruned(row)).count(),
            flagged_for_review: applied().filter(|row| row.needs_review).count(),
            errors: rows.iter().filter(|row| row.status == RowStatus::Refused).count(),
        }
    }
}
