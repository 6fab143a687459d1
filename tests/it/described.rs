//! Validate `--json` output against its schema: the subset of JSON Schema that brv's schemas use.

use brv::cli::schema::{Outcome, SchemaPart};
use brv::cli::table::{ROWS, schemas};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Panics unless the envelope is valid against the schema it names. `arguments` are for the message.
pub fn check(envelope: &Value, arguments: &[&str]) {
    let name = envelope["schema"].as_str().unwrap_or_default();
    let schema =
        document(name).unwrap_or_else(|| panic!("{arguments:?} printed the unknown schema `{name}`"));
    if let Err(why) = valid(&schema, &schema, envelope) {
        panic!("{arguments:?} printed something that `{name}` does not describe: {why}\n{envelope}");
    }
}

pub fn document(name: &str) -> Option<Value> {
    Outcome::named(&schemas(ROWS), name, SchemaPart::Whole)?.one.map(|one| Value::Object(one.document))
}

type Named = BTreeSet<String>;

/// The subset of JSON Schema that brv uses, with one extra rule: a property that no schema describes is an error.
/// Returns the described properties.
pub fn valid(root: &Value, schema: &Value, value: &Value) -> Result<Named, String> {
    let schema = match schema {
        Value::Bool(true) => return Ok(all_of(value)),
        Value::Object(schema) => schema,
        other => return Err(format!("{other} is not a schema")),
    };
    let known = described(root, schema, value)?;
    let said = schema.contains_key("properties") || schema.contains_key("additionalProperties");
    if said && let Some(extra) = all_of(value).difference(&known).next() {
        return Err(format!("`{extra}` is not described in {schema:?}"));
    }
    Ok(known)
}

type Check = fn(&Value, &Value, &Value) -> Result<Named, String>;

/// As [`valid`], where others may describe the rest.
fn loosely(root: &Value, schema: &Value, value: &Value) -> Result<Named, String> {
    match schema {
        Value::Object(schema) => described(root, schema, value),
        other => valid(root, other, value),
    }
}

fn all_of(value: &Value) -> Named {
    value.as_object().map(|object| object.keys().cloned().collect()).unwrap_or_default()
}

fn described(root: &Value, schema: &Map<String, Value>, value: &Value) -> Result<Named, String> {
    let mut known = Named::new();
    // schemas for parts of an object describe its properties together; none of them sees all
    let part: Check = if schema.contains_key("properties") { loosely } else { valid };
    for (word, rule) in schema {
        match word.as_str() {
            "$ref" => {
                let path = rule.as_str().and_then(|path| path.strip_prefix('#')).ok_or("a strange $ref")?;
                let target = root.pointer(path).ok_or_else(|| format!("{path} is not there"))?;
                known.extend(part(root, target, value)?);
            }
            "type" => is_of_type(rule, value)?,
            "const" if rule != value => return Err(format!("{value} is not {rule}")),
            "enum" if !rule.as_array().is_some_and(|all| all.contains(value)) => {
                return Err(format!("{value} is none of {rule}"));
            }
            "properties" => known.extend(properties(root, rule, value)?),
            "required" => required(rule, value)?,
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    valid(root, rule, item)?;
                }
            }
            "additionalProperties" => {
                let named = schema.get("properties").map(all_of).unwrap_or_default();
                for (key, value) in value.as_object().into_iter().flatten() {
                    if !named.contains(key) {
                        valid(root, rule, value).map_err(|why| format!("{key}: {why}"))?;
                        known.insert(key.clone());
                    }
                }
            }
            "minimum" if value.is_number() && value.as_f64() < rule.as_f64() => {
                return Err(format!("{value} < {rule}"));
            }
            "maximum" if value.is_number() && value.as_f64() > rule.as_f64() => {
                return Err(format!("{value} > {rule}"));
            }
            "oneOf" | "anyOf" => known.extend(one_of(root, rule, value, part)?),
            "allOf" => {
                for rule in rule.as_array().into_iter().flatten() {
                    known.extend(loosely(root, rule, value)?);
                }
            }
            "if" => {
                let holds = loosely(root, rule, value).is_ok();
                if let Some(then) = schema.get(if holds { "then" } else { "else" }) {
                    loosely(root, then, value)?;
                }
            }
            "not" if loosely(root, rule, value).is_ok() => {
                return Err(format!("{rule} holds"));
            }
            "const" | "enum" | "minimum" | "maximum" | "not" | "then" | "else" | "$schema" | "$defs"
            | "title" | "description" | "format" | "default" => {}
            other => return Err(format!("`{other}` is not understood here")),
        }
    }
    Ok(known)
}

fn properties(root: &Value, rules: &Value, value: &Value) -> Result<Named, String> {
    let mut known = Named::new();
    for (key, rule) in rules.as_object().into_iter().flatten() {
        if let Some(value) = value.get(key) {
            valid(root, rule, value).map_err(|why| format!("{key}: {why}"))?;
            known.insert(key.clone());
        }
    }
    Ok(known)
}

fn required(names: &Value, value: &Value) -> Result<(), String> {
    let missing = names
        .as_array()
        .into_iter()
        .flatten()
        .find(|name| value.is_object() && value.get(name.as_str().unwrap_or_default()).is_none());
    missing.map_or(Ok(()), |name| Err(format!("{name} is missing")))
}

fn one_of(root: &Value, rules: &Value, value: &Value, part: Check) -> Result<Named, String> {
    let mut whys = Vec::new();
    for rule in rules.as_array().into_iter().flatten() {
        match part(root, rule, value) {
            Ok(known) => return Ok(known),
            Err(why) => whys.push(why),
        }
    }
    Err(format!("none of: {}", whys.join(" | ")))
}

fn is_of_type(rule: &Value, value: &Value) -> Result<(), String> {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    };
    let fits = match rule {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => false,
    };
    if fits { Ok(()) } else { Err(format!("{value} is not of type {rule}")) }
}
