//! Nasty files: installed and uninstalled byte for byte, or refused with 6 and untouched.

use super::Place;

/// What becomes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    /// Installed, and as before after that.
    Fine,
    /// 6, untouched.
    Refused,
}
use Then::{Fine, Refused};

const CLAUDE: &str = ".mcp.json";
const CODEX: &str = "at/codex/config.toml";
const GEMINI: &str = ".gemini/settings.json";
const COPILOT: &str = "at/copilot/mcp-config.json";
const OPENCODE: &str = "at/config/opencode/opencode.jsonc";
const ZED: &str = ".zed/settings.json";

const FILES: &[(&str, &str, Then)] = &[
    // claude: plain JSON, a byte order mark
    (CLAUDE, "{}", Fine),
    (CLAUDE, "{}\n", Fine),
    (CLAUDE, "{ }", Fine),
    (CLAUDE, "{\n}\n", Fine),
    (CLAUDE, "\u{feff}{\"mcpServers\": {}}\n", Fine),
    (CLAUDE, "{\r\n\t\"mcpServers\": {\r\n\t\t\"other\": {\"command\": \"x\"}\r\n\t}\r\n}\r\n", Fine),
    (CLAUDE, "{\n        \"mcpServers\": {\n                \"z\": {}\n        }\n}", Fine),
    (CLAUDE, "{\"mcpServers\":{\"a\":{\"command\":\"x\"}},\"b\":[1,2,{\"c\":null}]}", Fine),
    (CLAUDE, "  \n\t{\"mcpServers\"\n:\n{\n}\n}\n\n\n", Fine),
    (CLAUDE, "{\"ünïcode 🦀\": \"日本\", \"mcpServers\": {\"é\\u00e9\": {}}}", Fine),
    (CLAUDE, "{\"a\": \"brv\", \"brv\": {\"command\": \"no\"}, \"mcpServers\": {\"x\": {\"brv\": 1}}}", Fine),
    (CLAUDE, "{\"mcpServers\": {\"brv2\": {}, \"BRV\": {}, \"brv \": {}}}", Fine),
    (CLAUDE, "{\"x\": \"// no comment, /* nor this */ }\", \"mcpServers\": {\"y\": {}}}", Fine),
    (CLAUDE, "{\"a\": 1, \"a\": 2}", Fine),
    (CLAUDE, "{\"n\": 12345678901234567890123, \"e\": 1E-7, \"z\": -0.0}", Fine),
    (CLAUDE, "", Refused),
    (CLAUDE, " \n", Refused),
    (CLAUDE, "// c\n{}", Refused),
    (CLAUDE, "{\"mcpServers\": {},}", Refused),
    (CLAUDE, "{\"mcpServers\": {}} x", Refused),
    (CLAUDE, "{\"mcpServers\": {}", Refused),
    (CLAUDE, "{'mcpServers': {}}", Refused),
    (CLAUDE, "{mcpServers: {}}", Refused),
    (CLAUDE, "{\"a\": \"tab\there\"}", Refused),
    (CLAUDE, "[]", Refused),
    (CLAUDE, "null", Refused),
    (CLAUDE, "{\"mcpServers\": []}", Refused),
    (CLAUDE, "{\"mcpServers\": \"brv\"}", Refused),
    (CLAUDE, "{\"mcpServers\": null}", Refused),
    (CLAUDE, "{\"mcpServers\": {\"a\": {}}, \"mcpServers\": {}}", Refused),
    (
        CLAUDE,
        "{\"mcpServers\": {\"brv\": {\"command\": \"brv\", \"args\": [\"mcp\"]}, \"brv\": {}}}",
        Refused,
    ),
    (CLAUDE, "{\"mcpServers\": {\"brv\": {\"command\": \"npx\", \"args\": [\"brv\", \"mcp\"]}}}", Refused),
    (CLAUDE, "{\"mcpServers\": {\"brv\": {\"type\": \"http\", \"url\": \"https://example.com\"}}}", Refused),
    (CLAUDE, "{\"mcpServers\": {\"brv\": \"brv mcp\"}}", Refused),
    (CLAUDE, "{\"mcpServers\": {\"brv\": null}}", Refused),
    (CLAUDE, "{\"mcpServers\": {\"brv\": {\"command\": \"brv\", \"args\": [\"serve\"]}}}", Refused),
    // gemini: comments, no trailing commas, no byte order mark
    (GEMINI, "// c\n{ // d\n  /* e */ \"mcpServers\": { // f\n    \"a\": {} // g\n  } // h\n}\n// i", Fine),
    (GEMINI, "{\n  /* x\n y */ \"mcpServers\": {} }", Fine),
    (GEMINI, "{\"mcpServers\": {\"a\": {},}}", Refused),
    (GEMINI, "\u{feff}{}", Refused),
    (GEMINI, "", Refused),
    // copilot and opencode: comments, trailing commas, a byte order mark; opencode reads an empty file
    (COPILOT, "\u{feff}{\n  // c\n  \"mcpServers\": {\n    \"a\": {},\n    // d\n  },\n}\n", Fine),
    (COPILOT, "{\"mcpServers\": {\"a\": {},},}", Fine),
    (COPILOT, "", Refused),
    (OPENCODE, "", Fine),
    (OPENCODE, "\n", Fine),
    (OPENCODE, "// c\n", Refused),
    (
        OPENCODE,
        "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    // mine\n    \"a\": {\"type\": \"local\"},\n  },\n}\n",
        Fine,
    ),
    (OPENCODE, "{\"mcp\": {\"a\": {\"command\": [\"brv\", \"mcp\"]}}}", Fine),
    (
        ZED,
        "// Zed settings\n//\n{\n  \"theme\": \"One\",\n\n  \"context_servers\": {\n  },\n  // end\n}\n",
        Fine,
    ),
    // codex: TOML, a byte order mark; a key twice is an error
    (CODEX, "", Fine),
    (CODEX, "model = \"x\"", Fine),
    (CODEX, "\u{feff}model = \"x\"\r\n[mcp_servers.a]\r\ncommand = \"y\"\r\n", Fine),
    (CODEX, "# c\n\n[mcp_servers] # d\n[mcp_servers.a]\ncommand = 'y' # e\n\n\n", Fine),
    (CODEX, "mcp_servers.a.command = \"y\"\n", Fine),
    (CODEX, "x = \"\"\"\n[mcp_servers.brv]\n\"\"\"\n", Fine),
    (CODEX, "[brv]\nmcp_servers = 1\n[x.mcp_servers.brv]\n", Fine),
    (CODEX, "a = 1\na = 2\n", Refused),
    (CODEX, "[a]\n[a]\n", Refused),
    (CODEX, "mcp_servers = 3\n", Refused),
    (CODEX, "[[mcp_servers]]\n", Refused),
    (CODEX, "mcp_servers = { a = { command = \"y\" } }\n", Refused),
    (CODEX, "[mcp_servers.brv]\ncommand = \"other\"\n", Refused),
    (CODEX, "[mcp_servers]\nbrv = 1\n", Refused),
    (CODEX, "{\"mcp_servers\": {}}", Refused),
];

fn host(file: &str) -> &'static str {
    super::HOSTS.iter().find(|(_, own, _)| *own == file).unwrap().0
}

/// Install and uninstall one file.
fn check(place: &Place, file: &str, bytes: &[u8], then: Then) {
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(300)]).into_owned();
    place.write(file, bytes);
    let host = host(file);
    let read = || std::fs::read(place.path(file)).unwrap();
    let ran = place.run(&["install", host]);
    match then {
        Refused => {
            assert_eq!(ran.code, 6, "{file} {shown:?}\n{}{}", ran.stdout, ran.stderr);
            assert!(ran.stderr.contains("by hand"), "the lines to add are printed: {}", ran.stderr);
            assert_eq!(read(), bytes, "{file} {shown:?}: untouched");
            let before = read();
            let _ = place.run(&["uninstall", host]);
            assert_eq!(read(), before, "{file} {shown:?}: untouched by uninstall");
        }
        Fine => {
            assert_eq!(ran.code, 0, "{file} {shown:?}\n{}{}", ran.stdout, ran.stderr);
            let once = read();
            assert_ne!(once, bytes, "{file} {shown:?}");
            assert_eq!(place.run(&["install", host]).code, 0);
            assert_eq!(read(), once, "{file} {shown:?}: twice is as once");
            let ran = place.run(&["uninstall", host]);
            assert_eq!(ran.code, 0, "{file} {shown:?}\n{}{}", ran.stdout, ran.stderr);
            assert_eq!(String::from_utf8_lossy(&read()), String::from_utf8_lossy(bytes), "{file}: as before");
        }
    }
}

#[test]
fn files_come_back_byte_for_byte_or_are_refused_untouched() {
    assert!(FILES.len() >= 50);
    let place = Place::new();
    for (file, text, then) in FILES {
        check(&place, file, text.as_bytes(), *then);
    }
}

#[test]
fn bytes_that_are_no_text_a_huge_file_and_a_deep_one() {
    let place = Place::new();
    check(&place, CLAUDE, b"{\"a\": \"\xff\"}", Refused);
    check(&place, CLAUDE, b"\xff\xfe{\0}\0", Refused);
    check(&place, CODEX, b"a = \"\xff\"\n", Refused);
    let many: Vec<String> = (0..40_000).map(|at| format!("    \"s{at}\": {{\"command\": \"x\"}}")).collect();
    let huge = format!("{{\n  \"mcpServers\": {{\n{}\n  }}\n}}\n", many.join(",\n"));
    check(&place, CLAUDE, huge.as_bytes(), Fine);
    let deep = |levels: usize| format!("{{\"x\": {}{}}}", "[".repeat(levels), "]".repeat(levels));
    check(&place, CLAUDE, deep(100).as_bytes(), Fine);
    check(&place, CLAUDE, deep(100_000).as_bytes(), Refused);
    check(&place, GEMINI, deep(100_000).as_bytes(), Refused);
    let deep = format!("x = {}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    check(&place, CODEX, deep.as_bytes(), Refused);
}

#[cfg(unix)]
#[test]
fn links_stay_links_modes_stay_and_what_is_read_only_is_left_alone() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let place = Place::new();
    let mode = |name: &str, mode| {
        std::fs::set_permissions(place.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let has_mode = |name: &str| place.path(name).metadata().unwrap().permissions().mode() & 0o777;
    // a user's settings may be anywhere
    place.write("dotfiles/codex.toml", "model = \"x\"\n");
    std::fs::create_dir_all(place.path("at/codex")).unwrap();
    symlink("../../dotfiles/codex.toml", place.path(CODEX)).unwrap();
    mode("dotfiles/codex.toml", 0o640);
    place.rows(&["install", "codex", "--type", "mcp"]);
    assert!(place.path(CODEX).is_symlink() && place.text(CODEX).contains("[mcp_servers.brv]"));
    assert_eq!(has_mode("dotfiles/codex.toml"), 0o640);
    place.rows(&["uninstall", "codex"]);
    assert_eq!(place.text("dotfiles/codex.toml"), "model = \"x\"\n");
    assert!(place.path(CODEX).is_symlink());
    // those of the project are in it
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("x.json"), "{}").unwrap();
    symlink(outside.path().join("x.json"), place.path(CLAUDE)).unwrap();
    assert_eq!(place.run(&["install", "claude", "--type", "mcp"]).code, 6);
    symlink(outside.path(), place.path(".gemini")).unwrap();
    assert_eq!(place.run(&["install", "gemini"]).code, 6);
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
    std::fs::remove_file(place.path(CLAUDE)).unwrap();
    symlink("nowhere", place.path(CLAUDE)).unwrap();
    assert_eq!(place.run(&["install", "claude", "--type", "mcp"]).code, 6, "a broken link");
    std::fs::remove_file(place.path(CLAUDE)).unwrap();
    std::fs::create_dir(place.path(CLAUDE)).unwrap();
    assert_eq!(place.run(&["install", "claude", "--type", "mcp"]).code, 6, "a folder");
    std::fs::remove_dir(place.path(CLAUDE)).unwrap();
    // read-only
    place.write(CLAUDE, "{}");
    mode(CLAUDE, 0o444);
    assert_eq!(place.run(&["install", "claude", "--type", "mcp"]).code, 6);
    assert_eq!(place.text(CLAUDE), "{}");
    mode(CLAUDE, 0o644);
    place.rows(&["install", "claude", "--type", "mcp"]);
    let installed = place.text(CLAUDE);
    mode(CLAUDE, 0o444);
    assert_eq!(place.run(&["uninstall", "claude"]).code, 6);
    assert_eq!(place.text(CLAUDE), installed);
    assert_eq!(place.run(&["install", "claude", "--type", "mcp"]).code, 0, "nothing to write");
}

#[test]
fn the_lines_to_add_by_hand_are_in_the_order_of_the_file() {
    let place = Place::new();
    place.write(".claude/settings.json", "{,}");
    let ran = place.run(&["install", "claude"]);
    let at = |event: &str| ran.stderr.find(event).unwrap_or_else(|| panic!("{event}: {}", ran.stderr));
    assert!(at("SessionStart") < at("PreToolUse") && at("PreToolUse") < at("SubagentStart"));
}

#[test]
fn one_file_that_refuses_keeps_all_as_they_are() {
    let place = Place::new();
    place.write(GEMINI, "{,}");
    let before = place.picture();
    assert_eq!(place.run(&["install", "claude", "gemini", "codex"]).code, 6);
    assert_eq!(place.picture(), before);
}

#[test]
fn edits_made_meanwhile_stay_and_a_lost_memory_takes_only_brvs_entry() {
    let place = Place::new();
    place.rows(&["install", "claude", "--type", "mcp"]);
    let edited = place.text(CLAUDE).replace(
        "\"mcpServers\": {",
        "\"mcpServers\": {\n    \"other\": {\n      \"command\": \"x\"\n    },",
    );
    place.write(CLAUDE, &edited);
    place.rows(&["uninstall", "claude"]);
    assert_eq!(
        place.text(CLAUDE),
        "{\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": \"x\"\n    }\n  }\n}\n"
    );
    std::fs::remove_file(place.path(CLAUDE)).unwrap();
    place.rows(&["install", "claude", "--type", "mcp"]);
    std::fs::remove_dir_all(place.path("state")).unwrap();
    place.rows(&["uninstall", "claude"]);
    assert_eq!(place.text(CLAUDE), "{\n  \"mcpServers\": {}\n}\n", "who made the file is not known");
    // the host adds its schema to the file that brv made
    place.rows(&["install", "opencode"]);
    let text = place.text(OPENCODE);
    place
        .write(OPENCODE, text.replacen("{\n", "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n", 1));
    place.rows(&["uninstall", "opencode"]);
    assert!(!place.path("at").join("config").exists());
}
