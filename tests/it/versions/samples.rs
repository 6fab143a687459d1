//! Values by a JSON Schema, and whether a value fits one: as much of it as the schemas of brv use.

use serde_json::{Map, Value, json};

/// How deep a value is made where a schema contains itself.
const DEEPEST: usize = 12;

/// The value with all that a schema names, and that with only what it requires.
pub fn of(schema: &Value) -> [Value; 2] {
    [true, false].map(|is_full| made(schema, schema, is_full, 0))
}

fn named<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    schema["$ref"].as_str().and_then(|name| root.pointer(name.trim_start_matches('#'))).unwrap_or(schema)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn made(root: &Value, schema: &Value, is_full: bool, depth: usize) -> Value {
    let is_full = is_full && depth < DEEPEST;
    let schema = named(root, schema);
    if !schema["const"].is_null() {
        return schema["const"].clone();
    }
    if let Some(first) = list(&schema["enum"]).first() {
        return first.clone();
    }
    let kinds = list(&schema["type"]);
    let first =
        schema["type"].as_str().or_else(|| if is_full { kinds.first() } else { kinds.last() }?.as_str());
    let mut fields = Map::new();
    for either in ["anyOf", "oneOf"] {
        let ways = list(&schema[either]);
        let Some(way) = (if is_full { ways.first() } else { ways.last() }) else { continue };
        match made(root, way, is_full, depth + 1) {
            Value::Object(own) => fields.extend(own),
            other => return other,
        }
    }
    let required = list(&schema["required"]);
    for (name, one) in schema["properties"].as_object().into_iter().flatten() {
        if is_full || required.iter().any(|other| other == name) {
            fields.insert(name.clone(), made(root, one, is_full, depth + 1));
        }
    }
    match first {
        Some("string") => "text".into(),
        Some("integer") => 1.into(),
        Some("number") => 1.5.into(),
        Some("boolean") => true.into(),
        Some("null") => Value::Null,
        Some("array") if is_full => json!([made(root, &schema["items"], is_full, depth + 1)]),
        Some("array") => json!([]),
        _ => fields.into(),
    }
}

/// What does not fit, each with its place.
pub fn unfit(schema: &Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    compare(schema, schema, value, "", &mut faults);
    faults
}

fn compare(root: &Value, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    let schema = named(root, schema);
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is_kind = |wanted: &Value| wanted == kind || wanted == "number" && kind == "integer";
    let kinds = &schema["type"];
    if !kinds.is_null() && !is_kind(kinds) && !list(kinds).iter().any(is_kind) {
        faults.push(format!(
            "{at}: {value} is no {}",
            kinds.as_str().map_or_else(|| kinds.to_string(), str::to_owned)
        ));
    }
    let is_listed = schema["enum"].is_null() || list(&schema["enum"]).contains(value);
    if !is_listed || !schema["const"].is_null() && schema["const"] != *value {
        faults.push(format!("{at}: {value} is not expected"));
    }
    for either in ["anyOf", "oneOf"] {
        let ways = list(&schema[either]);
        let fits = |way: &Value| {
            let mut faults = Vec::new();
            compare(root, way, value, at, &mut faults);
            faults.is_empty()
        };
        if !ways.is_empty() && !ways.iter().any(fits) {
            faults.push(format!("{at}: {value} has none of the known forms"));
        }
    }
    if let Some(fields) = value.as_object() {
        for name in list(&schema["required"]).iter().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                faults.push(format!("{at}: `{name}` is absent"));
            }
        }
        for (name, value) in fields {
            compare(root, &schema["properties"][name], value, &format!("{at}.{name}"), faults);
        }
    }
    for value in list(value) {
        compare(root, &schema["items"], value, &format!("{at}[]"), faults);
    }
}

#[test]
fn a_sample_of_every_schema_fits_it() {
    for known in brv::cli::table::schemas(brv::cli::table::ROWS) {
        let schema = Value::Object(known.whole());
        for sample in of(&schema) {
            assert_eq!(unfit(&schema, &sample), Vec::<String>::new(), "{}", known.command);
        }
    }
}
