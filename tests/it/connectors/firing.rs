//! `brv connectors test` and `bundle`.

use super::Place;
use crate::init::json;

/// A server that answers the requests of a session's start.
#[cfg(unix)]
const SERVER: &str = r#"#!/bin/sh
[ "$1" = mcp ] || exit 3
while read -r line; do
    case $line in
    *'"method":"initialize"'*) echo '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
        echo '{"jsonrpc":"2.0","id":1,"result":{"instructions":"ask first"}}' ;;
    *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"brv-query","description":"answers"}]}}' ;;
    *'"tools/call"'*) echo '{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"the brain"}]}}' ;;
    esac
done
"#;

/// A place whose PATH begins with a `brv` of this text.
#[cfg(unix)]
fn with_program(text: &str) -> Place {
    use std::os::unix::fs::PermissionsExt as _;
    let Place { env } = Place::new();
    let place = Place { env };
    place.write("bin/brv", text);
    let program = place.path("bin/brv");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    Place { env: place.env.with("PATH", path) }
}

#[cfg(unix)]
#[test]
fn a_server_shows_what_a_model_would_get() {
    let place = with_program(SERVER);
    assert_eq!(place.run(&["test", "claude"]).code, 1, "not registered");
    place.rows(&["install", "claude", "--type", "mcp"]);
    let ran = place.run(&["test", "claude", "--json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let data = &json(&ran.stdout)["data"];
    assert_eq!((data["host"].as_str(), data["fired"].as_bool()), (Some("claude"), Some(true)));
    assert_eq!(data["text"], "ask first\n\nbrv-query: answers\n\nthe brain");
}

#[cfg(unix)]
#[test]
fn a_program_that_does_not_answer_is_ended_and_named() {
    let case = |text: &str, kind: &str, why: &str| {
        let place = with_program(text);
        place.rows(&["install", "claude", "--type", kind]);
        let begun = std::time::Instant::now();
        let ran = place.run(&["test", "claude"]);
        assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
        assert!(begun.elapsed().as_secs() < 14, "{:?}", begun.elapsed());
    };
    case("#!/bin/sh\nexit 2\n", "mcp", "ended");
    case("#!/bin/sh\necho 'Usage: brv'\nsleep 1\n", "mcp", "something else than JSON: Usage: brv");
    case("#!/bin/sh\nexit 2\n", "hook", "printed nothing");
    case("#!/bin/sh\necho hello\n", "hook", "something else than JSON: hello");
    case("#!/bin/sh\ncat >/dev/null\nsleep 60\n", "mcp", "within 10 s");
}

#[cfg(unix)]
#[test]
fn a_hook_shows_what_a_model_would_get() {
    let answer =
        r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"known here"}}"#;
    let place = with_program(&format!(
        "#!/bin/sh\n[ \"$1 $2\" = 'agent-hook claude' ] && grep -q '\"SessionStart\"' && echo '{answer}'\nexit 2\n"
    ));
    place.rows(&["install", "claude", "--type", "hook"]);
    let ran = place.run(&["test", "claude", "--type", "hook", "--json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(json(&ran.stdout)["data"]["text"], "known here");
    assert_eq!(place.run(&["test", "claude", "--type", "rules"]).code, 2);
}

#[cfg(unix)]
#[test]
fn a_file_of_the_project_never_has_a_line_or_another_program_run() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = with_program("#!/bin/sh\n: >\"$0.called-$*\"\n");
    let path = format!(".:{}:/usr/bin:/bin", place.path("bin").display());
    let place = Place { env: place.env.with("PATH", path) };
    let planted = "#!/bin/sh\n: >\"$0.owned\"\n";
    for name in ["agent-hook", "brv", "bin/agent-hook", "bin/brv.sh"] {
        place.write(name, planted);
        std::fs::set_permissions(place.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let called = || {
        let names = |folder: &str| {
            std::fs::read_dir(place.path(folder)).unwrap().map(|entry| entry.unwrap().file_name())
        };
        let names = names("").chain(names("bin")).map(|name| name.into_string().unwrap());
        let mut called: Vec<String> =
            names.filter(|name| name.contains(".owned") || name.contains(".called")).collect();
        called.sort();
        called
    };
    let test = |file: &str, text: &str, expected: &[&str]| {
        place.write(file, text);
        for kind in ["hook", "mcp"] {
            assert_ne!(place.run(&["test", "claude", "--type", kind]).code, 0, "{text}");
        }
        assert_eq!(place.run(&["status", "claude"]).code, 0);
        let all = called();
        let by_test: Vec<&String> = all.iter().filter(|name| !name.ends_with("--version")).collect();
        assert_eq!(by_test, expected, "{text}");
        for name in all {
            let _ = std::fs::remove_file(place.path("bin").join(&name));
        }
        std::fs::remove_file(place.path(file)).unwrap();
    };
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"] {
        for (line, expected) in [
            (r"brv\nagent-hook claude || true", &["brv.called-agent-hook claude"][..]),
            (r"/bin/true;brv agent-hook claude", &[]),
            (r"./brv agent-hook claude || true", &[]),
            (r"brv.sh agent-hook claude || true", &[]),
        ] {
            let hooks = format!(
                "{{\"hooks\":{{\"{event}\":[{{\"hooks\":[{{\"type\":\"command\",\"command\":\"{line}\"}}]}}]}}}}"
            );
            test(".claude/settings.json", &hooks, expected);
        }
    }
    for (program, arguments, expected) in [
        ("brv", r#"["mcp", "--elsewhere"]"#, &["brv.called-mcp"][..]),
        ("./brv", r#"["mcp"]"#, &[]),
        ("brv.sh", r#"["mcp"]"#, &[]),
        (place.path("bin/brv").to_str().unwrap(), r#"["mcp"]"#, &[]),
    ] {
        let text =
            format!("{{\"mcpServers\":{{\"brv\":{{\"command\":\"{program}\",\"args\":{arguments}}}}}}}");
        test(".mcp.json", &text, expected);
    }
}

#[test]
fn bundles_go_into_empty_folders_only() {
    let place = Place::new();
    let ran = place.run(&["bundle", "--output", "dist", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let data = json(&ran.stdout)["data"].clone();
    let files: Vec<&str> =
        data["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect();
    assert!(files.contains(&"claude/.claude-plugin/plugin.json") && files.contains(&"mcpb/manifest.json"));
    assert!(files.iter().all(|file| place.path("dist").join(file).is_file()));
    place.write("file", "x");
    let before = place.picture();
    assert_eq!(place.run(&["bundle", "--output", "dist"]).code, 6);
    assert_eq!(place.run(&["bundle", "--output", "dist", "--target", "gemini"]).code, 6);
    assert_eq!(place.run(&["bundle", "--output", "file"]).code, 2);
    assert_eq!(place.picture(), before);
    assert_eq!(place.run(&["bundle", "--output", "other", "--target", "gemini"]).code, 0);
    assert_eq!(std::fs::read_dir(place.path("other")).unwrap().count(), 1);
}
