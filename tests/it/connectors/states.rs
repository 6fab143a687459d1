//! What status finds: drift, shadows, trust, switches, programs that are gone.

use super::Place;
use serde_json::{Value, json};

/// The only file of a host, as status shows it.
fn only(place: &Place, host: &str) -> Value {
    let rows = place.rows(&["status", host]);
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows[0].clone()
}

fn state(place: &Place, host: &str) -> String {
    only(place, host)["state"].as_str().unwrap().to_owned()
}

/// Write JSON.
fn put(place: &Place, name: &str, value: &Value) {
    place.write(name, value.to_string());
}

/// The project as hosts name it.
fn folder(place: &Place) -> String {
    place.env.root().canonicalize().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn drift_is_shown_with_its_difference_and_mended() {
    let place = Place::new();
    place.rows(&["install", "claude", "--type", "mcp"]);
    let good = place.text(".mcp.json");
    place.write(".mcp.json", good.replace("[\"mcp\"]", "[\"mcp\", \"--old\"]"));
    let row = only(&place, "claude");
    assert_eq!(row["state"], "drifted");
    assert_eq!(row["diff"], "- args: [\"mcp\",\"--old\"]\n+ args: [\"mcp\"]");
    let rows = place.rows(&["install", "claude", "--type", "mcp"]);
    assert_eq!((rows[0]["change"].as_str(), rows[0]["state"].as_str()), (Some("updated"), Some("untrusted")));
    assert_eq!(place.text(".mcp.json"), good);
    // an absolute path in a file that others get
    place.write(".mcp.json", good.replace("\"brv\",", "\"/home/ada/bin/brv\","));
    assert_eq!(state(&place, "claude"), "drifted");
    // an installation of before the offer
    place.rows(&["uninstall"]);
    assert!(!place.path(".mcp.json").exists());
    place.rows(&["install", "codex", "--type", "hook"]);
    let mut hooks: Value = serde_json::from_str(&place.text("at/codex/hooks.json")).unwrap();
    for event in ["PostToolUse", "UserPromptSubmit"] {
        hooks["hooks"].as_object_mut().unwrap().remove(event).unwrap();
    }
    put(&place, "at/codex/hooks.json", &hooks);
    assert_eq!(state(&place, "codex"), "drifted");
    place.rows(&["install", "codex", "--type", "hook"]);
    let hooks: Value = serde_json::from_str(&place.text("at/codex/hooks.json")).unwrap();
    assert_eq!(hooks["hooks"].as_object().unwrap().len(), 5);
}

#[test]
fn an_entry_of_the_users_own_is_put_back_as_it_was() {
    let place = Place::new();
    let own = "[mcp_servers.brv]\ncommand = 'brv' # mine\nargs = [\"mcp\", \"--read-only\"]\nstartup_timeout_sec = 3";
    place.write("at/codex/config.toml", own);
    let entry =
        "{\"args\":[\"mcp\",\"--read-only\"],\"command\":\"brv\",\"env\":{\"A\":\"1\"},\"mine\":true}";
    place.write(".mcp.json", format!("{{\"mcpServers\":{{\"brv\":{entry}}}}}"));
    place.write("AGENTS.md", "# Mine\n<!-- brv:rules -->\nold\n<!-- /brv:rules -->\n");
    place.write(".agents/skills/brv/SKILL.md", "---\nname: brv\n---\n\nmine\n");
    let before = place.picture();
    let install = || {
        let mut rows = place.rows(&["install", "claude", "codex", "--type", "mcp"]);
        rows.extend(place.rows(&["install", "codex", "--type", "rules", "--type", "skill"]));
        rows
    };
    let rows = install();
    assert!(rows.iter().all(|row| row["change"] == "updated"), "{rows:?}");
    assert_eq!(rows[0]["diff"], "- args: [\"mcp\",\"--read-only\"]\n+ args: [\"mcp\"]");
    let lines: Vec<&str> = rows[2]["diff"].as_str().unwrap().lines().collect();
    assert!(lines[0] == "- old" && lines[1].starts_with("+ "), "{lines:?}");
    install();
    // claude writes its file anew
    let compact: Value = serde_json::from_str(&place.text(".mcp.json")).unwrap();
    place.write(".mcp.json", serde_json::to_string_pretty(&compact).unwrap());
    let rows = place.rows(&["uninstall", "codex"]);
    assert!(rows.iter().all(|row| row["change"] == "updated"), "{rows:?}");
    place.rows(&["uninstall", "claude", "--type", "mcp"]);
    let value = |text: &[u8]| -> Value { serde_json::from_slice(text).unwrap() };
    let mut after = place.picture();
    assert!(place.text(".mcp.json").contains(entry), "{}", place.text(".mcp.json"));
    assert_eq!(value(&after[".mcp.json"]), value(&before[".mcp.json"]));
    after.insert(".mcp.json".into(), before[".mcp.json"].clone());
    assert_eq!(after, before);
}

#[test]
fn foreign_and_unreadable_are_shown_and_left_alone() {
    let place = Place::new();
    put(&place, ".mcp.json", &json!({ "mcpServers": { "brv": { "command": "other" } } }));
    place.write(".gemini/settings.json", "{,}");
    let before = place.picture();
    assert_eq!(state(&place, "claude"), "foreign");
    let row = only(&place, "gemini");
    assert_eq!(row["state"], "unreadable");
    assert!(row["why"].as_str().unwrap().contains("not JSON"), "{row}");
    assert_eq!(place.run(&["uninstall", "claude"]).code, 6);
    assert!(place.rows(&["uninstall", "gemini"]).is_empty(), "nothing of brv's is in it");
    assert!(place.rows(&["uninstall"]).is_empty(), "without a name, only brv's own");
    assert_eq!(place.picture(), before);
}

#[test]
fn a_file_that_broke_after_install_is_named_and_all_others_are_taken_out() {
    let place = Place::new();
    place.rows(&["install", "gemini", "cursor"]);
    let good = place.text(".gemini/settings.json");
    let broken = good.replacen("\n  }", ",\n  }", 1);
    place.write(".gemini/settings.json", &broken);
    let before = place.picture();
    for arguments in [&["uninstall", "--dry-run"][..], &["uninstall", "gemini"], &["uninstall"]] {
        assert_eq!(place.picture(), before, "before {arguments:?}");
        let ran = place.run(&[arguments, &["--json"]].concat());
        let answer = crate::init::json(&ran.stdout);
        assert_eq!((ran.code, &answer["error"]["code"]), (6, &json!("refused")), "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(".gemini/settings.json"), "{answer}");
        let rows = answer["data"]["connectors"].as_array().map_or(0, Vec::len);
        assert_eq!(rows > 0, !arguments.contains(&"gemini"), "{answer}");
    }
    assert_eq!(place.text(".gemini/settings.json"), broken);
    assert!(!place.path(".cursor/mcp.json").exists());
    place.write(".gemini/settings.json", &good);
    place.rows(&["install", "cursor"]);
    // a broken file that brv never wrote to is nobody's business
    place.write(".gemini/settings.json", good);
    place.write(".zed/settings.json", "{,}");
    assert_eq!(place.rows(&["uninstall"]).len(), 2);
    assert_eq!(place.text(".zed/settings.json"), "{,}");
}

#[test]
fn a_broken_file_of_the_user_does_not_keep_the_entry_in_the_projects() {
    let place = Place::new();
    for (text, code) in [("{ \"ui\": {}, }", 0), ("{ \"note\": \"brv\", }", 6)] {
        place.rows(&["install", "gemini", "claude", "--type", "mcp"]);
        let broken = place.path("home/.gemini/settings.json");
        std::fs::create_dir_all(broken.parent().unwrap()).unwrap();
        std::fs::write(&broken, text).unwrap();
        let ran = place.run(&["uninstall", "claude", "gemini"]);
        assert_eq!(ran.code, code, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.stderr.contains(".gemini/settings.json"), code != 0, "{}", ran.stderr);
        assert_eq!(std::fs::read_to_string(&broken).unwrap(), text);
        for host in ["claude", "gemini"] {
            let rows = place.rows(&["status", host]);
            assert!(rows.iter().all(|row| row["state"] != "installed"), "{rows:?}");
        }
        std::fs::remove_file(&broken).unwrap();
    }
}

#[test]
fn claude_waits_for_approval_and_takes_its_own_entries_first() {
    let place = Place::new();
    place.rows(&["install", "claude", "--type", "mcp"]);
    assert_eq!(state(&place, "claude"), "untrusted");
    let own = |value: Value| json!({ "projects": { folder(&place): value } });
    // the project cannot approve itself in a folder that is not trusted
    put(&place, ".claude/settings.json", &json!({ "enableAllProjectMcpServers": true }));
    assert_eq!(state(&place, "claude"), "untrusted");
    put(&place, "at/claude/.claude.json", &own(json!({ "hasTrustDialogAccepted": true })));
    assert_eq!(state(&place, "claude"), "installed");
    put(&place, ".claude/settings.json", &json!({}));
    assert_eq!(state(&place, "claude"), "untrusted");
    put(&place, ".claude/settings.local.json", &json!({ "enabledMcpjsonServers": ["brv"] }));
    assert_eq!(state(&place, "claude"), "installed");
    put(&place, "at/claude/.claude.json", &own(json!({ "disabledMcpjsonServers": ["brv"] })));
    assert_eq!(state(&place, "claude"), "untrusted");
    put(&place, "at/claude/.claude.json", &own(json!({ "mcpServers": { "brv": { "command": "x" } } })));
    let row = only(&place, "claude");
    assert_eq!(row["state"], "shadowed");
    assert!(row["why"].as_str().unwrap().contains("claude's own settings"), "{row}");
    // the user's entry, behind that of the project
    put(&place, "at/claude/.claude.json", &json!({}));
    place.rows(&["install", "claude", "--scope", "user", "--type", "mcp"]);
    assert_eq!(place.states("claude"), ["mcp project installed", "mcp user shadowed"]);
    place.rows(&["uninstall", "claude", "--scope", "project"]);
    assert_eq!(place.states("claude"), ["mcp user installed"]);
}

#[test]
fn claude_hooks_wait_for_trust_and_can_be_switched_off() {
    let place = Place::new();
    place.rows(&["install", "claude", "--type", "hook"]);
    assert_eq!(state(&place, "claude"), "untrusted");
    let trusted = json!({ "projects": { folder(&place): { "hasTrustDialogAccepted": true } } });
    put(&place, "at/claude/.claude.json", &trusted);
    assert_eq!(state(&place, "claude"), "installed");
    put(&place, "at/claude/settings.json", &json!({ "disableAllHooks": true }));
    assert_eq!(state(&place, "claude"), "disabled");
}

#[test]
fn codex_hooks_count_once_their_user_has_looked_at_them() {
    let place = Place::new();
    place.rows(&["install", "codex", "--type", "hook"]);
    assert_eq!(state(&place, "codex"), "untrusted");
    let command = "/opt/brv agent-hook codex || true".to_owned();
    let text = place
        .text("at/codex/hooks.json")
        .replace(&format!("{} agent-hook codex || true", env!("CARGO_BIN_EXE_brv")), &command);
    assert!(text.contains(&command));
    place.write("at/codex/hooks.json", &text);
    let whole: Value = serde_json::from_str(&text).unwrap();
    let mut config = String::new();
    for (event, name) in brv_engine::agents::connectors::HOOK_EVENTS {
        let (group, hook, hash) = brv_engine::agents::connectors::codex_hook(&whole, event, name).unwrap();
        config.push_str(&format!(
            "[hooks.state.\"{}:{name}:{group}:{hook}\"]\ntrusted_hash = \"{}\"\n",
            place.path("at/codex/hooks.json").display(),
            hash.unwrap()
        ));
    }
    place.write("at/codex/config.toml", &config);
    // trusted; but there is no such program
    assert_eq!(state(&place, "codex"), "stale_binary");
    place.rows(&["install", "codex", "--type", "hook"]);
    assert_eq!(state(&place, "codex"), "untrusted", "the command is another one now");
}

/// Noted by codex itself for these commands.
#[test]
fn the_hash_is_that_of_codex() {
    let hook = |matcher: Option<&str>| {
        let command = "/opt/brv agent-hook codex || true";
        let mut group = json!({ "hooks": [{ "type": "command", "command": command, "timeout": 10 }] });
        if let Some(matcher) = matcher {
            group["matcher"] = matcher.into();
        }
        json!([{ "hooks": [] }, group])
    };
    let whole = json!({ "hooks": { "SessionStart": hook(None), "PreToolUse": hook(Some("apply_patch")) } });
    let start = brv_engine::agents::connectors::codex_hook(&whole, "SessionStart", "session_start").unwrap();
    assert_eq!(
        start,
        (1, 0, Some("sha256:d551e7df95fd5abc697097e2a88956327a5dac6ba885bec37aad793418eaf636".into()))
    );
    let edit = brv_engine::agents::connectors::codex_hook(&whole, "PreToolUse", "pre_tool_use").unwrap();
    assert_eq!(
        edit,
        (1, 0, Some("sha256:8cebb303235f6e509ce2265cbd618be04e1d5d49c16ff6dabeb81e52294f56fd".into()))
    );
}

#[test]
fn codex_reads_the_project_first_where_it_trusts_it() {
    let place = Place::new();
    place.rows(&["install", "codex", "--type", "mcp"]);
    place.write(".codex/config.toml", "[mcp_servers.brv]\ncommand = \"x\"\n");
    assert_eq!(state(&place, "codex"), "installed");
    let text = place.text("at/codex/config.toml");
    let trusted = format!("{text}\n[projects.\"{}\"]\ntrust_level = \"trusted\"\n", folder(&place));
    place.write("at/codex/config.toml", trusted);
    assert_eq!(state(&place, "codex"), "shadowed");
    std::fs::remove_file(place.path(".codex/config.toml")).unwrap();
    assert_eq!(state(&place, "codex"), "installed");
    let text = place.text("at/codex/config.toml").replace("args =", "enabled = false\nargs =");
    place.write("at/codex/config.toml", text);
    assert_eq!(state(&place, "codex"), "disabled");
}

#[test]
fn gemini_uses_nothing_in_a_folder_that_it_does_not_trust() {
    let place = Place::new();
    place.rows(&["install", "gemini"]);
    assert_eq!(state(&place, "gemini"), "untrusted");
    let trust = |rules: Value| put(&place, "home/.gemini/trustedFolders.json", &rules);
    let here = folder(&place);
    trust(json!({ here.as_str(): "TRUST_FOLDER" }));
    assert_eq!(state(&place, "gemini"), "installed");
    let above = place.env.root().canonicalize().unwrap().parent().unwrap().to_str().unwrap().to_owned();
    trust(json!({ above.as_str(): "TRUST_FOLDER", here.as_str(): "DO_NOT_TRUST" }));
    assert_eq!(state(&place, "gemini"), "untrusted");
    trust(json!({}));
    put(
        &place,
        "home/.gemini/settings.json",
        &json!({ "security": { "folderTrust": { "enabled": false } } }),
    );
    assert_eq!(state(&place, "gemini"), "installed");
    put(&place, "home/.gemini/mcp-server-enablement.json", &json!({ "brv": { "enabled": false } }));
    assert_eq!(state(&place, "gemini"), "disabled");
    put(&place, "home/.gemini/mcp-server-enablement.json", &json!({}));
    let mut settings: Value = serde_json::from_str(&place.text(".gemini/settings.json")).unwrap();
    settings["mcp"] = json!({ "excluded": ["brv"] });
    put(&place, ".gemini/settings.json", &settings);
    assert_eq!(state(&place, "gemini"), "disabled");
}

#[test]
fn opencode_and_copilot_have_switches_and_projects_of_their_own() {
    let place = Place::new();
    place.rows(&["install", "opencode", "copilot"]);
    assert_eq!(state(&place, "opencode"), "installed");
    place.write("opencode.json", "{\n  // ours\n  \"mcp\": {\"brv\": {},},\n}");
    assert_eq!(state(&place, "opencode"), "shadowed");
    std::fs::remove_file(place.path("opencode.json")).unwrap();
    let name = "at/config/opencode/opencode.jsonc";
    place.write(name, place.text(name).replace("\"local\",", "\"local\", \"enabled\": false,"));
    assert_eq!(state(&place, "opencode"), "disabled");
    assert_eq!(state(&place, "copilot"), "installed");
    put(&place, "at/copilot/settings.json", &json!({ "disabledMcpServers": ["brv"] }));
    assert_eq!(state(&place, "copilot"), "disabled");
}

#[cfg(unix)]
#[test]
fn a_program_that_is_gone_or_of_another_version_is_stale_and_mended() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    place.rows(&["install", "codex", "--type", "mcp"]);
    let own = env!("CARGO_BIN_EXE_brv");
    let name = "at/codex/config.toml";
    let good = place.text(name);
    let other = place.path("other/brv");
    place.write(name, good.replace(own, other.to_str().unwrap()));
    let row = only(&place, "codex");
    assert_eq!(row["state"], "stale_binary");
    assert!(row["why"].as_str().unwrap().contains("does not exist"), "{row}");
    let script = |text: &str| {
        place.write("other/brv", text);
        std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    script(&format!("#!/bin/sh\necho brv {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(state(&place, "codex"), "installed", "another brv of this version");
    assert_eq!(place.rows(&["install", "codex", "--type", "mcp"])[0]["change"], "kept");
    script("#!/bin/sh\necho brv 0.0.1\n");
    assert_eq!(state(&place, "codex"), "stale_binary");
    script("#!/bin/sh\nsleep 60\n");
    let _ = state(&place, "codex");
    script("#!/bin/sh\necho brv 0.0.1\n");
    assert_eq!(place.rows(&["install", "codex", "--type", "mcp"])[0]["change"], "updated");
    assert_eq!(place.text(name), good);
    // a program that a file of the project names is not run
    place.rows(&["install", "claude", "--type", "mcp"]);
    let marked = place.path("marked");
    script(&format!("#!/bin/sh\ntouch {}\n", marked.display()));
    place.write(
        ".mcp.json",
        place.text(".mcp.json").replace("\"brv\",", &format!("\"{}\",", other.display())),
    );
    let _ = place.rows(&["status"]);
    assert_eq!(place.run(&["test", "claude"]).code, 6);
    assert!(!marked.exists());
    // nor is there a brv for it without one on PATH
    let Place { env } = place;
    let place = Place { env: env.with("PATH", "/usr/bin:/bin") };
    let why = "not on PATH, where the host looks for it: put it there, or use `--scope user`";
    assert!(place.rows(&["install", "gemini"])[0]["why"].as_str().unwrap().contains(why));
    assert_eq!(state(&place, "gemini"), "stale_binary");
    let ran = place.run(&["status", "gemini", "--json"]);
    assert_eq!(crate::init::json(&ran.stdout)["next"], json!([]), "the same install would not help");
}

#[test]
fn the_last_call_of_a_host_is_shown() {
    use brv_commands::connectors::agents::{ConnectorType, Host, fired};
    let place = Place::new();
    place.rows(&["install", "codex", "--type", "mcp"]);
    assert_eq!(only(&place, "codex").get("last_fired"), None);
    let environment = place.env.environment();
    let clock = brv_base::clock::Clock::from_environment(&environment);
    fired(&environment, Host::Codex, ConnectorType::Mcp, clock);
    assert_eq!(only(&place, "codex")["last_fired"], "2023-11-14T22:13:20Z");
}

#[test]
fn rules_and_skills_that_several_hosts_read_stay_until_the_last_leaves() {
    let place = Place::new();
    place.write("AGENTS.md", "# Mine\n\nno line end");
    let before = place.picture();
    for kind in ["rules", "skill"] {
        place.rows(&["install", "codex", "gemini", "--type", kind]);
    }
    assert!(place.text("AGENTS.md").starts_with("# Mine\n\nno line end\n<!-- brv:rules -->\n"));
    let rows = |host: &str| place.states(host);
    assert_eq!(rows("codex"), ["rules project installed", "skill project installed"]);
    assert!(rows("zed").is_empty());
    place.rows(&["uninstall", "gemini"]);
    assert_eq!(rows("codex"), ["rules project installed", "skill project installed"]);
    assert!(rows("gemini").is_empty());
    // a skill that somebody edited is not removed
    let skill = ".agents/skills/brv/SKILL.md";
    place.write(skill, place.text(skill) + "\nmine\n");
    assert_eq!(place.run(&["uninstall", "codex"]).code, 6);
    place.rows(&["install", "codex", "--type", "skill"]);
    place.rows(&["uninstall", "codex"]);
    assert_eq!(place.picture(), before);
    // half a marker
    place.write("AGENTS.md", "<!-- brv:rules -->\n");
    assert_eq!(place.run(&["install", "codex", "--type", "rules"]).code, 6);
    // a skill of this name that is somebody else's
    place.write(skill, "---\nname: other\n---\n");
    assert_eq!(place.run(&["install", "codex", "--type", "skill"]).code, 6);
}
