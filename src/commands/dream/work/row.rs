//! What became of a decision: the rows of `brv dream`.

use brv_text::dream::Action;
use schemars::JsonSchema;
use serde::Serialize;

/// The part of a dream that a decision belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "DreamPhase")]
pub enum Phase {
    Consolidate,
    Synthesize,
    Prune,
}

impl Phase {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Consolidate => "consolidate",
            Self::Synthesize => "synthesize",
            Self::Prune => "prune",
        }
    }
}

/// What became of a decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "DreamRowStatus")]
pub enum RowStatus {
    Applied,
    /// It does not fit the plan or the tree; the message says why.
    Refused,
    /// It was put off to a later dream.
    Deferred,
    /// There was nothing to do.
    #[default]
    Skipped,
}

/// A decision, and what became of it.
#[derive(Debug, Default, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "DreamOperation")]
pub struct Row {
    /// The candidate of the plan.
    pub candidate: String,
    /// `consolidate`, `synthesize` or `prune`; `null` if there is no such candidate.
    pub phase: Option<Phase>,
    /// The decision; `null` if none was made, or none that can be read.
    pub action: Option<Action>,
    /// The files that it is about, relative to the tree.
    pub inputs: Vec<String>,
    /// The file that it made or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// How sure the decider was, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Why, in the decider's words.
    pub reason: String,
    /// Whether a person must look at it before it is pushed.
    pub needs_review: bool,
    pub status: RowStatus,
    /// What of the inputs does not stand in the output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// Why it was not applied, or what is to be known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What of the facts is left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "DreamSurvival")]
pub struct Survival {
    pub facts: Facts,
}

/// Facts of the files that went or were rewritten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "DreamFacts")]
pub struct Facts {
    /// How many there were.
    pub before: usize,
    /// How many of them still stand.
    pub after: usize,
    /// How many do not stand any more.
    pub dropped: usize,
}

impl Row {
    pub fn of(candidate: &str, phase: Option<Phase>, action: Option<Action>) -> Self {
        Self { candidate: candidate.to_owned(), phase, action, ..Self::default() }
    }

    pub fn with_outcome(self, status: RowStatus, message: impl Into<String>) -> Self {
        Self { status, message: Some(message.into()), ..self }
    }
}
