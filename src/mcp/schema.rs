//! How a client sees the input and the output of a tool, in the few words of JSON Schema that every model provider
//! takes: one type, what is in it, choices of strings. No default, no union of types, no limit that a text cannot say.

use super::tools::{Tool, ToolInput, ToolInputForm, ToolKind};
use crate::say::Commands;
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
        ToolKind::Reading { .. } => listed,
        ToolKind::Writing => listed.with_raw_output_schema(Arc::new(output())),
    }
}

pub fn input(tool: &Tool, commands: &dyn Commands) -> JsonObject {
    let of_command = commands.input(tool.command);
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for input in tool.inputs {
        properties.insert(input.name.into(), property(input, &of_command["properties"][input.of]));
        if matches!(input.form, ToolInputForm::One { is_required: true } | ToolInputForm::Operations) {
            required.push(input.name);
        }
    }
    properties.insert("root".into(), json!({ "type": "string", "description": "Folder of the project" }));
    if tool.is_reading() {
        let about = "Length of the answer; 4,000 unless given";
        properties
            .insert("max_tokens".into(), json!({ "type": "integer", "minimum": 1, "description": about }));
        properties.insert("format".into(), json!({ "type": "string", "enum": ["markdown", "json"] }));
    }
    let mut input = json!({ "type": "object", "properties": properties });
    // some providers refuse an empty list
    if !required.is_empty() {
        input["required"] = required.into();
    }
    object(input)
}

fn property(input: &ToolInput, of_command: &Value) -> Value {
    let mut property = match input.form {
        ToolInputForm::One { .. } | ToolInputForm::Usual(_) => json!({ "type": "string" }),
        ToolInputForm::Operations => return operations(),
        ToolInputForm::Same | ToolInputForm::On => of_command.clone(),
    };
    if let Some(about) = input.about {
        property["description"] = about.into();
    }
    property
}

/// The form of the operations, in short; `brv schema curate.ops` has all of it.
fn operations() -> Value {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let text = json!({ "type": "string" });
    let choice = |words: &[&str]| json!({ "type": "string", "enum": words });
    let fact = json!({
        "type": "object",
        "properties": {
            "subject": text, "statement": text,
            "category": choice(&["personal", "project", "preference", "convention", "team", "environment", "other"]),
        },
        "required": ["statement"],
    });
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "type": choice(&["ADD", "UPDATE", "UPSERT", "MERGE", "DELETE"]),
                "path": { "type": "string", "description": "Folder, or the entry's file" },
                "title": text,
                "reason": { "type": "string", "description": "Why, for the history" },
                "summary": text, "tags": texts, "keywords": texts, "related": texts,
                "status": choice(&["open", "done", "superseded", "deprecated"]),
                "markdown": { "type": "string", "description": "The body, instead of content" },
                "content": {
                    "type": "object",
                    "properties": {
                        "facts": { "type": "array", "items": fact },
                        "snippets": texts,
                        "raw_concept": { "type": "object", "properties": {
                            "task": text, "changes": texts, "files": texts, "flow": text, "patterns": texts,
                        } },
                        "narrative": { "type": "object", "properties": {
                            "structure": text, "dependencies": text, "highlights": text, "rules": text, "examples": text,
                        } },
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
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    object(json!({
        "type": "object",
        "description": "As `--json` prints it; `data` is an object, where there is a result",
        "properties": {
            "schema": text, "ok": { "type": "boolean" },
            "error": { "type": "object", "properties": { "code": text, "message": text, "hint": text } },
            "warnings": texts, "next": texts, "root": text,
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
