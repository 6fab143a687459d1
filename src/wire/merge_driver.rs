//! JSON of `brv merge-driver`.

use brv_commands::merge_driver::Outcome;
use brv_engine::merge::reconcile::Record;
use brv_text::merge::{Conflict, Method};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.merge-driver/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct MergeDriver {
    /// Whether there are no conflicts; the exit code is then 0, else 1.
    clean: bool,
    /// The merge method that made the result: `equal`, `one_sided`, `lines`, `meaning` or `markers`.
    method: &'static str,
    /// Number of differences settled automatically.
    settled: usize,
    /// Number of conflicts.
    undecided: usize,
    /// The settled differences.
    pub records: Vec<Record>,
    /// The conflicts.
    decisions: Vec<Conflict>,
    /// The conflicts that have no markers in the file.
    #[serde(skip)]
    pub hidden: Vec<Conflict>,
}

impl MergeDriver {
    /// The data for the file at `path`.
    pub fn new(outcome: &Outcome, path: &str) -> Self {
        let merged = &outcome.merged;
        Self {
            clean: merged.is_clean(),
            method: match merged.method {
                Method::Equal => "equal",
                Method::OneSided(_) => "one_sided",
                Method::Lines => "lines",
                Method::Meaning => "meaning",
                Method::Markers => "markers",
            },
            settled: merged.records.len(),
            undecided: merged.conflicts.len(),
            records: merged.records.iter().map(|record| Record::inside(path.as_bytes(), record)).collect(),
            decisions: merged.conflicts.clone(),
            hidden: merged.conflicts.iter().filter(|one| one.span.is_none()).cloned().collect(),
        }
    }
}
