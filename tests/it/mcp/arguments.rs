//! Arguments as hosts and gateways send them: a text where the schema says list, number or switch.

use super::wire::Wire;
use super::{connected, knowing};
use crate::env::{Env, tree};
use serde_json::{Value, json};

/// A project whose entries cite files, one of them with a comma in its name.
fn citing() -> Env {
    let env = knowing();
    std::fs::create_dir(env.path("[id]")).unwrap();
    for (file, title) in
        [("a.txt", "Alpha"), ("b.txt", "Beta"), ("c,d.txt", "Gamma"), ("[id]/e.txt", "Delta")]
    {
        std::fs::write(env.path(file), "x\n").unwrap();
        let fact = json!([{"subject": title, "statement": format!("`{file}` must be kept, because {title} reads it")}]);
        let operation = json!([{"type": "ADD", "path": "ops/files", "title": title, "reason": "r", "content": {"facts": fact}}]);
        let ran = env.brv_reading(&["curate", "--ops", "-"], operation.to_string().as_bytes());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    env
}

fn same(wire: &mut Wire, tool: &str, sent: &Value, meant: &Value) {
    // a use counts after its answer, so that scores rise
    let own = regex_lite::Regex::new(r"\b0\.\d+\b|brv-data [0-9a-f]+").unwrap();
    let mut text = |arguments| own.replace_all(&wire.text(tool, arguments), "").into_owned();
    assert_eq!(text(sent), text(meant), "{sent}");
}

#[test]
fn files_that_come_as_text_are_all_of_them() {
    let env = citing();
    let mut wire = connected(&env);
    for (sent, wanted) in [
        (json!("a.txt"), "Alpha"),
        (json!("[\"a.txt\"]"), "Alpha"),
        (json!(" [\"a.txt\", \"b.txt\"] "), "Alpha Beta"),
        (json!("a.txt, b.txt"), "Alpha Beta"),
        (json!("a.txt,b.txt,"), "Alpha Beta"),
        (json!("c,d.txt"), "Gamma"),
        (json!("[\"c,d.txt\", \"a.txt\"]"), "Alpha Gamma"),
        (json!(["a.txt"]), "Alpha"),
        (json!(env.path("b.txt")), "Beta"),
        (json!("[id]/e.txt"), "Delta"),
        (json!("[id]/e.txt, a.txt"), "Alpha Delta"),
    ] {
        let text = wire.text("brv-brain", &json!({"for": sent}));
        for title in ["Alpha", "Beta", "Gamma", "Delta"] {
            assert_eq!(text.contains(title), wanted.contains(title), "{sent}: {text}");
        }
    }
}

#[test]
fn numbers_and_switches_that_come_as_text_count() {
    let env = citing();
    let mut wire = connected(&env);
    for sent in [json!("2"), json!(2.0), json!("2.0"), json!(" 2 ")] {
        same(
            &mut wire,
            "brv-search",
            &json!({"text": "reads", "limit": sent}),
            &json!({"text": "reads", "limit": 2}),
        );
    }
    for sent in [json!("true"), json!("True")] {
        same(&mut wire, "brv-brain", &json!({"summary": sent}), &json!({"summary": true}));
    }
    same(&mut wire, "brv-brain", &json!({"summary": "false"}), &json!({}));
    same(&mut wire, "brv-brain", &json!({"max_tokens": "60"}), &json!({"max_tokens": 60}));
    same(&mut wire, "brv-brain", &json!({"max_tokens": 60.0}), &json!({"max_tokens": 60}));
    // one path in place of a list
    let (sent, meant) = (json!({"paths": "ops/files"}), json!({"paths": ["ops/files"]}));
    same(&mut wire, "brv-diff", &sent, &meant);
    // what is a text stays one
    let read = |wire: &mut Wire, path: &str| wire.refused("brv-read", &json!({"path": path}));
    assert!(read(&mut wire, "[\"ops/files/alpha.md\"]").contains("[\"ops/files/alpha.md\"]"));
    assert!(wire.text("brv-search", &json!({"text": "[\"reads\"]"})).contains("alpha.md"));
}

#[test]
fn operations_that_come_as_text_are_filed_whole() {
    let env = knowing();
    let mut wire = connected(&env);
    let file =
        |wire: &mut Wire, operations: Value| wire.tool("brv-curate", &json!({"operations": operations}));
    let operation = |title: &str| {
        json!({"type": "ADD", "path": "sent/here", "title": title, "reason": "r", "tags": ["one", "two"],
            "content": {"facts": [{"subject": title, "statement": format!("[\"{title}\"]")}]}})
    };
    let mut in_text = operation("four");
    for part in ["tags", "content"] {
        in_text[part] = in_text[part].to_string().into();
    }
    let mut facts_in_text = operation("five");
    facts_in_text["content"]["facts"] = facts_in_text["content"]["facts"].to_string().into();
    for operations in [
        json!([operation("one")]),
        json!(json!([operation("two")]).to_string()),
        json!([operation("three").to_string()]),
        json!([in_text]),
        json!(json!([facts_in_text]).to_string()),
    ] {
        let result = file(&mut wire, operations.clone());
        assert_ne!(result["isError"], true, "{operations}: {result}");
    }
    for title in ["one", "two", "three", "four", "five"] {
        let entry = std::fs::read_to_string(tree(&env).join(format!("sent/here/{title}.md"))).unwrap();
        assert!(entry.contains(&format!("[\"{title}\"]")) && entry.contains("two"), "{entry}");
    }
    assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), "");
}

/// What a writing tool does is never guessed.
#[test]
fn a_dry_run_is_a_switch_or_exactly_its_word() {
    let env = knowing();
    let mut wire = connected(&env);
    let head = || env.git(&tree(&env), &["rev-parse", "HEAD"]);
    let operation =
        json!([{"type": "ADD", "path": "a/b", "title": "C", "reason": "r", "markdown": "So it is."}]);
    let before = head();
    for word in [
        json!("yes"),
        json!("True"),
        json!("FALSE"),
        json!(" false"),
        json!(""),
        json!(0),
        json!("0"),
        json!([]),
    ] {
        for (tool, mut arguments) in [
            ("brv-curate", json!({"operations": operation})),
            ("brv-undo", json!({})),
            ("brv-sync", json!({})),
        ] {
            arguments["dry_run"] = word.clone();
            let said = wire.refused(tool, &arguments);
            assert!(
                said.contains("`dry_run`") && said.contains("true or false"),
                "{tool} {arguments}: {said}"
            );
        }
        assert_eq!(head(), before, "{word}");
    }
    let result = wire.tool("brv-curate", &json!({"operations": operation, "dry_run": "true"}));
    assert!(result["isError"] != true && head() == before, "{result}");
    let result = wire.tool("brv-curate", &json!({"operations": operation, "dry_run": "false"}));
    assert!(result["isError"] != true && head() != before, "{result}");
    let written = head();
    assert_ne!(wire.tool("brv-undo", &json!({"dry_run": "true"}))["isError"], true);
    assert_eq!(head(), written);
    assert_ne!(wire.tool("brv-undo", &json!({"dry_run": "false"}))["isError"], true);
    assert!(!tree(&env).join("a/b/c.md").exists());
}

#[test]
fn what_does_not_read_as_its_kind_is_refused_with_the_form() {
    let env = citing();
    let mut wire = connected(&env);
    let whole = "a whole number, such as 5";
    for (tool, arguments, name, form) in [
        ("brv-search", json!({"text": "x", "limit": "many"}), "limit", whole),
        ("brv-search", json!({"text": "x", "limit": 1.5}), "limit", whole),
        ("brv-search", json!({"text": "x", "limit": ""}), "limit", whole),
        ("brv-search", json!({"text": "x", "limit": [1]}), "limit", whole),
        ("brv-search", json!({"text": "x", "related": "perhaps"}), "related", "true or false"),
        ("brv-search", json!({"text": 7}), "text", "a string"),
        ("brv-search", json!({"text": ["reads"]}), "text", "a string"),
        ("brv-brain", json!({"for": 7}), "for", "a list of strings, such as [\"src/main.rs\"]"),
        ("brv-brain", json!({"for": {"a": 1}}), "for", "a list of strings"),
        ("brv-brain", json!({"for": [1]}), "for", "a list of strings"),
        ("brv-brain", json!({"for": "[1]"}), "for", "a list of strings"),
        ("brv-brain", json!({"for": "[\"a.txt\""}), "for", "a list of strings"),
        ("brv-brain", json!({"max_tokens": "0"}), "max_tokens", "above 0"),
        ("brv-brain", json!({"max_tokens": "some"}), "max_tokens", whole),
        (
            "brv-curate",
            json!({"operations": "ADD a/b"}),
            "operations",
            "a list of operations, such as [{\"type\": ",
        ),
        ("brv-curate", json!({"operations": "[{\"type\": \"ADD\""}), "operations", "a list of operations"),
        ("brv-curate", json!({"operations": {"type": "ADD"}}), "operations", "a list of operations"),
    ] {
        let said = wire.refused(tool, &arguments);
        assert!(said.contains(&format!("`{name}`")) && said.contains(form), "{tool} {arguments}: {said}");
    }
}
