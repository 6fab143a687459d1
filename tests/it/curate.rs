//! `brv curate`: what becomes of operations, in one commit of exactly their paths.

mod apart;
mod bad_input;
mod landing;
mod merging;
mod titles;

use crate::env::{Env, Ran, tree};
use crate::init::{json, project};
use serde_json::{Value, json as value};

/// A project with an identity, one committed entry and its overviews.
pub fn curated() -> Env {
    let env = project(&[]);
    let first = value!([{
        "type": "ADD", "path": "auth/tokens", "title": "Token lifetime", "reason": "start",
        "summary": "How long tokens live", "tags": ["auth"],
        "markdown": "Rotate keys weekly, and never by hand.\n\n## Facts\n- **lifetime**: 24 hours [project]\n- **issuer**: the gate\n",
    }]);
    assert_eq!(apply(&env, &first).0.code, 0);
    env
}

/// Apply operations; returns the run and its data.
pub fn apply(env: &Env, operations: &Value) -> (Ran, Value) {
    apply_with(env, operations, &[])
}

pub fn apply_with(env: &Env, operations: &Value, flags: &[&str]) -> (Ran, Value) {
    let arguments = [&["curate", "--ops", "-", "--json"], flags].concat();
    let ran = env.brv_reading(&arguments, operations.to_string().as_bytes());
    let data = json(&ran.stdout)["data"].clone();
    (ran, data)
}

pub const ENTRY: &str = "auth/tokens/token_lifetime.md";

pub fn read(env: &Env, path: &str) -> String {
    std::fs::read_to_string(tree(env).join(path)).unwrap()
}

pub fn message(env: &Env) -> String {
    env.git(&tree(env), &["log", "-1", "--format=%B"])
}

#[test]
fn five_operations_are_applied_in_order_and_answered_one_by_one() {
    let env = curated();
    let operations = value!({"operations": [
        {"type": "ADD", "path": "auth/keys", "title": "Signing Keys", "reason": "audit", "related": ["auth/tokens/token_lifetime", "auth/nowhere"],
         "content": {"narrative": {"rules": "Rotate weekly."}, "facts": [{"subject": "count", "statement": "two keys", "category": "project"}]}},
        {"type": "UPDATE", "path": "auth/tokens/token_lifetime", "reason": "measured", "content": {"facts": [{"subject": "lifetime", "statement": "12 hours"}]}},
        {"type": "UPSERT", "path": "auth/old", "title": "Old", "reason": "import", "markdown": "Old text.\n"},
        {"type": "MERGE", "path": "auth/keys", "title": "signing keys", "source": "auth/old/old", "reason": "same topic"},
        {"type": "DELETE", "path": ENTRY, "reason": "obsolete"},
        {"type": "UPSERT", "path": "auth/keys/signing_keys.md", "reason": "nothing new", "content": {"facts": [{"subject": "count", "statement": "two keys"}]}},
    ]});
    let (ran, data) = apply(&env, &operations);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let summary = value!({"added": 2, "deleted": 1, "updated": 1, "merged": 1, "failed": 0});
    assert_eq!(data["summary"], summary, "{data}");
    let rows: Vec<(&str, &str)> = data["applied"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["message"].as_str().unwrap(), row["file"].as_str().unwrap()))
        .collect();
    let keys = "auth/keys/signing_keys.md";
    let expected = [
        ("added", keys),
        ("updated", ENTRY),
        ("added", "auth/old/old.md"),
        ("merged", keys),
        ("deleted", ENTRY),
        ("unchanged", keys),
    ];
    assert_eq!(rows, expected);
    assert_eq!(data["applied"][0]["made"], value!(["auth/keys/context.md"]));
    assert_eq!(data["applied"][0]["dropped_relations"], value!(["auth/nowhere"]));
    assert_eq!(data["applied"][3]["removed"], value!(["auth/old/old.md", "auth/old/context.md"]));
    assert_eq!(data["applied"][4]["review"], value!(["deleted"]));
    assert!(json(&ran.stdout)["warnings"][0].as_str().unwrap().contains("auth/nowhere"), "{}", ran.stdout);
    let text = read(&env, keys);
    assert!(
        text.contains("Rotate weekly.")
            && text.contains("Old text.")
            && text.contains("- **count**: two keys [project]"),
        "{text}"
    );
    assert!(!tree(&env).join("auth/old").exists(), "an empty folder stays");
    let message = message(&env);
    assert!(
        message.starts_with("curate: 4 operations\n\n- ADD auth/keys/signing_keys.md: audit\n- UPDATE "),
        "{message}"
    );
    assert!(message.contains("\nBrv-Reason: auth/keys/signing_keys.md: audit; same topic"), "{message}");
    assert!(message.contains(&format!("\nBrv-Review: {ENTRY} deleted\n")), "{message}");
    assert_eq!(env.brv(&["vc", "status", "--json"]).code, 0);
    assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), "");
}

#[test]
fn only_what_an_operation_names_changes() {
    let env = curated();
    let file = tree(&env).join(ENTRY);
    let before = "---\n# kept\ntitle: 'Token lifetime'\nmood: calm   # odd\nsummary: s\nrelated: []\n---\n\nText  with  blanks.\n\n## Facts\n- **lifetime**: 24 hours [project]\n- loose\n\n## Narrative\n### Rules\nBe kind.\n";
    std::fs::write(&file, before).unwrap();
    assert_eq!(env.brv(&["vc", "commit", "-a", "-m", "by hand"]).code, 0);
    let (ran, _) = apply(
        &env,
        &value!([{"type": "UPDATE", "path": ENTRY, "reason": "r", "content": {"facts": [{"subject": "Lifetime", "statement": "12 hours"}]}}]),
    );
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let after = read(&env, ENTRY);
    let changed: Vec<&str> = after.lines().filter(|line| !before.lines().any(|old| old == *line)).collect();
    assert_eq!(changed.len(), 2, "{after}");
    assert_eq!(changed[1], "- **lifetime**: 12 hours [project]");
    assert!(changed[0].starts_with("updatedAt: "), "{after}");
}

#[test]
fn what_is_applied_again_changes_nothing() {
    let env = curated();
    let operations = value!([{"type": "UPSERT", "path": "auth/tokens", "title": "Token lifetime", "reason": "again",
        "summary": "How long tokens live", "tags": ["auth"],
        "markdown": "## Facts\n- **lifetime**: 24 hours [project]\n- **issuer**: the gate\n"}]);
    let head = env.git(&tree(&env), &["rev-parse", "HEAD"]);
    let (ran, data) = apply(&env, &operations);
    assert_eq!(ran.code, 0);
    assert_eq!(data["applied"][0]["message"], "unchanged", "{data}");
    assert!(data["commit"].is_null() && data["operation"].is_null(), "{data}");
    assert_eq!(env.git(&tree(&env), &["rev-parse", "HEAD"]), head);
}

#[test]
fn add_then_delete_leaves_the_tree_as_it_was() {
    let env = curated();
    let trees = || env.git(&tree(&env), &["rev-parse", "HEAD^{tree}"]);
    let before = trees();
    let add =
        value!({"type": "ADD", "path": "new/topic/sub", "title": "Entry", "reason": "r", "markdown": "x\n"});
    let delete = value!({"type": "DELETE", "path": "new/topic/sub/entry.md", "reason": "r"});
    let (_, data) = apply(&env, &value!([add]));
    assert_eq!(
        data["applied"][0]["made"],
        value!(["new/context.md", "new/topic/context.md", "new/topic/sub/context.md"])
    );
    let (_, data) = apply(&env, &value!([delete]));
    assert_eq!(data["applied"][0]["removed"].as_array().unwrap().len(), 3, "{data}");
    assert_eq!(trees(), before);
    let (ran, data) = apply(&env, &value!([add, delete]));
    assert_eq!((ran.code, data["commit"].is_null()), (0, true), "{data}");
    // an overview with words of a person stays
    apply(&env, &value!([add]));
    std::fs::write(tree(&env).join("new/topic/context.md"), "# Topic: topic\n\nMine.\n").unwrap();
    let (_, data) = apply(&env, &value!([delete]));
    assert_eq!(data["applied"][0]["removed"], value!(["new/topic/sub/context.md"]), "{data}");
}

#[test]
fn relations_within_a_list_may_lead_to_entries_that_come_later() {
    let env = curated();
    let operations = value!([
        {"type": "ADD", "path": "a/b", "title": "One", "reason": "r", "related": ["a/b/two", "a/b/three", "auth/tokens", "auth/_index.md"], "markdown": "1\n"},
        {"type": "ADD", "path": "a/b", "title": "Two", "reason": "r", "markdown": "2\n"},
        {"type": "ADD", "path": "a/b", "title": "Three", "reason": "", "markdown": "3\n"},
    ]);
    let (ran, data) = apply(&env, &operations);
    assert_eq!(ran.code, 1);
    assert_eq!(data["applied"][0]["dropped_relations"], value!(["a/b/three", "auth/_index.md"]), "{data}");
    assert!(read(&env, "a/b/one.md").contains("related: [a/b/two, auth/tokens]"));
}

#[test]
fn a_folder_is_deleted_as_a_whole_where_that_is_asked_for_and_always_reviewed() {
    let env = curated();
    std::fs::write(tree(&env).join("auth/notes.txt"), "foreign").unwrap();
    let (ran, data) =
        apply(&env, &value!([{"type": "DELETE", "path": "auth", "recursive": true, "reason": "moved away"}]));
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(data["applied"][0]["removed"].as_array().unwrap().len(), 3, "{data}");
    assert_eq!(env.git(&tree(&env), &["ls-files"]), "");
    assert!(tree(&env).join("auth/notes.txt").exists());
    assert_eq!(message(&env).matches("Brv-Review: ").count(), 3, "{}", message(&env));
    assert_eq!(env.brv(&["undo"]).code, 0);
    assert_eq!(env.git(&tree(&env), &["ls-files"]).lines().count(), 3);
}

#[test]
fn one_operation_is_said_with_flags() {
    let env = curated();
    let arguments = [
        "curate",
        "Text of mine.",
        "--into",
        "ops/deploy",
        "--title",
        "Rollback",
        "--reason",
        "seen",
        "--fact",
        "window: 10 minutes [project]",
        "--fact",
        "loose",
    ];
    let ran = env.brv(&arguments);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("added     ops/deploy/rollback.md"), "{}", ran.stdout);
    let text = read(&env, "ops/deploy/rollback.md");
    assert!(
        text.ends_with("\n---\n\nText of mine.\n\n## Facts\n- **window**: 10 minutes [project]\n- loose\n"),
        "{text}"
    );
    assert!(
        message(&env).starts_with("seen\n\n- UPSERT ops/deploy/rollback.md: seen\n\nBrv-Op: "),
        "{}",
        message(&env)
    );
    let file = env.path("body.md");
    std::fs::write(&file, "Only this.\n").unwrap();
    let ran = env.brv(&[
        "curate",
        "--file",
        "body.md",
        "--replace",
        "--type",
        "update",
        "--into",
        "ops/deploy",
        "--title",
        "Rollback",
        "--reason",
        "short",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(read(&env, "ops/deploy/rollback.md").ends_with("\n---\n\nOnly this.\n"));
    for wrong in [
        &["curate"][..],
        &["curate", "x", "--into", "a/b"],
        &["curate", "x", "--ops", "-"],
        &["curate", "--ops", "none.json"],
    ] {
        assert_eq!(env.brv(wrong).code, 2, "{wrong:?}");
    }
}

#[test]
fn the_text_says_what_became_of_the_sections_and_what_is_lost() {
    let env = curated();
    let body =
        "Rotate weekly.\n\n## Setup {#id}\n\n- one\n- two\n\n## Notes\n\nfirst\n\n## Notes\n\nsecond\n";
    let run = |body: &str, flags: &[&str]| {
        let first = ["curate", body, "--into", "ops/keys", "--title", "Keys", "--reason", "r"];
        let ran = env.brv(&[&first, flags].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout
    };
    run(body, &[]);
    let said = run("updated", &[]);
    assert!(said.contains("ops/keys/keys.md\n          extended the lead\n1 operation: 1 updated"), "{said}");
    assert_eq!(
        read(&env, "ops/keys/keys.md").matches("Rotate weekly.\n\nupdated\n\n## Setup {#id}\n").count(),
        1
    );
    let said = run("updated", &[]);
    assert!(said.starts_with("unchanged"), "{said}");
    let said = run("## Setup\n\n- one\n- three\n\n## Notes\n\nthird\n\n## More\n\nx\n", &[]);
    let expected = "          replaced `Setup {#id}` (1 line lost), `Notes` (number 1 of 2 with this heading, 1 line lost)\n          added `More`\n";
    assert!(said.contains(expected), "{said}");
    let said = run("Short.", &["--replace"]);
    let expected = "          replaced the lead (2 lines lost)\n          removed `Setup {#id}` (2 lines lost), `Notes` (number 1 of 2 with this heading, 1 line lost), `Notes` (number 2 of 2 with this heading, 1 line lost), `More` (1 line lost)\n          review: more than 30 % of the body was removed\n";
    assert!(said.contains(expected), "{said}");
    let (_, data) = apply(
        &env,
        &value!([{"type": "UPDATE", "path": "ops/keys/keys.md", "reason": "r", "markdown": "## New\ny\n"}]),
    );
    let sections = value!([{"headings": ["New"], "change": "added", "lines_lost": 0}]);
    assert_eq!(data["applied"][0]["sections"], sections);
}

#[test]
fn a_dry_run_writes_nothing_and_shows_what_would_change() {
    let env = curated();
    let picture = || crate::lab::picture(env.root(), &crate::lab::is_volatile);
    let before = picture();
    let operations = value!([{"type": "UPDATE", "path": ENTRY, "reason": "r", "content": {"facts": [{"subject": "lifetime", "statement": "1 hour"}]}}, {"type": "ADD", "path": "x/y", "title": "Z", "reason": "r"}]);
    let (ran, data) = apply_with(&env, &operations, &["--dry-run"]);
    assert_eq!(ran.code, 0);
    let paths: Vec<&str> =
        data["entries"].as_array().unwrap().iter().map(|entry| entry["path"].as_str().unwrap()).collect();
    assert_eq!(paths, [ENTRY, "x/context.md", "x/y/context.md", "x/y/z.md"], "{data}");
    let text = env.brv_reading(&["curate", "--ops", "-", "-n"], operations.to_string().as_bytes()).stdout;
    assert!(
        text.contains("1 fact changed (lifetime)") && text.contains("Would apply 2 operations"),
        "{text}"
    );
    assert_eq!(picture(), before);
}
