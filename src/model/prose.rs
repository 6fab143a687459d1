//! Calls of tools in plain text: how a model without an interface for them is told of the tools, and how its calls are
//! found in what it writes. Models that have the interface write such calls now and then, too.

use super::{Answer, Call, Tool};
use serde_json::Value;
use std::fmt::Write as _;

/// The names under which models write a tool, and its arguments.
const TOOL: [&str; 3] = ["tool", "name", "function"];
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "input", "args"];

/// What a model is told of the tools; empty if there are none.
pub(super) fn described(tools: &[Tool]) -> String {
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

/// The answer with the call that its text is, if it has none and its text names one of these tools.
pub(super) fn with_calls(mut answer: Answer, tools: &[Tool]) -> Answer {
    if tools.is_empty() || !answer.calls.is_empty() {
        return answer;
    }
    let object = answer.object().ok();
    answer.calls.extend(object.and_then(|object| call(&object, tools)));
    answer
}

fn call(object: &Value, tools: &[Tool]) -> Option<Call> {
    let nested = ["tool_call", "function_call", "function"].iter().find_map(|name| object.get(*name));
    let object = nested.filter(|nested| nested.is_object()).unwrap_or(object);
    let name = TOOL.iter().find_map(|name| object.get(*name)?.as_str())?;
    let tool = tools.iter().find(|tool| tool.name == name)?;
    let arguments = match ARGUMENTS.iter().find_map(|name| object.get(*name)) {
        // some write them as a text that is JSON
        Some(Value::String(text)) => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
        }
        Some(arguments) => arguments.clone(),
        None => Value::Object(serde_json::Map::new()),
    };
    Some(Call { id: String::new(), tool: tool.name.to_owned(), arguments })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn called(text: &str) -> Vec<(String, Value)> {
        let tools = [Tool { name: "read", about: "Read an entry.", schema: json!({ "type": "object" }) }];
        let answer = with_calls(Answer { text: text.into(), ..Answer::default() }, &tools);
        answer.calls.into_iter().map(|call| (call.tool, call.arguments)).collect()
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
