//! The agents themselves, offline: what they list after brv was connected, and what they read.
//!
//! `.ci/run --hosts` fetches them into the folder that `BRV_IT_HOSTS` names; without it, the tests say that they are
//! skipped.

use super::Place;
use crate::env::{Ran, program};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program of a host, if it is there.
pub(super) fn host(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("BRV_IT_HOSTS").map(PathBuf::from);
    let found = folder.map(|folder| folder.join(name).join("node_modules/.bin").join(name));
    let found = found.filter(|path| path.exists());
    if found.is_none() {
        println!("skipped: no {name} in BRV_IT_HOSTS");
    }
    found
}

/// A command without network, if the machine can do that.
fn offline(place: &Place, host: &Path) -> Command {
    let can = |words: &[&str]| {
        Command::new("unshare").args(words).arg("true").output().is_ok_and(|ran| ran.status.success())
    };
    let words = [&["-n"][..], &["-r", "-n"]].into_iter().find(|words| can(words));
    let mut command = match words {
        Some(words) => {
            let mut command = Command::new("unshare");
            place.env.prepare(&mut command);
            command.args(words).arg(host);
            command
        }
        None => {
            println!("with network: no unshare here");
            let mut command = Command::new(host);
            place.env.prepare(&mut command);
            command
        }
    };
    // what prepare gave, and node
    let node = program("node").expect("the hosts need node");
    let folders = [Path::new(env!("CARGO_BIN_EXE_brv")).parent().unwrap(), node.parent().unwrap()];
    let path = std::env::join_paths(folders.into_iter().chain(["/usr/bin", "/bin"].map(Path::new)));
    command.env("PATH", path.unwrap()).env_remove("BRV_CLOCK").stdin(Stdio::null());
    command
}

/// What a host lists, without colours.
fn list(place: &Place, name: &str) -> String {
    let output = offline(place, &host(name).unwrap()).args(["mcp", "list"]).output().unwrap();
    let ran = Ran::of(&output);
    let text = format!("{}{}", ran.stdout, ran.stderr);
    regex_lite::Regex::new("\u{1b}\\[[0-9;]*m").unwrap().replace_all(&text, "").into_owned()
}

/// Whether a server of this name is in the list.
fn lists(text: &str, server: &str) -> bool {
    text.split_whitespace().any(|word| word.trim_end_matches(':') == server)
}

/// The first of these hosts, connected.
fn connected(name: &str) -> Option<Place> {
    host(name)?;
    let place = Place::new();
    place.env.git(place.env.root(), &["init", "-q"]);
    place.rows(&["install", name]);
    Some(place)
}

fn state(place: &Place, host: &str) -> String {
    place.rows(&["status", host])[0]["state"].as_str().unwrap().to_owned()
}

/// The list after uninstall has no brv.
fn leaves(place: &Place, name: &str) {
    place.rows(&["uninstall", name]);
    let listed = list(place, name);
    assert!(!lists(&listed, "brv"), "{listed}");
}

#[test]
fn claude_lists_brv_and_waits_for_approval_as_status_says() {
    let Some(place) = connected("claude") else { return };
    let listed = list(&place, "claude");
    assert!(lists(&listed, "brv") && listed.contains("Pending approval"), "{listed}");
    assert_eq!(state(&place, "claude"), "untrusted");
    place.write(".claude/settings.local.json", json!({ "enabledMcpjsonServers": ["brv"] }).to_string());
    let listed = list(&place, "claude");
    assert!(lists(&listed, "brv") && !listed.contains("Pending"), "{listed}");
    assert_eq!(state(&place, "claude"), "installed");
    leaves(&place, "claude");
    // in the user's own file, which claude has written meanwhile
    place.rows(&["install", "claude", "--scope", "user"]);
    let listed = list(&place, "claude");
    assert!(lists(&listed, "brv"), "{listed}");
    leaves(&place, "claude");
}

#[test]
fn codex_lists_brv() {
    let Some(place) = connected("codex") else { return };
    let listed = list(&place, "codex");
    assert!(lists(&listed, "brv") && listed.contains("enabled"), "{listed}");
    leaves(&place, "codex");
}

#[test]
fn codex_knows_the_hooks_and_their_trust_as_status_says() {
    let Some(program) = host("codex") else { return };
    let place = Place::new();
    place.rows(&["install", "codex", "--type", "hook"]);
    let mut child = offline(&place, &program)
        .arg("app-server")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |id: u64, method: &str, params: Value| -> Value {
        writeln!(input, "{}", json!({ "id": id, "method": method, "params": params })).unwrap();
        loop {
            let line: Value = serde_json::from_str(&output.next().unwrap().unwrap()).unwrap();
            if line["id"] == json!(id) {
                return line["result"].clone();
            }
        }
    };
    let client = json!({ "name": "test", "version": "1" });
    ask(1, "initialize", json!({ "clientInfo": client, "capabilities": { "experimentalApi": true } }));
    let folders = json!({ "cwds": [place.env.root()] });
    let hooks = ask(2, "hooks/list", folders)["data"][0]["hooks"].clone();
    let all = hooks.as_array().unwrap();
    assert_eq!(all.len(), 5, "{hooks}");
    assert!(all.iter().all(|hook| hook["trustStatus"] == "untrusted"), "{hooks}");
    assert_eq!(state(&place, "codex"), "untrusted");
    for hook in all {
        let trust = json!({ hook["key"].as_str().unwrap(): { "trusted_hash": hook["currentHash"] } });
        let edit = json!({ "keyPath": "hooks.state", "value": trust, "mergeStrategy": "upsert" });
        ask(3, "config/batchWrite", json!({ "edits": [edit] }));
    }
    assert_eq!(state(&place, "codex"), "installed", "the hashes are those of codex");
    child.kill().unwrap();
    child.wait().unwrap();
    place.rows(&["uninstall", "codex"]);
    assert!(!place.path("at/codex/hooks.json").exists());
}

#[test]
fn gemini_lists_brv_and_uses_it_where_it_trusts_as_status_says() {
    let Some(place) = connected("gemini") else { return };
    let listed = list(&place, "gemini");
    assert!(lists(&listed, "brv") && listed.contains("untrusted"), "{listed}");
    assert_eq!(state(&place, "gemini"), "untrusted");
    let folder = place.env.root().canonicalize().unwrap();
    place.write(
        "home/.gemini/trustedFolders.json",
        json!({ folder.to_str().unwrap(): "TRUST_FOLDER" }).to_string(),
    );
    let listed = list(&place, "gemini");
    assert!(lists(&listed, "brv") && !listed.contains("untrusted"), "{listed}");
    assert_eq!(state(&place, "gemini"), "installed");
    leaves(&place, "gemini");
}

#[test]
fn copilot_lists_brv_and_its_switch_is_seen() {
    let Some(place) = connected("copilot") else { return };
    let listed = list(&place, "copilot");
    assert!(lists(&listed, "brv"), "{listed}");
    let ran = offline(&place, &host("copilot").unwrap()).args(["mcp", "disable", "brv"]).output().unwrap();
    assert!(ran.status.success());
    assert_eq!(state(&place, "copilot"), "disabled");
    leaves(&place, "copilot");
}

#[test]
fn opencode_lists_brv_and_its_schema_is_no_reason_to_stay() {
    let Some(place) = connected("opencode") else { return };
    let listed = list(&place, "opencode");
    assert!(lists(&listed, "brv"), "{listed}");
    assert_eq!(state(&place, "opencode"), "installed");
    leaves(&place, "opencode");
}

/// A file with the server `other`: brv installs where the host reads it, and refuses where it does not.
#[test]
fn what_brv_takes_for_readable_is_what_the_hosts_read() {
    let server =
        "\"other\": {\"command\": \"/bin/cat\", \"args\": [\"x\"], \"type\": \"local\", \"tools\": [\"*\"]}";
    let claude = server.replace("local", "stdio").replace("mcpServers", "");
    let plain = |server: &str, key: &str| format!("{{\"{key}\": {{{server}}}}}");
    let local = "\"other\": {\"type\": \"local\", \"command\": [\"/bin/cat\"]}";
    let rows = [
        ("claude", ".mcp.json", plain(&claude, "mcpServers")),
        ("gemini", ".gemini/settings.json", plain("\"other\": {\"command\": \"/bin/cat\"}", "mcpServers")),
        ("copilot", "at/copilot/mcp-config.json", plain(server, "mcpServers")),
        ("opencode", "at/config/opencode/opencode.jsonc", plain(local, "mcp")),
        ("codex", "at/codex/config.toml", "[mcp_servers.other]\ncommand = \"/bin/cat\"\n".into()),
    ];
    for (name, file, good) in rows {
        if host(name).is_none() {
            continue;
        }
        let comma = good
            .strip_suffix("}")
            .map_or_else(|| format!("{good}a = 1\na = 2\n"), |text| format!("{text},}}"));
        let comment = if name == "codex" { format!("# c\n{good}") } else { format!("// c\n{good}") };
        for text in [good.clone(), comma, comment, format!("\u{feff}{good}")] {
            let place = Place::new();
            place.env.git(place.env.root(), &["init", "-q"]);
            place.write(file, &text);
            let before = list(&place, name);
            place.write(file, &text);
            let is_read = lists(&before, "other");
            let code = place.run(&["install", name]).code;
            assert_eq!(code, if is_read { 0 } else { 6 }, "{name} {text:?}\n{before}");
            if is_read {
                let listed = list(&place, name);
                assert!(lists(&listed, "brv") && lists(&listed, "other"), "{name} {text:?}\n{listed}");
            }
        }
    }
}

#[test]
fn bundles_pass_the_validators_of_their_targets() {
    let place = Place::new();
    assert_eq!(place.run(&["bundle", "--output", "dist"]).code, 0);
    let folder = |name: &str| place.path("dist").join(name).display().to_string();
    let manifest = format!("{}/manifest.json", folder("mcpb"));
    let rows = [
        ("claude", vec!["plugin".to_owned(), "validate".into(), "--strict".into(), folder("claude")]),
        ("gemini", vec!["extensions".to_owned(), "validate".into(), folder("gemini")]),
        ("mcpb", vec!["validate".to_owned(), manifest]),
    ];
    for (name, arguments) in rows {
        let Some(program) = host(name) else { continue };
        let ran = Ran::of(&offline(&place, &program).args(&arguments).output().unwrap());
        assert_eq!(ran.code, 0, "{name}\n{}{}", ran.stdout, ran.stderr);
    }
}
