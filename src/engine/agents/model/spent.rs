//! What one command asked of a model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `data.model`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ModelSpent")]
pub struct Spent {
    /// The name of the model.
    pub name: String,
    /// How many requests were sent, those included that failed.
    pub calls: u32,
    /// How many of them repeated one that failed.
    pub retries: u32,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// How long brv waited, in milliseconds.
    pub ms: u64,
    /// How many answers had to be given again because they were not what was asked for.
    pub repaired: u32,
}
