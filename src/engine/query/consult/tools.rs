//! What a model may call while it looks for an answer: four tools, which only read.

use crate::agents::model::{Call, ModelTool};
use serde_json::{Value, json};

/// How often a model may be asked, and how many calls are run.
pub const MOST_CALLS: usize = 50;

/// How many calls of one answer are run.
pub const MOST_AT_ONCE: usize = 8;

/// The most characters of the result of one call.
pub const MOST_OF_RESULT: usize = 6_000;

/// The most characters of all results together.
pub const MOST_SHOWN: usize = 60_000;

/// A call that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolAction {
    Search {
        text: String,
        folder: Option<String>,
    },
    /// From this line on.
    Read {
        path: String,
        line: usize,
    },
    List {
        folder: String,
    },
    Links {
        path: String,
    },
}

impl ToolAction {
    /// Read a call.
    ///
    /// # Errors
    /// What is wrong with it, for the model to read.
    pub fn of(call: &Call) -> Result<Self, String> {
        let text = |name: &str| match call.arguments.get(name) {
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text.trim().to_owned())),
            Some(Value::String(_) | Value::Null) | None => Ok(None),
            Some(_) => Err(format!("`{name}` must be a text")),
        };
        let needed = |name: &str| text(name)?.ok_or_else(|| format!("`{name}` is missing"));
        if !call.arguments.is_object() {
            return Err(format!("the arguments of `{}` must be a JSON object", call.tool));
        }
        match call.tool.as_str() {
            "search" => Ok(Self::Search { text: needed("text")?, folder: text("folder")? }),
            "read" => {
                let line = match call.arguments.get("line") {
                    None | Some(Value::Null) => 1,
                    Some(line) => line
                        .as_u64()
                        .and_then(|line| usize::try_from(line).ok())
                        .ok_or("`line` must be a number")?,
                };
                Ok(Self::Read { path: needed("path")?, line: line.max(1) })
            }
            "list" => Ok(Self::List { folder: text("folder")?.unwrap_or_default() }),
            "links" => Ok(Self::Links { path: needed("path")? }),
            other => Err(format!("there is no tool `{other}`: the tools are search, read, list, links")),
        }
    }
}

/// The tools, as described to the model.
pub(super) fn tools() -> Vec<ModelTool> {
    let object = |properties: Value, required: &[&str]| json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    let text = |about: &str| json!({ "type": "string", "description": about });
    vec![
        ModelTool {
            name: "search",
            about: "Find passages that match words.",
            schema: object(
                json!({ "text": text("Words, or a \"phrase\" in quotes"), "folder": text("Only in this folder") }),
                &["text"],
            ),
        },
        ModelTool {
            name: "read",
            about: "Read an entry. A long one is cut; `line` reads on.",
            schema: object(
                json!({
                    "path": text("The path of an entry"),
                    "line": { "type": "integer", "description": "The first line to read" },
                }),
                &["path"],
            ),
        },
        ModelTool {
            name: "list",
            about: "List what is in a folder: its folders, and its entries with their titles.",
            schema: object(json!({ "folder": text("The path of a folder; empty for the top") }), &[]),
        },
        ModelTool {
            name: "links",
            about: "List what an entry links to, and what links to it.",
            schema: object(json!({ "path": text("The path of an entry") }), &["path"]),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(tool: &str, arguments: Value) -> Result<ToolAction, String> {
        ToolAction::of(&Call { id: String::new(), tool: tool.into(), arguments })
    }

    #[test]
    fn calls_are_read_and_wrong_ones_explained() {
        assert_eq!(
            action("search", json!({ "text": " keys ", "folder": "" })),
            Ok(ToolAction::Search { text: "keys".into(), folder: None })
        );
        assert_eq!(
            action("read", json!({ "path": "a.md" })),
            Ok(ToolAction::Read { path: "a.md".into(), line: 1 })
        );
        assert_eq!(action("list", json!({})), Ok(ToolAction::List { folder: String::new() }));
        for (tool, arguments, why) in [
            ("search", json!({}), "`text` is missing"),
            ("search", json!({ "text": 3 }), "`text` must be"),
            ("read", json!({ "path": "a", "line": "x" }), "`line` must be"),
            ("links", json!("{path"), "must be a JSON object"),
            ("delete", json!({ "path": "a" }), "no tool `delete`"),
        ] {
            let found = action(tool, arguments).unwrap_err();
            assert!(found.contains(why), "{found}");
        }
    }
}
