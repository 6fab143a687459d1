//! `brv vc check --from`: the pages of a check that ran elsewhere, from its JSON alone.

use super::{KEYS, TOKENS, World, secret};
use crate::env::Env;
use serde_json::{Value, json};

/// A change of all kinds: facts, prose, a new and a deleted entry, a moved one, other files, a secret.
fn changed() -> World {
    let world = World::new();
    let prose = "---\ntitle: Flow\ntags: [a]\n---\n\n# Flow\n\nSome words about it.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## Steps\n\n- one\n- two\n\n```\nx = 1\n```\n";
    let lines: String = (0..40).map(|line| format!("row {line}\n")).collect();
    world.commit(&[
        ("ops/flow.md", prose),
        ("ops/data.txt", &lines),
        ("ops/old.md", "# Old\n\nWords that stay as they are, all of them.\n"),
    ]);
    world.git(&["push", "-q"]);
    world.git(&["mv", "ops/old.md", "ops/new.md"]);
    world.git(&["rm", "-q", "ops/deploy.md"]);
    let prose = prose
        .replace("title: Flow\ntags: [a]", "title: Flows\ntags: [b, c]")
        .replace("Some words about", "Some other words on")
        .replace("| 1 | 2 |", "| 1 | 3 |")
        .replace("- one\n- two\n", "- two\n- three\n")
        .replace("x = 1", "x = 2");
    let lines = lines.replace("row 3\n", "line 3\n").replace("row 30\n", "row thirty\n");
    let tokens = TOKENS.replace("24", "12") + "- **new**: a fact [team]\n";
    world.commit(&[
        ("auth/tokens.md", &tokens),
        ("auth/keys.md", &KEYS.replace("tokens.md", "gone.md")),
        ("auth/added.md", &format!("# Added\n\n## Facts\n\n- **a**: b\n\n{}", secret())),
        ("ops/flow.md", &prose),
        ("ops/data.txt", &lines),
        ("ops/bytes.bin", "a\0b"),
    ]);
    world
}

/// The ids of the compared commits in place of their names, as JSON has them.
fn range(world: &World) -> String {
    format!("{}..{}", world.git(&["rev-parse", "origin/main"]), world.git(&["rev-parse", "HEAD"]))
}

#[test]
fn every_page_is_the_same_as_where_the_check_ran() {
    let world = changed();
    let range = range(&world);
    let shapes = ["markdown", "github", "gitlab", "sarif", "text"];
    let direct = shapes.map(|shape| world.env.brv(&["vc", "check", &range, "--format", shape]));
    let ran = world.env.brv(&["vc", "check", &range, "--format", "json", "--output", "check.json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.stderr);
    // a folder that is in no repository
    let elsewhere = Env::new();
    std::fs::copy(world.env.path("check.json"), elsewhere.path("check.json")).unwrap();
    for (shape, direct) in shapes.iter().zip(&direct) {
        let ran = elsewhere.brv(&["vc", "check", "--from", "check.json", "--format", shape]);
        assert_eq!((ran.code, &ran.stdout), (direct.code, &direct.stdout), "{shape}: {}", ran.stderr);
        assert_eq!(ran.code, 1, "{shape}");
    }
    assert!(
        direct[0].stdout.contains("binary") || direct[0].stdout.contains("Binary"),
        "{}",
        direct[0].stdout
    );
    let again = elsewhere.brv(&["vc", "check", "--from", "check.json", "--json"]);
    let data = |text: &str| serde_json::from_str::<Value>(text).unwrap()["data"].clone();
    let json = std::fs::read_to_string(elsewhere.path("check.json")).unwrap();
    assert_eq!(data(&again.stdout), data(&json));
}

#[test]
fn it_fails_as_it_did_there_or_as_it_is_told_here() {
    let world = World::new();
    world.commit(&[("auth/keys.md", &KEYS.replace("tokens.md", "gone.md"))]);
    let env = &world.env;
    assert_eq!(env.brv(&["vc", "check", "HEAD", "--format", "json", "--output", "check.json"]).code, 0);
    let from = |more: &[&str]| env.brv(&[&["vc", "check", "--from", "check.json"], more].concat());
    assert_eq!(from(&[]).code, 0);
    let ran = from(&["--fail-on", "warning"]);
    assert!(ran.code == 1 && ran.stdout.contains("check failed: 1 warning"), "{}", ran.stdout);
    env.brv(&["vc", "check", "HEAD", "--fail-on", "warning", "--format", "json", "--output", "check.json"]);
    assert_eq!(
        [from(&[]).code, from(&["--fail-on", "error"]).code, from(&["--fail-on", "never"]).code],
        [1, 0, 0]
    );
    let piped = std::fs::read(env.path("check.json")).unwrap();
    assert_eq!(env.brv_reading(&["vc", "check", "--from", "-"], &piped).code, 1);
}

#[test]
fn what_is_no_answer_and_what_needs_a_repository_is_wrong_usage() {
    let world = World::new();
    let env = &world.env;
    world.commit(&[("auth/keys.md", &KEYS.replace("tokens.md", "gone.md"))]);
    assert_eq!(env.brv(&["vc", "check", "HEAD", "--format", "json", "--output", "check.json"]).code, 0);
    let good: Value = serde_json::from_slice(&std::fs::read(env.path("check.json")).unwrap()).unwrap();
    for (place, wrong, why) in [
        ("/schema", json!("brv.vc.diff/1"), "its schema is not brv.vc.check/1"),
        ("/ok", json!("yes"), "invalid type"),
        ("/data", Value::Null, "invalid type"),
        ("/data/more", json!(1), "brv prints no such `data.more`"),
        ("/data/fixed", json!({}), "brv prints no such `data.fixed`"),
        ("/data/before/kind", json!("tag"), "unknown kind of state"),
        ("/data/before/commit", json!("HEAD"), "a state has an invalid commit"),
        ("/data/prefix", json!("../"), "its prefix is not a folder"),
        ("/data/cut", json!(3), "its verdict"),
        ("/data/verdict/warnings", json!(7), "its verdict"),
        ("/data/verdict/facts/added", json!(7), "its verdict"),
        ("/data/findings/0/rule", json!("BRV016"), "a finding of BRV016"),
        ("/data/findings/0/line", json!(0), "a finding has no place"),
        ("/data/findings/0/commit", json!("x"), "an invalid commit"),
        ("/data/commits/0/date", json!("yesterday at noon, or so"), "one of its commits is invalid"),
        ("/data/entries/0/change", json!("merged"), "was merged"),
        ("/data/entries/0/tokens", Value::Null, "tokens"),
        (
            "/data/files",
            json!([{"path": "a", "hunks": [], "binary": true, "x": 1}]),
            "no such `data.files[0].x`",
        ),
    ] {
        let mut value = good.clone();
        match value.pointer_mut(place) {
            Some(found) => *found = wrong,
            None => {
                let (parent, key) = place.rsplit_once('/').unwrap();
                value.pointer_mut(parent).unwrap()[key] = wrong;
            }
        }
        std::fs::write(env.path("wrong.json"), value.to_string()).unwrap();
        let ran = env.brv(&["vc", "check", "--from", "wrong.json"]);
        assert_eq!((ran.code, ran.stderr.contains(why)), (2, true), "{place}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("`wrong.json` is not the output of `brv vc check --json`: "),
            "{}",
            ran.stderr
        );
    }
    std::fs::write(env.path("wrong.json"), vec![b' '; (64 << 20) + 1]).unwrap();
    let ran = env.brv(&["vc", "check", "--from", "wrong.json"]);
    assert_eq!((ran.code, ran.stderr.contains("larger than 64 MiB")), (2, true), "{}", ran.stderr);
    assert_eq!(env.brv(&["vc", "check", "--from", "none.json"]).code, 2);
    for more in [
        &["HEAD"][..],
        &["--all"],
        &["--staged"],
        &["--fix"],
        &["--write-baseline"],
        &["--code", "."],
        &["--", "auth"],
    ] {
        let ran = env.brv(&[&["vc", "check", "--from", "check.json"], more].concat());
        assert_eq!(ran.code, 2, "{more:?}: {}", ran.stderr);
    }
}
