//! Arguments as hosts and gateways send them: a text where the schema of the tool says list, object, number or switch
//! counts as what it reads as. Where the schema says string, a text stays as it is.

use super::tools::Tool;
use crate::say::Failure;
use rmcp::model::JsonObject;
use serde_json::{Number, Value};

/// The input that is a list of files of the code.
const FILES: &str = "for";

/// How much of a wrong value is repeated, in characters.
const SHOWN: usize = 60;

/// Whole numbers up to this one are exact as JSON has them.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The arguments in the types of the tool's schema; `is_file` says whether a path is one of the project.
///
/// # Errors
/// A value that does not read as its type: the failure shows the form.
pub fn to_types(
    tool: &Tool,
    schema: &JsonObject,
    given: &mut JsonObject,
    is_file: impl Fn(&str) -> bool,
) -> Result<(), Failure> {
    let Some(Value::Object(properties)) = schema.get("properties") else { return Ok(()) };
    for (name, value) in given.iter_mut().filter(|(_, value)| !value.is_null()) {
        let Some(property) = properties.get(name) else { continue };
        let is_exact = !tool.is_reading() && name == "dry_run";
        *value = match (std::mem::take(value), kind(property)) {
            (Value::String(text), "boolean") if is_exact => exact_switch(text),
            (value, _) => typed(property, value),
        };
        if let Value::String(text) = value
            && takes_strings(property)
            && (is_file(text) || !is_broken_list(text))
        {
            let is_one = name != FILES || is_file(text);
            *value = Value::Array(if is_one { vec![text.as_str().into()] } else { split(text) });
        }
        if !fits(property, value) {
            return Err(Failure::usage(format!("`{name}` {}: expected {}", shown(value), form(property))));
        }
    }
    Ok(())
}

/// A value as what it reads as; unchanged if it does not.
fn typed(schema: &Value, value: Value) -> Value {
    match (kind(schema), value) {
        ("array", Value::String(text)) => match serde_json::from_str(&text) {
            Ok(list @ Value::Array(_)) => typed(schema, list),
            _ => Value::String(text),
        },
        ("array", Value::Array(items)) => {
            items.into_iter().map(|item| typed(&schema["items"], item)).collect()
        }
        ("object", Value::String(text)) => match serde_json::from_str(&text) {
            Ok(object @ Value::Object(_)) => typed(schema, object),
            _ => Value::String(text),
        },
        ("object", Value::Object(fields)) => {
            let one = |(name, value): (String, Value)| {
                let value = typed(&schema["properties"][&name], value);
                (name, value)
            };
            Value::Object(fields.into_iter().map(one).collect())
        }
        ("integer", Value::Number(number)) => whole(&number).map_or(Value::Number(number), Value::from),
        ("integer", Value::String(text)) => {
            let number = serde_json::from_str::<Number>(text.trim()).ok();
            number.and_then(|number| whole(&number)).map_or(Value::String(text), Value::from)
        }
        ("number", Value::String(text)) => {
            serde_json::from_str::<Number>(text.trim()).map_or(Value::String(text), Value::Number)
        }
        ("boolean", Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => Value::String(text),
        },
        (_, value) => value,
    }
}

/// `5` and `5.0`, not `5.5`.
fn whole(number: &Number) -> Option<i64> {
    let of_fraction = || number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() <= EXACT);
    number.as_i64().or_else(|| of_fraction().map(|float| float as i64))
}

/// What a writing tool does is never guessed.
fn exact_switch(text: String) -> Value {
    match text.as_str() {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => Value::String(text),
    }
}

/// Whether it is a list in JSON that is not whole. A path may begin with a bracket, too: `[id]/page.tsx`.
fn is_broken_list(text: &str) -> bool {
    text.trim_start().strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('"'))
}

fn split(text: &str) -> Vec<Value> {
    text.split([',', '\n']).map(str::trim).filter(|part| !part.is_empty()).map(Value::from).collect()
}

fn kind(schema: &Value) -> &str {
    schema["type"].as_str().unwrap_or_default()
}

/// Whether it is a list of strings.
fn takes_strings(schema: &Value) -> bool {
    kind(schema) == "array" && kind(&schema["items"]) == "string"
}

/// Whether the value has its type. What is in an operation is checked where it is applied: each fails by itself.
fn fits(schema: &Value, value: &Value) -> bool {
    match (kind(schema), value) {
        ("array", Value::Array(items)) => !takes_strings(schema) || items.iter().all(Value::is_string),
        ("object", value) => value.is_object(),
        ("integer", value) => value.is_i64() || value.is_u64(),
        ("number", value) => value.is_number(),
        ("boolean", value) => value.is_boolean(),
        ("string", value) => value.is_string(),
        _ => false,
    }
}

/// `is 5`, or what is wrong with a list as text.
fn shown(value: &Value) -> String {
    let cut: String = match value {
        Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    };
    let shown = match cut.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("is {}…", &cut[..end]),
        None => format!("is {cut}"),
    };
    match value.as_str().filter(|text| text.trim_start().starts_with('[')).map(serde_json::from_str::<Value>)
    {
        Some(Err(error)) => format!("{shown}, which is not JSON ({error})"),
        _ => shown,
    }
}

fn form(schema: &Value) -> &'static str {
    match kind(schema) {
        "integer" => "a whole number, such as 5",
        "number" => "a number, such as 0.5",
        "boolean" => "true or false",
        "array" if takes_strings(schema) => r#"a list of strings, such as ["src/main.rs"]"#,
        "array" => {
            r#"a list of operations, such as [{"type": "UPSERT", "path": "domain/topic", "title": "…", "reason": "…", "markdown": "…"}]"#
        }
        _ => "a string",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_text_counts_as_what_it_reads_as_at_every_depth() {
        let strings = json!({"type": "array", "items": {"type": "string"}});
        let schema = json!({"type": "object", "properties": {
            "list": strings, "count": {"type": "integer"}, "share": {"type": "number"}, "on": {"type": "boolean"},
            "text": {"type": "string"}, "parts": {"type": "array", "items": {"type": "object", "properties": {"tags": strings}}},
        }});
        for (field, sent, wanted) in [
            ("list", json!("[\"a\"]"), json!(["a"])),
            ("list", json!("a"), json!("a")),
            ("list", json!(["[\"a\"]"]), json!(["[\"a\"]"])),
            ("count", json!("5"), json!(5)),
            ("count", json!(5.0), json!(5)),
            ("count", json!("-5.0"), json!(-5)),
            ("count", json!(5.5), json!(5.5)),
            ("count", json!("5 apples"), json!("5 apples")),
            ("count", json!(1e300), json!(1e300)),
            ("count", json!(u64::MAX), json!(u64::MAX)),
            ("share", json!(" 0.5"), json!(0.5)),
            ("share", json!("NaN"), json!("NaN")),
            ("on", json!("FALSE"), json!(false)),
            ("on", json!("1"), json!("1")),
            ("text", json!("5"), json!("5")),
            ("text", json!("[]"), json!("[]")),
            ("parts", json!("[{\"tags\": \"[\\\"a\\\"]\"}]"), json!([{"tags": ["a"]}])),
            ("parts", json!(["{\"tags\": []}", "nonsense", 7]), json!([{"tags": []}, "nonsense", 7])),
            ("unknown", json!("5"), json!("5")),
        ] {
            assert_eq!(
                typed(&schema, json!({ field: sent.clone() })),
                json!({ field: wanted }),
                "{field} {sent}"
            );
            let whole = json!({ field: sent }).to_string();
            assert_eq!(typed(&schema, whole.into()), json!({ field: wanted }));
        }
    }

    #[test]
    fn a_wrong_value_is_repeated_in_short() {
        assert_eq!(shown(&json!("a")), "is \"a\"");
        assert_eq!(shown(&json!("é".repeat(100))).chars().count(), SHOWN + 4);
        assert!(shown(&json!("[1")).contains("not JSON"));
    }
}
