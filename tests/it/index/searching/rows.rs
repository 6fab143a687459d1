//! What a row says: all that a row of `brv search` says, and where it comes from.

use super::{Organisation, entry, envelope, places};
use crate::described;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The names of the properties of a row, by the schema of a command.
fn properties(schema: &str) -> BTreeSet<String> {
    fn collect(root: &Value, schema: &Value, names: &mut BTreeSet<String>) {
        if let Some(place) = schema["$ref"].as_str() {
            let target = root.pointer(place.trim_start_matches('#')).unwrap_or_else(|| panic!("{place}"));
            collect(root, target, names);
        }
        names.extend(schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
        for part in schema["allOf"].as_array().into_iter().flatten() {
            collect(root, part, names);
        }
    }
    let document = described::document(schema).unwrap_or_else(|| panic!("no schema {schema}"));
    let row =
        find(&document, "results").unwrap_or_else(|| panic!("{schema} has no results"))["items"].clone();
    let mut names = BTreeSet::new();
    collect(&document, &row, &mut names);
    names
}

/// The first value below this key.
fn find<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    match value {
        Value::Object(fields) => {
            fields.get(key).or_else(|| fields.values().find_map(|value| find(value, key)))
        }
        Value::Array(items) => items.iter().find_map(|value| find(value, key)),
        _ => None,
    }
}

#[test]
fn a_row_has_all_that_a_row_of_a_local_search_has_and_where_it_comes_from() {
    let (local, index) = (properties("brv.search/1"), properties("brv.index.search/1"));
    assert!(local.contains("excerpt") && local.is_subset(&index), "{local:?} {index:?}");
    let more: Vec<&str> = index.difference(&local).map(String::as_str).collect();
    assert_eq!(more, ["actor", "as_of", "commit", "remote", "tree"]);
    let organisation = Organisation::small();
    let data = organisation.search(&["card retries", "--explain"]);
    let row = &data["results"][0];
    assert_eq!((&row["tree"], &row["path"]), (&json!("payments"), &json!("retries/card.md")));
    let tip = organisation.env.git(&organisation.remote("payments"), &["rev-parse", "HEAD"]);
    assert_eq!((&row["commit"], &row["as_of"], &row["actor"]), (&json!(tip), &json!(tip), &json!("Ada")));
    assert!(row["remote"].as_str().unwrap().ends_with("remotes/payments"), "{row}");
    assert_eq!((&row["importance"], &row["maturity"]), (&json!(50.0), &json!("draft")));
    assert_eq!(row["updated_at"], "2023-05-01T00:00:00Z");
    let stats = &data["stats"];
    assert_eq!((&stats["documents"], &stats["trees"]), (&json!(4), &json!(2)));
    assert_eq!(stats["shards"], json!({"total": 1, "failed": 0}));
    assert!(stats["engine_ms"].is_u64() && data["explain"]["covered"].is_number(), "{data}");
    assert_eq!(data["covered"], true);
}

#[test]
fn a_commit_that_changes_no_text_moves_as_of_alone() {
    let organisation = Organisation::small();
    let first = organisation.search(&["card retries"])["results"][0].clone();
    let second =
        organisation.edit("payments", &[entry("retries/other.md", "Other", "Nothing of that kind.")]);
    assert_ne!(first["commit"], json!(second));
    let pushed = organisation.push();
    assert_eq!(pushed["summary"]["sent"], 1);
    let row = organisation.search(&["card retries"])["results"][0].clone();
    assert_eq!((&row["commit"], &row["as_of"]), (&first["commit"], &json!(second)));
    let ran = organisation.env.brv(&["index", "search", "card retries"]);
    let short = |commit: &Value| commit.as_str().unwrap()[..9].to_owned();
    let expected =
        format!("payments {} Ada, unchanged until {}", short(&first["commit"]), short(&json!(second)));
    assert!(ran.stdout.contains(&expected), "{}", ran.stdout);
}

#[test]
fn limits_trees_and_texts_without_words() {
    let organisation = Organisation::small();
    let found = |arguments: &[&str]| organisation.search(arguments);
    assert_eq!(found(&["carts", "--limit", "1"])["results"].as_array().unwrap().len(), 1);
    let all = found(&["minute carts cards"]);
    assert!(all["results"].as_array().unwrap().len() >= 3, "{all}");
    for (glob, trees) in [
        ("shop", vec!["shop"]),
        ("pay*", vec!["payments"]),
        ("?hop", vec!["shop"]),
        ("*", vec!["payments", "shop"]),
        ("hop", vec![]),
        ("SHOP", vec![]),
        ("", vec![]),
    ] {
        let data = found(&["minute carts cards", "--tree", glob]);
        let found: BTreeSet<&str> =
            data["results"].as_array().unwrap().iter().map(|row| row["tree"].as_str().unwrap()).collect();
        assert_eq!(found.into_iter().collect::<Vec<_>>(), trees, "{glob}");
    }
    for text in ["", "   ", "\u{7}"] {
        let why = organisation.refused(2, &["index", "search", text]);
        assert!(why.contains("the question is empty"), "{text}: {why}");
    }
    // as in a local search, a text without a word finds nothing
    for text in ["!!!", "\"\"", ". ?"] {
        let data = found(&[text]);
        assert_eq!(
            (&data["results"], &data["total"], &data["covered"]),
            (&json!([]), &json!(0), &json!(false))
        );
        assert_eq!((&data["stats"]["documents"], &data["stats"]["trees"]), (&json!(4), &json!(2)));
    }
    for limit in ["0", "51", "x"] {
        assert_eq!(organisation.env.brv(&["index", "search", "carts", "--limit", limit]).code, 2);
    }
    assert_eq!(places(&found(&["zebra xylophone"])), [""; 0]);
}

#[test]
fn disputed_entries_and_long_paths_come_back_as_such() {
    let folder = "deep/".repeat(30);
    let path = format!("{folder}{}.md", "n".repeat(45));
    assert_eq!(path.len(), 198);
    let organisation = Organisation::of(&[(
        "odd",
        vec![
            (
                "a/b/quarrel.md".into(),
                "---\ntitle: Quarrel\ndisputed: [port]\n---\n## Facts\n- **port**: 80\n- **port**: 81\n"
                    .into(),
            ),
            entry(&path, "Deep", "Submarine cables."),
        ],
    )]);
    let found = organisation.search(&["submarine cables"]);
    assert_eq!(
        (places(&found), &found["results"][0]["disputed"]),
        (vec![format!("odd/{path}")], &json!(false))
    );
    assert_eq!(organisation.search(&["port"])["results"][0]["disputed"], true);
    let shown = organisation.env.brv(&["index", "search", "port"]).stdout;
    assert!(shown.contains("[disputed]"), "{shown}");
}

#[test]
fn names_of_trees_may_have_anything_but_white_space() {
    let organisation = Organisation::new();
    let names = [
        "git.example/a/b#stable",
        "host:.brv/context-tree",
        "Büro/Ägypten",
        "日本/観測",
        "a'b\"c",
        "x*y?z",
        "%20",
    ];
    for (number, name) in names.iter().enumerate() {
        organisation.add(name, &[entry("a/b/c.md", &format!("Anchor {number}"), "An anchor holds a ship.")]);
    }
    organisation.push();
    let found = organisation.search(&["anchor", "--limit", "50"]);
    let trees: BTreeSet<&str> =
        found["results"].as_array().unwrap().iter().map(|row| row["tree"].as_str().unwrap()).collect();
    assert_eq!(trees, BTreeSet::from(names));
    for name in names {
        let ran = organisation.env.brv(&["index", "drop", name, "--json"]);
        assert_eq!((ran.code, &envelope(&ran)["data"]["removed"]), (0, &json!(1)), "{}", ran.stdout);
    }
    assert_eq!(places(&organisation.search(&["anchor"])), [""; 0]);
}

#[test]
fn a_remote_in_a_folder_with_blanks_is_a_tree_of_that_name() {
    let organisation = Organisation::new();
    let folder = organisation.env.path("Our notes #2: drafts");
    std::fs::create_dir(&folder).unwrap();
    organisation.env.git(&folder, &["init", "-q"]);
    organisation.env.commit(&folder, &[("a/b/c.md", "# Anchor\n\nAn anchor holds a ship.\n")]);
    let ran = organisation.env.brv(&["index", "push", "--remote", folder.to_str().unwrap(), "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let tree = envelope(&ran)["data"]["trees"][0]["tree"].as_str().unwrap().to_owned();
    assert!(tree.contains("our notes"), "{tree}");
    let row = organisation.search(&["anchor", "--tree", "*our notes*"])["results"][0].clone();
    assert_eq!((&row["tree"], &row["path"]), (&json!(tree), &json!("a/b/c.md")));
    assert_eq!(organisation.env.brv(&["index", "drop", &tree]).code, 0);
}
