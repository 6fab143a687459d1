//! A server never outlives those who use it.

use super::wire::{Era, Wire};
use super::{connected, fill, knowing, served, wait_for_ever};
use crate::env::Env;
use serde_json::json;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A second is promised; a busy machine may take longer.
const SOON: Duration = Duration::from_secs(3);

/// A project whose remote never answers.
fn waiting() -> Env {
    let env = Env::new();
    wait_for_ever(&env, env.root());
    fill(&env);
    env
}

#[test]
fn it_ends_when_its_input_is_closed() {
    let env = knowing();
    let mut silent = Wire::silent(served(&env), Era::Initialize);
    silent.hang_up();
    assert!(silent.gone_after() < SOON);
    for era in [Era::Initialize, Era::Stateless] {
        let mut wire = Wire::start(served(&env), era);
        wire.text("brv-brain", &json!({}));
        wire.hang_up();
        assert!(wire.gone_after() < SOON);
    }
    // who only listens has nothing under way
    let mut older = connected(&env);
    older.request("resources/subscribe", json!({"uri": "brv://tree"}));
    let mut newer = Wire::start(served(&env), Era::Stateless);
    newer.ask("subscriptions/listen", json!({"notifications": {"resourceSubscriptions": ["brv://tree"]}}));
    newer.next_within(super::wire::PATIENCE).unwrap();
    for mut wire in [older, newer] {
        wire.hang_up();
        assert!(wire.gone_after() < SOON);
    }
}

#[test]
fn a_call_under_way_is_finished_or_given_up_in_five_seconds() {
    let env = waiting();
    let mut wire = connected(&env);
    wire.ask("tools/call", json!({"name": "brv-sync", "arguments": {}}));
    std::thread::sleep(Duration::from_millis(500));
    wire.hang_up();
    assert!(wire.gone_after() < Duration::from_secs(8));
    // what was asked before the end of the input is still done
    let mut wire = connected(&env);
    let facts = json!([{"subject": "last", "statement": "the last word"}]);
    let operation =
        json!({"type": "UPSERT", "path": "a/b", "title": "C", "reason": "x", "content": {"facts": facts}});
    wire.ask("tools/call", json!({"name": "brv-curate", "arguments": {"operations": [operation]}}));
    wire.hang_up();
    assert!(wire.gone_after() < Duration::from_secs(8));
    let entry = std::fs::read_to_string(crate::env::tree(&env).join("a/b/c.md")).unwrap();
    assert!(entry.contains("the last word"), "{entry}");
}

#[test]
fn a_call_that_is_cancelled_leaves_the_connection_free() {
    let env = waiting();
    for era in [Era::Initialize, Era::Stateless] {
        let mut wire = Wire::start(served(&env), era);
        let id = wire.ask("tools/call", json!({"name": "brv-sync", "arguments": {}}));
        // a slow call does not hold up the others
        assert!(wire.text("brv-search", &json!({"text": "rotate keys"})).contains("token_lifetime.md"));
        wire.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
                .to_string(),
        );
        assert!(wire.text("brv-search", &json!({"text": "rotate keys"})).contains("token_lifetime.md"));
        wire.hang_up();
        assert!(wire.gone_after() < SOON, "nothing is under way");
    }
}

#[test]
fn it_ends_when_its_parent_is_killed_though_its_input_stays_open() {
    let env = knowing();
    let note = env.path("process");
    let mut parent = Command::new("sh");
    env.prepare(&mut parent);
    let script = "exec 3<&0; \"$0\" mcp <&3 >/dev/null & echo $! >\"$1.new\"; mv \"$1.new\" \"$1\"; wait";
    parent.args(["-c", script, env!("CARGO_BIN_EXE_brv")]).arg(&note).stdin(Stdio::piped());
    let mut parent = parent.spawn().unwrap();
    let deadline = Instant::now() + super::wire::PATIENCE;
    let process = loop {
        assert!(Instant::now() < deadline);
        match std::fs::read_to_string(&note) {
            Ok(text) => break text.trim().to_owned(),
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    std::thread::sleep(Duration::from_millis(500));
    let runs = || {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        stat.contains("(brv)") && !stat.contains("(brv) Z")
    };
    assert!(runs());
    parent.kill().unwrap();
    let start = Instant::now();
    while runs() {
        assert!(start.elapsed() < SOON, "it outlives its parent");
        std::thread::sleep(Duration::from_millis(10));
    }
    parent.wait().unwrap();
}
