//! JSON of `brv op prune`: deleted operations.

use brv_commands::op::prune;
use brv_engine::outcome::recovered::{Recovered, paths};
use brv_engine::write::written::Written;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.op.prune/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct OpPrune {
    /// The operations that were deleted, or would be, newest first: they can no longer be undone.
    pub gone: Vec<Gone>,
    /// Other files that these operations changed: those changes can no longer be undone either.
    pub others: Vec<String>,
    /// Number of operations that are kept.
    pub kept: usize,
    /// Those of the given paths that `HEAD` still has: the history still holds them.
    pub in_head: Vec<String>,
    /// An interrupted command that was recovered first.
    #[serde(skip_serializing_if = "Option::is_none")]
    recovered: Option<Recovered>,
    /// Effects on files, and the operation.
    #[serde(skip)]
    pub written: Written,
}

/// A deleted operation.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Gone {
    /// Its id.
    pub id: String,
    /// The command; absent if this version of brv cannot read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// Why it was made, or why it cannot be read.
    pub reason: String,
}

impl From<&prune::Outcome> for OpPrune {
    fn from(outcome: &prune::Outcome) -> Self {
        let gone = outcome.gone.iter().map(|gone| Gone {
            id: gone.id.to_string(),
            kind: gone.kind.map(|kind| kind.word()),
            reason: gone.reason.clone(),
        });
        Self {
            gone: gone.collect(),
            others: paths(&outcome.others),
            kept: outcome.kept,
            in_head: paths(&outcome.in_head),
            recovered: outcome.written.recovered.as_ref().map(Recovered::from),
            written: Written::from(&outcome.written),
        }
    }
}
