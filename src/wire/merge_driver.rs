//! The data of `brv merge-driver`.

use super::decision::{self, Decision, Record};
use crate::merge::Method;
use crate::ops::merge_driver::Outcome;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.merge-driver/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct MergeDriver {
    /// Whether nobody has to decide anything; then the exit code is 0, else 1.
    clean: bool,
    /// The step of the cascade that made the result: `equal`, `one_sided`, `lines`, `meaning` or `markers`.
    method: &'static str,
    /// How many differences were settled by rule.
    settled: usize,
    /// How many a person must decide.
    undecided: usize,
    /// What was settled.
    pub records: Vec<Record>,
    /// What a person must decide.
    decisions: Vec<Decision>,
}

impl MergeDriver {
    /// Of the file of this path.
    #[must_use]
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
            records: merged.records.iter().map(|record| decision::inside(path, record)).collect(),
            decisions: merged.conflicts.iter().map(Decision::from).collect(),
        }
    }
}
