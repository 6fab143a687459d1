//! `_bulk`: lines of an action and a document.

use super::refusal::Refusal;
use super::store::Condition;
use serde_json::{Map, Value};

/// One action.
#[derive(Debug)]
pub struct Action {
    /// `index`, `create` or `delete`.
    pub name: String,
    pub id: String,
    pub condition: Condition,
    /// The document, or why it cannot be read.
    pub source: Result<Value, Refusal>,
}

/// What an action line may say.
const METADATA: [&str; 12] = [
    "_index",
    "_id",
    "routing",
    "version",
    "version_type",
    "if_seq_no",
    "if_primary_term",
    "require_alias",
    "pipeline",
    "retry_on_conflict",
    "_source",
    "dynamic_templates",
];

/// The actions of a body for `index`.
///
/// # Errors
/// What an engine refuses as a whole.
pub fn actions(index: &str, body: &[u8]) -> Result<Vec<Action>, Refusal> {
    if body.is_empty() {
        return Err(Refusal::new(400, "parse_exception", "request body is required"));
    }
    let Some(body) = body.strip_suffix(b"\n") else {
        return Err(Refusal::argument("The bulk request must be terminated by a newline [\\n]"));
    };
    let mut lines = body.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty());
    let mut actions = Vec::new();
    while let Some((number, line)) = lines.next() {
        let (name, metadata) = action_line(number + 1, line)?;
        let (id, condition) = condition(index, &name, &metadata)?;
        let source = if name == "delete" {
            Ok(Value::Null)
        } else {
            let (_, line) = lines.next().ok_or_else(|| Refusal::validation("no requests added"))?;
            serde_json::from_slice(line).map_err(|error| {
                Refusal::new(400, "document_parsing_exception", format!("failed to parse: {error}"))
            })
        };
        actions.push(Action { name, id, condition, source });
    }
    if actions.is_empty() {
        return Err(Refusal::validation("no requests added"));
    }
    Ok(actions)
}

fn action_line(number: usize, line: &[u8]) -> Result<(String, Map<String, Value>), Refusal> {
    let malformed =
        |what: &str| Refusal::argument(format!("Malformed action/metadata line [{number}], {what}"));
    let line: Value = serde_json::from_slice(line)
        .map_err(|error| Refusal::new(400, "x_content_parse_exception", error.to_string()))?;
    let line = line.as_object().ok_or_else(|| malformed("expected START_OBJECT"))?;
    let (name, metadata) =
        line.iter().next().ok_or_else(|| malformed("expected FIELD_NAME but found [END_OBJECT]"))?;
    if !["create", "delete", "index", "update"].contains(&name.as_str()) {
        let what = format!("expected field [create], [delete], [index] or [update] but found [{name}]");
        return Err(malformed(&what));
    }
    if name == "update" {
        return Err(Refusal::beyond("[update] of documents"));
    }
    if line.len() > 1 {
        return Err(malformed("expected [END_OBJECT]"));
    }
    let metadata = metadata.as_object().ok_or_else(|| malformed("expected START_OBJECT"))?;
    if let Some(key) = metadata.keys().find(|key| !METADATA.contains(&key.as_str())) {
        return Err(Refusal::argument(format!(
            "Action/metadata line [{number}] contains an unknown parameter [{key}]"
        )));
    }
    Ok((name.clone(), metadata.clone()))
}

/// The id of an action, and what must hold.
fn condition(index: &str, name: &str, metadata: &Map<String, Value>) -> Result<(String, Condition), Refusal> {
    if metadata.get("_index").is_some_and(|other| other != index) {
        return Err(Refusal::beyond("actions for another index than that of the path"));
    }
    let number = |key: &str| {
        let Some(value) = metadata.get(key) else { return Ok(None) };
        let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
        number
            .map(Some)
            .ok_or_else(|| Refusal::argument(format!("illegal version value [{value}] for [{key}]")))
    };
    let kind = metadata.get("version_type").map_or("internal", |kind| kind.as_str().unwrap_or_default());
    let sequence = (number("if_seq_no")?, number("if_primary_term")?);
    let (version, id) = (number("version")?, metadata.get("_id").and_then(Value::as_str));
    let or_same = match kind {
        "internal" => None,
        "external" => Some(false),
        "external_gte" => Some(true),
        kind => return Err(Refusal::argument(format!("No version type match [{kind}]"))),
    };
    let id = match id {
        Some("") => return Err(Refusal::argument("if _id is specified it must not be empty")),
        Some(id) => id.to_owned(),
        None if version.is_some() || or_same.is_some() => {
            return Err(Refusal::validation("an id must be provided if version type or value are set"));
        }
        None => return Err(Refusal::beyond("ids of its own")),
    };
    let condition = match (or_same, version, sequence) {
        (Some(_), _, _) if name == "create" => {
            return Err(Refusal::validation(
                "create operations only support internal versioning. use index instead",
            ));
        }
        (None, Some(_), _) => {
            return Err(Refusal::validation(
                "internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and `if_primary_term` instead",
            ));
        }
        (Some(or_same), Some(version), (None, None)) => Condition::External { version, or_same },
        (Some(_), None, _) => {
            return Err(Refusal::validation(format!(
                "illegal version value [-3] for version type [{}]",
                kind.to_uppercase()
            )));
        }
        (Some(_), _, _) => {
            return Err(Refusal::validation("compare and write operations can not use versioning"));
        }
        (None, None, (Some(number), Some(term))) => Condition::Sequence { number, term },
        (None, None, (Some(_), None)) => {
            return Err(Refusal::validation("ifSeqNo is set, but primary term is [0]"));
        }
        (None, None, (None, Some(term))) => {
            return Err(Refusal::validation(format!("ifSeqNo is unassigned, but primary term is [{term}]")));
        }
        (None, None, (None, None)) if name == "create" => Condition::Absent,
        (None, None, (None, None)) => Condition::Nothing,
    };
    Ok((id, condition))
}
