//! Links that a change breaks or mends, and entries that cite what changed.

use super::{KEYS, TOKENS, World};
use serde_json::{Value, json};

fn consequences(world: &World, arguments: &[&str]) -> Value {
    let ran = world.env.brv(&[&["vc", "check", "--json"], arguments].concat());
    crate::init::json(&ran.stdout)["data"]["consequences"].clone()
}

#[test]
fn what_a_deletion_breaks_is_found_in_entries_that_did_not_change() {
    let world = World::new();
    world.git(&["rm", "-q", "auth/tokens.md"]);
    world.commit(&[]);
    assert_eq!(world.found(&[], 0), ["BRV004 auth/keys.md:5", "BRV010 auth/tokens.md:1"].map(str::to_owned));
    let expected =
        json!({"broken": [{"path": "auth/keys.md", "target": "auth/tokens.md"}], "mended": [], "cited": []});
    assert_eq!(consequences(&world, &[]), expected);
}

#[test]
fn a_moved_entry_is_the_likely_target_of_the_links_to_it() {
    let world = World::new();
    world.git(&["mv", "auth/tokens.md", "ops/tokens.md"]);
    world.commit(&[]);
    let envelope = world.check(&[], 0);
    let finding = &envelope["data"]["findings"][0];
    assert_eq!(finding["rule"], "BRV004");
    assert_eq!(finding["fix"], "link to `ops/tokens.md`");
    assert_eq!(finding["subject"], "tokens.md");
}

#[test]
fn a_new_entry_mends_the_links_to_it_and_an_edit_names_who_cites_it() {
    let world = World::new();
    world.commit(&[("ops/deploy.md", "See [runbook](runbook.md) and [tokens](../auth/tokens.md).\n")]);
    world.git(&["push", "-q"]);
    world.commit(&[("ops/runbook.md", "# Runbook\n"), ("auth/tokens.md", &TOKENS.replace("24", "12"))]);
    let expected = json!({
        "broken": [],
        "mended": [{"path": "ops/deploy.md", "target": "ops/runbook.md"}],
        "cited": [{"path": "auth/tokens.md", "by": ["auth/keys.md", "ops/deploy.md"]}],
    });
    assert_eq!(consequences(&world, &[]), expected);
    world.git(&["push", "-q"]);
    world.git(&["rm", "-q", "ops/runbook.md"]);
    world.commit(&[]);
    world.git(&["push", "-q"]);
    world.commit(&[("ops/deploy.md", "No links.\n"), ("auth/keys.md", KEYS)]);
    let mended = json!([{"path": "ops/deploy.md", "target": "ops/runbook.md"}]);
    assert_eq!(consequences(&world, &[])["mended"], mended, "a link that was taken out is mended");
}

#[test]
fn a_link_that_is_mistyped_names_what_it_is_written_like_and_is_not_fixed() {
    let world = World::new();
    world.commit(&[("auth/new.md", "See [t](tokesn.md), [k](../auth/kesy.md) and [other](passwords.md).\n")]);
    let envelope = world.check(&[], 0);
    let findings = envelope["data"]["findings"].as_array().unwrap();
    let messages: Vec<&str> = findings.iter().map(|found| found["message"].as_str().unwrap()).collect();
    assert!(messages[0].ends_with("is it `auth/tokens.md`?"), "{messages:?}");
    assert!(messages[1].ends_with("is it `auth/keys.md`?"), "{messages:?}");
    assert!(messages[2].ends_with("which does not exist"), "{messages:?}");
    assert!(findings.iter().all(|found| found["fix"].is_null()), "{findings:?}");
    let broken = crate::init::json(&world.env.brv(&["links", "--broken", "--json"]).stdout);
    let nearest = |at: usize| broken["data"]["links"][at]["nearest"].clone();
    assert_eq!(
        [nearest(0), nearest(1), nearest(2)],
        [json!(["auth/tokens.md"]), json!(["auth/keys.md"]), Value::Null]
    );
}
