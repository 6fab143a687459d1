//! The team's policy and baseline: the stricter of base and head holds, and only the base's baseline counts.

use super::{TOKENS, World, found, secret};

#[test]
fn a_change_cannot_loosen_its_own_check() {
    let world = World::new();
    world.commit(&[("brv.yaml", "fail_on: warning\nseverity: {BRV010: error}\n")]);
    world.git(&["push", "-q"]);
    world.commit(&[("brv.yaml", "fail_on: never\n"), ("auth/tokens.md", &TOKENS.replace("24", "12"))]);
    let envelope = world.check(&[], 1);
    assert_eq!(found(&envelope), ["BRV010 auth/tokens.md:1"]);
    assert_eq!(envelope["data"]["findings"][0]["severity"], "error");
    world.check(&["--fail-on", "never"], 1);
}

#[test]
fn a_team_can_decide_that_nothing_fails_a_check() {
    let world = World::new();
    world.commit(&[("brv.yaml", "fail_on: never\n"), ("ops/a.md", &secret())]);
    world.check(&[], 1);
    world.git(&["push", "-q"]);
    world.commit(&[("ops/b.md", &secret())]);
    world.check(&[], 0);
    world.check(&["--fail-on", "warning"], 1);
}

#[test]
fn a_change_can_tighten_its_own_check() {
    let world = World::new();
    world.commit(&[
        ("brv.yaml", "max_bytes: 20\nfail_on: warning\n"),
        ("ops/a.md", "# A longer title than that\n"),
    ]);
    assert_eq!(world.found(&[], 1), ["BRV014 ops/a.md:1"]);
}

#[test]
fn what_is_wrong_in_a_policy_has_its_place() {
    let world = World::new();
    world.commit(&[("brv.yaml", "severity:\n  BRV006: warning\nowner: me\n")]);
    let envelope = world.check(&[], 1);
    let places: Vec<(u64, u64, &str)> = envelope["data"]["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["line"].as_u64().unwrap(),
                one["column"].as_u64().unwrap(),
                one["severity"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(places, [(2, 3, "error"), (3, 1, "warning")]);
    world.git(&["push", "-q"]);
    world.commit(&[("brv.yaml", "fail_on: error\n")]);
    let envelope = world.check(&[], 0);
    assert!(envelope["warnings"][0].as_str().unwrap().starts_with("`brv.yaml` of the base, line 2: "));
}

#[test]
fn the_baseline_counts_from_the_base_only() {
    let world = World::new();
    world.commit(&[("ops/old.md", "zero\u{200b}width\n")]);
    world.git(&["push", "-q"]);
    let ran = world.env.brv(&["vc", "check", "--write-baseline"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = std::fs::read_to_string(world.tree().join("brv.baseline.json")).unwrap();
    assert!(text.contains("\"rule\": \"BRV008\"") && text.contains("\"path\": \"ops/old.md\""), "{text}");
    world.commit(&[]);
    assert_eq!(world.found(&["--all"], 0), [""; 0]);
    assert_eq!(world.check(&["--all"], 0)["data"]["baselined"], 1);
    world.git(&["push", "-q"]);
    // once more what the baseline has, and something new
    world.commit(&[("ops/old.md", "\nzero\u{200b}width\n"), ("ops/new.md", "zero\u{200b}width\n")]);
    let ran = world.env.brv(&["vc", "check", "--write-baseline"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    world.commit(&[]);
    let envelope = world.check(&[], 1);
    assert_eq!(found(&envelope), ["BRV008 ops/new.md:1"], "its own baseline does not excuse it");
    assert_eq!(envelope["data"]["baselined"], 1);
}

#[test]
fn a_baseline_that_cannot_be_read_is_a_finding_and_excuses_nothing() {
    let world = World::new();
    world.commit(&[("brv.baseline.json", "{}"), ("ops/a.md", &secret())]);
    assert_eq!(world.found(&[], 1), ["BRV015 brv.baseline.json:1", "BRV006 ops/a.md:1"]);
    world.git(&["push", "-q"]);
    world.commit(&[("brv.baseline.json", "{\"version\":1,\"findings\":[]}")]);
    let envelope = world.check(&[], 0);
    assert!(envelope["warnings"][0].as_str().unwrap().contains("brv.baseline.json"));
}
