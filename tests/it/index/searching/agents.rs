//! The tool `brv-index-search`: there where the user has set an engine, and nowhere else.

use super::Organisation;
use crate::env::Env;
use crate::init;
use crate::mcp::wire::{Era, Wire};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

fn server(env: &Env, folder: &Path, arguments: &[&str]) -> Wire {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    command.current_dir(folder).arg("mcp").args(arguments);
    Wire::start(command, Era::Initialize)
}

fn tools(wire: &mut Wire) -> Vec<Value> {
    wire.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn there_are_nine_tools_where_an_engine_is_set_and_eight_elsewhere() {
    let env = init::project(&[]);
    let mut wire = server(&env, env.root(), &[]);
    let before = tools(&mut wire);
    assert_eq!(before.len(), 8, "{:?}", names(&before));
    let refused = wire.request("tools/call", json!({"name": "brv-index-search", "arguments": {"text": "x"}}));
    assert!(refused.get("error").is_some() || refused["result"]["isError"] == true, "{refused}");
    assert_eq!(env.brv(&["config", "set", "index.engine", "http://127.0.0.1:9"]).code, 0);
    // by the settings as they are now
    assert_eq!(tools(&mut wire).len(), 9);
    let after = tools(&mut server(&env, env.root(), &[]));
    assert_eq!((after.len(), names(&after)[8]), (9, "brv-index-search"));
    assert_eq!(names(&after)[..8], names(&before));
    // it changes nothing
    let reading = tools(&mut server(&env, env.root(), &["--read-only"]));
    assert!(names(&reading).contains(&"brv-index-search"), "{:?}", names(&reading));
}

#[test]
fn the_tool_names_no_engine_and_no_key_and_is_short() {
    let organisation = Organisation::small();
    let all = tools(&mut server(&organisation.env, organisation.env.root(), &[]));
    let tool = all.iter().find(|tool| tool["name"] == "brv-index-search").unwrap();
    let bytes = tool.to_string().len();
    assert!(bytes <= 1_200, "{bytes} bytes are more than 300 tokens: {tool}");
    let inputs: Vec<&str> =
        tool["inputSchema"]["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    // the last three are those of every tool that reads
    assert_eq!(inputs, ["text", "limit", "tree", "mine", "root", "max_tokens", "format"]);
    assert_eq!(tool["inputSchema"]["required"], json!(["text"]));
    let hints = &tool["annotations"];
    assert_eq!(
        (&hints["openWorldHint"], &hints["readOnlyHint"], &hints["destructiveHint"]),
        (&json!(true), &json!(true), &json!(false)),
    );
}

#[test]
fn it_answers_with_trees_commits_and_authors_also_where_no_tree_is() {
    let organisation = Organisation::small();
    let folder = organisation.env.path("nowhere");
    std::fs::create_dir(&folder).unwrap();
    let mut wire = server(&organisation.env, &folder, &[]);
    let text = wire.text("brv-index-search", &json!({"text": "card retries"}));
    assert!(text.contains("retries/card.md") && text.contains("payments") && text.contains("Ada"), "{text}");
    let text = wire.text("brv-index-search", &json!({"text": "carts", "tree": "pay*"}));
    assert!(!text.contains("expiry.md"), "{text}");
    let text =
        wire.text("brv-index-search", &json!({"text": "carts kept cards retried", "limit": 1, "mine": true}));
    assert_eq!(text.matches(".md").count(), 1, "{text}");
    for (arguments, why) in [
        (json!({"text": " "}), "empty"),
        (json!({"text": "carts", "limit": 51}), "50"),
        (json!({"text": "carts", "engine": "http://127.0.0.1:1"}), "engine"),
        (json!({"text": "carts", "index": "other"}), "index"),
        (json!({"text": "carts", "key_env": "HOME"}), "key_env"),
        (json!({}), "text"),
    ] {
        let answer = wire.request("tools/call", json!({"name": "brv-index-search", "arguments": arguments}));
        let said = answer.to_string();
        assert!(answer.get("error").is_some() || answer["result"]["isError"] == true, "{arguments}: {said}");
        assert!(said.contains(why), "{arguments}: {said}");
    }
}

#[test]
fn a_folder_of_the_project_cannot_name_the_engine() {
    let env = init::project(&[]);
    let config = env.path(".brv/config.json");
    for file in [config, env.path(".brv/context-tree/.brv.json"), env.path("brv.json")] {
        std::fs::write(
            &file,
            r#"{"index": {"engine": "http://127.0.0.1:9"}, "index.engine": "http://127.0.0.1:9"}"#,
        )
        .unwrap();
    }
    assert_eq!(env.brv(&["index", "status", "--json"]).code, 2);
    assert_eq!(tools(&mut server(&env, env.root(), &[])).len(), 8);
}
