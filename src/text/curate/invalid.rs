//! Say in plain words why an element of the list is not an operation, and which field is wrong.

use crate::curate::input::OperationInput;
use serde_json::{Value, json};

/// What is wrong with an element that could not be read.
pub(super) fn words(value: &Value, error: &serde_json::Error) -> String {
    let message = error.to_string();
    let Some(fields) = value.as_object() else {
        return format!("an operation is an object, not {}", kind_of(value));
    };
    if let Some(name) = between(&message, "missing field ") {
        let inside = field_of(fields).filter(|_| fields.contains_key(name) || !is_needed(name));
        return format!("{}the field `{name}` is missing", within(inside));
    }
    if let Some(name) = between(&message, "unknown field ") {
        let inside = field_of(fields).filter(|field| *field != name);
        return format!("{}there is no field `{name}`{}", within(inside), expected(&message));
    }
    let field = field_of(fields).unwrap_or("operation");
    if let Some(word) = between(&message, "unknown variant ") {
        let name = if field == "content" { "category" } else { field };
        return format!("`{name}` cannot be `{word}`{}", expected(&message));
    }
    let wanted = message.rsplit_once("expected ").map(|(_, wanted)| wanted.trim());
    let wanted = match wanted.unwrap_or_default() {
        "a string" => "a text",
        "a boolean" => "`true` or `false`",
        "a sequence" => "a list",
        _ if fields.get(field).is_some_and(Value::is_object) => "that: a part of it has another form",
        _ if matches!(field, "content" | "remove") => "an object",
        _ => "a text",
    };
    format!("`{field}` is {}, not {wanted}", fields.get(field).map_or("missing", kind_of))
}

/// The first field that is wrong by itself.
fn field_of(fields: &serde_json::Map<String, Value>) -> Option<&str> {
    let is_wrong = |(name, value): &(&String, &Value)| {
        let mut alone = json!({"type": "ADD", "path": "a", "reason": "r"});
        if let Some(alone) = alone.as_object_mut() {
            alone.insert((*name).clone(), (*value).clone());
        }
        serde_json::from_value::<OperationInput>(alone).is_err()
    };
    fields.iter().find(is_wrong).map(|(name, _)| name.as_str())
}

fn is_needed(name: &str) -> bool {
    matches!(name, "type" | "path" | "reason")
}

fn within(field: Option<&str>) -> String {
    field.map_or_else(String::new, |field| format!("in `{field}`: "))
}

/// The name in backticks after these words.
fn between<'m>(message: &'m str, words: &str) -> Option<&'m str> {
    message.strip_prefix(words)?.strip_prefix('`')?.split_once('`').map(|(name, _)| name)
}

/// The words that are allowed, as the reader lists them.
fn expected(message: &str) -> String {
    message.split_once("`, expected ").map_or_else(String::new, |(_, list)| format!("; expected {list}"))
}

const fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(true) => "`true`",
        Value::Bool(false) => "`false`",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wrong_field_is_named_in_plain_words() {
        let said = |value: Value| {
            let error = serde_json::from_value::<OperationInput>(value.clone()).unwrap_err();
            words(&value, &error)
        };
        let with = |more: Value| {
            let mut all = json!({"type": "ADD", "path": "a/b", "reason": "r"});
            all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            said(all)
        };
        assert_eq!(said(json!("ADD")), "an operation is an object, not a text");
        assert_eq!(said(json!({"type": "ADD", "path": "a/b"})), "the field `reason` is missing");
        let types = "`ADD`, `UPDATE`, `UPSERT`, `MERGE`, `DELETE`";
        assert_eq!(
            with(json!({"type": "PATCH"})),
            format!("`type` cannot be `PATCH`; expected one of {types}")
        );
        assert_eq!(with(json!({"tags": "a"})), "`tags` is a text, not a list");
        assert_eq!(with(json!({"replace": "yes"})), "`replace` is a text, not `true` or `false`");
        assert_eq!(with(json!({"title": 5})), "`title` is a number, not a text");
        assert_eq!(with(json!({"content": "x"})), "`content` is a text, not an object");
        assert!(with(json!({"facts": []})).starts_with("there is no field `facts`; expected one of `type`"));
        let narrative = with(json!({"content": {"narrative": {"rule": "x"}}}));
        assert!(narrative.starts_with("in `content`: there is no field `rule`; expected"), "{narrative}");
        let category = with(json!({"content": {"facts": [{"statement": "x", "category": "y"}]}}));
        assert!(category.starts_with("`category` cannot be `y`; expected"), "{category}");
        assert_eq!(
            with(json!({"content": {"facts": [{"subject": "x"}]}})),
            "in `content`: the field `statement` is missing"
        );
    }
}
