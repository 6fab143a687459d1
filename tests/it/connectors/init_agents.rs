//! `brv init --agents`: the agents that are found are connected after a yes, and only then.

use super::Place;
use crate::env::Env;
use crate::init::json;
use serde_json::Value;

/// A project in which claude and codex are found, and no tree yet.
fn found() -> Place {
    let place = Place { env: Place::prepared(Env::new()) };
    place.env.git(place.env.root(), &["init", "-q"]);
    for folder in ["at/claude", "at/codex"] {
        std::fs::create_dir_all(place.path(folder)).unwrap();
    }
    place
}

/// What became of each file, as words.
fn changes(data: &Value) -> Vec<String> {
    let word = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    let row = |row: &Value| ["host", "type", "scope", "change"].map(|name| word(row, name)).join(" ");
    data["agents"]["connectors"].as_array().unwrap().iter().map(row).collect()
}

fn init(place: &Place, arguments: &[&str]) -> Value {
    let ran = place.env.brv(&[&["init", "--json"], arguments].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    json(&ran.stdout)
}

const ADDED: [&str; 4] = [
    "claude mcp project added",
    "claude hook project added",
    "codex mcp user added",
    "codex hook user added",
];

#[test]
fn without_a_terminal_and_a_yes_the_plan_is_shown_and_no_agents_file_is_written() {
    let place = found();
    let answer = init(&place, &["--agents"]);
    assert_eq!(
        (answer["data"]["origin"].as_str(), changes(&answer["data"])),
        (Some("new"), ADDED.map(String::from).to_vec())
    );
    assert_eq!(answer["data"]["agents"]["dry_run"], true);
    assert!(answer["next"].as_array().unwrap().contains(&"brv init --agents --yes".into()), "{answer}");
    let is_bare = || {
        !place.path(".mcp.json").exists()
            && !place.path(".claude").exists()
            && !place.path("at/codex/config.toml").exists()
    };
    assert!(is_bare());
    let ran = place.env.brv(&["init", "--agents"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("Coding agents:\nwould be added claude    mcp"), "{}", ran.stdout);
    assert!(is_bare());
    assert_eq!(place.env.brv(&["init", "--yes"]).code, 2);
    assert!(init(&place, &[])["data"].get("agents").is_none());
}

#[test]
fn a_yes_connects_all_that_are_found_also_to_a_tree_that_is_there() {
    let place = found();
    let answer = init(&place, &["--agents", "--yes"]);
    assert_eq!(
        (changes(&answer["data"]), &answer["data"]["agents"]["dry_run"]),
        (ADDED.map(String::from).to_vec(), &Value::Bool(false))
    );
    let kept = ADDED.map(|row| row.replace("added", "kept"));
    for arguments in [&["--agents"][..], &["--agents", "--yes"]] {
        let answer = init(&place, arguments);
        assert_eq!(
            (answer["data"]["origin"].as_str(), changes(&answer["data"])),
            (Some("repository"), kept.to_vec())
        );
        assert_eq!(answer["next"], serde_json::json!([]));
    }
    let entry: Value = serde_json::from_str(&place.text(".mcp.json")).unwrap();
    assert_eq!(entry["mcpServers"]["brv"]["command"], "brv");
    assert!(place.text(".claude/settings.json").contains("brv agent-hook claude || true"));
}

#[test]
fn one_agent_that_refuses_keeps_no_other_from_being_connected() {
    let place = found();
    place.write(".mcp.json", "{ broken");
    let answer = init(&place, &["--agents", "--yes"]);
    assert_eq!(changes(&answer["data"]), ADDED[1..]);
    let warning = answer["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|text| text.as_str().unwrap().contains(".mcp.json"));
    assert!(warning.unwrap().as_str().unwrap().contains("to add it by hand"), "{answer}");
    assert_eq!(place.text(".mcp.json"), "{ broken");
}

#[test]
fn what_only_install_made_is_no_sign_of_a_host() {
    let place = Place::new();
    let finds = |host: &str| {
        let rows = place.rows(&["list"]);
        rows.iter().find(|row| row["host"] == host).unwrap()["found"].as_bool().unwrap()
    };
    place.rows(&["install", "codex", "copilot", "cursor"]);
    assert!(!finds("codex") && !finds("copilot") && !finds("cursor"));
    place.write("at/codex/auth.json", "{}");
    place.write("at/claude/settings.json", "{}");
    assert!(finds("codex") && finds("claude") && !finds("cursor"));
}

#[test]
fn where_no_agent_is_found_that_is_said() {
    let place = Place::new();
    let answer = init(&place, &["--agents", "--yes"]);
    assert_eq!(changes(&answer["data"]), [""; 0]);
    assert!(answer["warnings"].to_string().contains("no coding agent was found here"), "{answer}");
}

#[test]
#[cfg(unix)]
fn on_a_terminal_the_user_is_asked() {
    for (typed, is_added) in [("n\n", false), ("\n", false), ("yes\n", true)] {
        let place = found();
        let Some(ran) = crate::terminal::answering(&place.env, 100, &["init", "--agents"], typed) else {
            return;
        };
        assert_eq!(ran.code, 0, "{}", ran.stdout);
        assert!(ran.stdout.contains("Register brv with these agents? [y/N]"), "{}", ran.stdout);
        assert_eq!(place.path(".mcp.json").exists(), is_added, "{typed:?}: {}", ran.stdout);
        assert!(place.path(".brv/context-tree").exists());
        let shown = ran.stdout.matches("would be added").count();
        let says = ran.stdout.contains("Nothing was written to the files of agents.");
        assert_eq!((shown, says), (ADDED.len(), !is_added), "{typed:?}: {}", ran.stdout);
    }
}
