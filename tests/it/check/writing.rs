//! What a check writes on request: safe fixes, and the baseline.

use super::{KEYS, World, found};
use crate::undo::last;

#[test]
fn a_fix_is_shown_written_and_undone() {
    let world = World::new();
    world.git(&["mv", "auth/tokens.md", "ops/tokens.md"]);
    world.commit(&[("ops/a.md", "zero\u{200b}width and \u{202e}turned\n")]);
    world.commit_derived("auth/_index.md");
    let state = || [&["ls-files", "-s"][..], &["diff", "HEAD"]].map(|arguments| world.git(arguments));
    let before = state();
    let ran = world.env.brv(&["vc", "check", "--fix", "--json"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let envelope = crate::init::json(&ran.stdout);
    assert_eq!(found(&envelope), ["BRV008 ops/a.md:1", "BRV010 ops/tokens.md:1"], "what is left");
    let fixed = &envelope["data"]["fixed"];
    let expected = serde_json::json!([
        {"path": "auth/_index.md", "rules": ["BRV002"]},
        {"path": "auth/keys.md", "rules": ["BRV004"]},
        {"path": "ops/a.md", "rules": ["BRV008"]},
    ]);
    assert_eq!(fixed["files"], expected);
    assert_eq!(fixed["entries"].as_array().unwrap().len(), 2, "the changes are shown");
    let read = |path: &str| std::fs::read_to_string(world.tree().join(path)).unwrap();
    assert_eq!(read("ops/a.md"), "zerowidth and \u{202e}turned\n", "what changes the order of a text stays");
    assert_eq!(read("auth/keys.md"), KEYS.replace("tokens.md", "../ops/tokens.md"));
    assert_eq!(world.git(&["diff", "--cached", "--name-status"]), "D\tauth/_index.md");
    assert_eq!(fixed["operation"], last(&world.env));
    assert_eq!(world.env.brv(&["undo"]).code, 0);
    assert_eq!(state(), before);
}

#[test]
fn what_another_tool_committed_under_a_derived_name_is_shown_and_stays_tracked() {
    let world = World::new();
    let theirs = [
        ("system.overview.md", "# System\n\nWritten by hand.\n"),
        ("auth/_index.md", "# Auth\n"),
        ("_manifest.json", "{\"name\": \"app\"}\n"),
    ];
    world.commit(&theirs);
    world.commit_derived("ops/_index.md");
    let files = || world.git(&["ls-files", "-s"]);
    let before = files();
    for arguments in [&["--fix"][..], &["--fix", "--all"]] {
        let envelope = world.check(arguments, 0);
        let findings = envelope["data"]["findings"].as_array().unwrap();
        let paths: Vec<&str> = findings.iter().map(|found| found["path"].as_str().unwrap()).collect();
        assert_eq!(paths, ["_manifest.json", "auth/_index.md", "system.overview.md"]);
        for found in findings {
            assert_eq!((&found["rule"], &found["severity"]), (&"BRV002".into(), &"warning".into()));
            assert!(found.get("fix").is_none(), "{found}");
        }
    }
    let gone: Vec<String> =
        before.lines().filter(|line| !line.ends_with("ops/_index.md")).map(str::to_owned).collect();
    assert_eq!(files(), gone.join("\n"), "brv's own is no longer tracked");
    for (path, text) in theirs {
        assert_eq!(std::fs::read_to_string(world.tree().join(path)).unwrap(), text);
    }
    // it is a tracked file like any other
    std::fs::write(world.tree().join("system.overview.md"), "# System\n\nMore.\n").unwrap();
    for arguments in [&["vc", "commit", "-a", "-m", "more"][..], &["vc", "push"]] {
        let ran = world.env.brv(arguments);
        assert_eq!(ran.code, 0, "{arguments:?} {}{}", ran.stdout, ran.stderr);
    }
    assert_eq!(world.git(&["show", "origin/main:system.overview.md"]), "# System\n\nMore.");
    // one that a later commit removed is nobody's business
    world.git(&["rm", "-q", "system.overview.md"]);
    world.git(&["commit", "-q", "-m", "away"]);
    assert_eq!(found(&world.check(&["HEAD~1..HEAD"], 0)), Vec::<String>::new());
}

#[test]
fn what_another_tool_staged_since_the_commit_stays_staged() {
    let world = World::new();
    world.commit_derived("auth/_index.md");
    std::fs::write(world.tree().join("auth/_index.md"), "# By hand\n").unwrap();
    world.git(&["add", "-f", "auth/_index.md"]);
    let before = world.git(&["ls-files", "-s"]);
    world.check(&["--fix"], 1);
    assert_eq!(world.git(&["ls-files", "-s"]), before);
}

#[test]
fn only_what_is_checked_out_is_fixed() {
    let world = World::new();
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.commit(&[("ops/deploy.md", "zero\u{200b}width\n")]);
    world.git(&["checkout", "-q", "main"]);
    std::fs::write(world.tree().join("ops/deploy.md"), "mine\u{200b}\n").unwrap();
    let ran = world.env.brv(&["vc", "check", "main...topic", "--fix"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(world.tree().join("ops/deploy.md")).unwrap(), "mine\u{200b}\n");
}

#[test]
fn files_that_git_does_not_have_yet_are_fixed_too() {
    let world = World::new();
    let write = |path: &str| std::fs::write(world.tree().join(path), "zero\u{200b}width\n").unwrap();
    write("ops/untracked.md");
    write("ops/deploy.md");
    let envelope = world.check(&["--all", "--fix"], 0);
    assert_eq!(envelope["data"]["fixed"]["files"].as_array().unwrap().len(), 2);
    for path in ["ops/untracked.md", "ops/deploy.md"] {
        assert_eq!(std::fs::read_to_string(world.tree().join(path)).unwrap(), "zerowidth\n");
    }
}

#[test]
fn nothing_is_written_where_there_is_nothing_to_fix() {
    let world = World::new();
    world.commit(&[("ops/a.md", "See [x](missing.md) \u{202e}.\n")]);
    let envelope = world.check(&["--fix"], 1);
    assert_eq!(envelope["data"]["fixed"]["files"], serde_json::json!([]));
    assert_eq!(envelope["data"]["fixed"]["operation"], serde_json::Value::Null);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_baseline_that_changes_nothing_writes_nothing() {
    let world = World::new();
    for _ in 0..2 {
        assert_eq!(world.env.brv(&["vc", "check", "--write-baseline"]).code, 0);
    }
    let log = crate::init::json(&world.env.brv(&["op", "log", "--json"]).stdout);
    assert_eq!(log["data"]["operations"].as_array().unwrap().len(), 1);
    let ran = world.env.brv(&["vc", "check", "--write-baseline", "--staged"]);
    assert_eq!(ran.code, 2);
}
