//! JSON Schema of all `--json` output, generated from the types that are printed, so that the two cannot drift apart.
//!
//! Draft 2020-12. Knows which data belongs to which command, not what it means.

use super::envelope::{Envelope, schema};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema as Document, SchemaGenerator};
use serde_json::{Map, Value, json};

/// The schema of a command's output, made on demand.
#[derive(Debug, Clone, Copy)]
pub struct Described {
    /// The command: `vc status`
    pub command: &'static str,
    data: fn(SchemaGenerator) -> Document,
    property: fn(&mut SchemaGenerator) -> Document,
}

/// The schema of a command whose data is `T`.
pub const fn described<T: JsonSchema>(command: &'static str) -> Described {
    Described {
        command,
        data: SchemaGenerator::into_root_schema_for::<T>,
        property: SchemaGenerator::subschema_for::<T>,
    }
}

impl Described {
    /// The name of the schema.
    pub fn name(&self) -> String {
        schema(self.command)
    }

    /// The schema of the whole output object.
    pub fn whole(&self) -> Map<String, Value> {
        whole(self.property, &self.name(), self.command)
    }

    /// The schema of its `data`.
    pub fn data(&self) -> Map<String, Value> {
        titled((self.data)(generator()), &format!("The data of `brv {}`", self.command))
    }
}

fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().for_serialize().into_generator()
}

pub fn titled(mut document: Document, title: &str) -> Map<String, Value> {
    document.insert("title".into(), title.into());
    document.as_object().cloned().unwrap_or_default()
}

/// The schema of an envelope with this `data`, with two constraints that the types do not express: its name, and that
/// `error` is present if and only if `ok` is false.
///
/// An envelope with any data is described and its `data` replaced: to describe `Envelope<T>` for each command would
/// put as many copies of the envelope into the program.
fn whole(property: fn(&mut SchemaGenerator) -> Document, name: &str, command: &str) -> Map<String, Value> {
    let title = match command {
        "error" => "The output for wrong arguments".to_owned(),
        "version" => "The output of `brv --version --json`".to_owned(),
        command => format!("The output of `brv {command} --json`"),
    };
    let mut generator = generator();
    let data = property(&mut generator);
    let mut document = titled(generator.into_root_schema_for::<Envelope<Value>>(), &title);
    if let Some(Value::Object(properties)) = document.get_mut("properties") {
        properties.insert("schema".into(), json!({ "const": name }));
        // an absent value is left out, never `null`
        if let Some(error) = properties.get_mut("error")
            && let Some(present) = error.pointer_mut("/anyOf/0").map(Value::take)
        {
            *error = present;
        }
        if let Some(any) = properties.get_mut("data") {
            *any = filled(any.take(), data);
        }
    }
    document.insert("if".into(), json!({ "properties": { "ok": { "const": true } } }));
    document.insert("then".into(), json!({ "required": ["data"], "not": { "required": ["error"] } }));
    document.insert("else".into(), json!({ "required": ["error"] }));
    document
}

/// A property of any type with the schema of its type. A reference has its own description.
fn filled(any: Value, schema: Document) -> Value {
    let mut schema = schema;
    if schema.get("$ref").is_none()
        && let Some(description) = any.get("description")
    {
        schema.insert("description".into(), description.clone());
    }
    schema.to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(JsonSchema)]
    #[schemars(rename = "Row")]
    struct SampleRow {}

    #[test]
    fn a_schema_names_its_draft_and_itself() {
        let add = described::<u8>("vc add");
        let whole = add.whole();
        assert_eq!(whole["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(whole["properties"]["schema"]["const"], "brv.vc.add/1");
        assert_eq!(whole["required"], json!(["schema", "ok", "warnings", "next"]));
        assert_eq!(add.data()["title"], "The data of `brv vc add`");
    }

    #[test]
    fn the_data_of_an_envelope_has_its_own_schema_and_is_never_null() {
        let property = |described: Described| described.whole()["properties"]["data"].clone();
        assert_eq!(property(described::<SampleRow>("vc status")), json!({ "$ref": "#/$defs/Row" }));
        let number = property(described::<u8>("vc add"));
        assert_eq!(number["type"], "integer");
        assert_eq!(number["description"], "The result; absent if the command failed before it had any.");
    }
}
