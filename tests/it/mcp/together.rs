//! What others do to the tree while a server serves it.

use super::wire::{Era, Wire};
use super::{connected, knowing, served};
use crate::env::tree;
use crate::init::write;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const ENTRY: &str = "auth/tokens/token_lifetime.md";

fn fact(subject: &str) -> Value {
    let facts = json!([{"subject": subject, "statement": format!("{subject} holds")}]);
    json!({"operations": [{"type": "UPSERT", "path": "shared/notes", "title": "Notes", "reason": "told", "content": {"facts": facts}}]})
}

#[test]
fn another_branch_and_an_edit_by_hand_are_seen_at_the_next_call() {
    let env = knowing();
    let tree = tree(&env);
    let mut wire = connected(&env);
    let read = |wire: &mut Wire| wire.text("brv-read", &json!({"path": ENTRY}));
    let search = |wire: &mut Wire, text: &str| wire.text("brv-search", &json!({"text": text}));
    assert!(read(&mut wire).contains("24 hours"));
    env.git(&tree, &["switch", "-q", "-c", "other"]);
    let text = std::fs::read_to_string(tree.join(ENTRY)).unwrap().replace("24 hours", "ninety fortnights");
    env.commit(&tree, &[(ENTRY, &text)]);
    assert!(read(&mut wire).contains("ninety fortnights"));
    assert!(search(&mut wire, "fortnights").contains(ENTRY));
    env.git(&tree, &["switch", "-q", "main"]);
    assert!(read(&mut wire).contains("24 hours"));
    write(&env, &[(ENTRY, &text.replace("fortnights", "millennia"))]);
    assert!(read(&mut wire).contains("millennia"));
    assert!(search(&mut wire, "millennia").contains(ENTRY));
    // what a person changed and did not commit stays his
    let answer = wire.tool("brv-curate", &fact("one"));
    assert_ne!(answer["isError"], true, "{answer}");
    assert!(env.git(&tree, &["status", "--porcelain"]).contains(ENTRY));
    assert!(!env.git(&tree, &["show", "--stat", "HEAD"]).contains(ENTRY));
}

#[test]
fn two_clients_that_curate_the_same_entry_lose_nothing() {
    let env = knowing();
    std::thread::scope(|scope| {
        for (client, era) in [("left", Era::Initialize), ("right", Era::Stateless)] {
            let env = &env;
            scope.spawn(move || {
                let mut wire = Wire::start(served(env), era);
                for number in 0..15 {
                    let result = wire.tool("brv-curate", &fact(&format!("{client} {number}")));
                    assert_ne!(result["isError"], true, "{result}");
                }
            });
        }
    });
    let text = std::fs::read_to_string(tree(&env).join("shared/notes/notes.md")).unwrap();
    for client in ["left", "right"] {
        (0..15).for_each(|number| assert!(text.contains(&format!("{client} {number} holds")), "{text}"));
    }
    assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), "");
}

/// More calls than run at a time, from three hosts, through a gateway that makes texts of all arguments.
#[test]
fn three_hosts_that_send_everything_at_once_lose_nothing() {
    const CALLS: usize = 20;
    let env = knowing();
    std::thread::scope(|scope| {
        for host in ["claude", "codex", "cursor"] {
            let env = &env;
            scope.spawn(move || {
                let mut wire = Wire::start(served(env), Era::Initialize);
                let call = |number: usize| {
                    let operations = fact(&format!("{host} {number}"))["operations"].to_string();
                    json!({"name": "brv-curate", "arguments": {"operations": operations, "dry_run": "false"}})
                };
                let ask = |wire: &mut Wire, number: usize| (wire.ask("tools/call", call(number)), number);
                let mut open: BTreeMap<u64, usize> =
                    (0..CALLS).map(|number| ask(&mut wire, number)).collect();
                while !open.is_empty() {
                    let answer = wire.answer();
                    let number = answer["id"].as_u64().and_then(|id| open.remove(&id)).expect("one of ours");
                    let result = &answer["result"];
                    // a caller that waits too long on a busy machine gets "try again"
                    if result["structuredContent"]["error"]["code"] == "busy" {
                        open.extend([ask(&mut wire, number)]);
                    } else {
                        assert_eq!(result["isError"], false, "{answer}");
                    }
                }
            });
        }
    });
    let text = std::fs::read_to_string(tree(&env).join("shared/notes/notes.md")).unwrap();
    for host in ["claude", "codex", "cursor"] {
        (0..CALLS).for_each(|number| assert!(text.contains(&format!("{host} {number} holds")), "{text}"));
    }
    assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), "");
}

/// What `write` does is announced, and soon.
fn announced(wire: &Wire, write: impl FnOnce()) {
    while wire.next_within(Duration::from_millis(50)).is_some() {}
    write();
    let start = Instant::now();
    let line = wire.next_within(Duration::from_secs(20)).expect("the change is announced");
    assert_eq!(line["method"], "notifications/resources/updated", "{line}");
    assert_eq!(line["params"]["uri"], "brv://tree", "{line}");
    assert!(
        start.elapsed() < Duration::from_secs(15),
        "five seconds are promised; a busy machine may take longer"
    );
}

#[test]
fn what_brv_and_git_write_elsewhere_is_announced() {
    let env = knowing();
    let mut older = connected(&env);
    assert_eq!(older.request("resources/subscribe", json!({"uri": "brv://tree"}))["result"], json!({}));
    let mut newer = Wire::start(served(&env), Era::Stateless);
    newer.ask("subscriptions/listen", json!({"notifications": {"resourceSubscriptions": ["brv://tree"]}}));
    let first = newer.next_within(super::wire::PATIENCE).unwrap();
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    for wire in [&older, &newer] {
        announced(wire, || drop(env.commit(&tree(&env), &[("a/b/c.md", "# C\n")])));
        announced(wire, || drop(env.git(&tree(&env), &["commit", "-q", "--allow-empty", "-m", "x"])));
        let operations = fact("two")["operations"].to_string();
        announced(wire, || {
            assert_eq!(env.brv_reading(&["curate", "--ops", "-"], operations.as_bytes()).code, 0)
        });
        assert_eq!(env.brv(&["undo"]).code, 0);
    }
}
