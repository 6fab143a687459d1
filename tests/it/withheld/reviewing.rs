//! A person sees what is withheld, and accepts it.

use super::{STEERING, agent, data, entry, poisoned, pull, push, reading, withheld};
use crate::env::Env;
use crate::review::{done, error};
use brv_commands::review;
use brv_engine::{Context, Stop};

fn rows(env: &Env) -> Vec<(String, String, String)> {
    let pending = data(env, &["review", "pending"])["pending"].clone();
    let text = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap().to_owned();
    let row = |row: &serde_json::Value| {
        (text(row, "path"), row["why"][0].as_str().unwrap().to_owned(), text(row, "type"))
    };
    pending.as_array().unwrap().iter().map(row).collect()
}

#[test]
fn pending_lists_it_and_show_shows_it() {
    let (env, _) = poisoned();
    let row = |path: &str, why: &str| (path.to_owned(), why.to_owned(), "foreign".to_owned());
    assert_eq!(rows(&env), [row("ops/host.md", "hidden"), row("ops/keys.md", "instructions")]);
    let pending = data(&env, &["review", "pending"])["pending"][1].clone();
    assert!(!pending.to_string().contains("previous instructions"), "{pending}");
    assert!(pending["actor"].as_str().unwrap().contains('@') && pending["commit"].is_string(), "{pending}");
    let shown = data(&env, &["review", "show", pending["id"].as_str().unwrap()]);
    assert_eq!(shown["items"].as_array().unwrap().len(), 1);
    assert!(shown["items"][0]["entry"].to_string().contains("previous instructions"), "{shown}");
    assert_eq!(data(&env, &["review", "show", "ops/keys.md"])["items"], shown["items"]);
}

#[test]
fn an_approval_accepts_exactly_this_version() {
    let (env, other) = poisoned();
    assert_eq!(withheld(&env), 2);
    let decided = data(&env, &["review", "approve", "ops/keys.md", "-m", "our own test text"]);
    assert_eq!((decided["decided"][0]["path"].as_str(), withheld(&env)), (Some("ops/keys.md"), 1));
    assert_eq!(reading(&agent(&env), &["ops/keys.md"], None, None).pieces.len(), 1);
    assert_eq!(rows(&env).len(), 1);
    assert!(env.brv(&["review", "approve", "ops/keys.md"]).stdout.contains("already approved"));
    let log = data(&env, &["review", "log"])["decisions"].clone();
    assert_eq!(
        (log[0]["decision"].as_str(), log[0]["comment"].as_str()),
        (Some("approved"), Some("our own test text"))
    );
    // an edit of ours needs no other approval, one of theirs does
    crate::init::write(&env, &[("ops/keys.md", &entry("Deploy keys", &format!("{STEERING} Edited here.")))]);
    crate::init::commit(&env, "edited");
    assert_eq!(withheld(&env), 1);
    done(env.brv(&["vc", "push"]));
    env.git(&other, &["pull", "-q", "--no-rebase", "origin", "main"]);
    push(&env, &other, &[("ops/keys.md", &entry("Deploy keys", &format!("{STEERING} And more.")))]);
    pull(&env);
    assert_eq!(withheld(&env), 2);
    done(env.brv(&["review", "approve", "ops"]));
    assert_eq!((withheld(&env), rows(&env).len()), (0, 0));
}

#[test]
fn an_agent_cannot_accept_it_and_it_cannot_be_rejected() {
    let (env, _) = poisoned();
    for (name, value) in [("BRV_ACTOR", "claude"), ("BRV_SESSION", "s1")] {
        let (env, _) = poisoned();
        let env = env.with(name, value);
        let refused = error(&env, &["review", "approve", "ops/keys.md"], 6);
        assert!(refused["message"].as_str().unwrap().contains("only a person"), "{refused}");
        assert_eq!(withheld(&env), 2);
    }
    let asked = |cx: &Context<'_>| -> Result<(), Stop> {
        let options = review::Options { id: "ops/keys.md".into(), ..review::Options::default() };
        review::approve::run(cx, &options).map(drop)
    };
    assert!(asked(&agent(&env)).is_err());
    let refused = error(&env, &["review", "reject", "ops/keys.md"], 6);
    assert!(refused["hint"].as_str().unwrap().contains("brv vc rm"), "{refused}");
    error(&env, &["review", "approve", "ops/deploys.md"], 2);
    error(&env, &["review", "approve", "ops/nothing.md"], 2);
    assert_eq!(withheld(&env), 2);
}

#[test]
fn a_push_does_not_wait_for_it() {
    let (env, _) = poisoned();
    crate::init::write(&env, &[("ops/own.md", &entry("Own", "Own text."))]);
    crate::init::commit(&env, "own");
    done(env.brv(&["vc", "push"]));
}
