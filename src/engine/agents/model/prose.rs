//! Calls of tools in plain text: how the tools are described to a model without an interface for them, and how its
//! calls are found in what it writes. Models that have the interface write such calls now and then, too.

use super::answer::json;
use super::{Call, ModelTool};
use std::fmt::Write as _;

/// The description of the tools for a model; empty if there are none.
pub(super) fn described(tools: &[ModelTool]) -> String {
    if tools.is_empty() {
        return String::new();
    }
    let mut text = "\n\nTo call a tool, answer with one JSON object and nothing else: \
{\"tool\": NAME, \"arguments\": {…}}. The tools, with the schemas of their arguments:\n"
        .to_owned();
    for tool in tools {
        let _ = writeln!(text, "- {}: {} {}", tool.name, tool.about, tool.schema);
    }
    text
}

/// The calls of these tools that a model wrote as text, as small ones do.
pub(super) fn calls_in(text: &str, tools: &[ModelTool]) -> Vec<Call> {
    let values = json::values_in(text).unwrap_or_default();
    let calls = values.iter().filter_map(json::written_call);
    let known = calls.filter(|(name, _)| tools.iter().any(|tool| tool.name == name));
    known
        .enumerate()
        .map(|(number, (tool, arguments))| Call { id: format!("call_{number}"), tool, arguments })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn several_calls_have_names_of_their_own() {
        let tools = [ModelTool { name: "read", about: "", schema: json!({}) }];
        let text = r#"<tool_call>{"name": "read", "arguments": {"q": "a"}}</tool_call> {"name": "rm", "arguments": {}}
            {"name": "read", "arguments": "{\"q\": \"b\"}"}"#;
        let calls = calls_in(text, &tools);
        let arguments: Vec<_> = calls.iter().map(|call| call.arguments["q"].clone()).collect();
        assert_eq!(arguments, ["a", "b"]);
        assert_ne!(calls[0].id, calls[1].id);
    }

    fn called(text: &str) -> Vec<(String, Value)> {
        let tools =
            [ModelTool { name: "read", about: "Read an entry.", schema: json!({ "type": "object" }) }];
        calls_in(text, &tools).into_iter().map(|call| (call.tool, call.arguments)).collect()
    }

    #[test]
    fn a_call_in_text_is_a_call() {
        let read = |arguments| vec![("read".to_owned(), arguments)];
        for (text, calls) in [
            (r#"{"tool": "read", "arguments": {"path": "a"}}"#, read(json!({ "path": "a" }))),
            (
                "I look.\n```json\n{\"name\": \"read\", \"parameters\": {\"path\": \"a\"}}\n```",
                read(json!({ "path": "a" })),
            ),
            (
                r#"{"function": {"name": "read", "arguments": "{\"path\": \"a\"}"}}"#,
                read(json!({ "path": "a" })),
            ),
            (r#"{"name": "read", "arguments": "{path"}"#, read(json!("{path"))),
            (r#"{"tool": "read"}"#, read(json!({}))),
            (r#"{"tool": "write", "arguments": {}}"#, vec![]),
            (r#"{"answer": "read", "cited": [1]}"#, vec![]),
            ("read", vec![]),
        ] {
            assert_eq!(called(text), calls, "{text}");
        }
    }
}
