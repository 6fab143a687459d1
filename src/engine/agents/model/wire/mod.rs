//! The interfaces over HTTP: a request as the body of one, an answer from the body of one. Pure.
//!
//! No field of sampling and no choice of a tool is sent: `model.params` adds what the user wants.

mod anthropic;
mod chat;
mod responses;
mod schema;

use super::{Answer, Request, Usage};
use brv_base::config::Api;
use serde_json::{Map, Value};

pub(super) type Body = Map<String, Value>;

/// An answer, and what it cost if the server counts.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Decoded {
    pub answer: Answer,
    pub usage: Option<Usage>,
}

/// Where and whom a request is for.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestTarget<'a> {
    pub api: Api,
    pub host: &'a str,
    /// The name of the model; a server with one model needs none.
    pub name: Option<&'a str>,
}

impl RequestTarget<'_> {
    /// What is appended to `model.url`.
    pub fn path(self) -> &'static str {
        match self.api {
            Api::Responses => "/responses",
            Api::Anthropic => "/messages",
            Api::OpenAi | Api::Command => "/chat/completions",
        }
    }

    /// The headers of a request, but for the key.
    pub fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self.api {
            Api::Anthropic => &[("content-type", "application/json"), ("anthropic-version", "2023-06-01")],
            _ => &[("content-type", "application/json")],
        }
    }

    /// The header that carries the key.
    pub fn key_header(self, key: &str) -> (&'static str, String) {
        match self.api {
            Api::Anthropic => ("x-api-key", key.to_owned()),
            _ => ("authorization", format!("Bearer {key}")),
        }
    }

    /// The fields that a request cannot do without.
    pub fn needed_fields(self) -> &'static [&'static str] {
        match self.api {
            Api::Responses => &["model", "input", "instructions"],
            Api::Anthropic => &["model", "messages", "system", "max_tokens"],
            _ => &["model", "messages"],
        }
    }

    /// A request as a body, without the fields that the server refuses.
    pub fn body(self, request: &Request, params: &Body, refused: &[String]) -> Body {
        let mut body = match self.api {
            Api::Responses => responses::body(request),
            Api::Anthropic => anthropic::body(request),
            _ => chat::body(request, self.host),
        };
        if let Some(name) = self.name {
            body.insert("model".into(), name.into());
        }
        body.extend(params.clone());
        body.retain(|field, value| !value.is_null() && !refused.contains(field));
        body
    }

    /// The answer in a body.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn answer(self, body: &Value) -> Result<Decoded, String> {
        match self.api {
            Api::Responses => responses::answer(body),
            Api::Anthropic => anthropic::answer(body),
            _ => chat::answer(body),
        }
    }
}

/// Why an answer that the limit of its tokens ended is none: what is there may be a draft, and may break off anywhere.
const USED_UP: &str = "the model used up its tokens before its answer ended";

/// Why an answer that a filter of the server ended is none.
const FILTERED: &str = "the server's filter took the answer away";

/// The text of a part of an answer; `None` if it is a thought or something else.
fn said(part: &Value) -> Option<&str> {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or("text");
    part["text"].as_str().filter(|_| ["text", "output_text"].contains(&kind))
}

/// The task, with the form of the answer in words: many servers take a schema and do not hold the model to it.
fn task(request: &Request) -> String {
    let Some(shape) = &request.shape else { return request.task.clone() };
    format!(
        "{}\n\nAnswer with one JSON object of this schema, and nothing else:\n{}",
        request.task, shape.schema
    )
}

/// The fields of a JSON object.
fn fields(value: Value) -> Body {
    match value {
        Value::Object(fields) => fields,
        _ => Body::new(),
    }
}

/// Arguments as the model gave them: an object, or JSON in a string.
fn arguments(given: &Value) -> Value {
    let parsed = given.as_str().and_then(|text| match text.trim() {
        "" => Some(Value::Object(Body::new())),
        text => serde_json::from_str(text).ok(),
    });
    parsed.unwrap_or_else(|| given.clone())
}

/// Arguments as one JSON text.
fn arguments_text(arguments: &Value) -> String {
    arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned)
}

/// The name that the server gave a call; a server that names none gets its number.
fn call_id(given: &Value, number: usize) -> String {
    given.as_str().filter(|id| !id.is_empty()).map_or_else(|| format!("call_{number}"), str::to_owned)
}

/// The tokens that the server counted: the sum of `input`, whose first field is required, and `output`.
fn usage(body: &Value, input: &[&str], output: &str) -> Option<Usage> {
    let count = |field: &str| body["usage"][field].as_u64();
    count(input.first()?)?;
    let input = input.iter().filter_map(|field| count(field)).fold(0, u64::saturating_add);
    Some(Usage { input, output: count(output)? })
}

/// The results of the calls before them, each with the name of its call.
fn results<'a>(
    before: Option<&'a Answer>,
    results: &'a [String],
) -> impl Iterator<Item = (&'a str, &'a str)> {
    let calls = before.map(|answer| answer.calls.as_slice()).unwrap_or_default();
    calls.iter().zip(results).map(|(call, result)| (call.id.as_str(), result.as_str()))
}

#[cfg(test)]
mod tests;
