//! JSON of `brv signals`: the signals of entries.

use crate::clock::format_utc;
use crate::lifecycle;
use crate::ops::signals::{Entry, Outcome};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.signals/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Signals {
    /// The entries: by path, with `--top` the most important first, with `--stale` the least important first.
    pub signals: Vec<Signal>,
}

/// What is known of an entry on this machine.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Signal {
    /// Its path.
    pub path: String,
    /// From 0 to 100: it grows with hits and updates, and fades without them.
    pub importance: f64,
    /// From 1 at the last change of the entry towards 0.
    pub recency: f64,
    /// How settled it is.
    pub maturity: Maturity,
    /// How often it was returned to a caller, once per session.
    pub hits: u64,
    /// How often curation updated it.
    pub updates: u64,
    /// When it was first seen on this machine.
    pub first_seen: String,
    /// Its last change: `updatedAt`, else the time of the last commit that changed it; `null` if it has neither.
    pub last_update: Option<String>,
}

/// How settled an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Maturity {
    /// Not confirmed by use.
    Draft,
    /// Confirmed.
    Validated,
    /// Relied on.
    Core,
}

impl Maturity {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Draft => lifecycle::Maturity::Draft.word(),
            Self::Validated => lifecycle::Maturity::Validated.word(),
            Self::Core => lifecycle::Maturity::Core.word(),
        }
    }
}

impl From<lifecycle::Maturity> for Maturity {
    fn from(maturity: lifecycle::Maturity) -> Self {
        match maturity {
            lifecycle::Maturity::Draft => Self::Draft,
            lifecycle::Maturity::Validated => Self::Validated,
            lifecycle::Maturity::Core => Self::Core,
        }
    }
}

impl From<&Outcome> for Signals {
    fn from(outcome: &Outcome) -> Self {
        Self { signals: outcome.entries.iter().map(Signal::from).collect() }
    }
}

impl From<&Entry> for Signal {
    fn from(entry: &Entry) -> Self {
        let signal = &entry.signal;
        Self {
            path: entry.path.to_string(),
            importance: rounded(signal.importance, 100.0),
            recency: rounded(entry.recency, 10_000.0),
            maturity: signal.maturity.into(),
            hits: signal.hits,
            updates: signal.updates,
            first_seen: format_utc(signal.first_seen),
            last_update: entry.last_update.map(format_utc),
        }
    }
}

fn rounded(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}
