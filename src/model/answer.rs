//! What a model answers.

use super::json;
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
    /// The arguments; a text that is no JSON stands as a string.
    pub arguments: Value,
}

/// Tokens, as the wire counts them; estimated where it does not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
}

impl Answer {
    /// The JSON object that the answer gives: alone, as the arguments of a call, in a fence, or in prose.
    ///
    /// # Errors
    /// What is wrong with the answer, for the model to read.
    pub fn object(&self) -> Result<Value, String> {
        let mut objects = json::objects_of(self)?;
        Ok(objects.swap_remove(0))
    }
}
