//! Every wrong operation fails alone, with its code; input that is not a list fails as a whole.

use super::{ENTRY, apply, curated, read};
use crate::env::tree;
use crate::init::json;
use serde_json::{Value, json as value};

#[test]
fn each_wrong_operation_has_its_code_and_the_others_are_applied() {
    let long = "x".repeat(40_001);
    let rows = [
        (value!({"type": "RENAME", "path": "a/b", "title": "T", "reason": "r"}), "invalid"),
        (value!({"path": "a/b", "title": "T", "reason": "r"}), "invalid"),
        (value!({"type": "ADD", "path": "a/b", "title": "T"}), "invalid"),
        (value!({"type": "ADD", "path": "a/b", "title": "T", "reason": " "}), "invalid"),
        (value!({"type": "ADD", "path": "a/b", "title": "T", "reason": "r", "colour": "red"}), "invalid"),
        (value!("ADD"), "invalid"),
        (value!({"type": "ADD", "path": "a/b/c/d", "title": "T", "reason": "r"}), "too_deep"),
        (value!({"type": "ADD", "path": "a/../b", "title": "T", "reason": "r"}), "invalid"),
        (value!({"type": "ADD", "path": "/a/b", "title": "T", "reason": "r"}), "invalid"),
        (value!({"type": "ADD", "path": "a/b", "title": "?!", "reason": "r"}), "invalid"),
        (value!({"type": "ADD", "path": "auth/tokens", "title": "Token Lifetime", "reason": "r"}), "exists"),
        (value!({"type": "UPDATE", "path": "auth/tokens", "title": "None", "reason": "r"}), "not_found"),
        (value!({"type": "DELETE", "path": "auth/tokens/none.md", "reason": "r"}), "not_found"),
        (value!({"type": "MERGE", "path": ENTRY, "source": "auth/tokens/none", "reason": "r"}), "not_found"),
        (
            value!({"type": "MERGE", "path": "auth/tokens", "title": "None", "source": ENTRY, "reason": "r"}),
            "not_found",
        ),
        (value!({"type": "MERGE", "path": ENTRY, "source": ENTRY, "reason": "r"}), "invalid"),
        (value!({"type": "DELETE", "path": "auth", "reason": "r"}), "invalid"),
        (value!({"type": "ADD", "path": "a/b", "title": "T", "reason": "r", "markdown": long}), "over_limit"),
        (
            value!({"type": "ADD", "path": "a/b", "title": "T", "reason": "r", "markdown": "a\u{0}b"}),
            "invalid",
        ),
        (
            value!({"type": "UPDATE", "path": ENTRY, "reason": "r", "summary": "s", "expect": "0".repeat(40)}),
            "changed",
        ),
        (
            value!({"type": "UPDATE", "path": ENTRY, "reason": "r", "summary": "s", "base": "0".repeat(40)}),
            "changed",
        ),
        (
            value!({"type": "UPDATE", "path": ENTRY, "reason": "r", "remove": {"facts": ["nothing"]}}),
            "not_found",
        ),
        (
            value!({"type": "ADD", "path": "a/b", "title": "T", "reason": "r", "markdown": crate::check::secret()}),
            "blocked",
        ),
        (
            value!({"type": "ADD", "path": format!("a/{}", crate::check::value()), "title": "T", "reason": "r"}),
            "blocked",
        ),
        (
            value!({"type": "ADD", "path": format!("a/{}", "n".repeat(300)), "title": "T", "reason": "r"}),
            "invalid",
        ),
        (
            value!({"type": "ADD", "path": format!("{0}/{0}/{0}", "n".repeat(80)), "title": "T", "reason": "r"}),
            "invalid",
        ),
        (value!({"type": "DELETE", "path": format!("a/{}/b.md", "n".repeat(300)), "reason": "r"}), "invalid"),
        (
            value!({"type": "MERGE", "path": ENTRY, "source": format!("a/{}/b", "n".repeat(300)), "reason": "r"}),
            "invalid",
        ),
        (value!({"type": "ADD", "path": "C:/x", "title": "T", "reason": "r"}), "invalid"),
        (value!({"type": "ADD", "path": "C:\\x", "title": "T", "reason": "r"}), "invalid"),
        (value!({"type": "ADD", "path": "c:x/y", "title": "T", "reason": "r"}), "invalid"),
        (value!({"type": "MERGE", "path": ENTRY, "source": "C:/x/y.md", "reason": "r"}), "invalid"),
        (value!({"type": "UPDATE", "path": ENTRY, "reason": "r", "base": "main"}), "invalid"),
    ];
    let env = curated();
    for (row, (operation, code)) in rows.iter().enumerate() {
        let good = value!({"type": "UPSERT", "path": "good/one", "title": "Count", "reason": "r", "markdown": format!("{code} {row}\n")});
        let (ran, data) = apply(&env, &value!([operation, good]));
        assert_eq!(data["applied"][0]["code"], *code, "{row}");
        assert_eq!(data["applied"][1]["status"], "success", "{row}");
        assert_eq!(data["summary"]["failed"], 1);
        assert_eq!(ran.code, if *code == "blocked" { 7 } else { 1 }, "{row}");
        let envelope = json(&ran.stdout);
        assert_eq!((&envelope["ok"], envelope["error"]["code"].is_string()), (&Value::Bool(false), true));
        assert!(!ran.stdout.contains(&crate::check::value()), "the secret is printed");
    }
    assert_eq!(env.git(&tree(&env), &["ls-files"]).lines().count(), 6, "only `good` came");
}

#[test]
fn a_version_that_is_no_file_fails_its_operation_alone() {
    let env = curated();
    for name in ["HEAD", "HEAD^{tree}"] {
        let id = env.git(&tree(&env), &["rev-parse", name]);
        for key in ["base", "expect"] {
            let operations = value!([
                {"type": "UPDATE", "path": ENTRY, "reason": "r", "summary": "s", key: id},
                {"type": "UPSERT", "path": "good/one", "title": "Count", "reason": "r", "markdown": format!("{key} {name}\n")},
            ]);
            let (ran, data) = apply(&env, &operations);
            assert_eq!((ran.code, &data["applied"][0]["code"]), (1, &value!("changed")), "{}", ran.stdout);
            assert_eq!(data["applied"][1]["status"], "success");
        }
    }
}

#[test]
fn a_secret_in_a_fact_blocks_it_as_the_check_would() {
    let env = curated();
    let fact = format!("aws_secret_{}: wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzQQ7rT4kV", "access_key");
    let ran = env.brv(&["curate", "--into", "d/e", "--title", "flags", "--reason", "r", "--fact", &fact]);
    assert_eq!(ran.code, 7, "{}", ran.stdout);
    assert!(!tree(&env).join("d").exists());
}

#[test]
fn a_message_does_not_repeat_a_title_of_any_length() {
    let env = curated();
    let title = "?".repeat(5_000);
    let (_, data) = apply(&env, &value!([{"type": "ADD", "path": "a/b", "title": title, "reason": "r"}]));
    assert_eq!(data["applied"][0]["code"], "invalid");
    assert!(data["applied"][0]["message"].as_str().unwrap().len() < 500, "{data}");
}

#[test]
fn forty_thousand_characters_are_allowed() {
    let env = curated();
    let text = format!("{}\n", "é".repeat(39_999));
    let (ran, data) =
        apply(&env, &value!([{"type": "ADD", "path": "a/b", "title": "T", "reason": "r", "markdown": text}]));
    assert_eq!(ran.code, 0, "{data}");
}

#[test]
fn what_is_no_list_changes_nothing_and_names_the_byte() {
    let env = curated();
    let head = env.git(&tree(&env), &["rev-parse", "HEAD"]);
    for (input, word) in
        [("[{\"type\":}]", "byte 9"), ("{}", "byte 0"), ("", "byte 0"), ("[1", "byte 2"), ("3", "byte 0")]
    {
        let ran = env.brv_reading(&["curate", "--ops", "-", "--json"], input.as_bytes());
        assert_eq!(ran.code, 2, "{input}: {}", ran.stdout);
        assert!(
            json(&ran.stdout)["error"]["message"].as_str().unwrap().contains(word),
            "{input}: {}",
            ran.stdout
        );
    }
    let large = format!("[{}]", " ".repeat(10_000_000));
    let ran = env.brv_reading(&["curate", "--ops", "-"], large.as_bytes());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(env.git(&tree(&env), &["rev-parse", "HEAD"]), head);
    let (ran, data) = apply(&env, &value!([]));
    assert_eq!((ran.code, data["applied"].as_array().unwrap().len()), (0, 0));
}

#[test]
fn of_two_lists_or_two_values_none_is_taken() {
    let env = curated();
    let one =
        value!({"type": "ADD", "path": "a/b", "title": "T", "reason": "r", "markdown": "x"}).to_string();
    let head = || env.git(&tree(&env), &["rev-parse", "HEAD"]);
    let before = head();
    let run = |input: String| env.brv_reading(&["curate", "--ops", "-", "--json"], input.as_bytes());
    let ran = run(format!("{{\"operations\":[{one}],\"operations\":[]}}"));
    assert_eq!((ran.code, head()), (2, before), "{}", ran.stdout);
    let twice = one.replacen("\"path\"", "\"path\":\"c/d\",\"path\"", 1);
    let ran = run(format!("[{twice},{one}]"));
    let data = json(&ran.stdout)["data"].clone();
    assert_eq!((ran.code, &data["applied"][0]["code"]), (1, &value!("invalid")), "{}", ran.stdout);
    assert_eq!(data["applied"][0]["message"], "the field `path` is given twice");
    assert_eq!(data["applied"][1]["file"], "a/b/t.md");
}

#[test]
fn a_relation_that_no_path_can_be_is_dropped() {
    let env = curated();
    let related = value!([format!("auth/{}", "n".repeat(300)), "C:/x", "a/../b", "auth/tokens"]);
    let (ran, data) =
        apply(&env, &value!([{"type": "UPDATE", "path": ENTRY, "reason": "r", "related": related}]));
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(data["applied"][0]["dropped_relations"].as_array().unwrap().len(), 3, "{data}");
}

/// As an earlier operation left it, no folder can stand where an entry is.
#[test]
fn a_file_that_an_earlier_operation_made_is_no_folder() {
    let env = curated();
    let operations = value!([
        {"type": "ADD", "path": "a", "title": "x", "reason": "r", "markdown": "x\n"},
        {"type": "ADD", "path": "a/x.md/c", "title": "y", "reason": "r", "markdown": "y\n"},
    ]);
    let (ran, data) = apply(&env, &operations);
    assert_eq!((ran.code, &data["applied"][1]["code"]), (1, &value!("invalid")), "{}", ran.stdout);
    assert_eq!(read(&env, "a/x.md").lines().last(), Some("x"));
}

/// A superuser reads every folder: then there is nothing to see here.
#[test]
#[cfg(unix)]
fn a_folder_that_cannot_be_read_fails_its_operations_alone_and_nothing_of_them_stays() {
    use std::os::unix::fs::PermissionsExt as _;
    let env = curated();
    let locked = tree(&env).join("auth/tokens/locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).unwrap();
    let is_readable = std::fs::read_dir(&locked).is_ok();
    let operations = value!([
        {"type": "ADD", "path": "auth/tokens/locked", "title": "T", "reason": "r", "markdown": "x\n"},
        {"type": "DELETE", "path": ENTRY, "reason": "whether the folder is empty then cannot be known"},
        {"type": "UPDATE", "path": ENTRY, "reason": "r", "summary": "still here"},
    ]);
    let (ran, data) = apply(&env, &operations);
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o755)).unwrap();
    if is_readable {
        return;
    }
    let codes: Vec<&Value> = data["applied"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert_eq!(codes, [&value!("invalid"), &value!("invalid"), &Value::Null], "{}", ran.stdout);
    assert_eq!(ran.code, 1);
    assert!(read(&env, ENTRY).contains("still here"));
    assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), "");
}

#[test]
fn two_operations_on_one_path_are_applied_in_order() {
    let env = curated();
    let fact = |statement: &str| value!({"type": "UPDATE", "path": ENTRY, "reason": statement, "content": {"facts": [{"subject": "lifetime", "statement": statement}]}});
    let (ran, data) = apply(&env, &value!([fact("one"), fact("two")]));
    assert_eq!(ran.code, 0);
    assert_eq!(data["applied"][0]["after"], data["applied"][1]["before"]);
    assert!(read(&env, ENTRY).contains("- **lifetime**: two [project]"));
    assert!(super::message(&env).contains(&format!("Brv-Reason: {ENTRY}: one; two")));
}

#[test]
#[cfg(unix)]
fn what_is_no_file_is_not_written_through() {
    let env = curated();
    let outside = env.path("outside");
    std::fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, tree(&env).join("link")).unwrap();
    std::fs::create_dir_all(tree(&env).join("auth/tokens/folder.md")).unwrap();
    let operations = value!([
        {"type": "UPSERT", "path": "link/b", "title": "T", "reason": "r", "markdown": "x\n"},
        {"type": "UPSERT", "path": "auth/tokens/folder.md", "reason": "r", "markdown": "x\n"},
    ]);
    let (ran, data) = apply(&env, &operations);
    assert_eq!(ran.code, 1);
    assert_eq!(
        (&data["applied"][0]["code"], &data["applied"][1]["code"]),
        (&value!("invalid"), &value!("invalid")),
        "{data}"
    );
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}
