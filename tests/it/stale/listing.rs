//! `brv stale`: which entries are listed, and how.

use super::{RETRY, TOKENS, World};
use serde_json::{Value, json};

/// The entries of an answer, each with its state.
fn states(answer: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let entries = answer["data"]["entries"].as_array().unwrap();
    entries.iter().map(|entry| (text(&entry["path"]), text(&entry["freshness"]["state"]))).collect()
}

fn changed(world: &World) -> String {
    world.code(&[("src/retry.rs", &RETRY.replace("= 3", "= 5"))])
}

#[test]
fn what_the_code_changed_is_listed_with_its_line_and_its_place_in_the_code() {
    let world = World::new();
    let answer = world.json(&["stale"], 0);
    assert_eq!(answer["schema"], "brv.stale/1");
    assert_eq!(
        answer["data"]["counts"],
        json!({"fresh": 1, "touched": 0, "changed": 0, "gone": 0, "unknown": 0, "uncited": 1})
    );
    let base = world.head();
    changed(&world);
    let data = world.json(&["stale"], 0)["data"].clone();
    let entry = &data["entries"][0];
    assert_eq!((&entry["path"], &entry["title"]), (&"auth/tokens.md".into(), &"Tokens".into()));
    assert_eq!(
        (&entry["freshness"]["state"], &entry["freshness"]["base"]),
        (&"changed".into(), &base.as_str().into())
    );
    let text = "A request is tried `MAX_RETRIES` times, see `src/retry.rs`.";
    let lines = |limit: u32| format!("pub const MAX_RETRIES: u32 = {limit};");
    let fact = json!({
        "line": 6, "text": text, "name": "MAX_RETRIES", "state": "altered", "before": lines(3), "after": lines(5),
    });
    assert_eq!(entry["facts"], json!([fact]));
    let found = &data["findings"][0];
    assert_eq!(data["findings"].as_array().map(Vec::len), Some(1));
    for (key, value) in
        [("rule", "BRV016"), ("severity", "warning"), ("path", "src/retry.rs"), ("subject", "MAX_RETRIES")]
    {
        assert_eq!(found[key], value, "{found}");
    }
    assert_eq!((&found["line"], &data["counts"]["changed"]), (&1.into(), &1.into()));
    let told = world.env.brv(&["stale"]).stdout;
    let expected = format!(
        "auth/tokens.md  Tokens\n  changed since {}: MAX_RETRIES in src/retry.rs\n     6  {text}\n        - {}\n        + {}\n\n1 entry may no longer hold: 1 changed\n1 cites no code\n",
        &base[..7],
        lines(3),
        lines(5)
    );
    assert_eq!(told, expected);
    world.done(&["stale", "confirm", "auth/tokens"]);
    assert_eq!(states(&world.json(&["stale"], 0)), [], "confirmed");
}

#[test]
fn gone_stands_before_changed_and_a_path_narrows() {
    let world = World::new();
    let gone = "# Cache\n\nThe cache is filled by `src/cache.rs`.\n";
    world.code(&[("src/cache.rs", "pub fn fill() {}\n")]);
    world.entries(&[("z/cache.md", gone)]);
    std::fs::remove_file(world.env.path("src/cache.rs")).unwrap();
    changed(&world);
    let both =
        [("z/cache.md", "gone"), ("auth/tokens.md", "changed")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    let answer = world.json(&["stale"], 0);
    assert_eq!(states(&answer), both);
    let found = &answer["data"]["findings"][0];
    assert_eq!((&found["path"], &found["line"]), (&"src/cache.rs".into(), &1.into()));
    assert_eq!(states(&world.json(&["stale", "auth"], 0)), both[1..]);
    let behind = world.env.brv(&["stale", "--json", "--", "z/cache"]);
    assert_eq!(states(&crate::init::json(&behind.stdout)), both[..1]);
    let unknown = world.json(&["stale", "auth/token"], 2);
    assert!(unknown["error"]["hint"].as_str().unwrap().contains("auth/tokens"), "{unknown}");
}

#[test]
fn a_range_of_the_code_tells_what_it_makes_doubtful() {
    let world = World::new();
    let (before, after) = (world.head(), changed(&world));
    let later = world.code(&[("README", "other words\n")]);
    let listed = |range: &str| states(&world.json(&["stale", range], 0)).len();
    assert_eq!(listed(&format!("{before}..{after}")), 1);
    assert_eq!(listed(&format!("{before}...HEAD")), 1);
    assert_eq!(listed(&format!("{after}..{later}")), 0, "this change altered nothing that the entry names");
    world.done(&["stale", "confirm", "auth/tokens"]);
    assert_eq!(listed(&format!("{before}..{after}")), 0, "its base contains the end of the range");
    for (range, code) in [("nothing..HEAD", 2), ("HEAD..nothing", 2), ("a..b..c", 2)] {
        assert_eq!(world.env.brv(&["stale", range]).code, code, "{range}");
    }
    assert_eq!(world.env.brv(&["stale", "HEAD~1..HEAD", "HEAD~2..HEAD"]).code, 2);
}

#[test]
fn the_exit_code_is_asked_for() {
    let world = World::new();
    changed(&world);
    for (severity, code) in [("never", 0), ("error", 0), ("warning", 1)] {
        let ran = world.env.brv(&["stale", "--fail-on", severity]);
        assert_eq!(ran.code, code, "{severity}: {}", ran.stderr);
    }
    std::fs::write(world.tree().join("brv.yaml"), "fail_on: warning\nseverity:\n  BRV016: error\n").unwrap();
    assert_eq!(world.env.brv(&["stale"]).code, 0, "the policy is about the tree's own changes");
    let answer = world.json(&["stale", "--fail-on", "error"], 1);
    assert_eq!(answer["data"]["findings"][0]["severity"], "error", "and raises the rule");
    assert_eq!(answer["ok"], false);
}

#[test]
fn without_code_citing_entries_are_unknown_and_a_range_is_refused() {
    let env = crate::env::Env::new();
    assert_eq!(env.brv(&["init", "-q"]).code, 0);
    let text = "# A\n\n## Raw Concept\n\n**Files:**\n- src/a.rs\n";
    env.commit(&crate::env::tree(&env), &[("a.md", text), ("b.md", "# B\n")]);
    let world = World { env, now: std::cell::Cell::new(0) };
    let counts = &world.json(&["stale"], 0)["data"]["counts"];
    assert_eq!((&counts["unknown"], &counts["uncited"]), (&1.into(), &1.into()));
    assert_eq!(world.env.brv(&["stale", "A..B"]).code, 6);
    assert_eq!(world.env.brv(&["stale", "--code", "nowhere"]).code, 2);
}

#[test]
fn the_code_may_be_elsewhere() {
    let world = World::new();
    let other = world.env.path("other");
    world.env.git(world.env.root(), &["clone", "-q", ".", "other"]);
    let base = world.head();
    world.commit(&other, &[("src/retry.rs", "// nothing\n")]);
    let answer = world.json(&["stale", "--code", "other"], 0);
    assert_eq!(states(&answer), [("auth/tokens.md".to_owned(), "changed".to_owned())]);
    assert_eq!(states(&world.json(&["stale"], 0)), []);
    let range = format!("{base}..HEAD");
    assert_eq!(states(&world.json(&["stale", &range, "--code", "other"], 0)).len(), 1);
}

#[test]
fn a_secret_in_a_line_is_not_shown() {
    let world = World::new();
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let text = TOKENS.replace("times,", &format!("times with {secret},"));
    world.entries(&[("auth/tokens.md", &text)]);
    changed(&world);
    let ran = world.env.brv(&["stale", "--json"]);
    assert!(ran.stdout.contains("****") && !ran.stdout.contains(&secret), "{}", ran.stdout);
}
