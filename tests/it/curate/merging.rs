//! MERGE of two entries: nothing of either is lost, and links follow.

use super::{ENTRY, apply, curated, read};
use crate::env::tree;
use serde_json::json as value;

#[test]
fn links_follow_an_entry_that_goes_into_another_one() {
    let env = curated();
    let operations = value!([
        {"type": "ADD", "path": "auth/keys", "title": "Keys", "reason": "r", "markdown": "See [the note](note.md) and [tokens](../tokens/token_lifetime.md).\n"},
        {"type": "ADD", "path": "auth/keys", "title": "Note", "reason": "r", "related": ["auth/keys/keys"], "markdown": "See [keys](keys.md).\n"},
        {"type": "ADD", "path": "ops/x", "title": "Far", "reason": "r", "related": ["auth/keys/keys.md"], "markdown": "A [link](../../auth/keys/keys.md#rules).\n"},
    ]);
    assert_eq!(apply(&env, &operations).0.code, 0);
    let (ran, data) = apply(
        &env,
        &value!([{"type": "MERGE", "path": ENTRY, "source": "auth/keys/keys", "reason": "one topic"}]),
    );
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(data["applied"][0]["relinked"], value!(["auth/keys/note.md", "ops/x/far.md"]));
    assert_eq!(data["applied"][0]["review"], value!(["merged"]));
    assert!(read(&env, "ops/x/far.md").contains("(../../auth/tokens/token_lifetime.md#rules)"));
    assert!(read(&env, "ops/x/far.md").contains("related: [auth/tokens/token_lifetime.md]"));
    assert!(read(&env, "auth/keys/note.md").contains("(../tokens/token_lifetime.md)"));
    let merged = read(&env, ENTRY);
    assert!(merged.contains("[the note](../keys/note.md)"), "{merged}");
    assert!(merged.contains("consolidated_from: [\"auth/keys/keys.md\"]"), "{merged}");
    assert!(merged.contains("Rotate keys weekly") && merged.contains("See [the note]"), "{merged}");
    assert!(!tree(&env).join("auth/keys/keys.md").exists());
    assert_eq!(env.brv(&["links", "--broken"]).code, 0);
}

#[test]
fn two_claims_about_one_subject_are_both_kept_and_named() {
    let env = curated();
    let operations = value!([
        {"type": "ADD", "path": "auth/keys", "title": "Other", "reason": "r", "content": {"facts": [{"subject": "lifetime", "statement": "1 hour"}]}},
        {"type": "MERGE", "path": ENTRY, "source": "auth/keys/other", "reason": "r"},
    ]);
    let (ran, data) = apply(&env, &operations);
    assert_eq!(ran.code, 0, "{data}");
    assert_eq!(data["applied"][1]["disputed"], value!(["lifetime"]));
    let text = read(&env, ENTRY);
    assert!(
        text.contains("1 hour") && text.contains("24 hours") && text.contains("disputed: [lifetime]"),
        "{text}"
    );
    let settle = value!([{"type": "UPDATE", "path": ENTRY, "reason": "asked", "content": {"facts": [{"subject": "lifetime", "statement": "1 hour"}]}}]);
    let (_, data) = apply(&env, &settle);
    assert!(data["applied"][0]["disputed"].is_null(), "{data}");
    assert!(!read(&env, ENTRY).contains("disputed"));
}
