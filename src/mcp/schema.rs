//! What a client is told of the input and the output of a tool.

use super::Commands;
use super::tools::{Form, Input, Kind, Tool};
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The most tokens of an answer, unless the caller says another number: four characters are a token.
pub const MOST_TOKENS: u64 = 4_000;

pub fn listed(tool: &'static Tool, commands: &dyn Commands) -> Listed {
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(tool.is_reading())
        .destructive(!tool.is_reading())
        .idempotent(tool.is_idempotent)
        .open_world(tool.is_open_world);
    let listed =
        Listed::new(tool.name, tool.description, Arc::new(input(tool, commands))).annotate(annotations);
    match tool.kind {
        Kind::Reading { .. } => listed,
        Kind::Writing => listed.with_raw_output_schema(Arc::new(output())),
    }
}

fn input(tool: &Tool, commands: &dyn Commands) -> JsonObject {
    let of_command = commands.input(tool.command);
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for input in tool.inputs {
        properties.insert(input.name.into(), property(input, &of_command["properties"][input.of]));
        if matches!(input.form, Form::One { is_required: true } | Form::Operations) {
            required.push(input.name);
        }
    }
    properties.insert("root".into(), json!({ "type": "string", "description": "Folder of the project" }));
    if tool.is_reading() {
        properties
            .insert("max_tokens".into(), json!({ "type": "integer", "minimum": 1, "default": MOST_TOKENS }));
        properties.insert("format".into(), json!({ "type": "string", "enum": ["markdown", "json"] }));
    }
    object(
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false }),
    )
}

fn property(input: &Input, of_command: &Value) -> Value {
    let mut property = match input.form {
        Form::One { .. } | Form::Usual(_) => json!({ "type": "string" }),
        Form::Operations => return operations(),
        Form::Same | Form::On => of_command.clone(),
    };
    if let Some(about) = input.about {
        property["description"] = about.into();
    }
    if input.form == Form::On {
        property["default"] = true.into();
    }
    property
}

/// The form of the operations, in short; `brv schema curate.ops` has all of it.
fn operations() -> Value {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let text = json!({ "type": "string" });
    let fact = json!({
        "type": "object",
        "properties": {
            "subject": text, "statement": text,
            "category": { "enum": ["personal", "project", "preference", "convention", "team", "environment", "other"] },
        },
        "required": ["statement"],
    });
    json!({
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "properties": {
                "type": { "enum": ["ADD", "UPDATE", "UPSERT", "MERGE", "DELETE"] },
                "path": { "type": "string", "description": "Folder, or the entry's file" },
                "title": text,
                "reason": { "type": "string", "description": "Why, for the history" },
                "summary": text, "tags": texts, "keywords": texts, "related": texts,
                "status": { "enum": ["open", "done", "superseded", "deprecated"] },
                "markdown": { "type": "string", "description": "The body, instead of content" },
                "content": {
                    "type": "object",
                    "properties": {
                        "facts": { "type": "array", "items": fact },
                        "snippets": texts,
                        "raw_concept": { "type": "object", "description": "task, changes[], files[], flow, patterns[]" },
                        "narrative": {
                            "type": "object", "description": "structure, dependencies, highlights, rules, examples",
                        },
                    },
                },
                "source": { "type": "string", "description": "MERGE: the entry that goes into path" },
                "remove": { "type": "object", "properties": { "facts": texts, "sections": texts } },
                "expect": { "type": "string", "description": "Blob id that the entry must have" },
                "base": { "type": "string", "description": "Blob id of the version that you read" },
            },
            "required": ["type", "path", "reason"],
        },
    })
}

/// The envelope of `--json`, and the root that it is about. What `data` holds is in `brv schema`.
fn output() -> JsonObject {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    object(json!({
        "type": "object",
        "properties": {
            "schema": { "type": "string" }, "ok": { "type": "boolean" }, "data": { "type": ["object", "null"] },
            "error": { "type": ["object", "null"], "properties": {
                "code": { "type": "string" }, "message": { "type": "string" }, "hint": { "type": ["string", "null"] },
            } },
            "warnings": texts, "next": texts, "root": { "type": "string" },
        },
        "required": ["schema", "ok", "root"],
    }))
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => unreachable!("it is written as an object"),
    }
}
