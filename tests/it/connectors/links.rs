//! Names that lead to one file: links, and imports.
#![cfg(unix)]

use super::Place;
use serde_json::Value;
use std::os::unix::fs::symlink;

const RULES: [&str; 4] = ["install", "claude", "--type", "rules"];

/// Each row as its file and another field.
fn rows(rows: &[Value], field: &str) -> Vec<String> {
    let word = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    rows.iter().map(|row| format!("{} {}", word(row, "file"), word(row, field))).collect()
}

fn parts(text: &str) -> usize {
    text.matches("<!-- brv:rules -->").count()
}

#[test]
fn instructions_with_two_names_are_written_once() {
    for (file, link) in
        [("AGENTS.md", "CLAUDE.md"), ("CLAUDE.md", "AGENTS.md"), ("docs/agents.md", "CLAUDE.md")]
    {
        let place = Place::new();
        place.write(file, "# A\n");
        symlink(file, place.path(link)).unwrap();
        if file.starts_with("docs") {
            symlink(file, place.path("AGENTS.md")).unwrap();
        }
        let before = place.picture();
        let dry = place.rows(&[&RULES[..], &["--dry-run"]].concat());
        assert_eq!(rows(&dry, "change"), ["AGENTS.md added", "CLAUDE.md kept"], "{file}");
        assert_eq!(place.picture(), before);
        assert_eq!(rows(&place.rows(&RULES), "change"), ["AGENTS.md added", "CLAUDE.md kept"], "{file}");
        assert_eq!(parts(&place.text(file)), 1);
        assert!(place.path(link).is_symlink());
        assert_eq!(rows(&place.rows(&RULES), "change"), ["AGENTS.md kept", "CLAUDE.md kept"], "{file}");
        place.write(file, place.text(file).replace("- Before you", "- Whenever you"));
        assert_eq!(rows(&place.rows(&RULES), "change"), ["AGENTS.md updated", "CLAUDE.md kept"], "{file}");
        // both hosts read it until the last one leaves
        place.rows(&["install", "codex", "--type", "rules"]);
        place.rows(&["uninstall", "claude"]);
        assert_eq!(parts(&place.text(file)), 1);
        place.rows(&["uninstall", "codex"]);
        assert_eq!(place.picture(), before, "{file}");
    }
}

#[test]
fn a_file_that_imports_the_instructions_gets_none_of_its_own() {
    for import in ["@AGENTS.md\n", "# Mine\r\n\r\nRead @./AGENTS.md first.\r\n"] {
        for agents in [Some("# A\n"), None] {
            let place = Place::new();
            place.write("CLAUDE.md", import);
            if let Some(agents) = agents {
                place.write("AGENTS.md", agents);
            }
            let before = place.picture();
            assert_eq!(rows(&place.rows(&RULES), "change"), ["AGENTS.md added", "CLAUDE.md kept"]);
            assert_eq!((place.text("CLAUDE.md").as_str(), parts(&place.text("AGENTS.md"))), (import, 1));
            let status = place.rows(&["status", "claude"]);
            assert_eq!(rows(&status, "state"), ["AGENTS.md installed", "CLAUDE.md installed"]);
            place.rows(&["uninstall", "claude"]);
            assert_eq!(place.picture(), before);
        }
    }
    // what only looks like an import, and a part of brv's that is there already
    for text in ["`@AGENTS.md`\n", "```\n@AGENTS.md\n```\n", "@docs/AGENTS.md\n", "me@AGENTS.md\n"] {
        let place = Place::new();
        place.write("CLAUDE.md", text);
        assert_eq!(rows(&place.rows(&RULES), "change"), ["AGENTS.md added", "CLAUDE.md added"], "{text}");
        place.write("CLAUDE.md", format!("@AGENTS.md\n{}", place.text("CLAUDE.md")));
        assert_eq!(rows(&place.rows(&RULES), "change"), ["AGENTS.md kept", "CLAUDE.md kept"], "{text}");
        place.rows(&["uninstall", "claude"]);
        assert_eq!(place.text("CLAUDE.md"), format!("@AGENTS.md\n{text}"));
    }
}

#[test]
fn folders_and_settings_that_are_links_are_written_once_too() {
    let place = Place::new();
    std::fs::create_dir_all(place.path(".agents/skills")).unwrap();
    std::fs::create_dir_all(place.path(".claude")).unwrap();
    symlink("../.agents/skills", place.path(".claude/skills")).unwrap();
    place.write(".mcp.json", "{}\n");
    std::fs::create_dir_all(place.path(".cursor")).unwrap();
    symlink("../.mcp.json", place.path(".cursor/mcp.json")).unwrap();
    let before = place.picture();
    let skills = place.rows(&["install", "claude", "--type", "skill"]);
    let expected = [".agents/skills/brv/SKILL.md added", ".claude/skills/brv/SKILL.md kept"];
    assert_eq!(rows(&skills, "change"), expected);
    let servers = place.rows(&["install", "claude", "cursor", "--type", "mcp"]);
    assert_eq!(rows(&servers, "change"), [".mcp.json added", ".cursor/mcp.json kept"]);
    place.rows(&["uninstall", "claude", "cursor"]);
    assert_eq!(place.picture(), before);
}

#[test]
fn markers_in_code_are_text_of_the_file() {
    let shown = "# Marks\n\n```markdown\n<!-- brv:rules -->\nhere\n<!-- /brv:rules -->\n```\n\nAlso `<!-- brv:brain -->`.\n";
    let place = Place::new();
    place.write("AGENTS.md", shown);
    let before = place.picture();
    place.rows(&["install", "codex", "--type", "rules"]);
    assert!(place.text("AGENTS.md").starts_with(shown));
    for verb in ["write", "unwrite"] {
        let ran = place.env.brv(&["brain", verb, "AGENTS.md"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(place.text("AGENTS.md").starts_with(shown), "{verb}");
    }
    place.rows(&["uninstall", "codex"]);
    assert_eq!(place.picture(), before);
}
