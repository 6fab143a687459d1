//! JSON Schema of all `--json` output: `schemas.json`, made from the types that are printed.
//!
//! A test compares the two, so that they cannot drift apart. What makes schemas is in the tests only: of all types it is
//! two megabytes of code. Draft 2020-12. Knows which data belongs to which command, not what it means.

use super::envelope::schema;
#[cfg(test)]
pub mod generating;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The schema of a command's output.
#[derive(Debug, Clone, Copy)]
pub struct Described {
    /// The command: `vc status`
    pub command: &'static str,
    #[cfg(test)]
    form: generating::SchemaForm,
}

/// The schema of a command whose data is `T`.
pub const fn described<T: JsonSchema>(command: &'static str) -> Described {
    Described {
        command,
        #[cfg(test)]
        form: generating::SchemaGenerator::subschema_for::<T>,
    }
}

/// What `schemas.json` contains.
#[derive(Deserialize)]
struct SchemaFile<'f> {
    /// The schema of an envelope with any data.
    #[serde(borrow)]
    envelope: &'f RawValue,
    /// What commands read, by name.
    #[serde(borrow)]
    inputs: BTreeMap<&'f str, &'f RawValue>,
    /// The data of each command.
    #[serde(borrow)]
    data: BTreeMap<&'f str, DataSchema<'f>>,
    /// Definitions. Of different ones with one name, the second is `NAME~2`.
    #[serde(borrow)]
    definitions: BTreeMap<&'f str, &'f RawValue>,
}

#[derive(Deserialize)]
struct DataSchema<'f> {
    /// The schema, as a property of an object.
    #[serde(borrow)]
    property: &'f RawValue,
    /// The keys of the definitions that it needs.
    #[serde(borrow)]
    definitions: Vec<&'f str>,
}

static FILE: LazyLock<SchemaFile<'static>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("schemas.json")).expect("a test writes schemas.json and compares it")
});

fn value(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).expect("it was read as JSON")
}

fn object(raw: &RawValue) -> Map<String, Value> {
    serde_json::from_str(raw.get()).expect("a test compares it, and a schema is an object")
}

/// The schema of what a command reads, by its name: `curate ops`.
pub fn input(name: &str) -> Option<Map<String, Value>> {
    FILE.inputs.get(name).map(|raw| object(raw))
}

impl Described {
    /// The name of the schema.
    pub fn name(&self) -> String {
        schema(self.command)
    }

    /// The schema of the whole output object.
    pub fn whole(&self) -> Map<String, Value> {
        let (data, definitions) = self.kept();
        whole(data, definitions, &self.name(), self.command)
    }

    /// The schema of its `data`.
    pub fn data(&self) -> Map<String, Value> {
        let (property, mut definitions) = self.kept();
        let reference = property["$ref"].as_str().map(str::to_owned);
        let name = reference.as_deref().and_then(|reference| reference.strip_prefix("#/$defs/"));
        let mut root = name.and_then(|name| definitions.shift_remove(name)).unwrap_or(property);
        if let Some(reference) = &reference {
            definitions.values_mut().chain([&mut root]).for_each(|one| refer_to_root(one, reference));
        }
        let mut document = root.as_object().cloned().unwrap_or_default();
        document.insert("title".into(), format!("The data of `brv {}`", self.command).into());
        document.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
        if !definitions.is_empty() {
            document.insert("$defs".into(), definitions.into());
        }
        document
    }

    /// The schema of its data as a property, and the definitions that this needs.
    fn kept(&self) -> (Value, Map<String, Value>) {
        let Some(kept) = FILE.data.get(self.command) else { return <_>::default() };
        let named = |key: &&'static str| {
            let name = key.split('~').next().unwrap_or(key);
            FILE.definitions.get(key).map(|raw| (name.to_owned(), value(raw)))
        };
        (value(kept.property), kept.definitions.iter().filter_map(named).collect())
    }
}

/// Let `reference` name the root of the document, where the definition now stands.
fn refer_to_root(value: &mut Value, reference: &str) {
    match value {
        Value::Object(object) => {
            if object.get("$ref").is_some_and(|named| named == reference) {
                object.insert("$ref".into(), "#".into());
            }
            object.values_mut().for_each(|part| refer_to_root(part, reference));
        }
        Value::Array(parts) => parts.iter_mut().for_each(|part| refer_to_root(part, reference)),
        _ => {}
    }
}

/// The schema of an envelope with this `data`, with two constraints that the types do not express: its name, and that
/// `error` is present if and only if `ok` is false.
fn whole(data: Value, definitions: Map<String, Value>, name: &str, command: &str) -> Map<String, Value> {
    let title = match command {
        "error" => "The output for wrong arguments".to_owned(),
        "version" => "The output of `brv --version --json`".to_owned(),
        command => format!("The output of `brv {command} --json`"),
    };
    let mut document = object(FILE.envelope);
    document.insert("title".into(), title.into());
    if let Some(Value::Object(own)) = document.get_mut("$defs") {
        own.extend(definitions);
    }
    if let Some(Value::Object(properties)) = document.get_mut("properties") {
        properties.insert("schema".into(), json!({ "const": name }));
        // an absent value is left out, never `null`
        if let Some(error) = properties.get_mut("error")
            && let Some(present) = error.pointer_mut("/anyOf/0").map(Value::take)
        {
            *error = present;
        }
        if let Some(any) = properties.get_mut("data") {
            *any = filled(any, data);
        }
    }
    document.insert("if".into(), json!({ "properties": { "ok": { "const": true } } }));
    document.insert("then".into(), json!({ "required": ["data"], "not": { "required": ["error"] } }));
    document.insert("else".into(), json!({ "required": ["error"] }));
    document
}

/// A property of any type with the schema of its type. A reference has its own description.
fn filled(any: &Value, mut schema: Value) -> Value {
    if let (Some(description), Some(own)) = (any.get("description"), schema.as_object_mut())
        && !own.contains_key("$ref")
    {
        own.insert("description".into(), description.clone());
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_names_its_draft_and_itself() {
        let add = described::<()>("vc add");
        let whole = add.whole();
        assert_eq!(whole["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(whole["properties"]["schema"]["const"], "brv.vc.add/1");
        assert_eq!(whole["required"], json!(["schema", "ok", "warnings", "next"]));
        assert_eq!(add.data()["title"], "The data of `brv vc add`");
    }

    #[test]
    fn the_data_of_an_envelope_has_its_own_schema_and_is_never_null() {
        let property = |command| described::<()>(command).whole()["properties"]["data"].clone();
        assert_eq!(property("vc blame"), json!({ "$ref": "#/$defs/Blame" }));
        let none = property("error");
        assert_eq!(none["type"], "null");
        assert_eq!(none["description"], "The result; absent if the command failed before it had any.");
    }

    #[test]
    fn each_definition_that_is_named_is_there_under_its_plain_name() {
        for command in FILE.data.keys() {
            let one = described::<()>(command);
            for document in [Value::from(one.whole()), Value::from(one.data())] {
                let text = document.to_string();
                for name in text.split("\"#/$defs/").skip(1).filter_map(|rest| rest.split('"').next()) {
                    assert!(document["$defs"].get(name).is_some(), "{command}: {name}");
                }
            }
        }
    }
}
