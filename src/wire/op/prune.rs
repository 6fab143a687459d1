//! The data of `brv op prune`: operations that are gone.

use crate::ops::op::prune;
use crate::wire::change::{Recovered, paths};
use crate::wire::written::Written;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.op.prune/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct OpPrune {
    /// The operations that went, or would, newest first: they cannot be undone any more.
    pub gone: Vec<Gone>,
    /// Files beside the paths that they changed, too: what they did to these cannot be undone any more either.
    pub others: Vec<String>,
    /// How many stay.
    pub kept: usize,
    /// Those of the paths that `HEAD` still has: the history holds them, too.
    pub in_head: Vec<String>,
    /// An interrupted command that was put right first.
    #[serde(skip_serializing_if = "Option::is_none")]
    recovered: Option<Recovered>,
    /// The rest.
    #[serde(skip)]
    pub written: Written,
}

/// An operation that went.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Gone {
    /// Its name.
    pub id: String,
    /// The command; absent where this version cannot read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// Why it was done, or why it cannot be read.
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
