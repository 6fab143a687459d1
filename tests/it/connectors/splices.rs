//! The splices alone, on many small texts.

use brv_engine::agents::connectors::{self, Form, Host, Seen, Traces};

/// Put in and take out: byte for byte, with and without the memory of what was added where that can be.
fn round(form: &Form, text: &str) {
    let Ok(seen) = connectors::look(form, Some(text.as_bytes())) else { return };
    assert_eq!(seen, Seen::Absent, "{text:?}");
    let (after, traces) = connectors::put(form, Some(text.as_bytes())).unwrap();
    let shown = String::from_utf8_lossy(&after).into_owned();
    assert_eq!(connectors::look(form, Some(&after)), Ok(Seen::Installed), "{text:?}\n{shown}");
    let again = connectors::put(form, Some(&after)).unwrap();
    assert_eq!((&again.0, again.1), (&after, Traces::default()), "twice: {text:?}");
    let taken = connectors::take(form, &after, &traces).unwrap();
    assert_eq!(String::from_utf8_lossy(&taken.bytes), text, "from:\n{shown}");
    // without it, what others have is still there
    let bare = connectors::take(form, &after, &Traces::default()).unwrap();
    assert_eq!(connectors::look(form, Some(&bare.bytes)), Ok(Seen::Absent), "{text:?}\n{shown}");
    for mark in ["\"a\"", "\"b\"", "// c", "/* d */", "# e", "keep"] {
        let count = |text: &str| text.matches(mark).count();
        assert_eq!(count(&String::from_utf8_lossy(&bare.bytes)), count(text), "{mark} of {text:?}\n{shown}");
    }
}

/// All texts of these shapes, with these gaps between tokens.
#[test]
fn json_comes_back_byte_for_byte() {
    let gaps = ["", " ", "\n", "\n  ", "\r\n\t", " // c\n", " /* d */ ", "\n\n    ", "\n    /* d */ // c\n "];
    let shapes: [&[&str]; 10] = [
        &["{", "}"],
        &["{", "\"a\": 1", "}"],
        &["{", "\"a\": 1,", "\"b\": [1, 2]", "}"],
        &["{", "\"mcpServers\": {", "}", "}"],
        &["{", "\"mcpServers\": {", "\"a\": {}", "}", "}"],
        &["{", "\"mcpServers\": {", "\"a\": {}", "}", ", \"b\": 2", "}"],
        &["{", "\"hooks\": {", "\"PreToolUse\": [", "]", "}", "}"],
        &["{", "\"hooks\": {", "\"PreToolUse\": [", "{\"a\": 1}", "]", "}", "}"],
        &["{", "\"hooks\": {", "\"SessionStart\": [{\"a\": 1}", ", {}", "]", "}", "}"],
        &["{", "\"mcpServers\": {", "\"a\": {},", "}", ",", "}"],
    ];
    let forms = [
        connectors::mcp(Host::Copilot, "brv"),
        connectors::mcp(Host::Claude, "brv"),
        connectors::mcp(Host::Gemini, "brv"),
        connectors::hooks(Host::Claude, "/opt/my tools/brv").unwrap(),
    ];
    let mut number = 0;
    for shape in shapes {
        for one in gaps {
            for other in gaps {
                let mut text = String::new();
                for (at, token) in shape.iter().enumerate() {
                    text.push_str(token);
                    text.push_str(if at % 2 == 0 { one } else { other });
                }
                for text in [text.clone(), format!("\u{feff}{text}"), format!("{text}\n")] {
                    forms.iter().for_each(|form| round(form, &text));
                    number += 1;
                }
            }
        }
    }
    assert_eq!(number, 2_430);
}

#[test]
fn toml_comes_back_byte_for_byte() {
    let form = connectors::mcp(Host::Codex, "/usr/bin/brv");
    let parts = [
        "",
        "model = \"keep\"\n",
        "# e\n",
        "[mcp_servers.other]\ncommand = \"keep\"\n",
        "[mcp_servers]\n",
        "\n\n",
        "[projects.\"/a\"]\ntrust_level = \"keep\" # e\n",
        "mcp_servers.x.command = \"keep\"\n",
        "[[keep]]\n",
        "text = \"\"\"\n[mcp_servers.brv]\n\"\"\"\n",
    ];
    for first in parts {
        for second in parts {
            for third in ["", "\n", "[last]\nkeep = 1"] {
                let text = format!("{first}{second}{third}");
                for text in [text.clone(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
                    round(&form, &text);
                }
            }
        }
    }
}

#[test]
fn edits_elsewhere_and_inside_what_brv_made_stay() {
    let form = connectors::mcp(Host::Claude, "brv");
    let (made, traces) = connectors::put(&form, None).unwrap();
    let made = String::from_utf8(made).unwrap();
    let other = made.replace("\"mcpServers\": {", "\"mcpServers\": {\n    \"other\": {\"command\": \"x\"},");
    let taken = connectors::take(&form, other.as_bytes(), &traces).unwrap();
    assert!(!taken.is_bare);
    let left: serde_json::Value = serde_json::from_slice(&taken.bytes).unwrap();
    assert_eq!(left, serde_json::json!({ "mcpServers": { "other": { "command": "x" } } }));
    // the host wrote the whole file anew
    let compact: serde_json::Value = serde_json::from_str(&made).unwrap();
    let taken = connectors::take(&form, compact.to_string().as_bytes(), &traces).unwrap();
    assert!(taken.is_bare, "{taken:?}");
    // another hook in brv's group
    let form = connectors::hooks(Host::Claude, "brv").unwrap();
    let (made, traces) = connectors::put(&form, None).unwrap();
    let made = String::from_utf8(made).unwrap();
    let theirs = "{\"type\": \"command\", \"command\": \"keep\"}, {\n            \"type\"";
    let other = made.replacen("{\n            \"type\"", theirs, 1);
    let taken = connectors::take(&form, other.as_bytes(), &traces).unwrap();
    let left: serde_json::Value = serde_json::from_slice(&taken.bytes).unwrap();
    assert_eq!(left["hooks"]["SessionStart"][0]["hooks"].as_array().map(Vec::len), Some(1), "{left}");
    assert!(!left.to_string().contains("agent-hook"), "{left}");
}

#[test]
fn mending_keeps_what_the_user_added_to_the_entry() {
    let form = connectors::mcp(Host::Claude, "brv");
    let text = "{\"mcpServers\": {\n  // no\n  \"brv\": {\"args\": [\"mcp\", \"--old\"], \"timeout\": 5, \"env\": {\"K\": \"v\"}, \"command\": \"brv\"}}}";
    let text = text.replace("\n  // no\n  ", "");
    assert!(matches!(connectors::look(&form, Some(text.as_bytes())), Ok(Seen::Drifted(_))));
    let (after, traces) = connectors::put(&form, Some(text.as_bytes())).unwrap();
    assert!(traces.inserted.is_empty());
    let expected = text.replace("[\"mcp\", \"--old\"]", "[\"mcp\"]");
    assert_eq!(String::from_utf8(after.clone()).unwrap(), expected);
    assert_eq!(connectors::take(&form, &after, &traces).unwrap().bytes, text.as_bytes(), "and gives it back");
    let toml =
        "[mcp_servers.brv]\ncommand = 'brv' # mine\nargs = [\"mcp\",\"-v\"]\nstartup_timeout_sec = 3\n";
    let form = connectors::mcp(Host::Codex, "brv");
    let (after, traces) = connectors::put(&form, Some(toml.as_bytes())).unwrap();
    assert_eq!(connectors::take(&form, &after, &traces).unwrap().bytes, toml.as_bytes());
    assert_eq!(String::from_utf8(after).unwrap(), toml.replace("[\"mcp\",\"-v\"]", "[\"mcp\"]"));
}
