//! How much a server does at a time, and how much memory it keeps.

use super::wire::{PATIENCE, Wire};
use super::{connected, fill, knowing, wait_for_ever};
use crate::env::{Env, tree};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const AT_A_TIME: usize = 16;

/// Calls that never end; their ids.
fn never_end(wire: &mut Wire, count: usize) -> Vec<u64> {
    let sync = json!({"name": "brv-sync", "arguments": {}});
    (0..count).map(|_| wire.ask("tools/call", sync.clone())).collect()
}

/// Wait until so many calls are under way, and see that there are no more.
fn under_way(taken: &AtomicUsize, count: usize) {
    let start = Instant::now();
    while taken.load(Ordering::SeqCst) < count {
        assert!(start.elapsed() < PATIENCE, "{} of {count}", taken.load(Ordering::SeqCst));
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(taken.load(Ordering::SeqCst), count);
}

fn cancel(wire: &mut Wire, id: u64) {
    let params = json!({"requestId": id});
    wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string());
}

#[test]
fn sixteen_calls_run_at_a_time_and_the_rest_waits_in_order() {
    let env = Env::new();
    let taken = wait_for_ever(&env, env.root());
    fill(&env);
    let mut wire = connected(&env);
    let ids = never_end(&mut wire, AT_A_TIME + 3);
    under_way(&taken, AT_A_TIME);
    let search = wire.ask("tools/call", json!({"name": "brv-search", "arguments": {"text": "rotate keys"}}));
    let last = wire.ask("tools/call", json!({"name": "brv-search", "arguments": {"text": "rotate keys"}}));
    // what needs no turn is answered
    let ping = wire.ask("ping", json!({}));
    assert_eq!(wire.answer()["id"], ping);
    // a call that waits may be cancelled, and is never run
    cancel(&mut wire, ids[AT_A_TIME]);
    for id in &ids[..2] {
        cancel(&mut wire, *id);
    }
    under_way(&taken, AT_A_TIME + 2);
    assert_eq!(wire.next_within(Duration::from_millis(300)), None);
    cancel(&mut wire, ids[2]);
    assert_eq!((wire.answer()["id"].clone(), wire.answer()["id"].clone()), (search.into(), last.into()));
}

#[test]
fn what_waits_at_the_end_of_the_input_is_dropped() {
    let env = Env::new();
    let taken = wait_for_ever(&env, env.root());
    fill(&env);
    let mut wire = connected(&env);
    never_end(&mut wire, AT_A_TIME);
    under_way(&taken, AT_A_TIME);
    let operations =
        json!([{"type": "ADD", "path": "a/b", "title": "C", "reason": "r", "markdown": "So it is."}]);
    let call = json!({"name": "brv-curate", "arguments": {"operations": operations}});
    let waiting: Vec<u64> = (0..40).map(|_| wire.ask("tools/call", call.clone())).collect();
    wire.hang_up();
    let gone = wire.gone_after();
    assert!(
        gone < Duration::from_secs(8),
        "five seconds are promised; a busy machine may take longer: {gone:?}"
    );
    assert!(!tree(&env).join("a/b/c.md").exists());
    // each is answered, so that nobody takes it for done
    let mut dropped: Vec<Value> = Vec::new();
    while let Some(line) = wire.next_within(Duration::from_millis(500)) {
        dropped.extend(line.get("error").map(|_| line["id"].clone()));
    }
    assert!(waiting.iter().all(|id| dropped.contains(&json!(id))), "{dropped:?}");
}

/// The memory of a process that no file stands behind, in kilobytes.
fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim_end_matches("kB").trim().parse().unwrap()
}

#[test]
fn memory_is_given_back_after_a_large_call() {
    let env = knowing();
    let mut wire = connected(&env);
    let call = |wire: &mut Wire, text: &str| {
        wire.tool("brv-search", &json!({"text": text}));
        wire.tool("brv-read", &json!({"path": text}));
        let operation = json!({"type": "ADD", "path": "a/b", "title": "C", "reason": "r", "markdown": text});
        wire.tool("brv-curate", &json!({"operations": [operation], "dry_run": true}));
        wire.tool("brv-curate", &json!({"operations": text}));
        wire.request("no/such/method", json!({"text": text}));
    };
    call(&mut wire, "rotate keys\n");
    std::thread::sleep(Duration::from_secs(1));
    let idle = memory(wire.process());
    call(&mut wire, &"rotate some keys\n".repeat((9 << 20) / 17));
    let start = Instant::now();
    while memory(wire.process()) > idle + 5 * 1024 {
        let now = memory(wire.process());
        assert!(start.elapsed() < Duration::from_secs(20), "{now} kB, {idle} kB before");
        std::thread::sleep(Duration::from_millis(100));
    }
}
