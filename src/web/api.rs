//! `/api/NAME?input={…}`: what `brv NAME --json` prints, for commands that read, with secrets masked.

use super::acts::status;
use crate::say::envelope::Envelope;
use crate::say::{CommandCall, Commands, Failure, Reply};
use brv_commands::review::masked;
use brv_engine::{Context, FailureKind};
use hyper::StatusCode;
use serde_json::Value;

/// The commands that are answered.
pub const READING: [&str; 29] = [
    "archive list",
    "archive show",
    "brain show",
    "hooks log",
    "hooks status",
    "jobs list",
    "links",
    "model usage",
    "op diff",
    "op log",
    "op show",
    "query",
    "read",
    "review comments",
    "review log",
    "review pending",
    "review show",
    "schema",
    "search",
    "served",
    "signals",
    "stale",
    "status",
    "tree",
    "vc blame",
    "vc check",
    "vc diff",
    "vc log",
    "vc show",
];

/// Options by which these commands write, or read a file that is no part of the tree.
const OUTSIDE: [&str; 10] =
    ["output", "write_baseline", "fix", "install", "workflow", "enable", "disable", "from", "code", "wait"];

/// The answer: a status and the JSON; `None` if no command that reads has this name.
pub fn answer(
    commands: &dyn Commands,
    cx: &Context<'_>,
    (name, input): (&str, Option<&str>),
) -> Option<(StatusCode, String)> {
    let name = name.replace('/', " ");
    let command = READING.into_iter().find(|known| *known == name)?;
    let reply = match read(input) {
        Ok(mut input) => {
            if command == "query" {
                // a page starts no model, and what a person looks at is not counted as used
                input["no_model"] = true.into();
                input["no_hits"] = true.into();
            }
            let mut reply = None;
            let call = CommandCall { command, input: &input, format: Some("json") };
            commands.reply(&call, cx, &mut |one| reply = Some(one));
            reply.unwrap_or_else(|| Reply::refusing(Failure::new(FailureKind::Failed, "there is no answer")))
        }
        Err(failure) => Reply::refusing(failure),
    };
    let status = reply.failure.as_ref().map_or(StatusCode::OK, |failure| status(failure.stop.kind));
    let json = match reply.failure.filter(|_| reply.json.is_empty()) {
        Some(failure) => {
            let envelope = Envelope::<()>::failed("error", failure.to_json(), Vec::new());
            serde_json::to_string(&envelope).unwrap_or_default()
        }
        None => without_secrets(reply.json),
    };
    Some((status, format!("{}\n", json.trim_end())))
}

/// The same bytes where no text of it has a secret; else with each secret masked.
fn without_secrets(json: String) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(&json) else { return json };
    match mask(&mut value) {
        true => value.to_string(),
        false => json,
    }
}

/// Mask the secrets in all texts; whether there was one.
fn mask(value: &mut Value) -> bool {
    match value {
        Value::String(text) => {
            let masked = masked(text).into_owned();
            let differs = masked != *text;
            *text = masked;
            differs
        }
        Value::Array(values) => values.iter_mut().map(mask).filter(|had_one| *had_one).count() > 0,
        Value::Object(fields) => fields.values_mut().map(mask).filter(|had_one| *had_one).count() > 0,
        _ => false,
    }
}

/// The options by name.
fn read(input: Option<&str>) -> Result<Value, Failure> {
    let input = input.filter(|input| !input.trim().is_empty()).unwrap_or("{}");
    let input: Value = serde_json::from_str(input)
        .map_err(|error| Failure::usage(format!("`input` is not JSON: {error}")))?;
    let given = input.as_object().into_iter().flat_map(|object| object.keys());
    match given.into_iter().find(|name| OUTSIDE.contains(&name.as_str())) {
        Some(name) => Err(Failure::usage(format!("`{name}` is not taken here: only what reads the tree is"))),
        None => Ok(input),
    }
}
