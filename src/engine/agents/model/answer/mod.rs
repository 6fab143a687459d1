//! What a model answers, and how that is read.

pub(super) mod json;
pub(super) mod thoughts;

use serde_json::Value;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    pub text: String,
    /// What the model calls; empty if the text is its last word.
    pub calls: Vec<Call>,
    pub usage: Usage,
    /// An answer with calls as the wire gave it: it goes back with the results of the calls.
    pub raw: Option<Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The name that the wire gave the call.
    pub id: String,
    pub tool: String,
    /// The arguments; a text that is not JSON stands as a string.
    pub arguments: Value,
}

/// Tokens, as the wire counts them; estimated where it does not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
}
