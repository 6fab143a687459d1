//! Find the JSON in an answer: alone, as the arguments of a call, in a fence, or in prose.

use super::Answer;
use serde_json::Value;

/// The object that an answer gives.
///
/// # Errors
/// What is wrong with the answer, for the model to read.
pub(super) fn object_of(answer: &Answer) -> Result<Value, String> {
    if let Some(call) = answer.calls.iter().find(|call| call.arguments.is_object()) {
        return Ok(call.arguments.clone());
    }
    let text = answer.text.trim();
    let why = match serde_json::from_str::<Value>(text) {
        Ok(value) if value.is_object() => return Ok(value),
        Ok(_) => "it is no JSON object".to_owned(),
        Err(error) => format!("it is no JSON: {error}"),
    };
    for (at, _) in text.match_indices('{') {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        if let Some(Ok(value)) = values.next()
            && value.is_object()
        {
            return Ok(value);
        }
    }
    Err(why)
}
