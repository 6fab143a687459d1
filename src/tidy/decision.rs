//! Read the decisions about a plan from JSON.
//!
//! Input that holds no decisions is an error as a whole; an element that is no decision is refused alone. What a decision
//! means for the plan is checked elsewhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The largest input, in bytes.
pub const MAX_INPUT_BYTES: usize = 11_000_000;

/// What to do with a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(rename = "DreamAction")]
pub enum Action {
    /// Entries become one.
    Merge,
    /// The text of an entry is brought up to date.
    TemporalUpdate,
    /// Entries get relations to each other.
    CrossReference,
    /// Nothing; remembered for these contents.
    Skip,
    /// A synthesis is written.
    Create,
    /// A weak entry is archived.
    Archive,
    /// A weak entry stays.
    Keep,
    /// A weak entry is suggested for a merge in the next dream.
    MergeInto,
}

/// The decisions about a plan, each read on its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Decisions {
    /// The id of the plan.
    pub plan: String,
    /// In their order.
    pub decisions: Vec<Result<Decision, Refused>>,
}

/// One decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "DreamDecision")]
pub struct Decision {
    /// The id of the candidate.
    pub candidate: String,
    /// What to do with it.
    pub action: Action,
    /// The entry that takes others over.
    pub into: Option<String>,
    /// The entries that are taken over.
    pub sources: Option<Vec<String>>,
    /// The file to make or change.
    pub path: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// One line about it.
    pub summary: Option<String>,
    /// Its tags.
    pub tags: Option<Vec<String>>,
    /// Its keywords.
    pub keywords: Option<Vec<String>>,
    /// Its body, or the whole file if it begins with `---`.
    #[serde(alias = "content")]
    pub markdown: Option<String>,
    /// Its relations.
    pub related: Option<Vec<String>>,
    /// How certain the decider is, 0 to 1.
    pub confidence: Option<f64>,
    /// Why: kept in the history of the entry.
    pub reason: String,
}

/// An element that is no decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The candidate that it names, if it names one.
    pub candidate: Option<String>,
    /// What is wrong with it.
    pub message: String,
}

/// Why the input holds no decisions: none of it is applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NotDecisions {
    /// What is wrong with it.
    pub message: String,
}

/// The decisions in `bytes`.
///
/// # Errors
/// [`NotDecisions`] if they are no decisions as a whole.
pub fn read(bytes: &[u8]) -> Result<Decisions, NotDecisions> {
    let _ = bytes;
    Err(NotDecisions { message: "not read yet".to_owned() })
}
