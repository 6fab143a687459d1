//! JSON Schema of all `--json` output, generated from the types that are printed, so that the two cannot drift apart.
//!
//! Draft 2020-12. Knows which data belongs to which command, not what it means.

use super::Envelope;
use brv_text::curate::Operations;
use brv_text::dream;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema as Document, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// `brv.schema/1`: the list of schemas, or one schema.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Schema {
    /// Without a name: all schemas, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schemas: Option<Vec<KnownSchema>>,
    /// With a name: that schema.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub one: Option<OneSchema>,
}

/// An available schema.
#[derive(Debug, JsonSchema, Serialize)]
pub struct KnownSchema {
    /// Its name, as in the field `schema`: `brv.vc.status/1`
    pub schema: String,
    /// The command that prints it: `vc status`
    pub command: &'static str,
}

/// A JSON Schema.
#[derive(Debug, JsonSchema, Serialize)]
pub struct OneSchema {
    /// Its name: `brv.vc.status/1`
    pub name: String,
    /// The schema of the whole output object, or of its `data`.
    pub document: Map<String, Value>,
}

/// The part that a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The whole output object.
    Whole,
    /// Only its `data`.
    Data,
}

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

/// What a command reads: the name of its schema, the command, and the form.
type Read = (&'static str, &'static str, fn(SchemaGenerator) -> Document);

const INPUTS: [Read; 2] = [
    ("curate ops", "brv curate --ops", SchemaGenerator::into_root_schema_for::<Operations>),
    ("dream decisions", "brv dream --decisions", SchemaGenerator::into_root_schema_for::<dream::Input>),
];

impl Schema {
    pub fn list(all: &[Described]) -> Self {
        let schemas = all
            .iter()
            .map(|known| KnownSchema { schema: super::schema(known.command), command: known.command })
            .collect();
        Self { schemas: Some(schemas), one: None }
    }

    /// Find a schema by the command (`vc status`, `vc.status`) or by its own name (`brv.vc.status/1`); `None` if there
    /// is none.
    pub fn named(all: &[Described], name: &str, part: Part) -> Option<Self> {
        let name = name.strip_prefix("brv.").or_else(|| name.strip_prefix("brv ")).unwrap_or(name);
        let command = name.strip_suffix("/1").unwrap_or(name).replace('.', " ");
        if let Some((name, reader, form)) = INPUTS.iter().find(|(name, ..)| *name == command) {
            let document = form(SchemaSettings::draft2020_12().into_generator());
            let title = format!("The input of `{reader}`");
            let one = OneSchema { name: super::schema(name), document: titled(document, &title) };
            return Some(Self { schemas: None, one: Some(one) });
        }
        let known = all.iter().find(|known| known.command == command)?;
        let name = super::schema(known.command);
        let document = match part {
            Part::Whole => whole(known.property, &name, known.command),
            Part::Data => titled((known.data)(generator()), &format!("The data of `brv {}`", known.command)),
        };
        Some(Self { schemas: None, one: Some(OneSchema { name, document }) })
    }
}

fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().for_serialize().into_generator()
}

fn titled(document: Document, title: &str) -> Map<String, Value> {
    let mut document = document;
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

    const ALL: &[Described] = &[described::<u8>("vc add"), described::<u8>("vc status")];

    #[test]
    fn a_schema_goes_by_the_name_of_its_command_and_by_its_own() {
        for name in ["vc status", "vc.status", "brv vc status", "brv.vc.status/1", "brv.vc.status"] {
            let found = Schema::named(ALL, name, Part::Whole).and_then(|found| found.one);
            assert_eq!(found.map(|one| one.name).as_deref(), Some("brv.vc.status/1"), "{name}");
        }
        assert!(Schema::named(ALL, "vc nothing", Part::Whole).is_none());
    }

    #[test]
    fn a_schema_names_its_draft_and_itself() {
        let whole = Schema::named(ALL, "vc add", Part::Whole).and_then(|found| found.one).unwrap().document;
        assert_eq!(whole["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(whole["properties"]["schema"]["const"], "brv.vc.add/1");
        assert_eq!(whole["required"], json!(["schema", "ok", "warnings", "next"]));
        let data = Schema::named(ALL, "vc add", Part::Data).and_then(|found| found.one).unwrap().document;
        assert_eq!(data["title"], "The data of `brv vc add`");
    }

    #[test]
    fn the_data_of_an_envelope_has_its_own_schema_and_is_never_null() {
        let all = [described::<u8>("vc add"), described::<KnownSchema>("vc status")];
        let property = |name| {
            let document =
                Schema::named(&all, name, Part::Whole).and_then(|found| found.one).unwrap().document;
            document["properties"]["data"].clone()
        };
        assert_eq!(property("vc status"), json!({ "$ref": "#/$defs/KnownSchema" }));
        let number = property("vc add");
        assert_eq!(number["type"], "integer");
        assert_eq!(number["description"], "The result; absent if the command failed before it had any.");
    }
}
