//! Tier 4: a model that searches, reads, lists and follows links, within bounds.

use super::{OPEN, Scripted, knowledge, paths, value, verdict, warnings};
use serde_json::Value;

fn call(tool: &str, arguments: Value) -> String {
    format!("I look.\n{}", value!({ "tool": tool, "arguments": arguments }))
}

/// The arguments of `brv query` that let a model look.
const LOOK: [&str; 3] = ["--tier-max", "4", "--explain"];

fn nothing() -> String {
    value!({ "answer": null, "cited": [], "covered": true }).to_string()
}

#[test]
fn a_model_that_looks_gets_numbers_for_what_it_finds() {
    let model = Scripted::new(
        knowledge(),
        &[
            &nothing(),
            &call("search", value!({ "text": "WAL archives backup" })),
            &call("list", value!({ "folder": "storage" })),
            &call("links", value!({ "path": "auth/keys/key_rotation.md" })),
            &call("read", value!({ "path": "storage/database/primary_store" })),
            &verdict("Hourly.", &[]),
        ],
    );
    let (ran, data) = model.query(OPEN, &LOOK);
    assert_eq!((ran.code, data["by"].as_str()), (0, Some("passages")), "uncited: {data}");
    let steps = data["explain"]["steps"].as_array().unwrap();
    let tools: Vec<&str> = steps.iter().map(|step| step["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["search", "list", "links", "read"]);
    assert!(steps[0]["arguments"]["text"] == "WAL archives backup" && steps[0]["ms"].is_u64(), "{steps:?}");
    let last = model.prompts().pop().unwrap();
    let number: i64 = {
        let read = last.rfind("Passage ").map(|at| &last[at + 8..]).unwrap();
        read.split_whitespace().next().unwrap().parse().unwrap()
    };
    assert!(last.contains("linked from storage/cache/redis_usage.md"), "{last}");
    assert!(last.contains("storage/database/"), "{last}");

    model.answers(&[
        &nothing(),
        &call("read", value!({ "path": "storage/database/primary_store.md" })),
        &verdict("Hourly.", &[number - 1, 1, number + 40]),
    ]);
    let (ran, data) = model.query(OPEN, &[&LOOK[..], &["--no-cache"]].concat());
    assert_eq!((ran.code, data["tier"].as_u64(), data["by"].as_str()), (0, Some(4), Some("agent")), "{data}");
    assert_eq!((data["answer"].as_str(), data["model"]["calls"].as_u64()), (Some("Hourly."), Some(3)));
    let without = model.query(OPEN, &LOOK[..2]).1;
    assert_eq!((without["by"].as_str(), without["answer"].as_str()), (Some("cache"), Some("Hourly.")));
}

#[test]
fn tier_4_must_be_named_and_follows_a_tier_3_without_a_cited_answer() {
    let model = Scripted::new(knowledge(), &[&nothing(), &verdict("Ten minutes.", &[1])]);
    let (ran, data) = model.query(OPEN, &[]);
    assert_eq!((data["by"].as_str(), model.calls()), (Some("passages"), 1), "{data}");
    assert!(warnings(&ran).contains("found no answer"), "{}", ran.stdout);
    model.answers(&[&verdict("Nine.", &[1]), &verdict("Ten minutes.", &[1])]);
    let (_, data) = model.query(OPEN, &LOOK);
    assert_eq!((data["by"].as_str(), data["tier"].as_u64(), model.calls()), (Some("model"), Some(3), 1));
    model.answers(&[&verdict("Nine.", &[77]), &verdict("Ten minutes.", &[1])]);
    let (_, data) = model.query(OPEN, &[&LOOK[..], &["--no-cache"]].concat());
    assert_eq!(
        (data["by"].as_str(), data["answer"].as_str(), model.calls()),
        (Some("agent"), Some("Ten minutes."), 2)
    );
}

#[test]
fn wrong_calls_are_answered_and_end_nothing() {
    let model = Scripted::new(
        knowledge(),
        &[
            &nothing(),
            &call("read", value!({ "path": "auth/keys/key_rotatoin.md" })),
            &call("read", value!({ "path": "../../../etc/passwd" })),
            &call("read", value!({ "path": ".brv/config" })),
            &call("search", value!({ "text": "keys", "folder": "nowhere" })),
            &call("search", value!({})),
            &call("links", value!("{path")),
            &call("list", value!({ "folder": 3 })),
            &call("delete", value!({ "path": "auth" })),
            "I give up.",
            &verdict("Ten minutes.", &[1]),
        ],
    );
    let (ran, data) = model.query(OPEN, &LOOK);
    assert_eq!((ran.code, data["by"].as_str()), (0, Some("agent")), "{data}");
    let last = model.prompts().pop().unwrap();
    for told in [
        "auth/keys/key_rotation.md",
        "`../../../etc/passwd` is not there",
        "`nowhere` is not there",
        "`text` is missing",
        "must be a JSON object",
        "`folder` must be a text",
    ] {
        assert!(last.contains(told), "{told}: {last}");
    }
    assert!(!last.contains("root:"), "{last}");
}

#[test]
fn a_loop_that_never_ends_is_stopped() {
    let model = Scripted::new(knowledge(), &[&nothing(), &call("list", value!({}))]);
    let (ran, data) = model.query(OPEN, &LOOK);
    assert_eq!((ran.code, data["by"].as_str()), (0, Some("passages")), "{data}");
    assert!(
        data["explain"]["steps"].as_array().unwrap().len() <= 50 && model.calls() == 51,
        "{}",
        model.calls()
    );
    assert!(warnings(&ran).contains("50 steps"), "{}", ran.stdout);
    assert!(model.prompts()[50].contains("answer now"), "{}", model.prompts()[50]);
}

#[test]
fn a_scope_holds_for_the_tools() {
    let model = Scripted::new(
        knowledge(),
        &[
            &nothing(),
            &call("read", value!({ "path": "auth/keys/key_rotation.md" })),
            &call("search", value!({ "text": "signing keys rotate" })),
            &call("list", value!({ "folder": "auth" })),
            &call("links", value!({ "path": "storage/cache/redis_usage.md" })),
            &nothing(),
        ],
    );
    let question = "Which sessions and backups does the engine or Redis keep?";
    let (ran, data) = model.query(question, &[&LOOK[..], &["--scope", "storage"]].concat());
    assert_eq!(ran.code, 0);
    assert!(!paths(&data["passages"]).is_empty(), "{data}");
    let prompts = model.prompts().concat();
    assert!(
        model.calls() > 4 && !prompts.contains("ninety days") && !prompts.contains("Key rotation"),
        "{prompts}"
    );
}

#[test]
fn what_is_only_near_is_looked_into_if_tier_4_is_named() {
    let model = Scripted::new(knowledge(), &[&verdict("Ninety days.", &[1])]);
    let question = "Which vendor mails keys to auditors?";
    let (_, near) = model.query(question, &["--no-model"]);
    assert_eq!(near["message"], "nothing certain", "{near}");
    assert_eq!(model.query(question, &[]).1["message"], "nothing certain");
    assert_eq!(model.calls(), 0);
    let (_, data) = model.query(question, &LOOK);
    assert_eq!(
        (data["by"].as_str(), data["covered"].as_bool(), model.calls()),
        (Some("agent"), Some(true), 1)
    );
    assert!(data.get("nearest").is_none() && data.get("message").is_none(), "{data}");
}

#[test]
fn an_answer_with_many_calls_has_eight_of_them_run() {
    let many: Vec<String> = (0..10).map(|_| call("search", value!({ "text": "WAL" }))).collect();
    let model = Scripted::new(knowledge(), &[&nothing(), &many.join("\n"), &verdict("Ten minutes.", &[1])]);
    let (ran, data) = model.query(OPEN, &LOOK);
    assert_eq!((ran.code, data["by"].as_str()), (0, Some("agent")), "{data}");
    assert_eq!(data["explain"]["steps"].as_array().unwrap().len(), 8, "{data}");
    let last = model.prompts().pop().unwrap();
    assert_eq!(last.matches("at most 8 calls at once").count(), 2, "{last}");
}
