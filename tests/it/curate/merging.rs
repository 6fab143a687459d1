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
fn a_link_to_the_entry_that_goes_leads_to_the_one_that_stays() {
    let env = curated();
    let operations = value!([
        {"type": "ADD", "path": "mm/x", "title": "Old", "reason": "r", "markdown": "Says old.\n"},
        {"type": "ADD", "path": "mm/y", "title": "New", "reason": "r", "related": ["mm/x/old"], "markdown": "See [old](../x/old.md#why).\n"},
        {"type": "MERGE", "path": "mm/y/new.md", "source": "mm/x/old", "reason": "r"},
    ]);
    assert_eq!(apply(&env, &operations).0.code, 0);
    let text = read(&env, "mm/y/new.md");
    assert!(text.contains("[old](new.md#why)") && text.contains("Says old."), "{text}");
    assert!(!text.contains("related: [mm"), "{text}");
    assert_eq!(env.brv(&["links", "--broken"]).code, 0);
}

#[test]
fn links_follow_through_several_merges_of_one_list() {
    let env = curated();
    let add = |title: &str, related: &[&str]| value!({"type": "ADD", "path": "mm/x", "title": title, "reason": "r", "related": related, "markdown": format!("Says {title}.\n")});
    let merge =
        |path: &str, source: &str| value!({"type": "MERGE", "path": path, "source": source, "reason": "r"});
    let operations = value!([
        add("B", &[]),
        add("C", &[]),
        {"type": "ADD", "path": "mm/y", "title": "A", "reason": "r", "related": ["mm/x/b"], "markdown": "See [b](../x/b.md).\n"},
        {"type": "ADD", "path": "mm/z", "title": "Reader", "reason": "r", "related": ["mm/y/a", "mm/x/c.md", "mm/y"], "markdown": "[a](../y/a.md)\n"},
        merge("mm/x/b.md", "mm/y/a"),
        {"type": "ADD", "path": "mm/z", "title": "Late", "reason": "r", "related": ["mm/x/b"], "markdown": "x\n"},
        merge("mm/x/c.md", "mm/x/b"),
    ]);
    let (ran, data) = apply(&env, &operations);
    assert_eq!(ran.code, 0, "{data}");
    assert_eq!(data["applied"][4]["dropped_relations"], value!(["mm/y"]), "{data}");
    assert_eq!(data["applied"][6]["relinked"], value!(["mm/z/late.md", "mm/z/reader.md"]), "{data}");
    let reader = read(&env, "mm/z/reader.md");
    assert!(reader.contains("related: [mm/x/c]") && reader.contains("[a](../x/c.md)"), "{reader}");
    assert!(read(&env, "mm/z/late.md").contains("related: [mm/x/c]"));
    let text = read(&env, "mm/x/c.md");
    assert!(text.contains("Says B.") && text.contains("Says C.") && text.contains("See [b](c.md)"), "{text}");
    assert_eq!(env.brv(&["links", "--broken"]).code, 0);
}

#[test]
fn a_relation_to_a_folder_that_a_merge_empties_is_dropped_with_a_word() {
    let env = curated();
    let operations = value!([
        {"type": "ADD", "path": "mm/y", "title": "A", "reason": "r", "markdown": "a\n"},
        {"type": "ADD", "path": "mm/x", "title": "B", "reason": "r", "related": ["mm/y", "auth/tokens"], "markdown": "b\n"},
        {"type": "MERGE", "path": "mm/x/b.md", "source": "mm/y/a", "reason": "r"},
    ]);
    let (ran, data) = apply(&env, &operations);
    assert_eq!(ran.code, 0, "{data}");
    assert_eq!(data["applied"][2]["dropped_relations"], value!(["mm/y"]));
    assert!(read(&env, "mm/x/b.md").contains("related: [auth/tokens]"));
}

#[test]
fn the_last_entry_of_a_folder_takes_its_overview_along_in_whatever_order_they_go() {
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let env = curated();
        let add: Vec<_> = (0..3)
            .map(|at| value!({"type": "ADD", "path": "new/topic", "title": format!("E {at}"), "reason": "r", "markdown": "x\n"}))
            .collect();
        assert_eq!(apply(&env, &value!(add)).0.code, 0);
        let delete: Vec<_> = order
            .iter()
            .map(|at| value!({"type": "DELETE", "path": format!("new/topic/e_{at}.md"), "reason": "r"}))
            .collect();
        let (_, data) = apply(&env, &value!(delete));
        let removed: Vec<usize> =
            (0..3).map(|at| data["applied"][at]["removed"].as_array().map_or(0, Vec::len)).collect();
        // the overview of the topic names the first entry
        let all = usize::from(order[2] == 0) * 2;
        assert_eq!(removed, [0, 0, all], "{data}");
    }
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
