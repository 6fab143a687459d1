//! Property tests of curation, over random content.

use super::apply::{Act, Applied, Setting, Sides, apply};
use super::operation::read;
use crate::doc::{Concept, Document, EntryBody, render};
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use proptest::prelude::*;
use serde_json::{Value, json};

const LATER: i64 = 1_900_000_000;

/// Lines that agents write, and some that look like structure.
const LINES: [&str; 30] = [
    "Tokens live for a day.",
    "a",
    "- item",
    "- **s**: x [team]",
    "1. first",
    "# heading",
    "### Rules",
    "## Facts",
    "```",
    "```rust",
    "~~~~",
    "| a |",
    "|---|",
    "> quoted",
    "---",
    "===",
    "**Task:** x",
    "[r]: x.md",
    "    code",
    "",
    "",
    "`x`",
    "x: y",
    "é漢",
    "*",
    "<div>",
    "<!-- c -->",
    "[a](b.md)",
    "@a/b.md",
    "\\",
];

fn text() -> impl Strategy<Value = String> {
    let lines = prop::collection::vec(prop::sample::select(&LINES[..]), 0..6);
    prop_oneof![lines.prop_map(|lines| lines.join("\n")), "[a-z :#*]{0,12}"]
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 0..3)
}

fn facts() -> impl Strategy<Value = Vec<Value>> {
    let subject = prop::option::of(prop::sample::select(&["ttl", "Region", "a b"][..]));
    let category = prop::option::of(prop::sample::select(&["team", "other"][..]));
    let fact = (subject, "[a-z]{1,3}( [a-z]{1,3}){0,2}", category);
    let fact = fact.prop_map(|(subject, statement, category)| {
        json!({"subject": subject, "statement": statement, "category": category})
    });
    prop::collection::vec(fact, 0..4)
}

fn content() -> impl Strategy<Value = Value> {
    (text(), texts(), text(), text(), text(), texts(), facts()).prop_map(
        |(task, files, flow, rules, structure, snippets, facts)| {
            json!({
                "raw_concept": {"task": task, "files": files, "flow": flow},
                "narrative": {"rules": rules, "structure": structure},
                "snippets": snippets,
                "facts": facts,
            })
        },
    )
}

fn run(value: Value, current: Option<&[u8]>, base: Option<&[u8]>, now: i64) -> Option<Applied> {
    let operation = read(value).operation.ok()?;
    let path = TreePath::parse(b"a/b/c.md").expect("portable");
    let sides = Sides { path: &path, by_title: true, current, base, source: None };
    apply(&operation, &sides, &Setting { now, leads: &|_| true }).ok()
}

fn with(kind: &str, more: &Value) -> Value {
    let mut all = json!({"type": kind, "path": "a/b", "title": "C", "reason": "r"});
    all.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    all
}

/// The content of an entry as an operation would give it back.
fn given_back(content: &EntryBody) -> Value {
    let Concept { task, changes, files, flow, timestamp, author, patterns } = content.concept.clone();
    let narrative = &content.narrative;
    let facts: Vec<Value> = content
        .facts
        .iter()
        .map(|fact| {
            let category = fact.category.map(|category| category.as_str());
            json!({"subject": fact.subject, "statement": fact.statement, "category": category})
        })
        .collect();
    json!({
        "raw_concept": {
            "task": task, "changes": changes, "files": files, "flow": flow,
            "timestamp": timestamp, "author": author, "patterns": patterns,
        },
        "narrative": {
            "structure": narrative.structure, "dependencies": narrative.dependencies,
            "highlights": narrative.highlights, "rules": narrative.rules,
            "examples": narrative.examples, "diagrams": narrative.diagrams,
        },
        "snippets": content.snippets,
        "facts": facts,
    })
}

proptest! {
    #![proptest_config(crate::cases::held_to(128))]

    #[test]
    fn curating_an_entry_rendered_from_its_own_parse_changes_nothing(
        content in content(), tags in texts(), replace in any::<bool>(),
    ) {
        let Some(added) = run(with("ADD", &json!({"content": content, "tags": tags})), None, None, 1_000) else {
            return Ok(());
        };
        let bytes = added.bytes.expect("added");
        let document = Document::parse(bytes.clone());
        let parsed = EntryBody::of(&document);
        let rendered = render::body(&parsed);
        prop_assert_eq!(rendered.as_deref(), Ok(document.body().strip_prefix('\n').unwrap_or("")));
        let meta = document.meta();
        let own = json!({
            "content": given_back(&parsed), "tags": meta.tags, "summary": "",
            "replace": replace && !parsed.is_empty(),
        });
        let again = run(with("UPDATE", &own), Some(&bytes), None, LATER).expect("applied");
        prop_assert_eq!(again.act, Act::Unchanged);
        prop_assert_eq!(again.bytes.as_deref(), Some(&bytes[..]));
        let markdown = json!({"markdown": document.body()});
        let again = run(with("UPSERT", &markdown), Some(&bytes), None, LATER).expect("applied");
        prop_assert_eq!(String::from_utf8(again.bytes.expect("kept")), String::from_utf8(bytes));
    }

    #[test]
    fn an_update_says_what_was_given_and_does_not_touch_the_rest(first in content(), second in content()) {
        let Some(added) = run(with("ADD", &json!({"content": first})), None, None, 1_000) else { return Ok(()) };
        let bytes = added.bytes.expect("added");
        let mut by_hand = String::from_utf8(bytes).expect("text");
        by_hand = by_hand.replacen("tags: []", "tags: [] # mine\nowner: 'me'", 1) + "\n## By hand\n\nMine.\n";
        let update = with("UPDATE", &json!({"content": second}));
        let Some(updated) = run(update.clone(), Some(by_hand.as_bytes()), None, LATER) else { return Ok(()) };
        let after = updated.bytes.expect("updated");
        let text = String::from_utf8(after.clone()).expect("text");
        prop_assert!(text.contains("tags: [] # mine\nowner: 'me'\n"), "{}", text);
        prop_assert!(text.contains("## By hand\n\nMine."), "{}", text);
        // the same once more is not a change, also from the version before
        let again = run(update.clone(), Some(&after), None, LATER + 1).expect("applied");
        prop_assert_eq!(again.act, Act::Unchanged, "{}", text);
        let mut based = update;
        based["base"] = json!(ContentId::of(by_hand.as_bytes()).to_string());
        let merged = run(based, Some(by_hand.as_bytes()), None, LATER).expect("applied");
        prop_assert_eq!(merged.bytes, Some(after));
    }

    #[test]
    fn an_entry_that_was_added_can_be_deleted(content in content()) {
        if let Some(added) = run(with("ADD", &json!({"content": content})), None, None, 1_000) {
            let bytes = added.bytes.expect("added");
            let gone = run(with("DELETE", &json!({})), Some(&bytes), None, LATER).expect("deleted");
            prop_assert_eq!((gone.act, gone.bytes), (Act::Deleted, None));
        }
    }

    #[test]
    fn any_markdown_is_applied_or_refused(markdown in texts(), current in texts()) {
        let current = current.join("\n");
        let value = with("UPDATE", &json!({"markdown": markdown.join("\n")}));
        if let Some(applied) = run(value, Some(current.as_bytes()), None, LATER) {
            prop_assert!(Document::parse(applied.bytes.expect("kept")).is_utf8());
        }
    }
}

/// A law that refuses everything would hold.
#[test]
fn most_content_is_accepted() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::new(crate::cases::held_to(1));
    let mut accepted = 0;
    for _ in 0..200 {
        let content = content().new_tree(&mut runner).expect("a value").current();
        accepted += usize::from(run(with("ADD", &json!({"content": content})), None, None, 1_000).is_some());
    }
    assert!(accepted > 120, "{accepted} of 200");
}
