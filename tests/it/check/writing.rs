//! What a check writes where it is asked to: safe fixes, and the baseline.

use super::{KEYS, World, found};
use crate::undo::last;

#[test]
fn a_fix_is_shown_written_and_undone() {
    let world = World::new();
    world.git(&["mv", "auth/tokens.md", "ops/tokens.md"]);
    world
        .commit(&[("ops/a.md", "zero\u{200b}width and \u{202e}turned\n"), ("auth/_index.md", "# Derived\n")]);
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
