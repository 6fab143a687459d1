//! The schemas of the tools: in the few words that every model provider takes, and true of what is answered.

use super::wire::{Era, Wire, text};
use super::{connected, knowing, served, served_in};
use serde_json::{Value, json};

const WORDS: [&str; 8] =
    ["type", "description", "properties", "required", "items", "enum", "minimum", "maximum"];

/// What a provider may refuse in a schema, each with its place.
fn refused(schema: &Value, place: &str) -> Vec<String> {
    let Value::Object(fields) = schema else { return vec![format!("{place} is not an object")] };
    let unknown = fields.keys().filter(|word| !WORDS.contains(&word.as_str()));
    let mut wrong: Vec<String> = unknown.map(|word| format!("{place} has `{word}`")).collect();
    let mut check = |is_right: bool, why: &str| {
        if !is_right {
            wrong.push(format!("{place}: {why}"));
        }
    };
    let kind = schema["type"].as_str().unwrap_or_default();
    check(
        ["object", "array", "string", "integer", "number", "boolean"].contains(&kind),
        "its type is not one word",
    );
    let choices = fields.get("enum").map(|choices| choices.as_array().cloned().unwrap_or_default());
    check(
        choices.is_none_or(|all| kind == "string" && !all.is_empty() && all.iter().all(Value::is_string)),
        "an enum is of strings",
    );
    check(
        fields.contains_key("items") == (kind == "array"),
        "a list says what is in it, and nothing else does",
    );
    let properties = schema["properties"].as_object();
    check(
        (kind == "object") == properties.is_some_and(|all| !all.is_empty()),
        "an object says what is in it, and nothing else does",
    );
    let required = fields.get("required").map(|names| names.as_array().cloned().unwrap_or_default());
    let is_there = |name: &Value| name.as_str().is_some_and(|name| schema["properties"].get(name).is_some());
    check(
        required.is_none_or(|all| !all.is_empty() && all.iter().all(is_there)),
        "what is required is one of the properties",
    );
    if let Some(items) = fields.get("items") {
        wrong.extend(refused(items, &format!("{place}[]")));
    }
    for (name, property) in properties.into_iter().flatten() {
        wrong.extend(refused(property, &format!("{place}.{name}")));
    }
    wrong
}

/// What of a value is not as the schema says.
fn differs(schema: &Value, value: &Value, place: &str) -> Vec<String> {
    let is_kind = match schema["type"].as_str().unwrap_or_default() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        kind => panic!("{place}: {kind}"),
    };
    let mut wrong = if is_kind { Vec::new() } else { vec![format!("{place} is {value}")] };
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(name).is_none() {
            wrong.push(format!("{place}.{name} is missing"));
        }
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(name) {
            wrong.extend(differs(property, value, &format!("{place}.{name}")));
        }
    }
    for item in value.as_array().into_iter().flatten() {
        wrong.extend(differs(&schema["items"], item, &format!("{place}[]")));
    }
    wrong
}

fn tools(wire: &mut Wire) -> Vec<Value> {
    let listed = wire.request("tools/list", json!({}));
    listed["result"]["tools"].as_array().expect("a list").clone()
}

#[test]
fn the_schemas_of_all_tools_have_only_what_every_provider_takes() {
    let env = knowing();
    for era in [Era::Initialize, Era::Stateless] {
        let tools = tools(&mut Wire::start(served(&env), era));
        assert_eq!(tools.len(), 8);
        let of = |tool: &Value, which: &str| {
            tool.get(which).map(|schema| refused(schema, &format!("{} {which}", tool["name"])))
        };
        let wrong = tools.iter().flat_map(|tool| [of(tool, "inputSchema"), of(tool, "outputSchema")]);
        assert_eq!(wrong.flatten().flatten().collect::<Vec<_>>(), Vec::<String>::new());
    }
    let wrong = json!({"type": ["object", "null"], "properties": {"a": {"enum": ["x"]}, "b": {"type": "object"},
        "c": {"type": "array"}, "d": {"type": "string", "format": "uri"}}, "required": ["e"]});
    assert_eq!(refused(&wrong, "").len(), 8, "{:?}", refused(&wrong, ""));
}

#[test]
fn what_a_writing_tool_answers_is_as_its_schema_says_however_the_call_ends() {
    let env = knowing();
    let bare = env.path("home/bare");
    std::fs::create_dir_all(&bare).unwrap();
    let mut wire = connected(&env);
    let add = json!([{"type": "ADD", "path": "a/b", "title": "C", "reason": "r", "markdown": "So it is."}]);
    let wrong = json!([{"type": "UPDATE", "path": "no/where/none.md", "reason": "r", "markdown": "x"}]);
    // a call that ran, failed in part, failed before it had data, or was refused before it began
    let calls = [
        ("brv-curate", json!({"operations": add}), false),
        ("brv-curate", json!({"operations": wrong}), true),
        ("brv-curate", json!({}), true),
        ("brv-curate", json!({"operations": 7}), true),
        ("brv-curate", json!({"operations": add, "root": "/no/such/folder"}), true),
        ("brv-curate", json!({"operations": add, "root": bare}), true),
        ("brv-curate", json!({"operations": add, "nonsense": 1}), true),
        ("brv-sync", json!({"on_conflict": "nonsense"}), true),
        ("brv-sync", json!({"remote": "nowhere"}), true),
        ("brv-undo", json!({"id": "ffffffff"}), true),
        ("brv-undo", json!({"dry_run": "perhaps"}), true),
        ("brv-undo", json!({}), false),
    ];
    let tools = tools(&mut wire);
    for (name, arguments, fails) in calls {
        let result = wire.tool(name, &arguments);
        assert_eq!(result["isError"] == true, fails, "{name} {arguments}: {result}");
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        let wrong = differs(&tool["outputSchema"], &result["structuredContent"], name);
        assert!(wrong.is_empty(), "{name} {arguments}: {wrong:?} in {result}");
        let nulls = result["structuredContent"].as_object().unwrap().values().filter(|value| value.is_null());
        assert_eq!(nulls.count(), 0, "{result}");
        if fails {
            let message = result["structuredContent"]["error"]["message"].as_str().unwrap();
            assert!(text(&result).contains(message), "{result}");
        }
    }
    // a server without a tree
    let mut wire = Wire::start(served_in(&env, &bare), Era::Initialize);
    let result = wire.tool("brv-sync", &json!({}));
    let schema = &tools.iter().find(|tool| tool["name"] == "brv-sync").unwrap()["outputSchema"];
    assert_eq!(differs(schema, &result["structuredContent"], "brv-sync"), Vec::<String>::new(), "{result}");
}
