//! Whether a JSON Schema is of the form that servers hold a model to.

use serde_json::Value;

/// Whether every object in it names all of its properties as required and allows no other: OpenAI's strict schemas and
/// Anthropic's structured outputs take no other form.
pub(super) fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Array(parts) => parts.iter().all(is_strict),
        Value::Object(fields) => {
            let is_object = fields.get("type").is_some_and(|kind| kind == "object");
            (!is_object || is_closed(schema)) && fields.values().all(is_strict)
        }
        _ => true,
    }
}

fn is_closed(schema: &Value) -> bool {
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let has = |name: &str| required.iter().any(|required| required == name);
    schema["additionalProperties"] == false
        && schema["properties"].as_object().is_some_and(|all| all.keys().all(|name| has(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_strict_schema_leaves_nothing_open() {
        let closed = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
        assert!(is_strict(&closed));
        assert!(is_strict(
            &json!({"type": "object", "properties": {"l": {"type": "array", "items": closed}}, "required": ["l"], "additionalProperties": false})
        ));
        for open in [
            json!({"type": "object"}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": [], "additionalProperties": false}),
            json!({"type": "array", "items": {"type": "object", "properties": {}}}),
        ] {
            assert!(!is_strict(&open), "{open}");
        }
    }
}
