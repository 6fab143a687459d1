//! What brv does not say: nothing about knowledge that is not there, nothing that a hook said, no way around a person.

use super::wire::{Era, PATIENCE, Wire};
use super::{connected, fill, knowing, served, served_in};
use crate::env::{Env, tree};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A folder without a tree, in a repository of code or not.
fn bare(env: &Env, is_code: bool) -> PathBuf {
    let folder = env.path("elsewhere");
    std::fs::create_dir_all(&folder).unwrap();
    if is_code {
        env.git(&folder, &["init", "-q"]);
    }
    folder
}

/// The instructions for a client of this name and these capabilities.
fn instructions(command: Command, name: &str, capabilities: &Value) -> String {
    let mut wire = Wire::silent(command, Era::Initialize);
    let client = json!({"name": name, "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client});
    let answer = wire.request("initialize", params);
    answer["result"]["instructions"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn tools(wire: &mut Wire) -> usize {
    wire.request("tools/list", json!({}))["result"]["tools"].as_array().expect("a list").len()
}

#[test]
fn without_a_tree_one_line_names_the_command_that_makes_one() {
    let env = Env::new();
    let folder = bare(&env, true);
    let is_line =
        |text: &str| !text.contains('\n') && text.len() < 200 && text.contains("`brv init` in a shell");
    let roots = json!({"roots": {"listChanged": true}});
    for capabilities in [&json!({}), &roots] {
        let text = instructions(served_in(&env, &folder), "any", capabilities);
        assert!(is_line(&text), "{capabilities}: {text}");
    }
    let mut stateless = Wire::silent(served_in(&env, &folder), Era::Stateless);
    let text = stateless.request("server/discover", json!({}))["result"]["instructions"].to_string();
    assert!(is_line(&text), "{text}");
    // the host names its folder, wherever it starts servers
    let mut elsewhere = served_in(&env, &env.path("home"));
    elsewhere.env("CLAUDE_PROJECT_DIR", &folder);
    assert!(is_line(&instructions(elsewhere, "claude-code", &roots)));
    // tools stay, and say the same
    for mut wire in [Wire::start(served_in(&env, &folder), Era::Initialize), stateless] {
        assert_eq!(tools(&mut wire), 8);
        let said = wire.refused("brv-search", &json!({"text": "keys"}));
        assert!(said.contains("not_initialised") && said.contains("`brv init` in a shell"), "{said}");
    }
    // with a tree, or where it may still be named, all of it
    let known = knowing();
    for (command, capabilities) in
        [(served(&known), &json!({})), (served_in(&env, &env.path("home")), &roots)]
    {
        assert!(instructions(command, "any", capabilities).lines().count() > 3);
    }
    let mut elsewhere = served_in(&env, &env.path("home"));
    elsewhere.env("CLAUDE_PROJECT_DIR", known.root());
    assert!(instructions(elsewhere, "claude-code", &roots).lines().count() > 3);
}

/// The list is announced as changed, once.
fn announced(wire: &Wire) {
    let line = wire.next_within(Duration::from_secs(20)).expect("the change is announced");
    assert_eq!(line["method"], "notifications/tools/list_changed", "{line}");
}

fn make_tree(env: &Env, folder: &Path) {
    let ran = env.brv_in(folder, &["init", "-q"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn who_hears_of_changes_has_no_tools_until_there_is_a_tree() {
    // the earlier era, declared
    let env = Env::new();
    let folder = bare(&env, true);
    let mut wire = Wire::silent(served_in(&env, &folder), Era::Initialize);
    let capabilities = json!({"tools": {"listChanged": true}});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "x", "version": "1"}});
    let answer = wire.request("initialize", params);
    assert_eq!(answer["result"]["capabilities"]["tools"]["listChanged"], true, "{answer}");
    wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    assert_eq!(tools(&mut wire), 0);
    assert!(wire.refused("brv-search", &json!({"text": "keys"})).contains("not_initialised"));
    make_tree(&env, &folder);
    announced(&wire);
    assert_eq!(tools(&mut wire), 8);
    wire.text("brv-search", &json!({"text": "keys"}));
    // the later era, by listening, before or after the first list
    for lists_first in [false, true] {
        let env = Env::new();
        let folder = bare(&env, true);
        let mut wire = Wire::silent(served_in(&env, &folder), Era::Stateless);
        if lists_first {
            assert_eq!(tools(&mut wire), 8);
        }
        wire.ask("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
        let first = wire.next_within(PATIENCE).unwrap();
        assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
        if lists_first {
            announced(&wire);
        }
        assert_eq!(tools(&mut wire), 0);
        make_tree(&env, &folder);
        announced(&wire);
        assert_eq!(tools(&mut wire), 8);
        assert_eq!(wire.next_within(Duration::from_secs(3)), None);
    }
}

#[test]
fn what_the_hooks_of_a_host_say_is_not_asked_for_again() {
    let program = Path::new(env!("CARGO_BIN_EXE_brv")).parent().unwrap().display().to_string();
    let asks = |env: &Env, client: &str| {
        let text = instructions(served(env), client, &json!({}));
        assert!(text.contains("call the query tool") && text.contains("call the curate tool"), "{text}");
        let (start, edit) = (text.contains("At the start"), text.contains("Before you edit"));
        assert_eq!(start, edit, "{text}");
        start
    };
    for scope in ["project", "user"] {
        let env = Env::new().with("PATH", format!("{program}:/usr/bin:/bin"));
        make_tree(&env, env.root());
        fill(&env);
        assert!(asks(&env, "claude-code"));
        let run = |verb: &str| {
            let ran = env.brv(&["connectors", verb, "claude", "--type", "hook", "--scope", scope]);
            assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        };
        run("install");
        assert!(!asks(&env, "claude-code"), "{scope}");
        assert!(
            asks(&env, "cursor-vscode") && asks(&env, "codex-mcp-client") && asks(&env, "any"),
            "{scope}"
        );
        run("uninstall");
        assert!(asks(&env, "claude-code"), "{scope}");
    }
}

/// A project with a remote, and a change that waits for review or a secret that is committed.
fn blocked(has_secret: bool) -> Env {
    let env = Env::new();
    let bare = env.bare("remote.git");
    let run = |arguments: &[&str]| assert_eq!(env.brv(arguments).code, 0, "{arguments:?}");
    run(&["init", "-q"]);
    fill(&env);
    run(&["vc", "remote", "add", "origin", bare.to_str().unwrap()]);
    run(&["vc", "push", "-u", "origin", "main"]);
    if has_secret {
        let text = ["# Key\n\nThe key is AKIA", "Q3EGRWZPT5VNH2KD.\n"].concat();
        env.commit(&tree(&env), &[("ops/deploy/key.md", &text)]);
    } else {
        let delete = br#"[{"type": "DELETE", "path": "ops/deploy/deploying.md", "reason": "outdated"}]"#;
        assert_eq!(env.brv_reading(&["curate", "--ops", "-"], delete).code, 0);
    }
    env
}

#[test]
fn a_blocked_push_tells_an_agent_to_ask_a_person() {
    let sending: [&[&str]; 3] = [&["vc", "push"], &["vc", "sync"], &["vc", "push", "--json"]];
    for has_secret in [false, true] {
        let env = blocked(has_secret);
        let override_flag = if has_secret { "--allow secret:" } else { "--allow review" };
        for command in sending {
            let ran = env.brv(command);
            assert!(
                ran.code == 7 && (ran.stderr.clone() + &ran.stdout).contains(override_flag),
                "{command:?} {}",
                ran.stderr
            );
            for variable in ["BRV_ACTOR", "BRV_SESSION"] {
                let ran = env.brv_with(&[(variable, "agent")], command);
                let said = ran.stderr + &ran.stdout;
                assert!(ran.code == 7 && said.contains("ask a person"), "{variable} {command:?} {said}");
                assert!(!said.contains("--allow"), "{variable} {command:?} {said}");
            }
        }
        let mut wire = connected(&env);
        let result = wire.tool("brv-sync", &json!({"dry_run": false})).to_string();
        assert!(result.contains("ask a person") && !result.contains("--allow"), "{result}");
    }
}
