//! `brv connectors`: coding agents are connected, and their files are as before afterwards.

mod firing;
mod hosts;
mod init_agents;
mod links;
mod model;
mod nasty;
mod splices;
mod states;

use crate::env::{Env, Ran};
use crate::init::{json, project};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A project whose hosts keep their files in folders of its own, with this brv on `PATH`.
pub struct Place {
    pub env: Env,
}

impl Place {
    pub fn new() -> Self {
        let env = project(&[("auth/tokens.md", "# Tokens\n\n- **lifetime**: 24 hours\n")]);
        Self { env: Self::prepared(env) }
    }

    fn prepared(env: Env) -> Env {
        let folder = Path::new(env!("CARGO_BIN_EXE_brv")).parent().unwrap();
        let path = std::env::join_paths(
            std::iter::once(folder.to_path_buf()).chain(std::env::split_paths("/usr/bin:/bin")),
        );
        let at = |name: &str| env.path(name);
        let variables = [
            ("PATH", path.unwrap()),
            ("CODEX_HOME", at("at/codex").into()),
            ("COPILOT_HOME", at("at/copilot").into()),
            ("CLAUDE_CONFIG_DIR", at("at/claude").into()),
            ("XDG_CONFIG_HOME", at("at/config").into()),
            ("XDG_STATE_HOME", at("state").into()),
        ];
        variables.into_iter().fold(env, |env, (name, value)| env.with(name, value))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.env.path(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.env.brv(&[&["connectors"], arguments].concat())
    }

    /// The rows of a command that succeeds.
    pub fn rows(&self, arguments: &[&str]) -> Vec<Value> {
        let ran = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, 0, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
        json(&ran.stdout)["data"]["connectors"].as_array().unwrap().clone()
    }

    /// The states of a host's files, by type and scope.
    pub fn states(&self, host: &str) -> Vec<String> {
        let word = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
        let row =
            |row: &Value| format!("{} {} {}", word(row, "type"), word(row, "scope"), word(row, "state"));
        self.rows(&["status", host]).iter().map(row).collect()
    }

    /// All files outside of `.brv` and brv's state, with their bytes, and all folders.
    pub fn picture(&self) -> BTreeMap<String, Vec<u8>> {
        let mut picture = BTreeMap::new();
        let mut open = vec![self.env.root().to_path_buf()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(self.env.root()).unwrap().to_str().unwrap().to_owned();
                if [".brv", "state"].contains(&name.as_str()) {
                    continue;
                }
                let found = path.symlink_metadata().unwrap();
                let bytes = match () {
                    () if found.is_dir() => b"folder".to_vec(),
                    () if found.is_symlink() => b"link".to_vec(),
                    () => std::fs::read(&path).unwrap(),
                };
                if found.is_dir() {
                    open.push(path);
                }
                picture.insert(name, bytes);
            }
        }
        picture
    }
}

/// Each host, its usual file, and the keys that lead to its entry.
pub const HOSTS: [(&str, &str, &str); 8] = [
    ("claude", ".mcp.json", "/mcpServers"),
    ("codex", "at/codex/config.toml", ""),
    ("gemini", ".gemini/settings.json", "/mcpServers"),
    ("copilot", "at/copilot/mcp-config.json", "/mcpServers"),
    ("opencode", "at/config/opencode/opencode.jsonc", "/mcp"),
    ("cursor", ".cursor/mcp.json", "/mcpServers"),
    ("zed", ".zed/settings.json", "/context_servers"),
    ("vscode", ".vscode/mcp.json", "/servers"),
];

#[test]
fn all_hosts_are_connected_and_nothing_is_left_of_it() {
    let place = Place::new();
    let before = place.picture();
    let all: Vec<&str> = HOSTS.iter().map(|(host, ..)| *host).collect();
    let made = place.rows(&[&["install", "--type", "mcp"], &all[..]].concat());
    for (row, (host, file, path)) in made.iter().zip(HOSTS) {
        assert_eq!((row["host"].as_str(), row["change"].as_str()), (Some(host), Some("added")), "{row}");
        assert!(row["file"].as_str().unwrap().ends_with(file), "{row}");
        if !path.is_empty() {
            let value: Value = serde_json::from_str(&place.text(file)).unwrap();
            let entry = value.pointer(path).unwrap()["brv"].to_string();
            assert!(entry.contains("brv") && entry.contains("\"mcp\""), "{entry}");
        }
    }
    let once = place.picture();
    let again = place.rows(&[&["install", "--type", "mcp"], &all[..]].concat());
    assert!(again.iter().all(|row| row["change"] == "kept"), "{again:?}");
    assert_eq!(place.picture(), once, "twice is as once");
    for (kind, hosts) in [("hook", &["claude", "codex"][..]), ("rules", &all), ("skill", &all)] {
        place.rows(&[&["install"], hosts, &["--type", kind]].concat());
    }
    let gone = place.rows(&["uninstall"]);
    assert!(gone.iter().all(|row| row["change"] == "removed" && row["state"] == "absent"), "{gone:?}");
    assert_eq!(place.picture(), before, "files and folders that brv made are gone");
    assert!(place.rows(&["status"]).is_empty());
    assert!(place.rows(&["uninstall"]).is_empty());
}

#[test]
fn the_command_is_bare_in_the_project_and_a_path_in_the_users_own_settings() {
    let place = Place::new();
    place.rows(&["install", "claude"]);
    place.rows(&["install", "claude", "--type", "mcp", "--type", "hook", "--scope", "user"]);
    let value = |name: &str| -> Value { serde_json::from_str(&place.text(name)).unwrap() };
    let own = env!("CARGO_BIN_EXE_brv");
    let entry = serde_json::json!({ "type": "stdio", "command": "brv", "args": ["mcp"], "env": {} });
    assert_eq!(value(".mcp.json")["mcpServers"]["brv"], entry);
    assert_eq!(value("at/claude/.claude.json")["mcpServers"]["brv"]["command"], own);
    let project = value(".claude/settings.json");
    let events: Vec<&String> = project["hooks"].as_object().unwrap().keys().collect();
    assert_eq!(events, ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"]);
    assert_eq!(project["hooks"]["PostToolUse"][0]["matcher"], "Bash");
    assert_eq!(project["hooks"]["PreToolUse"][0]["matcher"], "Read|Edit|Write|MultiEdit|NotebookEdit");
    let command = &project["hooks"]["SessionStart"][0]["hooks"][0]["command"];
    assert_eq!(command, "brv agent-hook claude || true");
    let user = value("at/claude/settings.json");
    let command = user["hooks"]["SubagentStart"][0]["hooks"][0]["command"].as_str().unwrap();
    assert_eq!(command, format!("{own} agent-hook claude || true"));
}

#[test]
fn a_dry_run_shows_and_writes_nothing() {
    let place = Place::new();
    let before = place.picture();
    let rows = place.rows(&["install", "claude", "codex", "--dry-run"]);
    assert!(rows.iter().all(|row| row["change"] == "added"), "{rows:?}");
    assert_eq!(place.picture(), before);
    assert!(!place.path("state").exists(), "nothing is remembered");
    place.rows(&["install", "claude"]);
    let before = place.picture();
    let rows = place.rows(&["uninstall", "claude", "--dry-run"]);
    assert!(rows.iter().all(|row| row["change"] == "removed" && row["state"] == "absent"), "{rows:?}");
    assert_eq!(place.picture(), before);
}

#[test]
fn what_cannot_be_meant_is_wrong_usage() {
    let place = Place::new();
    for arguments in [
        &["install"][..],
        &["install", "nobody"],
        &["install", "gemini", "--type", "hook"],
        &["install", "codex", "--scope", "project"],
        &["install", "vscode", "--scope", "user"],
        &["install", "claude", "--type", "rules", "--scope", "user"],
    ] {
        assert_eq!(place.run(arguments).code, 2, "{arguments:?}");
    }
    assert!(!place.path("state").exists());
    let nowhere = Place { env: Place::prepared(Env::new()) };
    assert_eq!(nowhere.run(&["install", "claude"]).code, 3);
    assert_eq!(nowhere.run(&["install", "claude", "--scope", "user"]).code, 0, "needs no project");
    assert_eq!(nowhere.run(&["status"]).code, 0);
}

#[test]
fn without_a_type_hosts_with_hooks_get_them_too() {
    let place = Place::new();
    let rows = place.rows(&["install", "claude", "codex", "gemini"]);
    let of = |row: &Value| format!("{} {}", row["host"].as_str().unwrap(), row["type"].as_str().unwrap());
    let rows: Vec<String> = rows.iter().map(of).collect();
    assert_eq!(rows, ["claude mcp", "claude hook", "codex mcp", "codex hook", "gemini mcp"]);
}

#[test]
fn all_hosts_are_listed_outside_a_project_too() {
    let hosts = |place: &Place| -> Vec<String> {
        place.rows(&["list"]).iter().map(|row| row["host"].as_str().unwrap().to_owned()).collect()
    };
    let (inside, outside) = (Place::new(), Place { env: Place::prepared(Env::new()) });
    assert_eq!(hosts(&inside), HOSTS.map(|(host, ..)| host));
    assert_eq!(hosts(&outside), HOSTS.map(|(host, ..)| host));
    let last = outside.rows(&["list"]).pop().unwrap();
    assert_eq!((last["file"].as_str(), last["state"].as_str()), (Some(".vscode/mcp.json"), Some("absent")));
}
